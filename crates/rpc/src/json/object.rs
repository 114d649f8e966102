//! A JSON object whose values stay text.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{DecodeError, Encode, Members, Raw, Reader, write};

/// The members of a JSON object in order, with each value as JSON text. Use it to add, remove or rename members without
/// decoding their values. If a name occurs more than once, the last member wins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    /// Parses a text that is one JSON object.
    pub fn parse(text: &'a str) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(text);
        let mut object = Object::default();
        let mut more = reader.open_object()?;
        while more {
            let name = reader.name()?;
            let value = reader.skip()?;
            object.members.push((name, Cow::Borrowed(value)));
            more = reader.more_members()?;
        }
        reader.end()?;
        object.drop_replaced();
        Ok(object)
    }

    /// Whether the object has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether the object has a member with this name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The value of a member as JSON text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.position(name).map(|index| &*self.members[index].1)
    }

    /// Removes a member and returns its value as JSON text.
    pub fn take(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let index = self.position(name)?;
        Some(self.members.remove(index).1)
    }

    /// Removes all members whose name satisfies a condition, and returns them.
    pub fn take_all(&mut self, fits: impl Fn(&str) -> bool) -> Object<'a> {
        let members = std::mem::take(&mut self.members).into_iter();
        let (taken, left) = members.partition(|(name, _)| fits(name));
        self.members = left;
        Object { members: taken }
    }

    /// Appends the members of another object whose names this object does not have.
    pub fn fill(&mut self, other: Object<'a>) {
        let names = self.members.iter().map(|(name, _)| &**name);
        let taken: HashSet<&str> = names.collect();
        let others = other.members.into_iter();
        let new: Vec<_> = others
            .filter(|(name, _)| !taken.contains(&**name))
            .collect();
        self.members.extend(new);
    }

    /// Sets a member to a JSON text. A new member is appended at the end; an existing one keeps its position.
    pub fn set(&mut self, name: impl Into<Cow<'a, str>>, json: impl Into<Cow<'a, str>>) {
        let name = name.into();
        match self.position(&name) {
            Some(index) => self.members[index].1 = json.into(),
            None => self.members.push((name, json.into())),
        }
    }

    /// Sets a member to the JSON text of a value. A new member is appended at the end; an existing one keeps its position.
    pub fn put<T: Encode + ?Sized>(&mut self, name: impl Into<Cow<'a, str>>, value: &T) {
        self.set(name, super::to_string(value));
    }

    /// Renames a member, which keeps its position. Does nothing if the old name does not exist or the new one does.
    pub fn rename(&mut self, from: &str, to: &'static str) {
        if self.has(to) {
            return;
        }
        if let Some(index) = self.position(from) {
            self.members[index].0 = Cow::Borrowed(to);
        }
    }

    /// Iterates over names and JSON texts of the members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Converts the object into one that borrows nothing.
    pub fn into_owned(self) -> Object<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let members = self.members.into_iter();
        Object {
            members: members
                .map(|(name, value)| (own(name), own(value)))
                .collect(),
        }
    }

    /// Converts the object into a [`Raw`] value. Fails if a value set with [`set`](Self::set) is not JSON.
    pub fn to_raw(&self) -> Result<Raw, DecodeError> {
        Raw::parse(&super::to_string(self))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|(known, _)| known == name)
    }

    /// Removes members that a later member of the same name replaces, in O(n log n) even for hostile input.
    fn drop_replaced(&mut self) {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by(|&a, &b| self.members[a].0.cmp(&self.members[b].0));
        let mut replaced = vec![false; self.members.len()];
        for pair in order.windows(2) {
            if self.members[pair[0]].0 == self.members[pair[1]].0 {
                replaced[pair[0]] = true;
            }
        }
        let mut index = 0;
        self.members.retain(|_| {
            index += 1;
            !replaced[index - 1]
        });
    }
}

/// Builds an object from names and JSON texts. If a name occurs more than once, the last member wins.
impl<'a> FromIterator<(Cow<'a, str>, Cow<'a, str>)> for Object<'a> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>>(members: I) -> Self {
        let mut object = Object {
            members: members.into_iter().collect(),
        };
        object.drop_replaced();
        object
    }
}

impl Members for Object<'_> {
    fn members(&self, out: &mut String) {
        for (name, value) in self.iter() {
            write::comma(out);
            write::string(out, name);
            out.push(':');
            write::raw(out, value);
        }
    }
}

impl Encode for Object<'_> {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}
