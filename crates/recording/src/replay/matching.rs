//! Compares messages of a run with recorded ones, ignoring ids that a peer chooses, and maps recorded ids to those of the
//! run.

use std::collections::HashMap;

use attache_rpc::json::{from_str, to_string};
use attache_testkit::{JsonValue, kind_of_id};

use super::super::REDACTED;

/// Whether two payloads are equal apart from their ids. A redacted secret equals any other.
pub(super) fn same_payload(old: Option<&str>, new: Option<&str>) -> bool {
    match (read(old), read(new)) {
        (Some(old), Some(new)) => same(&old, &new),
        (old, new) => old.is_none() && new.is_none(),
    }
}

fn same(old: &JsonValue, new: &JsonValue) -> bool {
    match (old, new) {
        (JsonValue::String(text), _) if text == REDACTED => true,
        (JsonValue::Array(old), JsonValue::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new))
        }
        (JsonValue::Object(old), JsonValue::Object(new)) => {
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

/// Maps ids of the recording to those of this run.
#[derive(Debug, Default)]
pub(super) struct IdMapping(HashMap<(&'static str, String), String>);

impl IdMapping {
    /// Learns the ids from two payloads of the same message.
    pub(super) fn learn(&mut self, old: Option<&str>, new: Option<&str>) {
        if let (Some(old), Some(new)) = (read(old), read(new)) {
            self.compare(&old, &new);
        }
    }

    fn compare(&mut self, old: &JsonValue, new: &JsonValue) {
        match (old, new) {
            (JsonValue::Array(old), JsonValue::Array(new)) => {
                for (old, new) in old.iter().zip(new) {
                    self.compare(old, new);
                }
            }
            (JsonValue::Object(old), JsonValue::Object(new)) => {
                for (name, value) in old {
                    let other = new.iter().find(|(other, _)| other == name);
                    match (kind_of_id(name), value, other) {
                        (Some(kind), JsonValue::String(old), Some((_, JsonValue::String(new)))) => {
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

    /// The payload with the ids of this run; `None` if there is nothing to replace.
    pub(super) fn replaced(&self, payload: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let mut value = from_str(payload).ok()?;
        self.replace(&mut value).then(|| to_string(&value))
    }

    fn replace(&self, value: &mut JsonValue) -> bool {
        match value {
            JsonValue::Scalar(_) | JsonValue::String(_) => false,
            JsonValue::Array(items) => {
                let replaced = items.iter_mut().map(|item| self.replace(item));
                replaced.fold(false, |any, one| any | one)
            }
            JsonValue::Object(members) => {
                let mut any = false;
                for (name, value) in members {
                    any |= match (kind_of_id(name), &mut *value) {
                        (Some(kind), JsonValue::String(id)) => {
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

fn read(payload: Option<&str>) -> Option<JsonValue> {
    from_str(payload?).ok()
}
