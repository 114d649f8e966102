//! Draws the viewer at any terminal size.

use attache_recording::units::{size, time};
use attache_recording::{RecordKind, RecordRow, RecordedStream};
use attache_text::plain::visible;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::screen::{FilterField, FollowMode, Viewer, ViewerPane};
use crate::paint::wrap;

pub(super) fn draw(viewer: &Viewer, frame: &mut Frame<'_>) {
    let area = frame.area();
    let line = |row: u16| Rect::new(0, row, area.width, 1.min(area.height));
    let list_width = match viewer.layout.is_side_by_side {
        true => area.width * 3 / 5,
        false => area.width,
    };
    draw_line(frame, line(0), title(viewer, area.width));
    draw_line(
        frame,
        Rect::new(0, 1, list_width, 1),
        column_heads(list_width),
    );
    for row in 0..viewer.layout.list {
        let place = Rect::new(0, 2 + row, list_width, 1);
        draw_line(frame, place, list_line(viewer, row, list_width));
    }
    let detail = match viewer.layout.is_side_by_side {
        true => Rect::new(list_width + 1, 1, area.width - list_width - 1, 1),
        false => Rect::new(0, 2 + viewer.layout.list, area.width, 1),
    };
    draw_detail(viewer, frame, detail);
    draw_line(frame, line(area.height.saturating_sub(1)), key_line(viewer));
    if viewer.shows_help {
        draw_help(frame, area);
    }
}

fn draw_line(frame: &mut Frame<'_>, area: Rect, line: Line<'_>) {
    let area = area.intersection(frame.area());
    frame.render_widget(Paragraph::new(line), area);
}

fn title(viewer: &Viewer, width: u16) -> Line<'static> {
    let name = viewer.path.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    let name = visible(&name);
    let progress = &viewer.progress;
    let (violations, judged) = viewer.violations.count();
    let mut facts = vec![format!("{} records", progress.records)];
    if !viewer.filter().is_empty() {
        facts.push(format!("{} shown", progress.shown));
    }
    facts.push(format!(
        "{violations}{} violations",
        if judged { "" } else { "+" }
    ));
    if let Some(fault) = &progress.fault {
        facts.push(visible(fault).into_owned());
    } else if !progress.done {
        let percent = progress.read * 100 / progress.size.max(1);
        facts.push(format!("{percent} % read"));
    } else if viewer.follow_mode != FollowMode::Off {
        facts.push("following".to_owned());
    }
    let filter = filter_label(viewer);
    let line = format!(" {name}  {}{filter}", facts.join(", "));
    Line::styled(
        fit(&line, width),
        Style::new().add_modifier(Modifier::REVERSED),
    )
}

fn filter_label(viewer: &Viewer) -> String {
    let filter = viewer.filter();
    let stream = filter.stream.map(|stream| stream.word().to_owned());
    let parts = [
        ("session", &filter.session),
        ("method", &filter.method),
        ("text", &filter.text),
        ("dir", &stream),
    ];
    let parts = parts.iter().filter_map(|(name, value)| {
        let value = value.as_deref()?;
        Some(format!("  {name}:{}", visible(value)))
    });
    parts.collect()
}

fn column_heads(width: u16) -> Line<'static> {
    let line = columns("time", " ", "message", "took", "size", width);
    Line::styled(line, Style::new().add_modifier(Modifier::BOLD))
}

fn list_line(viewer: &Viewer, row: u16, width: u16) -> Line<'static> {
    let Some((number, _, found)) = viewer.rows.get(usize::from(row)) else {
        return Line::default();
    };
    let broken = viewer.violations.has(*number);
    let name = format!("{}{}", if broken { "! " } else { "" }, row_name(found));
    let line = columns(
        &clock(found.at),
        arrow(found),
        &name,
        &timing(found),
        &match found.size {
            0 => String::new(),
            bytes => size(bytes),
        },
        width,
    );
    let mut style = Style::new();
    if broken {
        style = style.fg(Color::Red);
    } else if found.kind == RecordKind::Failure || found.kind == RecordKind::Lost {
        style = style.fg(Color::Yellow);
    } else if !found.is_message() {
        style = style.add_modifier(Modifier::DIM);
    }
    if viewer.top + u64::from(row) == viewer.selected {
        style = style.add_modifier(Modifier::REVERSED);
    }
    Line::styled(line, style)
}

fn columns(time: &str, arrow: &str, name: &str, took: &str, size: &str, width: u16) -> String {
    let room = width.saturating_sub(TIME + ARROW + TOOK + SIZE + 1);
    let name = fit(name, room);
    let (time_width, took_width, size_width) =
        (usize::from(TIME - 1), usize::from(TOOK), usize::from(SIZE));
    format!("{time:>time_width$} {arrow:<2}{name}{took:>took_width$}{size:>size_width$} ")
}

