//! What the model wants done: which tool it is, what it would do, and what leave for it would cover.

use attache::json::Raw;
use attache::v1;
use attache_model::ToolCall;

use crate::Outcome;
use crate::inner::{self, Inner};
use crate::leave::Cover;
use crate::mcp;
use crate::modes::Deed;
use crate::session::Session;
use crate::tools::{self, Call, Effect, Prepared};

use super::call::{failed, input};

/// What the model wants done, ready to be done.
pub(super) enum Errand {
    Ours {
        kind: v1::ToolKind,
        deed: Deed,
        cover: Cover,
        prepared: Box<Prepared>,
    },
    Inner(Inner),
    /// With what the model wrote.
    Foreign(mcp::Tool, Raw),
}

/// A call that cannot be carried out.
pub(super) struct Misfit {
    /// What it would have been, where that is known.
    pub(super) title: Option<String>,
    pub(super) outcome: Outcome,
}

impl Errand {
    pub(super) async fn of(call: &ToolCall, session: &Session) -> Result<Errand, Misfit> {
        if let Some(parsed) = tools::parse(&call.name, &call.input) {
            let parsed = parsed.map_err(|misfit| Misfit::of(&misfit.to_string()))?;
            return Errand::ours(parsed, session).await;
        }
        if let Some(parsed) = inner::parse(&call.name, &call.input) {
            return parsed
                .map(Errand::Inner)
                .map_err(|misfit| Misfit::of(&misfit));
        }
        match session.servers.tool(&call.name) {
            Some(tool) => Ok(Errand::Foreign(tool, input(call))),
            None => Err(Misfit::of(
                "there is no such tool; use one of those you were given",
            )),
        }
    }

    async fn ours(call: Call, session: &Session) -> Result<Errand, Misfit> {
        let (kind, title) = (call.kind(), call.title());
        let (deed, cover) = (deed(call.effect()), cover(&call));
        match call.prepare(&session.place).await {
            Ok(prepared) => Ok(Errand::Ours {
                kind,
                deed,
                cover,
                prepared: Box::new(prepared),
            }),
            Err(outcome) => Err(Misfit {
                title: Some(title),
                outcome,
            }),
        }
    }

    /// What it would do to the world, and what leave for good would cover.
    pub(super) fn deed(&self) -> Option<(Deed, Cover)> {
        match self {
            Errand::Ours { deed, cover, .. } => Some((*deed, cover.clone())),
            Errand::Inner(Inner::Resource(_)) => {
                let cover = Cover {
                    key: "resources".to_owned(),
                    words: "reading resources of MCP servers".to_owned(),
                };
                Some((Deed::ForeignLook, cover))
            }
            Errand::Inner(_) => None,
            Errand::Foreign(tool, _) => {
                let deed = match tool.read_only {
                    true => Deed::ForeignLook,
                    false => Deed::Foreign,
                };
                let cover = Cover {
                    key: format!("mcp:{}", tool.spec.name),
                    words: format!("`{}` of {}", tool.title, tool.server),
                };
                Some((deed, cover))
            }
        }
    }

    /// A call with what the errand tells of it.
    pub(super) fn describe(&self, call: v1::ToolCallUpdate) -> v1::ToolCallUpdate {
        match self {
            Errand::Ours { kind, prepared, .. } => {
                let call = call.title(prepared.title()).kind(kind.clone());
                let call = match prepared.locations() {
                    locations if locations.is_empty() => call,
                    locations => call.locations(locations),
                };
                match prepared.content() {
                    content if content.is_empty() => call,
                    content => call.content(content),
                }
            }
            Errand::Inner(inner) => call.title(inner.title()),
            // What nobody can foretell is judged by what the tool is given.
            Errand::Foreign(tool, input) => call
                .title(format!("{}: {}", tool.server, tool.title))
                .raw_input(input.clone()),
        }
    }
}

impl Misfit {
    fn of(why: &str) -> Misfit {
        Misfit {
            title: None,
            outcome: failed(why),
        }
    }
}

fn deed(effect: Effect) -> Deed {
    match effect {
        Effect::Look => Deed::Look,
        Effect::Change => Deed::Change,
        Effect::Execute => Deed::Execute,
        Effect::Reach => Deed::Reach,
    }
}

/// Changes are covered by their sort, a command only word for word, a page with its host.
fn cover(call: &Call) -> Cover {
    let sort = |key: &str, words: &str| Cover {
        key: key.to_owned(),
        words: words.to_owned(),
    };
    match call {
        Call::Delete(_) => sort("delete", "deleting files"),
        Call::Move(_) => sort("move", "moving files"),
        Call::Run(tools::Run::Start(start)) => Cover {
            // No path holds a zero: what is one command to the person is one key.
            key: format!(
                "run:{}\0{}",
                start.cwd.as_deref().unwrap_or_default(),
                start.command
            ),
            words: "this very command".to_owned(),
        },
        Call::Fetch(fetch) => {
            let host = fetch.host();
            Cover {
                key: format!("fetch:{host}"),
                words: format!("pages of {host}"),
            }
        }
        _ => sort("change", "changes to files"),
    }
}
