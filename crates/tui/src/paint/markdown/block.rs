//! Paints one top-level block of Markdown.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::incremental::OpenFence;
use super::inline::Inline;
use super::options;
use super::split::{safe_line, safe_lines};
use super::table::Table;
use crate::paint::code::{self, PrefixHash};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::{Appearance, wrap};

/// A block as styled lines.
pub(super) struct PaintedBlock {
    pub(super) lines: Vec<Line<'static>>,
    /// Whether the colours of all code in it are known.
    pub(super) is_coloured: bool,
    /// The hash to continue from with the following code.
    pub(super) end: PrefixHash,
}

/// Paints a block. If the block continues an open fence, its text begins behind that fence.
pub(super) fn paint(
    text: &str,
    open: Option<&OpenFence>,
    appearance: &Appearance,
    width: u16,
) -> PaintedBlock {
    let mut writer = BlockWriter::new(appearance, usize::from(width), open);
    let fenced = open.map(|open| format!("{}\n{text}", open.fence));
    for event in Parser::new_ext(fenced.as_deref().unwrap_or(text), options()) {
        writer.event(event);
    }
    writer.end_paragraph();
    if writer.lines.is_empty() && open.is_none() {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            writer.inline.text(&safe_line(line));
            writer.end_paragraph();
        }
    }
    PaintedBlock {
        lines: writer.lines,
        is_coloured: writer.is_coloured,
        end: writer.end,
    }
}

struct BlockWriter<'a> {
    appearance: &'a Appearance,
    width: usize,
    lines: Vec<Line<'static>>,
    inline: Inline,
    /// The margins in front of each line: quote bars and the indentation of list items.
    margins: Vec<Margin>,
    /// The next item number of each enclosing list.
    lists: Vec<Option<u64>>,
    table: Option<Table>,
    code: Option<(String, String)>,
    /// Whether the next nested block needs an empty line above it.
    wants_gap: bool,
    continued: Option<PrefixHash>,
    is_coloured: bool,
    end: PrefixHash,
}

struct Margin {
    first: Option<Span<'static>>,
    rest: Span<'static>,
}

impl<'a> BlockWriter<'a> {
    fn new(appearance: &'a Appearance, width: usize, open: Option<&OpenFence>) -> Self {
        BlockWriter {
            appearance,
            width,
            lines: Vec::new(),
            inline: Inline::default(),
            margins: Vec::new(),
            lists: Vec::new(),
            table: None,
            code: None,
            wants_gap: false,
            continued: open.map(|open| open.chain),
            is_coloured: true,
            end: PrefixHash::default(),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.finish(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&safe_lines(&text)),
                None => self.inline.text(&safe_line(&text)),
            },
            Event::Code(text) => self.inline.code(&safe_line(&text), self.appearance),
            Event::Html(text) | Event::InlineHtml(text) => {
                self.inline.raw(&safe_lines(&text), self.appearance);
            }
            Event::SoftBreak | Event::HardBreak => self.inline.line_end(),
            Event::Rule => self.rule(),
            Event::TaskListMarker(is_done) => {
                let mark = if is_done { "[x] " } else { "[ ] " };
                self.inline.text(mark);
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.inline.text(&safe_line(&text));
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.heading(level),
            Tag::BlockQuote(_) => {
                self.open_block();
                let bar = format!("{} ", self.appearance.theme.sign(Sign::Bar));
                let bar = Span::styled(bar, self.appearance.theme.style(TextRole::Border));
                self.margins.push(Margin {
                    first: None,
                    rest: bar,
                });
                self.inline
                    .push(self.appearance.theme.style(TextRole::Quote));
            }
            Tag::CodeBlock(kind) => {
                self.open_block();
                let info = match &kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{', '\t']).next().unwrap_or_default()
                    }
                    CodeBlockKind::Indented => "",
                };
                self.code = Some((safe_line(info).into_owned(), String::new()));
            }
            Tag::List(first) => {
                self.end_paragraph();
                if self.lists.is_empty() {
                    self.open_block();
                }
                self.wants_gap = false;
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.open_block();
                self.table = Some(Table::new(alignments));
            }
            Tag::Emphasis => self
                .inline
                .push(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.inline.push(Style::new().add_modifier(Modifier::BOLD)),
            Tag::Strikethrough => self
                .inline
                .push(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => self
                .inline
                .link(safe_line(&dest_url).into_owned(), self.appearance),
            Tag::Image { dest_url, .. } => self
                .inline
                .image(safe_line(&dest_url).into_owned(), self.appearance),
            Tag::Paragraph | Tag::HtmlBlock => self.open_block(),
            _ => {}
        }
    }

    fn finish(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.end_paragraph();
                self.wants_gap = true;
            }
            TagEnd::Heading(_) => {
                self.end_paragraph();
                self.inline.pop();
                self.wants_gap = true;
            }
            TagEnd::BlockQuote(_) => {
                self.end_paragraph();
                self.margins.pop();
                self.inline.pop();
                self.wants_gap = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.wants_gap = self.lists.is_empty();
            }
            TagEnd::Item => {
                self.end_paragraph();
                self.end_item();
            }
            TagEnd::TableCell => {
                let cell = self.inline.take();
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableRow | TagEnd::TableHead => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Link | TagEnd::Image => self.inline.end_link(self.appearance),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.inline.pop(),
            _ => {}
        }
    }

