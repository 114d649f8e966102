//! JSON for types of the standard library.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Decode, DecodeError, DecodeRest, Encode, Mark, Members, Reader, write};

impl Decode for bool {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.boolean()
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Decode for String {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.string().map(Cow::into_owned)
    }
}

impl Decode for Box<str> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.text().map(Box::from)
    }
}

impl Decode for Arc<str> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.text().map(Arc::from)
    }
}

impl Encode for str {
    fn encode(&self, out: &mut String) {
        write::string(out, self);
    }
}

impl Encode for String {
    fn encode(&self, out: &mut String) {
        write::string(out, self);
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if reader.null()? {
            return Ok(None);
        }
        T::decode(reader).map(Some)
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, out: &mut String) {
        match self {
            Some(value) => value.encode(out),
            None => out.push_str("null"),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Decode> Decode for Box<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        T::decode(reader).map(Box::new)
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self, out: &mut String) {
        (**self).encode(out);
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut items = Vec::new();
        let mut more = reader.open_array()?;
        while more {
            make_room(&mut items);
            items.push(T::decode(reader).map_err(|error| error.at(items.len()))?);
            more = reader.more_items()?;
        }
        Ok(items)
    }
}

/// Reserves room for another item. The capacity grows by half instead of doubling, because a peer can send a long list
/// whose items take a few bytes on the wire and many in memory.
#[inline]
pub(super) fn make_room<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 2 + 4);
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut String) {
        write::array(out, self);
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut map = BTreeMap::new();
        let mut more = reader.open_object()?;
        let mut index = 0;
        while more {
            let name = reader.name()?.into_owned();
            let value = T::decode(reader).map_err(|error| error.at(index))?;
            map.insert(name, value);
            index += 1;
            more = reader.more_members()?;
        }
        Ok(map)
    }
}

impl<T: Encode> Encode for BTreeMap<String, T> {
    fn encode(&self, out: &mut String) {
        out.push('{');
        for (name, value) in self {
            write::member(out, name, value);
        }
        out.push('}');
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: DecodeRest> DecodeRest for Box<T> {
    fn decode_rest(
        reader: &mut Reader<'_>,
        start: Mark,
        more: bool,
        read: Option<&'static str>,
    ) -> Result<Self, DecodeError> {
        T::decode_rest(reader, start, more, read).map(Box::new)
    }
}

impl<T: Members> Members for Box<T> {
    fn members(&self, out: &mut String) {
        T::members(self, out);
    }
}
