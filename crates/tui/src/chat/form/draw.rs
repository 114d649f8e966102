//! Draws a form.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::field::{Field, FieldChoices, FieldValue};
use super::{Form, FormFocus};
use crate::chat::editor::Editor;
use crate::chat::panel::{Panel, PanelTone, ScrollTarget};
use crate::chat::quotation::Margins;
use crate::chat::text;
use crate::paint::theme::{Sign, TextRole, Theme};
use crate::paint::wrap;

impl Form {
    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let inner = Panel::inner_width(width);
        let mut panel = Panel::new("The agent asks for details");
        panel.tone = PanelTone::Asking;
        panel.quoted(&self.message, TextRole::Quote, theme, inner);
        if let Some(title) = &self.title {
            panel.quoted(title, TextRole::Heading, theme, inner);
        }
        if let Some(description) = &self.description {
            panel.quoted(description, TextRole::Dim, theme, inner);
        }
        for (index, field) in self.fields.iter().enumerate() {
            panel.blank_line();
            field.draw(
                &mut panel,
                self.focus == FormFocus::Field(index),
                theme,
                inner,
            );
        }
        panel.blank_line();
        self.buttons(&mut panel, theme);
        panel.keys = match self.focus {
            FormFocus::Nothing => "↓ or Tab to the first field · Esc back".to_owned(),
            _ => "Tab or Enter next · ←→ choose · Esc back".to_owned(),
        };
        panel
    }

    fn buttons(&self, panel: &mut Panel, theme: &Theme) {
        let button = |name: &'static str, focus: FormFocus| {
            let role = match self.focus == focus {
                true => TextRole::Selected,
                false => TextRole::Text,
            };
            Span::styled(name, theme.style(role))
        };
        if !matches!(self.focus, FormFocus::Field(_) | FormFocus::Nothing) {
            panel.scroll_target = ScrollTarget::At(panel.lines.len());
        }
        panel.line(vec![
            button("[ Send ]", FormFocus::Send),
            Span::raw("  "),
            button("[ Decline ]", FormFocus::Decline),
            Span::raw("  "),
            button("[ Dismiss ]", FormFocus::Dismiss),
        ]);
    }
}

impl Field {
    fn draw(&self, panel: &mut Panel, has_focus: bool, theme: &Theme, width: u16) {
        let cursor = match has_focus {
            true => theme.sign(Sign::Cursor),
            false => " ",
        };
        let needed = match self.is_required {
            true => "required ",
            false => "",
        };
        let strong = theme.style(TextRole::Strong);
        let title = margins(&format!("{cursor} {needed}"), strong, theme);
        panel
            .lines
            .extend(title.wrap(&self.title, strong, usize::from(width)));
        if let Some(description) = &self.description {
            panel.quoted(description, TextRole::Dim, theme, width);
        }
        if has_focus {
            panel.scroll_target = ScrollTarget::At(panel.lines.len());
        }
        self.draw_value(panel, has_focus, theme, width);
        if let Some(problem) = &self.problem {
            // The problem may contain the agent's pattern.
            let bad = theme.style(TextRole::Bad);
            let sign = margins(&format!("{} ", theme.sign(Sign::Failed)), bad, theme);
            panel
                .lines
                .extend(sign.wrap(problem, bad, usize::from(width)));
        }
    }

    fn draw_value(&self, panel: &mut Panel, has_focus: bool, theme: &Theme, width: u16) {
        match &self.value {
            FieldValue::Text(editor, _)
            | FieldValue::Number(editor, _)
            | FieldValue::Integer(editor, _) => {
                draw_editor(editor, panel, has_focus, theme, width);
            }
            FieldValue::Boolean(on) => {
                let word = match on {
                    Some(true) => "[x] yes",
                    Some(false) => "[ ] no",
                    None => "[?] not chosen",
                };
                panel.lines.push(Line::raw(format!("  {word}")));
            }
            FieldValue::One(choices) => {
                draw_choices(choices, ["(•)", "( )"], panel, has_focus, theme, width);
            }
            FieldValue::Many(choices, _) => {
                draw_choices(choices, ["[x]", "[ ]"], panel, has_focus, theme, width);
            }
            FieldValue::Unknown => {
                let text = "  this kind of field can't be shown here";
                panel
                    .lines
                    .push(Line::styled(text, theme.style(TextRole::Warning)));
            }
        }
    }
}

fn draw_editor(editor: &Editor, panel: &mut Panel, has_focus: bool, theme: &Theme, width: u16) {
    let room = usize::from(width).saturating_sub(6).max(2);
    let (row, column) = editor.cursor_position(room);
    for (at, range) in text::rows(editor.text(), room).into_iter().enumerate() {
        let shown = &editor.text()[range];
        let pad = " ".repeat(room.saturating_sub(wrap::width(shown)));
        if has_focus && at == row {
            panel.cursor = Some((column + 4, panel.lines.len()));
            panel.scroll_target = ScrollTarget::At(panel.lines.len());
        }
        panel.line(vec![
            Span::styled("  [ ", theme.style(TextRole::Border)),
            Span::raw(shown.to_owned()),
            Span::styled(format!("{pad}]"), theme.style(TextRole::Border)),
        ]);
    }
}

fn draw_choices(
    choices: &FieldChoices,
    marks: [&str; 2],
    panel: &mut Panel,
    has_focus: bool,
    theme: &Theme,
    width: u16,
) {
    for (index, choice) in choices.list.iter().enumerate() {
        let mark = match choice.is_chosen {
            true => marks[0],
            false => marks[1],
        };
        let is_here = has_focus && index == choices.row;
        if is_here {
            panel.scroll_target = ScrollTarget::At(panel.lines.len());
        }
        let role = match is_here {
            true => TextRole::Selected,
            false => TextRole::Text,
        };
        let style = theme.style(role);
        let rows = margins(&format!("  {mark} "), style, theme);
        panel
            .lines
            .extend(rows.wrap(&choice.title, style, usize::from(width)));
    }
}

/// The margins of the agent's text: our own text, then the bar.
fn margins(ours: &str, style: Style, theme: &Theme) -> Margins {
    let bar = theme.sign(Sign::Quoted);
    Margins {
        first: Span::styled(format!("{ours}{bar} "), style),
        rest: Span::styled(format!("    {bar} "), style),
    }
}