    /// Starts a block: ends the previous paragraph and adds an empty line if needed.
    fn open_block(&mut self) {
        self.end_paragraph();
        if self.wants_gap && !self.lines.is_empty() {
            let (_, mut rest) = self.prefixes();
            while rest
                .last()
                .is_some_and(|span| span.content.trim().is_empty())
            {
                rest.pop();
            }
            self.lines
                .push(Line::from(wrap::cut_spans(rest, self.width)));
        }
        self.wants_gap = false;
    }

    fn end_paragraph(&mut self) {
        let spans = self.inline.take();
        if spans.is_empty() {
            return;
        }
        let (first, rest) = self.take_prefixes();
        self.lines
            .extend(wrap::hanging(spans, self.width, &first, &rest));
    }

    fn heading(&mut self, level: HeadingLevel) {
        self.open_block();
        self.inline
            .push(self.appearance.theme.style(TextRole::Heading));
        let hashes = "#".repeat(level as usize);
        self.inline.text(&format!("{hashes} "));
    }

    fn rule(&mut self) {
        self.open_block();
        let (mut spans, _) = self.take_prefixes();
        let room = self.width.saturating_sub(wrap::spans_width(&spans));
        let rule = self
            .appearance
            .theme
            .sign(Sign::Rule)
            .repeat(room.min(RULE));
        spans.push(Span::styled(
            rule,
            self.appearance.theme.style(TextRole::Border),
        ));
        self.lines
            .push(Line::from(wrap::cut_spans(spans, self.width)));
        self.wants_gap = true;
    }

    fn item(&mut self) {
        self.open_block();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => format!("{} ", self.appearance.theme.sign(Sign::Bullet)),
        };
        let room = Span::raw(" ".repeat(wrap::width(&marker)));
        let marker = Span::styled(marker, self.appearance.theme.style(TextRole::Border));
        self.margins.push(Margin {
            first: Some(marker),
            rest: room,
        });
    }

    /// An item without content still gets its marker.
    fn end_item(&mut self) {
        let is_bare = self
            .margins
            .last()
            .is_some_and(|margin| margin.first.is_some());
        if is_bare {
            let (first, _) = self.take_prefixes();
            self.lines
                .push(Line::from(wrap::cut_spans(first, self.width)));
        }
        self.margins.pop();
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else {
            return;
        };
        let lines: Vec<_> = code
            .strip_suffix('\n')
            .unwrap_or(&code)
            .split('\n')
            .map(wrap::without_tabs)
            .collect();
        let lines: Vec<&str> = if code.is_empty() {
            Vec::new()
        } else {
            lines.iter().map(AsRef::as_ref).collect()
        };
        let coloured = self.appearance.highlighter.colours(
            &language,
            self.continued.unwrap_or_default(),
            &lines,
        );
        self.end = coloured.end;
        let theme = &self.appearance.theme;
        let bar = Span::styled(
            format!("{} ", theme.sign(Sign::Bar)),
            theme.style(TextRole::Border),
        );
        if self.continued.is_none() && (!language.is_empty() || lines.is_empty()) {
            let (first, _) = self.take_prefixes();
            let label = Span::styled(language.clone(), theme.style(TextRole::Dim));
            let spans = first.into_iter().chain([bar.clone(), label]).collect();
            self.lines
                .push(Line::from(wrap::cut_spans(spans, self.width)));
        }
        for (line, colours) in lines.iter().zip(&coloured.lines) {
            let is_wanted =
                theme.palette() != crate::paint::theme::Palette::None && !language.is_empty();
            self.is_coloured &= colours.is_some() || !is_wanted;
            let (mut first, mut rest) = self.take_prefixes();
            first.push(bar.clone());
            rest.push(bar.clone());
            let spans = code::styled(line, colours.as_ref(), theme);
            self.lines
                .extend(wrap::hard(spans, self.width, &first, &rest));
        }
        self.wants_gap = true;
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else {
            return;
        };
        let (first, rest) = self.take_prefixes();
        let margin = wrap::spans_width(&rest).min(self.width / 2);
        let rows = table.lines(self.appearance, self.width - margin);
        for (index, row) in rows.into_iter().enumerate() {
            let prefix = if index == 0 { &first } else { &rest };
            let spans = prefix.iter().cloned().chain(row.spans).collect();
            self.lines
                .push(Line::from(wrap::cut_spans(spans, self.width)));
        }
        self.wants_gap = true;
    }

    fn prefixes(&self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let first = |margin: &Margin| margin.first.clone().unwrap_or_else(|| margin.rest.clone());
        let first = self.margins.iter().map(first).collect();
        let rest = self
            .margins
            .iter()
            .map(|margin| margin.rest.clone())
            .collect();
        (first, rest)
    }

    /// The prefixes of the next line and of the following ones; an item's marker is used once.
    fn take_prefixes(&mut self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let prefixes = self.prefixes();
        for margin in &mut self.margins {
            margin.first = None;
        }
        prefixes
    }
}

/// The most columns of a rule.
const RULE: usize = 40;
