//! How a permission request looks.

use attache::process::plain::{visible, visible_command, visible_lines};
use attache::v1;
use ratatui::text::{Line, Span};

use super::choices::{self, Choice, ChoiceKind, Source};
use super::page::{Page, Rows};
use super::{Against, Extent, PermissionDialog, Step, facts};
use crate::chat::panel::Panel;
use crate::chat::text;
use crate::event::{HostRequest, OnDisk, PromptSubject};
use crate::paint::theme::{Role, Sign};
use crate::paint::{Brush, diff, wrap};

/// Whether the keys go to the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    Here,
    Elsewhere,
}

impl PermissionDialog {
    /// The dialog at a width. `behind` is how many more requests wait.
    pub(crate) fn page(&self, brush: &Brush, width: u16, behind: usize, keys: Keys) -> Page {
        let inner = usize::from(Panel::inner(width));
        let facts = facts::of(&self.prompt);
        let are_too_long = facts::are_too_long(&facts);
        let style = |role| brush.theme.style(role);
        let broken = |text: &str, role| -> Vec<Line<'static>> {
            let rows = text::exact_rows(text, inner).into_iter();
            rows.map(|row| Line::styled(row, style(role))).collect()
        };
        let heads = facts.iter();
        let heads = heads.filter_map(|fact| Some((fact.head.as_deref()?, fact.role)));
        let heads = heads.flat_map(|(head, role)| broken(head, role));
        let answers = match self.step {
            Step::Choosing => self.answers(brush, inner, keys),
            Step::Confirming(at) => self.confirmation(at, brush, inner),
        };
        Page {
            title: self.title(behind),
            heads: heads.collect(),
            facts: facts
                .iter()
                .flat_map(|fact| broken(&fact.text, fact.role))
                .collect(),
            rest: self.rest(brush, width),
            answers,
            selected: self.selected,
            hint: self.hint(keys),
            keys,
            top: self.top,
            read: self.read,
            are_too_long,
            step: self.step,
        }
    }

    fn title(&self, behind: usize) -> String {
        let action = &self.prompt.action;
        // Whatever runs a command is there to run it, also when the agent calls it reading.
        let kind = match action.command {
            Some(_) => &v1::ToolKind::Execute,
            None => &action.kind,
        };
        let what = match self.prompt.subject {
            PromptSubject::Exec(_) => "Start a program",
            _ if facts::is_shell_line(action.command.as_deref().unwrap_or_default()) => {
                "Run a shell line"
            }
            _ => deed(kind, action.paths.len()),
        };
        if let Step::Confirming(_) = self.step {
            return format!("Remember this answer? {what}");
        }
        match behind {
            0 => format!("{what}?"),
            1 => format!("{what}? (1 more request)"),
            more => format!("{what}? ({more} more requests)"),
        }
    }

    fn answers(&self, brush: &Brush, width: usize, keys: Keys) -> Vec<Rows> {
        let mut is_own = false;
        let choices = self.choices.iter().enumerate();
        let rows = choices.map(|(at, choice)| {
            let is_first = !is_own && matches!(choice.source, Source::Own(_));
            is_own |= is_first;
            let heading = is_first.then(|| {
                let said = "Or let Attaché remember the answer:";
                let dim = brush.theme.style(Role::Dim);
                Line::styled(text::cut(said, width), dim)
            });
            let is_selected = self.selected == Some(at) && keys == Keys::Here;
            Rows {
                heading,
                lines: answer(choice, is_selected, brush, width),
                choice: Some(at),
                grants: choice.grants(),
            }
        });
        rows.collect()
    }

    fn confirmation(&self, at: usize, brush: &Brush, width: usize) -> Vec<Rows> {
        let Some(choice) = self.choices.get(at) else {
            return Vec::new();
        };
        let rows = text::lines(&self.sentence(choice), width).into_iter();
        let style = brush.theme.style(role_of(choice));
        vec![Rows {
            heading: None,
            lines: rows.map(|row| Line::styled(row, style)).collect(),
            choice: None,
            grants: choice.grants(),
        }]
    }

    fn hint(&self, keys: Keys) -> String {
        let mut hint: Vec<&str> = Vec::new();
        match (keys, self.step) {
            (Keys::Elsewhere, _) => return "Tab to answer".to_owned(),
            (Keys::Here, Step::Choosing) => {
                hint.extend(["↑↓ select", "Enter choose", "Esc back"]);
            }
            (Keys::Here, Step::Confirming(at)) => {
                hint.extend(["Enter confirm", "Esc back"]);
                if self.has_term(at) {
                    hint.push("←→ how long");
                }
            }
        }
        hint.push(match self.extent {
            Extent::Digest => "Alt-D details",
            Extent::Everything => "Alt-D fewer details",
        });
        if self.differs() {
            hint.push(match self.against {
                Against::Shown => "Alt-V compare",
                Against::Disk => "Alt-V as the agent shows it",
            });
        }
        hint.join(" · ")
    }

    /// What scrolls: changes, what the agent says, and all details where they are wanted.
    fn rest(&self, brush: &Brush, width: u16) -> Vec<Line<'static>> {
        let inner = Panel::inner(width);
        let mut panel = Panel::new("");
        self.diffs(&mut panel, brush, inner);
        self.quotation(&mut panel, brush, inner);
        if self.extent == Extent::Everything {
            self.everything(&mut panel, brush, inner);
        }
        panel.lines
    }

    fn diffs(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        for (change, found) in self.prompt.changes() {
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
            let limit = match self.extent {
                Extent::Digest => DIFF,
                Extent::Everything => DIFF_ALL,
            };
            let lines = diff::lines(shown, brush, width, limit);
            let is_cut = lines.len() >= limit && self.extent == Extent::Digest;
            panel.lines.extend(lines);
            if is_cut {
                let dim = brush.theme.style(Role::Dim);
                panel.text("Alt-D shows all of it", dim, width);
            }
        }
    }

    /// What the agent says of it: it may say anything, so its words are quoted.
    fn quotation(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let said = match &self.prompt.subject {
            PromptSubject::HostRequest(_) => {
                "The agent did not ask; Attaché stopped it to ask you.".to_owned()
            }
            PromptSubject::Exec(exec) => {
                let parents = exec.parents.iter().rev().map(|name| visible(name));
                let steps: Vec<_> = parents
                    .chain([visible_command(&exec.argv).into()])
                    .collect();
                let (why, steps) = (visible(&exec.why), steps.join(" → "));
                format!("It waits: {why}. Started by {steps}")
            }
            PromptSubject::ToolCall(_) if self.prompt.action.title.is_empty() => return,
            PromptSubject::ToolCall(_) => {
                format!(
                    "The agent calls it “{}”",
                    visible(&self.prompt.action.title)
                )
            }
        };
        for row in text::lines(&said, usize::from(width)) {
            let style = brush.theme.style(Role::Quote);
            panel.lines.push(Line::styled(row, style));
        }
    }

    fn everything(&self, panel: &mut Panel, brush: &Brush, width: u16) {
        let action = &self.prompt.action;
        let mut facts = vec![
            format!("agent      {}", visible(&action.agent)),
            format!(
                "workspace  {}",
                visible(&action.workspace.to_string_lossy())
            ),
            format!("kind       {}", visible(action.kind.as_str())),
        ];
        let tool = action.tool.iter();
        facts.extend(tool.map(|tool| format!("tool       {}", visible(tool))));
        let call = self.prompt.tool_call();
        let raw = call.and_then(|call| call.raw_input.as_ref());
        facts.extend(raw.map(|raw| format!("input      {}", long(raw.as_str()))));
        for option in &self.prompt.options {
            facts.push(format!("option     {}", choices::whole_name(option)));
        }
        let dim = brush.theme.style(Role::Dim);
        let rows = |text: &str| text::exact_rows(text, usize::from(width));
        for fact in facts {
            let rows = rows(&fact).into_iter();
            panel.lines.extend(rows.map(|row| Line::styled(row, dim)));
        }
        let quote = brush.theme.style(Role::Quote);
        for content in call.iter().flat_map(|call| &call.content) {
            if let v1::ToolCallContent::Content(content) = content
                && let Some(said) = content.content.as_text()
            {
                for line in visible_lines(said).split('\n') {
                    let rows = rows(line).into_iter();
                    panel.lines.extend(rows.map(|row| Line::styled(row, quote)));
                }
            }
        }
        if let PromptSubject::HostRequest(HostRequest::Read { path }) = &self.prompt.subject {
            let path = format!("file       {}", visible(&path.to_string_lossy()));
            let rows = rows(&path).into_iter();
            panel.lines.extend(rows.map(|row| Line::styled(row, dim)));
        }
    }
}

