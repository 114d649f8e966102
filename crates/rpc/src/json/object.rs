//! One level of an object, for code that moves members about without understanding their values.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{DecodeError, Encode, Members, Raw, Reader, write};

/// An object's members in order, each value as its text. Later members replace earlier ones of the same name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    /// Reads a text that is one object.
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

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether there is a member of that name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A member's text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.position(name).map(|index| &*self.members[index].1)
    }

    /// Takes a member out.
    pub fn take(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let index = self.position(name)?;
        Some(self.members.remove(index).1)
    }

    /// Takes out all members with a name that fits.
    pub fn take_all(&mut self, fits: impl Fn(&str) -> bool) -> Object<'a> {
        let members = std::mem::take(&mut self.members).into_iter();
        let (taken, left) = members.partition(|(name, _)| fits(name));
        self.members = left;
        Object { members: taken }
    }

    /// Adds the members of another object whose names are not taken, at the end.
    pub fn fill(&mut self, other: Object<'a>) {
        let names = self.members.iter().map(|(name, _)| &**name);
        let taken: HashSet<&str> = names.collect();
        let others = other.members.into_iter();
        let new: Vec<_> = others
            .filter(|(name, _)| !taken.contains(&**name))
            .collect();
        self.members.extend(new);
    }

    /// Sets a member to a JSON text, in place if it is there and at the end if not.
    pub fn set(&mut self, name: impl Into<Cow<'a, str>>, json: impl Into<Cow<'a, str>>) {
        let name = name.into();
        match self.position(&name) {
            Some(index) => self.members[index].1 = json.into(),
            None => self.members.push((name, json.into())),
        }
    }

    /// Sets a member to a value.
    pub fn put<T: Encode + ?Sized>(&mut self, name: impl Into<Cow<'a, str>>, value: &T) {
        self.set(name, super::to_string(value));
    }

    /// Gives a member another name, in its place. Does nothing if the new name is taken or the old one not there.
    pub fn rename(&mut self, from: &str, to: &'static str) {
        if self.has(to) {
            return;
        }
        if let Some(index) = self.position(from) {
            self.members[index].0 = Cow::Borrowed(to);
        }
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The object with texts of its own.
    pub fn into_owned(self) -> Object<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let members = self.members.into_iter();
        Object {
            members: members
                .map(|(name, value)| (own(name), own(value)))
                .collect(),
        }
    }

    /// The object as a raw value.
    pub fn to_raw(&self) -> Result<Raw, DecodeError> {
        Raw::parse(&super::to_string(self))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|(known, _)| known == name)
    }

    /// Linear for the few members that objects have, and no worse than n log n for a hostile many.
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

/// Names and JSON texts. Later members replace earlier ones of the same name.
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
