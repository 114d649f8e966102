//! Draws a permission request.

use attache::v1;
use attache_client::content;
use attache_client::event::{HostRequest, PromptSubject};
use attache_host::permissions::option_label;
use attache_text::plain::{visible, visible_lines, visible_word, visible_words};
use ratatui::text::{Line, Span};

use super::choices::{ChoiceKind, ChoiceSource, PermissionChoice};
use super::facts::{Fact, FactLabel};
use super::page::{AnswerRows, PermissionPage};
use super::{DetailLevel, DialogStep, PermissionDialog, facts};
use crate::chat::panel::{KeyFocus, Panel};
use crate::chat::quotation::{self, Margins};
use crate::chat::text;
use crate::paint::theme::{Sign, TextRole};
use crate::paint::{Appearance, wrap};

impl PermissionDialog {
    /// Lays out the dialog at a width. `behind` is the number of further requests.
    pub(crate) fn page(
        &self,
        appearance: &Appearance,
        width: u16,
        behind: usize,
        keys: KeyFocus,
    ) -> PermissionPage {
        let inner = usize::from(Panel::inner_width(width));
        let facts = facts::collect(&self.prompt);
        let changes = self.changes(appearance, Panel::inner_width(width));
        let are_too_long = facts::are_too_long(&facts) || changes.are_too_long;
        let rows = |words: &FactLabel, text: &str, role| match words {
            FactLabel::Ours => own_lines(text, role, appearance, inner),
            FactLabel::Theirs(label) => quotation::labelled(
                label,
                text,
                appearance.theme.style(role),
                &appearance.theme,
                inner,
            ),
        };
        let heads = facts.iter();
        let heads = heads.filter_map(|fact| Some((fact.head.as_ref()?, fact.role)));
        let heads = heads.flat_map(|((words, head), role)| rows(words, head, role));
        let answers = match self.step {
            DialogStep::Choosing => self.answers(appearance, inner, keys),
            DialogStep::Confirming(at) => self.confirmation(at, appearance, inner),
        };
        let whole = |fact: &Fact| rows(&fact.words, &fact.text, fact.role);
        let scrolled = facts.iter().filter(|fact| !fact.is_pinned());
        PermissionPage {
            title: self.title(behind),
            heads: heads.collect(),
            facts: facts.iter().flat_map(whole).collect(),
            scrolled: scrolled.flat_map(whole).collect(),
            rest: self.optional_lines(appearance, width),
            answers,
            heading: Line::styled(
                text::cut(REMEMBER, inner),
                appearance.theme.style(TextRole::Dim),
            ),
            selected: self.selected,
            hint: self.hint(keys),
            keys,
            // A new layout has to be read from its beginning.
            top: match self.coverage.is_for(changes.layout) {
                true => self.top,
                false => 0,
            },
            coverage: self.coverage.clone(),
            changes,
            are_too_long,
            step: self.step,
        }
    }

    fn title(&self, behind: usize) -> String {
        let action = &self.prompt.action;
        // An action with a command is one that runs it, even if the agent calls it a read.
        let kind = match action.command {
            Some(_) => &v1::ToolKind::Execute,
            None => &action.kind,
        };
        let what = match self.prompt.subject {
            PromptSubject::Exec(_) => "Start a program",
            _ if action.is_mcp_tool() => "Use an MCP tool",
            _ if facts::is_shell_line(&self.prompt) => "Run a shell line",
            _ => action_label(kind, action.paths.len()),
        };
        if let DialogStep::Confirming(_) = self.step {
            return format!("Remember this answer? {what}");
        }
        match behind {
            0 => format!("{what}?"),
            1 => format!("{what}? (1 more request)"),
            more => format!("{what}? ({more} more requests)"),
        }
    }

    fn answers(&self, appearance: &Appearance, width: usize, keys: KeyFocus) -> Vec<AnswerRows> {
        let choices = self.choices.iter().enumerate();
        let rows = choices.map(|(at, choice)| {
            let is_selected = self.selected == Some(at) && keys == KeyFocus::Here;
            AnswerRows {
                lines: answer_lines(choice, is_selected, appearance, width),
                choice: Some(at),
                is_own: matches!(choice.source, ChoiceSource::Own(_)),
                grants: choice.grants(),
            }
        });
        rows.collect()
    }

