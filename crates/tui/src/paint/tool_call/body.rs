//! Paints the part of a card below its first line.

use attache::transcript::ToolCallEntry;
use attache::{json, v1};
use attache_client::{content, figures};
use attache_text::plain::visible_lines;
use ratatui::text::{Line, Span};

use super::{ToolCallContext, ToolCallLines, terminal, title};
use crate::paint::markdown::{IncrementalMarkdown, Progress};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::{self, Appearance, Fold, diff, wrap};

pub(super) fn add(
    call_lines: &mut ToolCallLines,
    call: &ToolCallEntry,
    context: &ToolCallContext<'_>,
    fold: Fold,
    appearance: &Appearance,
    width: u16,
) {
    let mut body = BodyWriter {
        call_lines,
        fold,
        appearance,
        width,
    };
    body.whole_title(&call.report);
    body.locations(&call.report);
    for content in &call.report.content {
        match content {
            v1::ToolCallContent::Content(content) => body.block(&content.content),
            v1::ToolCallContent::Diff(diff) => body.diff(diff),
            v1::ToolCallContent::Terminal(shown) => {
                let view = (context.terminal)(&shown.terminal_id);
                let room = body.room();
                let lines =
                    terminal::lines(view.as_ref(), &shown.terminal_id, fold, appearance, room);
                body.push(lines);
            }
            v1::ToolCallContent::Other(_) => body.dim(UNKNOWN_CONTENT),
            _ => body.dim(UNKNOWN_CONTENT),
        }
    }
    body.raw(&call.report);
}

struct BodyWriter<'a> {
    call_lines: &'a mut ToolCallLines,
    fold: Fold,
    appearance: &'a Appearance,
    width: u16,
}

