//! `attache audit`.

#[cfg(test)]
mod attack;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use attache_host::audit::{self, LogEntry};
use attache_host::exec::visible_program;
use attache_text::plain::{visible_command, visible_quote};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use serde_json::{Value, json};

use crate::arguments;
use crate::arguments::{AuditCommand, AuditFilter};
use crate::exit::{self, Exit};
use crate::{directories, print, text};

pub(crate) fn audit(arguments: &arguments::Audit) -> anyhow::Result<Exit> {
    let dir = log()?;
    match arguments.command {
        None | Some(AuditCommand::Show) => show(&dir, &arguments.filter),
        Some(AuditCommand::Verify) => verify(&dir, &arguments.filter),
    }
}

/// The directory of the audit log.
pub(crate) fn log() -> anyhow::Result<PathBuf> {
    Ok(directories::data_dir()?.join("audit"))
}

fn show(dir: &Path, filter: &AuditFilter) -> anyhow::Result<Exit> {
    let since = match filter.since.as_deref().map(moment).transpose() {
        Ok(since) => since,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    let mut page = String::new();
    let mut is_empty = true;
    for entry in audit::entries(dir)? {
        let entry = entry?;
        if !is_wanted(&entry, since, filter.session.as_deref()) {
            continue;
        }
        is_empty = false;
        match filter.json {
            true => page.push_str(&entry.line),
            false => page.push_str(&line(&entry.time, &entry.event, &entry.fields)),
        }
        page.push('\n');
        if page.len() > PAGE {
            match print::print_table(&page)? {
                Exit::Done => page.clear(),
                lost => return Ok(lost),
            }
        }
    }
    if is_empty && !filter.json {
        crate::print::note!("attache: no matching entries in the log");
    }
    print::print_table(&page)
}

fn verify(dir: &Path, filter: &AuditFilter) -> anyhow::Result<Exit> {
    let report = audit::verify(dir)?;
    let broken = report.broken.as_ref().map(ToString::to_string);
    let exit = match broken {
        Some(_) => Exit::Failed,
        None => Exit::Done,
    };
    let printed = if filter.json {
        let (lines, files, notes) = (report.lines, report.files, &report.notes);
        print::json(&json!({ "lines": lines, "files": files, "notes": notes, "broken": broken }))?
    } else {
        for note in &report.notes {
            crate::print::note!("attache: {}", text::line(note));
        }
        let summary = match &broken {
            Some(broken) => format!("broken: {}", text::line(broken)),
            None => format!(
                "intact: {} in {}",
                counted(report.lines, "line"),
                counted(report.files, "file")
            ),
        };
        print::print(&format!("{summary}\n"))?
    };
    match printed {
        Exit::Done => Ok(exit),
        lost => Ok(lost),
    }
}

fn is_wanted(entry: &LogEntry, since: Option<Timestamp>, session: Option<&str>) -> bool {
    let is_late = |since| {
        entry
            .time
            .parse::<Timestamp>()
            .is_ok_and(|time| time >= since)
    };
    since.is_none_or(is_late)
        && session.is_none_or(|session| field(&entry.fields, "session") == session)
}

/// An entry on one line: time, agent and session, event, subject, outcome.
fn line(time: &str, event: &str, fields: &Fields) -> String {
    let parsed = time.parse::<Timestamp>();
    let time = parsed.map_or_else(
        |_| text::line(time),
        |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    );
    let whose: Vec<String> = ["agent", "session"]
        .iter()
        .map(|name| shown(fields, name))
        .filter(|name| !name.is_empty())
        .collect();
    let mut line = format!("{time}  {}  {}", whose.join("/"), text::line(event));
    for part in [subject(fields), outcome(fields)]
        .into_iter()
        .filter(|part| !part.is_empty())
    {
        // Writing to a text cannot fail.
        write!(line, "  {part}").unwrap_or_default();
    }
    line
}

fn subject(fields: &Fields) -> String {
    let list = |name: &str| match fields.get(name) {
        Some(Value::Array(items)) => {
            text::without_gaps(&visible_command(items.iter().filter_map(Value::as_str)))
        }
        _ => String::new(),
    };
    let what = match field(fields, "what") {
        "" => String::new(),
        what => text::without_gaps(&visible_quote(what)),
    };
    if let Some(program) = fields.get("program").and_then(Value::as_str) {
        return executed(Path::new(program), fields);
    }
    let subjects = [list("command"), shown(fields, "path"), list("paths"), what];
    let subject = subjects.into_iter().find(|subject| !subject.is_empty());
    let subject = subject.unwrap_or_else(|| claimed(fields));
    let words = [shown(fields, "kind"), subject];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The program that really ran, after the programs of its parent processes, outermost first.
fn executed(program: &Path, fields: &Fields) -> String {
    let list = |name: &str| {
        let items = fields.get(name).and_then(Value::as_array);
        let items = items.into_iter().flatten().filter_map(Value::as_str);
        items.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut args = list("command");
    // Without its name, there is only the number of arguments.
    if let [more] = args.as_slice()
        && more.starts_with("… (")
    {
        args.insert(0, program.to_string_lossy().into_owned());
    }
    let ran = visible_program(program, &args);
    let parents = list("parents");
    let parents = parents.iter().rev().map(|parent| text::word(parent));
    let steps: Vec<String> = parents.chain([ran]).collect();
    text::without_gaps(&steps.join(" → "))
}

/// The subject of a tool call without a command or file: the agent's title for it, quoted, and a digest of its input.
fn claimed(fields: &Fields) -> String {
    let title = match field(fields, "title") {
        "" => String::new(),
        title => text::without_gaps(&visible_quote(title)),
    };
    let digest: String = shown(fields, "digest").chars().take(DIGITS).collect();
    let digest = match digest.as_str() {
        "" => String::new(),
        digest => format!("#{digest}"),
    };
    let words = [shown(fields, "tool"), title, digest];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn outcome(fields: &Fields) -> String {
    let (outcome, because) = (shown(fields, "outcome"), shown(fields, "because"));
    let (error, terminal) = (shown(fields, "error"), shown(fields, "terminal"));
    match fields.get("bytes") {
        Some(bytes) => format!("{} bytes", text::line(&bytes.to_string())),
        None if !outcome.is_empty() => {
            let because = [because, reach(fields)];
            let because: Vec<String> = because.into_iter().filter(|it| !it.is_empty()).collect();
            match because.is_empty() {
                true => outcome,
                false => format!("{outcome}: {}", because.join(", ")),
            }
        }
        None if !error.is_empty() => format!("failed: {error}"),
        None => {
            let words = [terminal, shown(fields, "how")];
            words.join(" ").trim_end().to_owned()
        }
    }
}

/// The scope and expiry of the user's answer, and the agent's option, quoted.
fn reach(fields: &Fields) -> String {
    let scope = match field(fields, "scope") {
        "agent" => "remembered by the agent".to_owned(),
        "once" => "once".to_owned(),
        "session" => "for the session".to_owned(),
        "workspace" => "for the workspace".to_owned(),
        "always" => "always".to_owned(),
        other => text::cell(other),
    };
    let until = match shown(fields, "expires") {
        until if until.is_empty() => until,
        until => format!("until {until}"),
    };
    let option = match field(fields, "option") {
        "" => String::new(),
        option => text::without_gaps(&visible_quote(option)),
    };
    let id = match shown(fields, "decision") {
        id if id.is_empty() => id,
        id => format!("decision {id}"),
    };
    let words = [scope, until, option, id];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn counted(count: impl ToString, what: &str) -> String {
    match &*count.to_string() {
        "1" => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// A field with hidden characters made visible. Two spaces separate fields and never occur in one.
fn shown(fields: &Fields, name: &str) -> String {
    text::cell(field(fields, name))
}

fn field<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Parses a time, a day, or a time span before now.
fn moment(text: &str) -> anyhow::Result<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    if let Ok(day) = text.parse::<Date>() {
        return Ok(day.to_zoned(TimeZone::UTC)?.timestamp());
    }
    let ago = text.parse::<Span>();
    let then = ago.ok().and_then(|ago| {
        let now = Zoned::new(Timestamp::now(), TimeZone::UTC);
        now.checked_sub(ago.abs()).ok()
    });
    let then = then.map(|then| then.timestamp());
    then.ok_or_else(|| anyhow::anyhow!("--since: `{text}` is not a time; use `30m`, `2h`, `7d`, `2026-11-16` or `2026-11-16T08:00:00Z`"))
}

type Fields = serde_json::Map<String, Value>;

const PAGE: usize = 64 * 1024;
/// Digits of a digest in a line.
const DIGITS: usize = 12;