fn arrow(row: &RecordRow) -> &'static str {
    match (row.stream, row.kind) {
        (Some(RecordedStream::Client), RecordKind::Request | RecordKind::Notification) => "→",
        (Some(RecordedStream::Client), _) => "⇒",
        (Some(RecordedStream::Agent), RecordKind::Request | RecordKind::Notification) => "←",
        (Some(RecordedStream::Agent), _) => "⇐",
        (Some(RecordedStream::Errors), _) => "·",
        (None, _) => " ",
    }
}

fn row_name(row: &RecordRow) -> String {
    let what = match row.kind {
        RecordKind::Request
        | RecordKind::Notification
        | RecordKind::Response
        | RecordKind::Failure => row.method.as_str(),
        RecordKind::Noise => "not a message:",
        RecordKind::Errors => "",
        RecordKind::Closed => "closed",
        RecordKind::Lost => "not recorded:",
        RecordKind::Frame => "",
    };
    let name = format!("{what} {}", row.detail);
    visible(name.trim()).trim().to_owned()
}

/// The latency of a response, the time to the first words of a turn, or the length of a tool call.
fn timing(row: &RecordRow) -> String {
    match (row.latency, row.first, row.span) {
        (Some(latency), _, _) => time(latency),
        (None, Some(first), _) => format!("first {}", time(first)),
        (None, None, Some(span)) => format!("ran {}", time(span)),
        (None, None, None) => String::new(),
    }
}

/// The time since the beginning, as minutes, seconds and milliseconds.
fn clock(at: u64) -> String {
    let millis = at / 1_000;
    let (minutes, seconds) = (millis / 60_000, millis / 1_000 % 60);
    format!("{minutes}:{seconds:02}.{:03}", millis % 1_000)
}

fn draw_detail(viewer: &Viewer, frame: &mut Frame<'_>, first: Rect) {
    let facts = viewer.current().map(|(number, _, row)| {
        let session = row.session.as_deref().map(visible);
        let session = session.map(|session| format!("  session {session}"));
        format!(" record {}{} ", number + 1, session.unwrap_or_default())
    });
    let style = match viewer.focus {
        ViewerPane::List => Style::new().add_modifier(Modifier::UNDERLINED),
        ViewerPane::Detail => Style::new().add_modifier(Modifier::REVERSED),
    };
    let facts = fit(&facts.unwrap_or_default(), first.width);
    draw_line(frame, first, Line::styled(facts, style));
    let lines = viewer.detail.iter().skip(viewer.scroll);
    let pieces = lines.flat_map(|line| {
        let style = match line.starts_with("! ") {
            true => Style::new().fg(Color::Red),
            false => Style::new(),
        };
        let line = vec![Span::styled(wrap::without_tabs(line).into_owned(), style)];
        wrap::hard(line, usize::from(first.width), &[], &[])
    });
    for (row, piece) in (1..=viewer.layout.detail).zip(pieces) {
        let place = Rect::new(first.x, first.y + row, first.width, 1);
        draw_line(frame, place, piece);
    }
}

fn key_line(viewer: &Viewer) -> Line<'static> {
    if let Some(prompt) = &viewer.prompt {
        let what = match prompt.field {
            FilterField::Text => "text",
            FilterField::Method => "method",
            FilterField::Session => "session",
        };
        return Line::from(vec![
            Span::raw(format!(" {what}: {}", visible(&prompt.text))),
            Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED)),
        ]);
    }
    if let Some(message) = viewer.message() {
        return Line::raw(format!(" {message}"));
    }
    let keys = " q quit  ↑↓ move  Tab detail  / text  m method  s session  v violation  ? help";
    Line::styled(keys, Style::new().add_modifier(Modifier::DIM))
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let width = HELP.iter().map(|line| wrap::width(line)).max().unwrap_or(0) + 2;
    let width = u16::try_from(width).unwrap_or(u16::MAX).min(area.width);
    let height = u16::try_from(HELP.len())
        .unwrap_or(u16::MAX)
        .min(area.height);
    let (x, y) = ((area.width - width) / 2, (area.height - height) / 2);
    for (row, line) in (0..height).zip(HELP) {
        let place = Rect::new(x, y + row, width, 1);
        let line = fit(&format!(" {line}"), width);
        draw_line(
            frame,
            place,
            Line::styled(line, Style::new().add_modifier(Modifier::REVERSED)),
        );
    }
}

/// Cuts or pads a text to a width.
fn fit(text: &str, width: u16) -> String {
    let width = usize::from(width);
    let mut text = wrap::cut(text, width).into_owned();
    let missing = width.saturating_sub(wrap::width(&text));
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

const TIME: u16 = 11;
const ARROW: u16 = 2;
const TOOK: u16 = 14;
const SIZE: u16 = 9;
const HELP: &[&str] = &[
    "↑ ↓ j k       move",
    "PgUp PgDn     move by a page",
    "g G           go to the beginning, to the end",
    "Tab           switch between list and detail",
    "/             only messages that contain a text",
    "m             only methods and updates with this name",
    "s S           only this message's session, or one by its id",
    "d             only one direction: out, in, standard error",
    "c             show everything again",
    "v             go to the next violation",
    "q             quit",
    "",
    "→ ←  requests    ⇒ ⇐  responses    ·  standard error    !  violation",
];
