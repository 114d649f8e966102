//! JSON patterns with holes, for the params, results and errors in a script.

mod matching;
pub(crate) mod parse;

use attache_rpc::json::{Encode as _, write};

use crate::bindings::Bindings;
use crate::json_value::JsonValue;

pub(crate) use matching::Mismatch;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// `null`, a boolean, a number or a string.
    Exactly(JsonValue),
    Array(Vec<Pattern>, Extras),
    Object(Vec<(String, Pattern)>, Extras),
    /// `$name` or `$name=value`, `_` or `_=value`: the value to send; any value matches when it is first received.
    Hole(Option<String>, Option<Box<Pattern>>),
    /// `@label`: the id of a request.
    IdOf(String),
}

/// Whether additional members or items match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extras {
    Forbidden,
    Allowed,
}

impl Pattern {
    /// Appends the JSON to send, and binds its names. `None` if a hole has no value.
    pub(crate) fn write(&self, out: &mut String, bindings: &mut Bindings) -> Option<()> {
        match self {
            Pattern::Exactly(value) => value.encode(out),
            Pattern::Array(items, _) => {
                out.push('[');
                for item in items {
                    write::comma(out);
                    item.write(out, bindings)?;
                }
                out.push(']');
            }
            Pattern::Object(members, _) => {
                out.push('{');
                for (name, value) in members {
                    write::comma(out);
                    write::string(out, name);
                    out.push(':');
                    value.write(out, bindings)?;
                }
                out.push('}');
            }
            Pattern::Hole(name, default) => {
                fill(name.as_deref(), default.as_deref(), out, bindings)?
            }
            Pattern::IdOf(label) => bindings.id_of(label)?.encode(out),
        }
        Some(())
    }

    /// Visits every hole and label, in order.
    pub(crate) fn visit(&self, see: &mut impl FnMut(&Pattern)) {
        match self {
            Pattern::Exactly(_) => {}
            Pattern::Array(items, _) => items.iter().for_each(|item| item.visit(see)),
            Pattern::Object(members, _) => members.iter().for_each(|(_, value)| value.visit(see)),
            Pattern::Hole(_, default) => {
                if let Some(default) = default {
                    default.visit(see);
                }
                see(self);
            }
            Pattern::IdOf(_) => see(self),
        }
    }
}

fn fill(
    name: Option<&str>,
    default: Option<&Pattern>,
    out: &mut String,
    bindings: &mut Bindings,
) -> Option<()> {
    if let Some(value) = name.and_then(|name| bindings.value(name)) {
        value.encode(out);
        return Some(());
    }
    let mut text = String::new();
    default?.write(&mut text, bindings)?;
    if let (Some(name), Ok(value)) = (name, attache_rpc::json::from_str(&text)) {
        bindings.bind(name, value);
    }
    out.push_str(&text);
    Some(())
}