impl BodyWriter<'_> {
    /// The width of the content beside its bar.
    fn room(&self) -> u16 {
        self.width.saturating_sub(2).max(1)
    }

    fn push(&mut self, lines: Vec<Line<'static>>) {
        let theme = &self.appearance.theme;
        let bar = Span::styled(
            format!("{} ", theme.sign(Sign::Bar)),
            theme.style(TextRole::Border),
        );
        for line in lines {
            let style = line.style;
            let spans = std::iter::once(bar.clone()).chain(line.spans.into_iter().map(|span| {
                let own = span.style;
                span.style(style.patch(own))
            }));
            let spans = wrap::cut_spans(spans.collect(), usize::from(self.width));
            self.call_lines.lines.push(Line::from(spans));
        }
    }

    fn dim(&mut self, text: &str) {
        let span = Span::styled(text.to_owned(), self.appearance.theme.style(TextRole::Dim));
        let lines = wrap::spans(vec![span], usize::from(self.room()));
        self.push(lines);
    }

    /// Adds the whole title if it doesn't fit the first line and the card is unfolded.
    fn whole_title(&mut self, call: &v1::ToolCall) {
        let title = title(call);
        let is_cut = wrap::width(&title) + 20 > usize::from(self.width);
        if self.fold == Fold::Full && (is_cut || call.title.trim().contains('\n')) {
            let text = visible_lines(call.title.trim());
            let text = wrap::first_bytes(&text, LONG_TEXT);
            let lines = wrap::spans(
                vec![Span::raw(wrap::without_tabs(text).into_owned())],
                usize::from(self.room()),
            );
            self.push(lines);
        }
    }

    /// Adds the files, unless a diff or the title already names them.
    fn locations(&mut self, call: &v1::ToolCall) {
        let title = title(call);
        let in_diff = |wanted: &v1::ToolCallLocation| {
            let mut contents = call.content.iter();
            contents.any(|content| matches!(content, v1::ToolCallContent::Diff(diff) if diff.path == wanted.path))
        };
        let is_named = |place: &str| title == place || title.ends_with(&format!(" {place}"));
        let places = call.locations.iter().take(LOCATIONS);
        let places = places
            .filter(|location| !in_diff(location))
            .map(|location| self.location(location));
        let mut places: Vec<String> = places.filter(|place| !is_named(place)).collect();
        places.dedup();
        if let Some(more) = call
            .locations
            .len()
            .checked_sub(LOCATIONS)
            .filter(|more| *more > 0)
        {
            places.push(format!("and {more} more"));
        }
        match (places.as_slice(), self.fold) {
            ([], _) => {}
            (_, Fold::Full) => places.iter().for_each(|place| self.dim(place)),
            _ => {
                let line = wrap::cut(&places.join(", "), usize::from(self.room())).into_owned();
                self.dim(&line);
            }
        }
    }

    fn location(&self, location: &v1::ToolCallLocation) -> String {
        let path = paint::relative_path(&location.path, &self.appearance.cwd);
        match location.line {
            Some(line) => format!("{path}:{line}"),
            None => path,
        }
    }

    fn block(&mut self, block: &v1::ContentBlock) {
        let Some(text) = block.as_text() else {
            return self.dim(&content::summary_line(block));
        };
        let (bytes, limit) = match self.fold {
            Fold::Full => (LONG_TEXT, usize::MAX),
            Fold::Line | Fold::Brief => (SHORT_TEXT, BRIEF_LINES),
        };
        let kept = wrap::first_bytes(text, bytes);
        let mut markdown = IncrementalMarkdown::new(self.room());
        while markdown.update(kept, self.appearance) == Progress::Partial {}
        self.call_lines.is_coloured &= markdown.is_coloured();
        let mut lines = markdown.into_lines();
        let left_out = lines.len().saturating_sub(limit);
        lines.truncate(limit);
        self.push(lines);
        let more = self.appearance.theme.sign(Sign::More);
        if kept.len() < text.len() {
            let rest = u64::try_from(text.len() - kept.len()).unwrap_or(u64::MAX);
            self.dim(&format!("{more} {} more", figures::bytes(rest)));
        } else if left_out > 0 {
            self.dim(&format!("{more} {left_out} more lines"));
        }
    }

    fn diff(&mut self, diff: &v1::Diff) {
        let limit = match self.fold {
            Fold::Full => FULL_DIFF,
            Fold::Line | Fold::Brief => BRIEF_DIFF,
        };
        let painted = diff::paint(diff, self.appearance, self.room(), limit);
        self.call_lines.is_coloured &= painted.is_coloured;
        self.push(painted.lines);
    }

    /// Adds the raw input and output: their sizes, or pretty JSON if the card is unfolded.
    fn raw(&mut self, call: &v1::ToolCall) {
        let parts = [("input", &call.raw_input), ("output", &call.raw_output)];
        let parts = parts
            .into_iter()
            .filter_map(|(word, raw)| Some((word, raw.as_ref()?)));
        let parts: Vec<(&str, &json::Raw)> = parts.collect();
        if self.fold == Fold::Full {
            for (word, raw) in parts {
                self.dim(word);
                self.json(raw);
            }
        } else if call.content.is_empty() && !parts.is_empty() {
            let size = |raw: &json::Raw| {
                figures::bytes(u64::try_from(raw.as_str().len()).unwrap_or(u64::MAX))
            };
            let folded: Vec<String> = parts
                .iter()
                .map(|(word, raw)| format!("{word} {}", size(raw)))
                .collect();
            self.dim(&format!(
                "{} {}",
                self.appearance.theme.sign(Sign::More),
                folded.join(", ")
            ));
        }
    }

    fn json(&mut self, raw: &json::Raw) {
        let text = raw.as_str();
        let value = serde_json::from_str::<serde_json::Value>(text).ok();
        let value = value.filter(|_| text.len() < LONG_TEXT);
        let pretty = value.and_then(|value| match value {
            serde_json::Value::String(text) => Some(text),
            other => serde_json::to_string_pretty(&other).ok(),
        });
        let text = pretty.unwrap_or_else(|| text.to_owned());
        let (start, end) = text.split_at(text.floor_char_boundary(LONG_TEXT));
        let mut text = visible_lines(start).into_owned();
        if !end.is_empty() {
            let missing = end.chars().count();
            text += &format!("\n… {missing} more characters; export to see all");
        }
        let mut lines = Vec::new();
        for line in text.lines() {
            let line = vec![Span::raw(wrap::without_tabs(line).into_owned())];
            lines.extend(wrap::hard(line, usize::from(self.room()), &[], &[]));
        }
        self.push(lines);
    }
}

const LOCATIONS: usize = 50;
const BRIEF_LINES: usize = 8;
const BRIEF_DIFF: usize = 24;
const FULL_DIFF: usize = 2000;
/// The most bytes of text in a folded card.
const SHORT_TEXT: usize = 4 * 1024;
const LONG_TEXT: usize = 64 * 1024;

const UNKNOWN_CONTENT: &str = "[content of an unknown type]";
