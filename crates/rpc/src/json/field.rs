//! How a member of an object is read when it does not fit: the tolerance of a protocol, one function a rule.

use super::values::make_room;
use super::{Decode, DecodeError, Mark, MaybeUndefined, Problem, Reader};

/// A member that must fit.
pub fn strict<T: Decode>(reader: &mut Reader<'_>, name: &'static str) -> Result<T, DecodeError> {
    T::decode(reader).map_err(|error| error.within(name))
}

/// A member that counts as its default when it does not fit.
pub fn lenient<T: Decode + Default>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<T, DecodeError> {
    let mark = reader.mark();
    T::decode(reader).or_else(|_| skipped(reader, mark, name).map(|()| T::default()))
}

/// A member for which `null` counts as the default, and anything else must fit.
pub fn nullable<T: Decode + Default>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<T, DecodeError> {
    if reader.null().map_err(|error| error.within(name))? {
        return Ok(T::default());
    }
    strict(reader, name)
}

/// A list whose bad items are left out; anything but a list counts as an empty one.
pub fn items<T: Decode>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<Vec<T>, DecodeError> {
    Ok(optional_items(reader, name)?.unwrap_or_default())
}

/// A list whose bad items are left out; anything but a list counts as none.
pub fn optional_items<T: Decode>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<Option<Vec<T>>, DecodeError> {
    let mark = reader.mark();
    let Ok(mut more) = reader.open_array() else {
        skipped(reader, mark, name)?;
        return Ok(None);
    };
    let mut items = Vec::new();
    while more {
        let mark = reader.mark();
        match T::decode(reader) {
            Ok(item) => {
                make_room(&mut items);
                items.push(item);
            }
            Err(_) => skipped(reader, mark, name)?,
        }
        more = reader.more_items().map_err(|error| error.within(name))?;
    }
    Ok(Some(items))
}

/// A three-state list whose bad items are left out; anything but a list or `null` counts as absent.
pub fn patch_items<T: Decode>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<MaybeUndefined<Vec<T>>, DecodeError> {
    if reader.null().map_err(|error| error.within(name))? {
        return Ok(MaybeUndefined::Null);
    }
    Ok(match optional_items(reader, name)? {
        Some(items) => MaybeUndefined::Value(items),
        None => MaybeUndefined::Undefined,
    })
}

/// The error for a member that must be there and is not.
#[cold]
pub fn missing(reader: &Reader<'_>, name: &'static str) -> DecodeError {
    reader.error(Problem::Missing).within(name)
}

/// The error for a member that decides what the others mean and occurs twice.
#[cold]
pub fn repeated(reader: &Reader<'_>, name: Option<&'static str>) -> DecodeError {
    let error = reader.error(Problem::Unfit("occurs twice"));
    error.within(name.unwrap_or_default())
}

fn skipped(reader: &mut Reader<'_>, mark: Mark, name: &'static str) -> Result<(), DecodeError> {
    reader.reset(mark);
    reader.skip().map_err(|error| error.within(name))?;
    Ok(())
}
