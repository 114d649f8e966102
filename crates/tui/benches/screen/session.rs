//! A long reproducible session, update by update.

use attache::v1;

/// The updates of an endless session.
pub(crate) struct SyntheticSession {
    step: usize,
    call: usize,
}

impl SyntheticSession {
    pub(crate) fn new() -> Self {
        SyntheticSession { step: 0, call: 0 }
    }
}

impl Iterator for SyntheticSession {
    type Item = v1::SessionUpdate;

    /// Forty updates are one round: thoughts, text with code, reading a file, an edit, a command.
    fn next(&mut self) -> Option<v1::SessionUpdate> {
        let (round, step) = (self.step / 40, self.step % 40);
        self.step += 1;
        Some(match step {
            0..6 => v1::SessionUpdate::AgentThoughtChunk(chunk(format!(
                "thinking about part {step} of {round}, "
            ))),
            6..28 => v1::SessionUpdate::AgentMessageChunk(chunk(words(round, step - 6))),
            28 => self.begin(v1::ToolKind::Read, format!("Read src/part_{round}.rs")),
            29 => self.end(vec![v1::ContentBlock::from(code(round, 30)).into()]),
            30 => self.begin(v1::ToolKind::Edit, format!("Edit src/part_{round}.rs")),
            31 | 32 => self.progress(vec![diff(round, step)]),
            33 => self.end(vec![diff(round, step)]),
            34 => self.begin(v1::ToolKind::Execute, format!("cargo test part_{round}")),
            35..38 => self.progress(vec![terminal(round)]),
            38 => self.end(vec![terminal(round)]),
            _ => v1::SessionUpdate::UsageUpdate(v1::UsageUpdate::new(12_345, 200_000)),
        })
    }
}

impl SyntheticSession {
    fn begin(&mut self, kind: v1::ToolKind, title: String) -> v1::SessionUpdate {
        self.call += 1;
        let call = v1::ToolCall::new(format!("call-{}", self.call), title);
        v1::SessionUpdate::ToolCall(call.kind(kind).status(v1::ToolCallStatus::InProgress))
    }

    fn progress(&self, content: Vec<v1::ToolCallContent>) -> v1::SessionUpdate {
        let update = v1::ToolCallUpdate::new(format!("call-{}", self.call));
        v1::SessionUpdate::ToolCallUpdate(update.content(content))
    }

    fn end(&self, content: Vec<v1::ToolCallContent>) -> v1::SessionUpdate {
        let update = v1::ToolCallUpdate::new(format!("call-{}", self.call));
        let update = update.status(v1::ToolCallStatus::Completed);
        v1::SessionUpdate::ToolCallUpdate(update.content(content))
    }
}

fn chunk(text: String) -> v1::ContentChunk {
    v1::ContentChunk::new(text)
}

fn words(round: usize, step: usize) -> String {
    match step {
        0 => format!(
            "## Part {round}\n\nThe **next** thing is `part_{round}`, see [the notes](https://example.org/{round}).\n\n"
        ),
        1..4 => format!(
            "- item {step} of a list that is long enough to be broken on most screens, so that it is\n"
        ),
        4 => "\n```rust\n".to_owned(),
        5..15 => {
            format!("    let value_{step} = compute({round}, \"text\") + {step}; // line {step}\n")
        }
        15 => "```\n\n".to_owned(),
        16 => "| name | value |\n|------|------:|\n".to_owned(),
        17..20 => format!("| row {step} | {} |\n", round * step),
        _ => "\nAnd so on, with a few more words in a paragraph that ends here. ".to_owned(),
    }
}

fn code(round: usize, lines: usize) -> String {
    let lines = (0..lines)
        .map(|line| format!("    pub fn function_{line}(&self) -> usize {{ {round} + {line} }}\n"));
    format!("```rust\n{}```\n", lines.collect::<String>())
}

fn diff(round: usize, step: usize) -> v1::ToolCallContent {
    let text = |changed: &str| -> String {
        let lines = (0..120).map(|line| match line % 40 {
            20 => format!("    let changed = {changed}({round}, {line});\n"),
            _ => format!("    let line_{line} = keep({line}, \"{round}\");\n"),
        });
        lines.collect()
    };
    let new = text(&format!("after_{step}"));
    let diff = v1::Diff::new(format!("/project/src/part_{round}.rs"), new);
    v1::ToolCallContent::Diff(diff.old_text(text("before")))
}

fn terminal(round: usize) -> v1::ToolCallContent {
    v1::ToolCallContent::Terminal(v1::Terminal::new(format!("terminal-{}", round % 50)))
}