    fn confirmation(&self, at: usize, appearance: &Appearance, width: usize) -> Vec<AnswerRows> {
        let Some(choice) = self.choices.get(at) else {
            return Vec::new();
        };
        let role = choice_role(choice);
        let mut lines = own_lines(&self.confirmation_text(choice), role, appearance, width);
        for (label, name) in self.confirmation_names(choice) {
            let style = appearance.theme.style(role);
            lines.extend(quotation::labelled(
                label,
                &name,
                style,
                &appearance.theme,
                width,
            ));
        }
        vec![AnswerRows {
            lines,
            choice: None,
            is_own: false,
            grants: choice.grants(),
        }]
    }

    fn hint(&self, keys: KeyFocus) -> String {
        let mut hint: Vec<&str> = Vec::new();
        match (keys, self.step) {
            (KeyFocus::Elsewhere, _) => return "Tab to answer".to_owned(),
            (KeyFocus::Here, DialogStep::Choosing) => {
                hint.extend(["↑↓ select", "Enter choose", "Esc back"]);
            }
            (KeyFocus::Here, DialogStep::Confirming(at)) => {
                hint.extend(["Enter confirm", "Esc back"]);
                if self.has_expiry_choice(at) {
                    hint.push("←→ how long");
                }
            }
        }
        hint.push(match self.detail_level {
            DetailLevel::Summary => "Alt-D details",
            DetailLevel::Full => "Alt-D fewer details",
        });
        hint.join(" · ")
    }

    /// The scrolled part that doesn't have to be read: the agent's description, and all details if wanted.
    fn optional_lines(&self, appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
        let inner = Panel::inner_width(width);
        let mut panel = Panel::new("");
        self.add_origin(&mut panel, appearance, inner);
        if self.detail_level == DetailLevel::Full {
            self.add_details(&mut panel, appearance, inner);
        }
        panel.lines
    }

    /// Adds the origin of the request, and the agent's title for it.
    fn add_origin(&self, panel: &mut Panel, appearance: &Appearance, width: u16) {
        let quote = TextRole::Quote;
        match &self.prompt.subject {
            // The facts say what has changed since.
            PromptSubject::HostRequest(_) if self.prompt.change.is_some() => {}
            PromptSubject::HostRequest(_) => {
                let said = "Nothing that was allowed in this turn covers this.";
                panel.text(said, appearance.theme.style(quote), width);
            }
            PromptSubject::Exec(exec) => {
                let said = "The process waits until you answer.";
                panel.text(said, appearance.theme.style(quote), width);
                panel.labelled(
                    "rule",
                    &visible(&exec.rule),
                    quote,
                    &appearance.theme,
                    width,
                );
                let parents = exec.parents.iter().rev();
                let parents = parents.map(|name| visible_word(name));
                let steps: Vec<_> = parents
                    .chain([visible_words(exec.command()).into()])
                    .collect();
                panel.labelled("from", &steps.join(" → "), quote, &appearance.theme, width);
            }
            PromptSubject::ToolCall(_) if self.prompt.action.title.is_empty() => {}
            PromptSubject::ToolCall(_) => {
                let title = visible(&self.prompt.action.title);
                panel.labelled("title", &title, quote, &appearance.theme, width);
            }
        }
    }

