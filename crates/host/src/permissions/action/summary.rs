//! A summary of an action on one line, in our words. It contains the agent's claims only where we know nothing else.

use attache_schema::v1;
use attache_text::plain::{visible_command, visible_quote, visible_start};
use attache_text::secret::mask_words;

use super::Action;

impl Action {
    /// The action on one line: the command with its directory, or the files, or the tool. Hidden and control characters
    /// are made visible, words that look like secrets are masked, and the line says how much was cut. It names a tool of
    /// an MCP server. The agent's own words appear only where nothing else is known, as a quotation.
    pub fn summary(&self) -> String {
        self.summarized(SHORT)
    }

    /// Like [`summary`](Action::summary), with all files and long commands.
    pub fn long_summary(&self) -> String {
        self.summarized(LONG)
    }

    fn summarized(&self, limits: SummaryLimits) -> String {
        let is_named = self.command.is_some() || !self.paths.is_empty();
        let tool = self
            .tools()
            .next()
            .filter(|_| is_named && self.is_mcp_tool());
        let subject = self.subject_summary(limits);
        match tool {
            Some(tool) => format!("{subject} (MCP tool {})", limits.cut(tool)),
            None => subject,
        }
    }

    /// The command, the files, or the tool.
    fn subject_summary(&self, limits: SummaryLimits) -> String {
        match (&self.command, self.paths.as_slice()) {
            (Some(words), _) => {
                let line = limits.shortened(visible_command(mask_words(words)));
                match &self.directory {
                    Some(directory) => {
                        format!("{line} (in {})", limits.cut(&directory.to_string_lossy()))
                    }
                    None => line,
                }
            }
            (None, []) => self.tool_summary(limits),
            (None, paths) => {
                let shown = paths.iter().take(limits.paths);
                let shown: Vec<String> = shown
                    .map(|path| limits.cut(&path.to_string_lossy()))
                    .collect();
                let more = match paths.len().saturating_sub(limits.paths) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("{} {}{more}", verb(&self.kind), shown.join(", "))
            }
        }
    }

    /// A tool that names neither a command nor a file.
    fn tool_summary(&self, limits: SummaryLimits) -> String {
        let title = mask_words(std::slice::from_ref(&self.title)).concat();
        match (&self.tool, title.as_str()) {
            (Some(tool), _) => format!("tool {}", limits.cut(tool)),
            (None, "") => format!("{} tool", limits.cut(self.kind.as_str())),
            (None, title) => format!("{} tool {}", limits.cut(self.kind.as_str()), quote(title)),
        }
    }
}

/// How much a summary shows.
#[derive(Debug, Clone, Copy)]
struct SummaryLimits {
    paths: usize,
    text: usize,
}

impl SummaryLimits {
    fn cut(self, text: &str) -> String {
        match visible_start(text, self.text) {
            (shown, 0) => shown.into_owned(),
            (shown, more) => format!("{shown}… ({more} more characters)"),
        }
    }

    /// The same for text with characters that were made visible already and must not be made visible again.
    fn shortened(self, mut shown: String) -> String {
        if let Some((end, _)) = shown.char_indices().nth(self.text) {
            let more = shown[end..].chars().count();
            shown.truncate(end);
            shown.push_str(&format!("… ({more} more characters)"));
        }
        shown
    }
}

/// The verb for a kind of tool, in front of its files.
fn verb(kind: &v1::ToolKind) -> &'static str {
    match kind {
        v1::ToolKind::Read => "read",
        v1::ToolKind::Edit => "edit",
        v1::ToolKind::Delete => "delete",
        v1::ToolKind::Move => "move",
        v1::ToolKind::Search => "search",
        _ => "use a tool on",
    }
}

/// The agent's own words, as a quotation.
fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        None => visible_quote(text),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… ({more} more characters)", visible_quote(&text[..end]))
        }
    }
}

const MAX_TEXT: usize = 2048;
const SHORT: SummaryLimits = SummaryLimits {
    paths: 8,
    text: MAX_TEXT,
};
/// A request that exceeds this can't be allowed in a dialog either.
const LONG: SummaryLimits = SummaryLimits {
    paths: 1024,
    text: 128 * 1024,
};

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn check(command: &str, args: &[&str], expected: &str) {
        let request = v1::CreateTerminalRequest::new("s", command).args(args.iter().copied());
        let action = Action::from_terminal_request("a", PathBuf::from("/work"), &request);
        assert_eq!(action.summary(), expected);
    }

    #[test]
    fn symbols_in_a_command_are_not_escaped_twice() {
        let words = ["-c", "echo a\nrm b \u{1b}]\u{7}"];
        check("bash", &words, "bash -c 'echo a⏎rm b ␛]␇'");
        check("echo", &["⏎"], "echo '⟦U+23CE⟧'");
    }

    #[test]
    fn a_long_command_says_how_much_is_not_shown() {
        let long = "x".repeat(MAX_TEXT);
        let shown = &long[..MAX_TEXT - "echo ".len()];
        let expected = format!("echo {shown}… (5 more characters)");
        check("echo", &[&long], &expected);
        let request = v1::CreateTerminalRequest::new("s", format!("{long}; touch END"));
        let action = Action::from_terminal_request("a", PathBuf::from("/work"), &request);
        assert!(action.long_summary().contains("touch END"));
    }
}
