//! What an action does, in one line of our words. Nothing in it is the agent's claim where we can tell ourselves.

use attache_schema::v1;
use attache_transport::process::plain::{visible_command, visible_start};

use super::Action;
use crate::audit::masked;

impl Action {
    /// What would be done, on one line: the command with its directory, or the files, or the tool. Hidden and control
    /// characters are visible, what looks like a secret is masked, and where something is cut it says how much. The
    /// agent's own words for it appear only where there is nothing else, as a quotation.
    pub fn summary(&self) -> String {
        match (&self.command, self.paths.as_slice()) {
            (Some(words), _) => {
                let line = shorten(&visible_command(masked(words)));
                match &self.directory {
                    Some(directory) => {
                        format!("{line} (in {})", cut(&directory.to_string_lossy()))
                    }
                    None => line,
                }
            }
            (None, []) => self.named(),
            (None, paths) => {
                let shown = paths.iter().take(MOST_PATHS);
                let shown: Vec<String> = shown.map(|path| cut(&path.to_string_lossy())).collect();
                let more = match paths.len().saturating_sub(MOST_PATHS) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("{} {}{more}", verb(&self.kind), shown.join(", "))
            }
        }
    }

    /// A tool that names neither a command nor a file.
    fn named(&self) -> String {
        let title = masked(std::slice::from_ref(&self.title)).concat();
        match (&self.tool, title.as_str()) {
            (Some(tool), _) => format!("tool {}", cut(tool)),
            (None, "") => format!("{} tool", cut(self.kind.as_str())),
            (None, title) => format!("{} tool “{}”", cut(self.kind.as_str()), cut(title)),
        }
    }
}

/// What is done to the files.
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

fn cut(text: &str) -> String {
    match visible_start(text, MOST_TEXT) {
        (shown, 0) => shown.into_owned(),
        (shown, more) => format!("{shown}… ({more} more characters)"),
    }
}

/// Cuts text in which everything is visible already: made visible twice, signs would be taken for the agent's.
fn shorten(visible: &str) -> String {
    match visible.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => {
            let more = visible[end..].chars().count();
            format!("{}… ({more} more characters)", &visible[..end])
        }
        None => visible.to_owned(),
    }
}

const MOST_PATHS: usize = 8;
const MOST_TEXT: usize = 2048;

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_line_end_in_a_command_is_one_sign() {
        let words = ["sh", "-c", "a\n\u{1b}[2Jb"].map(str::to_owned).to_vec();
        let command = v1::CreateTerminalRequest {
            args: words[1..].to_vec(),
            ..v1::CreateTerminalRequest::new("s", words[0].clone())
        };
        let summary = Action::running("a", PathBuf::from("/w"), &command).summary();
        assert!(summary.contains("a⏎␛[2Jb"), "{summary}");
        assert!(!summary.contains('⟦'), "{summary}");
        let long = "⏎".repeat(MOST_TEXT + 5);
        assert!(shorten(&long).ends_with("⏎… (5 more characters)"));
    }
}
