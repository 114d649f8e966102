//! Functions that decode a member of an object. They differ in how they treat an invalid value.

use super::values::make_room;
use super::{Decode, DecodeError, Mark, MaybeUndefined, Problem, Reader};

/// Decodes a member. An invalid value is an error.
pub fn strict<T: Decode>(reader: &mut Reader<'_>, name: &'static str) -> Result<T, DecodeError> {
    T::decode(reader).map_err(|error| error.within(name))
}

/// Decodes a member. An invalid value is replaced by the default.
pub fn lenient<T: Decode + Default>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<T, DecodeError> {
    let mark = reader.mark();
    T::decode(reader).or_else(|_| skip_from(reader, mark, name).map(|()| T::default()))
}

/// Decodes a member. `null` is replaced by the default; any other invalid value is an error.
pub fn nullable<T: Decode + Default>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<T, DecodeError> {
    if reader.null().map_err(|error| error.within(name))? {
        return Ok(T::default());
    }
    strict(reader, name)
}

/// Decodes a list and leaves out its invalid items. A value that is not a list counts as an empty list.
pub fn items<T: Decode>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<Vec<T>, DecodeError> {
    Ok(optional_items(reader, name)?.unwrap_or_default())
}

/// Decodes a list and leaves out its invalid items. A value that is not a list counts as `None`.
pub fn optional_items<T: Decode>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> Result<Option<Vec<T>>, DecodeError> {
    let mark = reader.mark();
    let Ok(mut more) = reader.open_array() else {
        skip_from(reader, mark, name)?;
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
            Err(_) => skip_from(reader, mark, name)?,
        }
        more = reader.more_items().map_err(|error| error.within(name))?;
    }
    Ok(Some(items))
}

/// Decodes a list of a patch and leaves out its invalid items. Any value that is neither a list nor `null` counts as
/// [`MaybeUndefined::Undefined`].
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

/// The error for a missing required member.
#[cold]
pub fn missing(reader: &Reader<'_>, name: &'static str) -> DecodeError {
    reader.error(Problem::Missing).within(name)
}

/// The error for a tag that occurs twice.
#[cold]
pub fn repeated(reader: &Reader<'_>, name: Option<&'static str>) -> DecodeError {
    let error = reader.error(Problem::Unfit("occurs twice"));
    error.within(name.unwrap_or_default())
}

fn skip_from(reader: &mut Reader<'_>, mark: Mark, name: &'static str) -> Result<(), DecodeError> {
    reader.reset(mark);
    reader.skip().map_err(|error| error.within(name))?;
    Ok(())
}