/// One answer, broken to the width.
fn answer(choice: &Choice, is_selected: bool, brush: &Brush, width: usize) -> Vec<Line<'static>> {
    let theme = &brush.theme;
    let sign = match is_selected {
        true => theme.sign(Sign::Cursor),
        false => " ",
    };
    let style = match is_selected {
        true => theme
            .style(role_of(choice))
            .patch(theme.style(Role::Selected)),
        false => theme.style(role_of(choice)),
    };
    let indent = wrap::width(sign) + 1;
    let rows = text::lines(&choice.words(), width.saturating_sub(indent));
    let rows = rows.into_iter().enumerate().map(|(at, row)| {
        let sign = match at {
            0 => format!("{sign} "),
            _ => " ".repeat(indent),
        };
        Line::from(vec![Span::styled(sign, style), Span::styled(row, style)])
    });
    rows.collect()
}

/// The colour of an answer goes by what it does.
fn role_of(choice: &Choice) -> Role {
    match choice.kind {
        ChoiceKind::AllowOnce => Role::Good,
        ChoiceKind::AllowLasting => Role::Warning,
        ChoiceKind::RejectOnce | ChoiceKind::RejectLasting => Role::Bad,
        ChoiceKind::Dismiss => Role::Text,
        ChoiceKind::Unknown | ChoiceKind::Duplicate | ChoiceKind::Omitted => Role::Dim,
    }
}

