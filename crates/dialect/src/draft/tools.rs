//! The tool calls that we have reported to a draft client. An official permission request may have only their id, but
//! the draft requires an operation and a resource.

use std::collections::VecDeque;

use attache_rpc::json::{Object, Raw};

use super::shape;
use crate::edit;
use crate::memory::short;

/// The latest tool calls of a connection.
#[derive(Debug, Default)]
pub(super) struct Tools(VecDeque<Tool>);

/// The known data of a tool call.
#[derive(Debug, Default, Clone)]
pub(super) struct Tool {
    id: String,
    /// Official kind.
    pub(super) kind: Option<String>,
    /// Title of the call.
    pub(super) title: Option<String>,
    /// The file, command or URI that the call is about.
    pub(super) resource: Option<String>,
}

impl Tools {
    /// Remembers an official tool call or update, and returns all known data of the call.
    pub(super) fn learn(&mut self, call: &Object<'_>) -> Tool {
        let id = short(edit::string(call, "toolCallId")).unwrap_or_default();
        let tool = match self.0.iter().position(|tool| tool.id == id) {
            Some(index) => &mut self.0[index],
            None => self.add(id),
        };
        replace(&mut tool.kind, edit::string(call, "kind"));
        replace(&mut tool.title, edit::string(call, "title"));
        replace(&mut tool.resource, resource(call));
        tool.clone()
    }

    fn add(&mut self, id: String) -> &mut Tool {
        if self.0.len() == MAX_TOOLS {
            self.0.pop_front();
        }
        self.0.push_back(Tool {
            id,
            ..Tool::default()
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

fn resource(call: &Object<'_>) -> Option<String> {
    let locations: Vec<Raw> = shape::value(call, "locations").unwrap_or_default();
    let first = locations.first();
    let path = first.and_then(|location| location.string_member("path"));
    path.or_else(|| {
        let input = Raw::parse(call.get("rawInput")?).ok()?;
        ["path", "command", "url"]
            .into_iter()
            .find_map(|name| input.string_member(name))
    })
}

fn replace(known: &mut Option<String>, new: Option<String>) {
    if let Some(new) = short(new) {
        *known = Some(new);
    }
}

const MAX_TOOLS: usize = 256;
