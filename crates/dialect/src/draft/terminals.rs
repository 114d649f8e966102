//! Terminals, and the output that a draft client has pushed and nobody has requested yet.

use attache_rpc::json::{self, Object};

/// The terminals that are not released.
#[derive(Debug, Default)]
pub(super) struct Terminals(Vec<Terminal>);

/// A terminal.
#[derive(Debug)]
struct Terminal {
    id: String,
    session: Option<String>,
    output: String,
    truncated: bool,
    limit: usize,
    // The official object.
    exit: Option<String>,
}

impl Terminals {
    /// Adds a terminal.
    pub(super) fn made(&mut self, id: &str, session: Option<String>, limit: Option<u64>) {
        if let Some(terminal) = self.find_or_add(id) {
            terminal.session = session;
            let limit = limit.and_then(|limit| usize::try_from(limit).ok());
            terminal.limit = limit.unwrap_or(MAX_OUTPUT).min(MAX_OUTPUT);
        }
    }

    /// The session of a terminal.
    pub(super) fn session(&self, id: &str) -> Option<&str> {
        self.find(id)?.session.as_deref()
    }

    /// Adds output and returns whether there was room for it. Output may arrive before the response that creates the
    /// terminal.
    pub(super) fn push(&mut self, id: &str, data: &str) -> bool {
        match self.find_or_add(id) {
            Some(terminal) => {
                terminal.push(data);
                true
            }
            None => false,
        }
    }

    /// Records that the command has ended.
    pub(super) fn ended(&mut self, id: &str, status: &Object<'_>) {
        if let Some(terminal) = self.0.iter_mut().find(|terminal| terminal.id == id) {
            let mut exit = Object::default();
            for name in ["exitCode", "signal"] {
                exit.set(name, status.get(name).unwrap_or("null"));
            }
            terminal.exit = Some(json::to_string(&exit));
        }
    }

    /// The official result of `terminal/output`.
    pub(super) fn output(&self, id: &str) -> Option<String> {
        let terminal = self.find(id)?;
        let shown = tail(&terminal.output, terminal.limit);
        let mut result = Object::default();
        result.put("output", shown);
        result.put(
            "truncated",
            &(terminal.truncated || shown.len() < terminal.output.len()),
        );
        if let Some(exit) = &terminal.exit {
            result.set("exitStatus", &**exit);
        }
        Some(json::to_string(&result))
    }

    /// Removes a terminal.
    pub(super) fn released(&mut self, id: &str) {
        self.0.retain(|terminal| terminal.id != id);
    }

    fn find(&self, id: &str) -> Option<&Terminal> {
        self.0.iter().find(|terminal| terminal.id == id)
    }

    fn find_or_add(&mut self, id: &str) -> Option<&mut Terminal> {
        let index = match self.0.iter().position(|terminal| terminal.id == id) {
            Some(index) => index,
            None if self.0.len() == MAX_TERMINALS || id.len() > MAX_ID => return None,
            None => {
                self.0.push(Terminal::new(id));
                self.0.len() - 1
            }
        };
        self.0.get_mut(index)
    }
}

impl Terminal {
    fn new(id: &str) -> Self {
        Terminal {
            id: id.to_owned(),
            session: None,
            output: String::new(),
            truncated: false,
            limit: MAX_OUTPUT,
            exit: None,
        }
    }

    fn push(&mut self, data: &str) {
        let data_tail = tail(data, MAX_OUTPUT);
        self.truncated |= data_tail.len() < data.len();
        self.output.push_str(data_tail);
        // Cutting moves the rest, so small amounts are not cut.
        if self.output.len() > MAX_OUTPUT + SLACK {
            let cut = self.output.len() - tail(&self.output, MAX_OUTPUT).len();
            self.output.drain(..cut);
            self.truncated = true;
        }
    }
}

/// The last bytes of a text, starting at a character boundary.
fn tail(text: &str, limit: usize) -> &str {
    let mut starts = text.len().saturating_sub(limit)..text.len();
    let start = starts
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len());
    &text[start..]
}

const MAX_TERMINALS: usize = 256;
const MAX_ID: usize = 4096;
const MAX_OUTPUT: usize = 1024 * 1024;
const SLACK: usize = 64 * 1024;
