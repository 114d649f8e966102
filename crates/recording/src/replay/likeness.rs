//! Messages that say the same but for ids that a peer has chosen, and the ids of this run in place of the old ones.

use std::collections::HashMap;

use attache_rpc::json::{from_str, to_string};
use attache_testkit::{Value, kind_of_id};

use super::super::REDACTED;

/// Whether two payloads say the same, whatever their ids. A secret that was taken out is like any other.
pub(super) fn alike(old: Option<&str>, new: Option<&str>) -> bool {
    match (read(old), read(new)) {
        (Some(old), Some(new)) => same(&old, &new),
        (old, new) => old.is_none() && new.is_none(),
    }
}

fn same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::String(text), _) if text == REDACTED => true,
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new))
        }
        (Value::Object(old), Value::Object(new)) => {
            old.len() == new.len()
                && old.iter().all(|(name, value)| {
                    let other = new.iter().find(|(other, _)| other == name);
                    let is_id = kind_of_id(name).is_some();
                    other.is_some_and(|(_, other)| is_id || same(value, other))
                })
        }
        (old, new) => old == new,
    }
}

/// Ids of the recording and what they are called in this run.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<(&'static str, String), String>);

impl Names {
    /// Learns from two payloads that are the same message.
    pub(super) fn learn(&mut self, old: Option<&str>, new: Option<&str>) {
        if let (Some(old), Some(new)) = (read(old), read(new)) {
            self.compare(&old, &new);
        }
    }

    fn compare(&mut self, old: &Value, new: &Value) {
        match (old, new) {
            (Value::Array(old), Value::Array(new)) => {
                for (old, new) in old.iter().zip(new) {
                    self.compare(old, new);
                }
            }
            (Value::Object(old), Value::Object(new)) => {
                for (name, value) in old {
                    let other = new.iter().find(|(other, _)| other == name);
                    match (kind_of_id(name), value, other) {
                        (Some(kind), Value::String(old), Some((_, Value::String(new)))) => {
                            if old != new {
                                self.0.insert((kind, old.clone()), new.clone());
                            }
                        }
                        (_, value, Some((_, other))) => self.compare(value, other),
                        (_, _, None) => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// The payload with the ids of this run, or `None` if it has none to replace.
    pub(super) fn replaced(&self, payload: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let mut value = from_str(payload).ok()?;
        self.replace(&mut value).then(|| to_string(&value))
    }

    fn replace(&self, value: &mut Value) -> bool {
        match value {
            Value::Plain(_) | Value::String(_) => false,
            Value::Array(items) => {
                let replaced = items.iter_mut().map(|item| self.replace(item));
                replaced.fold(false, |any, one| any | one)
            }
            Value::Object(members) => {
                let mut any = false;
                for (name, value) in members {
                    any |= match (kind_of_id(name), &mut *value) {
                        (Some(kind), Value::String(id)) => {
                            let new = self.0.get(&(kind, id.clone()));
                            new.map(|new| id.clone_from(new)).is_some()
                        }
                        (_, value) => self.replace(value),
                    };
                }
                any
            }
        }
    }
}

fn read(payload: Option<&str>) -> Option<Value> {
    from_str(payload?).ok()
}
