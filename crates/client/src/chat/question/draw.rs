//! How a question looks.

use std::path::{Component, Path, PathBuf};

use attache::v1;
use attache_host::permissions::{Scope, Term, label};
use ratatui::text::{Line, Span};

use super::{Against, Extent, Question};
use crate::chat::panel::{Look, Panel, Tone};
use crate::chat::text;
use crate::event::OnDisk;
use crate::paint::theme::Role;
use crate::paint::{Brush, diff};

impl Question {
    /// The box of the question. `behind` is how many more wait.
    pub(crate) fn panel(&self, brush: &Brush, width: u16, behind: usize) -> Panel {
        let inner = Panel::inner(width);
        let mut panel = Panel::new(self.title(behind));
        panel.tone = Tone::Asking;
        panel.look = Look::From(self.top);
        self.command(&mut panel, brush, inner);
        self.paths(&mut panel, brush, inner);
        self.input(&mut panel, brush, inner);
        self.warnings(&mut panel, brush, inner);
        self.diffs(&mut panel, brush, inner);
        self.quotation(&mut panel, brush, inner);
        if self.extent == Extent::Everything {
            self.everything(&mut panel, brush, inner);
        }
        panel.keys = self.keys();
        panel
    }

    fn title(&self, behind: usize) -> String {
        let asked = &self.asked.action;
        // Whatever runs a command is there to run it, also when the agent calls it reading.
        let kind = match asked.command {
            Some(_) => &v1::ToolKind::Execute,
            None => &asked.kind,
        };
        let what = what(kind, asked.paths.len());
        match behind {
            0 => format!("{what}?"),
            1 => format!("{what}? (1 more question waits)"),
            more => format!("{what}? ({more} more questions wait)"),
        }
    }

    fn command(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        if let Some(command) = &self.asked.action.command {
            let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
            panel.text(&words.join(" "), brush.theme.style(Role::Strong), width);
        }
    }

    fn paths(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let workspace = &self.asked.action.workspace;
        let room = match self.extent {
            Extent::Digest => PATHS,
            Extent::Everything => usize::MAX,
        };
        let paths = &self.asked.action.paths;
        for path in paths.iter().take(room) {
            let shown = text::line(&path.to_string_lossy());
            let remark = place(workspace, path);
            let room = usize::from(width).saturating_sub(remark.len() + 1);
            panel.line(vec![
                Span::styled(
                    text::cut_front(&shown, room),
                    brush.theme.style(Role::Strong),
                ),
                Span::styled(format!(" {remark}"), brush.theme.style(Role::Warning)),
            ]);
        }
        if let Some(more) = paths.len().checked_sub(room).filter(|more| *more > 0) {
            let more = format!("and {more} more; d shows them");
            panel.text(&more, brush.theme.style(Role::Dim), width);
        }
    }

    /// What a tool is given that names neither a command nor a file: else there would be nothing but the agent's words.
    fn input(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let what = &self.asked.action;
        let is_told = what.command.is_some() || !what.paths.is_empty();
        if is_told || self.extent == Extent::Everything {
            return;
        }
        if let Some(tool) = &what.tool {
            let tool = text::cut(&text::line(tool), usize::from(width));
            panel.text(&tool, brush.theme.style(Role::Strong), width);
        }
        if let Some(raw) = self
            .asked
            .tool_call()
            .and_then(|call| call.raw_input.as_ref())
        {
            let (start, left) = beginning(raw.as_str(), usize::from(width) * INPUT);
            let rows = text::lines(&text::line(start), usize::from(width));
            let is_cut = left > 0 || rows.len() > INPUT;
            let plain = brush.theme.style(Role::Text);
            for row in rows.into_iter().take(INPUT) {
                panel.lines.push(Line::styled(row, plain));
            }
            if is_cut {
                panel.text("and more; d shows it", brush.theme.style(Role::Dim), width);
            }
        }
    }

    fn warnings(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let what = &self.asked.action;
        let style = brush.theme.style(Role::Warning);
        if what.is_protected() {
            let text = "! A protected file: it can grant power later. A yes holds only once.";
            panel.text(text, style, width);
        }
        let is_text = what.command.as_ref().is_some_and(|words| words.len() == 1);
        if is_text && what.is_opaque() {
            let text = "! A shell reads this once more before it runs.";
            panel.text(text, style, width);
        }
    }

    fn diffs(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let limit = match self.extent {
            Extent::Digest => DIFF,
            Extent::Everything => DIFF_ALL,
        };
        for (change, found) in self.asked.changes() {
            let shown = match (self.against, found) {
                (Against::Disk, Some(OnDisk::Otherwise(text))) => &v1::Diff {
                    old_text: text.clone(),
                    ..change.clone()
                },
                _ => change,
            };
            if let Some(remark) = remark(change, found, self.against) {
                panel.text(&remark, brush.theme.style(Role::Warning), width);
            }
            panel.lines.extend(diff::lines(shown, brush, width, limit));
        }
    }

    /// What the agent says of it: it may say anything, so it is told as its words.
    fn quotation(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let title = text::line(&self.asked.action.title);
        if title.is_empty() {
            return;
        }
        let said = match self.asked.tool_call() {
            None => "The agent did not ask; it was stopped here to ask you.".to_owned(),
            Some(_) => format!("The agent calls it “{title}”"),
        };
        let rows = text::lines(&said, usize::from(width));
        let room = match self.extent {
            Extent::Digest => 3,
            Extent::Everything => usize::MAX,
        };
        for row in rows.into_iter().take(room) {
            panel
                .lines
                .push(Line::styled(row, brush.theme.style(Role::Quote)));
        }
    }