/// What would be done, by the sort of tool and never by the agent's words.
fn deed(kind: &v1::ToolKind, files: usize) -> &'static str {
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

/// How a change that is shown compares with the disk, where the user has to know.
fn remark(change: &v1::Diff, found: Option<&OnDisk>, against: Against) -> Option<String> {
    let said = match (found?, against) {
        (OnDisk::AsShown, _) => return None,
        (OnDisk::Otherwise(Some(_)), Against::Disk) => {
            "! Against the disk: what would change if the new text were the whole file.".to_owned()
        }
        (OnDisk::Otherwise(None), Against::Disk) => "! Against the disk: no file.".to_owned(),
        (OnDisk::Otherwise(Some(_)), Against::Shown) if change.old_text.is_none() => {
            "! The agent shows a new file, but there is one on disk.".to_owned()
        }
        (OnDisk::Otherwise(Some(_)), Against::Shown) => {
            "! The file on disk is not what the agent shows.".to_owned()
        }
        (OnDisk::Otherwise(None), Against::Shown) => {
            "! The agent shows an old text, but there is no file on disk.".to_owned()
        }
        (OnDisk::Unknown(why), _) => format!("! Not compared with the disk: {}", visible(why)),
    };
    Some(said)
}

/// A text that may be very long.
fn long(text: &str) -> String {
    match attache::process::plain::visible_start(text, INPUT) {
        (text, 0) => text.into_owned(),
        (start, more) => format!("{start}… {more} more characters cannot be shown here"),
    }
}

/// Characters of what a tool is given, among the details.
const INPUT: usize = 64 * 1024;
/// Lines of one change, and where all details are wanted.
const DIFF: usize = 200;
const DIFF_ALL: usize = 5000;
