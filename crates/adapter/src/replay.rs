//! A stored session, told again: the lines of its transcript as updates.

use serde_json::Value;

use attache::v1;

use crate::frames::Frame;
use crate::mapping::{Act, Mapping, Shows};

/// A transcript that is being told.
#[derive(Debug)]
pub struct Replay {
    mapping: Mapping,
}

impl Replay {
    /// For a client that shows these things.
    pub fn new(shows: Shows) -> Replay {
        Replay {
            mapping: Mapping::new(shows),
        }
    }

    /// The updates of a line; none for what is the CLI's own.
    pub fn line(&mut self, line: &[u8]) -> Vec<v1::SessionUpdate> {
        let Ok(line @ Value::Object(_)) = serde_json::from_slice::<Value>(line) else {
            return Vec::new();
        };
        if line["isSidechain"] == true || line["isMeta"] == true {
            return Vec::new();
        }
        let acts = match Frame::of(line) {
            Frame::User(message) => {
                let mut acts = self.mapping.replay_prompt(&message);
                acts.extend(self.mapping.take(Frame::User(message)));
                acts
            }
            frame @ (Frame::Assistant(_) | Frame::TaskEnded(_)) => self.mapping.take(frame),
            _ => Vec::new(),
        };
        told(acts)
    }

    /// What is left open has failed.
    pub fn end(mut self) -> Vec<v1::SessionUpdate> {
        told(self.mapping.abandon())
    }
}

fn told(acts: Vec<Act>) -> Vec<v1::SessionUpdate> {
    let told = acts.into_iter().filter_map(|act| match act {
        Act::Tell(update) => Some(update),
        _ => None,
    });
    told.collect()
}