    fn everything(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let dim = brush.theme.style(Role::Dim);
        let call = self.asked.tool_call();
        let what = &self.asked.action;
        let mut facts = vec![
            format!("agent      {}", what.agent),
            format!("workspace  {}", what.workspace.display()),
            format!("kind       {}", what.kind),
        ];
        facts.extend(what.tool.iter().map(|tool| format!("tool       {tool}")));
        facts.extend(
            call.iter()
                .filter_map(|call| call.raw_input.as_ref())
                .map(|raw| {
                    let (start, left) = beginning(raw.as_str(), INPUT_ALL);
                    match left {
                        0 => format!("input      {start}"),
                        left => format!("input      {start}… and {left} bytes more"),
                    }
                }),
        );
        for option in &self.asked.options {
            facts.push(format!(
                "option     {}: “{}”",
                label(&option.kind),
                option.name
            ));
        }
        for fact in facts {
            panel.text(&text::line(&fact), dim, width);
        }
        for content in call.iter().flat_map(|call| &call.content) {
            if let v1::ToolCallContent::Content(content) = content
                && let Some(said) = content.content.as_text()
            {
                panel.text(&text::safe(said), brush.theme.style(Role::Quote), width);
            }
        }
    }

    fn keys(&self) -> String {
        let mut keys = Vec::new();
        if self.allow(Scope::Once).is_some() {
            keys.push("y yes, once".to_owned());
        }
        if self.allow(Scope::Always).is_some() {
            keys.extend(
                ["s for this session", "w in this workspace", "a always"].map(str::to_owned),
            );
        }
        keys.extend(["n no", "N no, remember here"].map(str::to_owned));
        keys.push(format!("t remembered {}", lasting(self.term())));
        if self.differs() {
            keys.push(match self.against {
                Against::Shown => "v compare with the disk".to_owned(),
                Against::Disk => "v as the agent shows it".to_owned(),
            });
        }
        let show = match self.extent {
            Extent::Digest => "d show all",
            Extent::Everything => "d show less",
        };
        keys.extend([show, "Esc dismiss"].map(str::to_owned));
        keys.join(" · ")
    }
}

/// What would be done, by the sort of tool and never by the agent's words.
fn what(kind: &v1::ToolKind, files: usize) -> &'static str {
    match (kind, files) {
        (v1::ToolKind::Execute, _) => "Run a command",
        (v1::ToolKind::Edit, 0 | 1) => "Edit a file",
        (v1::ToolKind::Edit, _) => "Edit files",
        (v1::ToolKind::Delete, 0 | 1) => "Delete a file",
        (v1::ToolKind::Delete, _) => "Delete files",
        (v1::ToolKind::Move, _) => "Move files",
        (v1::ToolKind::Read, 0 | 1) => "Read a file",
        (v1::ToolKind::Read, _) => "Read files",
        (v1::ToolKind::Search, _) => "Search",
        (v1::ToolKind::Fetch, _) => "Fetch from the network",
        (v1::ToolKind::Think, _) => "Think",
        (v1::ToolKind::SwitchMode, _) => "Switch the mode",
        (v1::ToolKind::Other | v1::ToolKind::Unknown(_), _) => "Use a tool",
    }
}

/// How a change that is shown compares with the disk, where a person has to know.
fn remark(change: &v1::Diff, found: Option<&OnDisk>, against: Against) -> Option<String> {
    let said = match (found?, against) {
        (OnDisk::AsShown, _) => return None,
        (OnDisk::Otherwise(Some(_)), Against::Disk) => {
            "! Against the disk: what would change if the new text were the whole file.".to_owned()
        }
        (OnDisk::Otherwise(None), Against::Disk) => "! Against the disk: no file.".to_owned(),
        (OnDisk::Otherwise(Some(_)), Against::Shown) if change.old_text.is_none() => {
            "! The agent shows a new file, and there is one on disk.".to_owned()
        }
        (OnDisk::Otherwise(Some(_)), Against::Shown) => {
            "! The file on disk is not what the agent shows.".to_owned()
        }
        (OnDisk::Otherwise(None), Against::Shown) => {
            "! The agent shows an old text, and there is no file on disk.".to_owned()
        }
        (OnDisk::Unknown(why), _) => format!("! Not compared with the disk: {}", text::line(why)),
    };
    Some(said)
}

/// How long, in words.
fn lasting(term: Term) -> String {
    let Term::For(time) = term else {
        return "for good".to_owned();
    };
    let (hours, days) = (time.as_secs() / 3600, time.as_secs() / 86_400);
    match (days, hours) {
        (1, 24) => "for a day".to_owned(),
        (days, hours) if days > 0 && days * 24 == hours => format!("for {days} days"),
        (0, 1) if time.as_secs() == 3600 => "for an hour".to_owned(),
        (_, hours) if hours > 0 && hours * 3600 == time.as_secs() => format!("for {hours} hours"),
        _ => format!("for {term}"),
    }
}

/// What is special about where a path lies.
fn place(workspace: &Path, path: &Path) -> &'static str {
    match plain(&workspace.join(path)).starts_with(plain(workspace)) {
        true => "",
        false => "(outside the workspace)",
    }
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// The first bytes of a text, to a whole character, and how many follow.
fn beginning(text: &str, most: usize) -> (&str, usize) {
    let start = &text[..text.floor_char_boundary(most)];
    (start, text.len() - start.len())
}

/// A word of a command as a shell would want it, so that one sees where it begins and ends.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "-_./=:,+@%^".contains(char);
    let word = text::line(word);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

const PATHS: usize = 5;
/// Rows of what a tool is given, and bytes where everything is shown.
const INPUT: usize = 4;
const INPUT_ALL: usize = 64 * 1024;
const DIFF: usize = 14;
const DIFF_ALL: usize = 2000;