    fn add_details(&self, panel: &mut Panel, appearance: &Appearance, width: u16) {
        let action = &self.prompt.action;
        let workspace = action.workspace.to_string_lossy();
        let mut details = vec![
            ("agent", visible(&action.agent)),
            ("session", visible(&workspace)),
            ("kind", visible(action.kind.as_str())),
        ];
        details.extend(action.tool.iter().map(|tool| ("tool", visible(tool))));
        let call = self.prompt.tool_call();
        let raw = call.and_then(|call| call.raw_input.as_ref());
        details.extend(raw.map(|raw| ("input", shortened(raw.as_str()).into())));
        for location in call.iter().flat_map(|call| &call.locations) {
            let path = visible(location.path.as_str());
            details.push(match location.line {
                Some(line) => ("at", format!("{path} line {line}").into()),
                None => ("at", path),
            });
        }
        for (option, choice) in self.prompt.options.iter().zip(&self.choices) {
            let label = match choice.answer() {
                Some(_) => option_label(&option.kind),
                None => "Can't be chosen",
            };
            details.push((label, visible(&option.name)));
        }
        if let PromptSubject::HostRequest(HostRequest::Read { path }) = &self.prompt.subject {
            let path = visible(&path.to_string_lossy()).into_owned();
            details.push(("file", path.into()));
        }
        for (label, text) in details {
            panel.labelled(label, &text, TextRole::Dim, &appearance.theme, width);
        }
        let content = call.iter().flat_map(|call| &call.content);
        let texts = content.filter_map(|content| match content {
            v1::ToolCallContent::Diff(_) => None,
            v1::ToolCallContent::Content(content) => Some(match content.content.as_text() {
                Some(text) => visible_lines(text).into_owned(),
                None => visible(&content::summary_line(&content.content)).into_owned(),
            }),
            v1::ToolCallContent::Terminal(terminal) => Some(format!(
                "terminal {}",
                visible(terminal.terminal_id.as_str())
            )),
            _ => Some("content of an unknown kind".to_owned()),
        });
        for text in texts {
            let style = appearance.theme.style(TextRole::Quote);
            let rows = quotation::lines(&text, style, &appearance.theme, usize::from(width));
            panel.lines.extend(rows);
        }
    }
}

/// Our own text, broken to the width.
fn own_lines(
    text: &str,
    role: TextRole,
    appearance: &Appearance,
    width: usize,
) -> Vec<Line<'static>> {
    let rows = text::wrap_lines(text, width).into_iter();
    rows.map(|row| Line::styled(row, appearance.theme.style(role)))
        .collect()
}

/// One answer, broken to the width.
fn answer_lines(
    choice: &PermissionChoice,
    is_selected: bool,
    appearance: &Appearance,
    width: usize,
) -> Vec<Line<'static>> {
    let theme = &appearance.theme;
    let sign = match is_selected {
        true => theme.sign(Sign::Cursor),
        false => " ",
    };
    let style = match is_selected {
        true => theme
            .style(choice_role(choice))
            .patch(theme.style(TextRole::Selected)),
        false => theme.style(choice_role(choice)),
    };
    let (ours, theirs) = choice.labels();
    if let Some(name) = theirs {
        let bar = theme.sign(Sign::Quoted);
        let margins = Margins {
            first: Span::styled(format!("{sign} {ours} {bar} "), style),
            rest: Span::styled(format!("    {bar} "), style),
        };
        return margins.wrap(name, style, width);
    }
    let indent = wrap::width(sign) + 1;
    let rows = text::wrap_lines(&ours, width.saturating_sub(indent));
    let rows = rows.into_iter().enumerate().map(|(at, row)| {
        let sign = match at {
            0 => format!("{sign} "),
            _ => " ".repeat(indent),
        };
        Line::from(vec![Span::styled(sign, style), Span::styled(row, style)])
    });
    rows.collect()
}

/// The colour of an answer, chosen by its effect.
fn choice_role(choice: &PermissionChoice) -> TextRole {
    match choice.kind {
        ChoiceKind::AllowOnce => TextRole::Good,
        ChoiceKind::AllowLasting => TextRole::Warning,
        ChoiceKind::RejectOnce | ChoiceKind::RejectLasting => TextRole::Bad,
        ChoiceKind::Dismiss => TextRole::Text,
        ChoiceKind::Unknown
        | ChoiceKind::Duplicate
        | ChoiceKind::TooLasting
        | ChoiceKind::Omitted => TextRole::Dim,
    }
}

/// A label for the action, chosen by the kind of tool and never by the agent's words.
fn action_label(kind: &v1::ToolKind, files: usize) -> &'static str {
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
        (_, _) => "Use a tool",
    }
}

/// A text, shortened if it is very long.
fn shortened(text: &str) -> String {
    match attache_text::plain::visible_start(text, INPUT) {
        (text, 0) => text.into_owned(),
        (start, more) => format!("{start}… {more} more characters can't be shown here"),
    }
}

/// The heading above the answers that Attaché adds to the agent's.
const REMEMBER: &str = "Or let Attaché remember the answer:";
/// The most characters of a tool's input that the details show.
const INPUT: usize = 64 * 1024;
