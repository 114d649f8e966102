//! Writes a report as text for people, by group.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use attache_recording::redact;
use attache_schema::rules::Level;
use attache_text::plain::{last_lines, visible};

use super::{Report, arrow};
use crate::conformance::{Judgement, Verdict};

/// How much of a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Failures and warnings, and the number of checks that were not exercised.
    Short,
    /// Every check.
    Full,
}

/// Whether the text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    /// Without colours.
    Plain,
    /// With the colours of the terminal.
    Colours,
}

pub(super) fn write(report: &Report, detail: Detail, style: TextStyle) -> String {
    let mut out = String::new();
    let mut group = "";
    for made in &report.judgements {
        if !is_shown(made, detail) {
            continue;
        }
        if made.check.group() != group {
            group = made.check.group();
            line(&mut out, &format!("{}\n", style.bold(group)));
        }
        judgement(&mut out, report, made, detail, style);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    if report.count(Verdict::Fail) > 0 {
        standard_error(&mut out, report);
    }
    out.push_str(&summary(report, detail));
    out
}

/// The last lines that the program has written to standard error, once for each different text.
fn standard_error(out: &mut String, report: &Report) {
    let mut shown = BTreeSet::new();
    for conversation in &report.conversations {
        let (stderr, _) = redact(&conversation.stderr);
        let words = last_lines(&stderr, STDERR_LINES);
        if !words.is_empty() && shown.len() < CONVERSATIONS && shown.insert(words.clone()) {
            let case = conversation.test_case;
            line(
                out,
                &format!("standard error in {case}: {}\n", safe(&words)),
            );
        }
    }
    if !shown.is_empty() {
        out.push('\n');
    }
}

fn is_shown(made: &Judgement, detail: Detail) -> bool {
    detail == Detail::Full || matches!(made.verdict, Verdict::Fail | Verdict::Warn)
}

fn judgement(
    out: &mut String,
    report: &Report,
    made: &Judgement,
    detail: Detail,
    style: TextStyle,
) {
    let check = made.check;
    let name = style.verdict(made.verdict);
    line(out, &format!("  {name}  {}  {}\n", check.id, check.text));
    if made.verdict == Verdict::Pass {
        return;
    }
    line(out, &format!("        {}\n", safe(&made.why)));
    if made.verdict == Verdict::NotExercised {
        return;
    }
    match check.rule() {
        Some(rule) => {
            let (number, level) = (rule.number, check.level);
            line(
                out,
                &format!("        rule {number}, {}: {}\n", word(level), rule.text),
            );
        }
        None => line(out, &format!("        {}\n", word(check.level))),
    }
    line(out, &format!("        fix: {}\n", check.hint));
    let most = if detail == Detail::Full {
        usize::MAX
    } else {
        MESSAGES
    };
    for evidence in made.evidence.iter().take(most) {
        if let Some((from, message)) = report.proof(evidence) {
            let message: String = message.chars().take(WIDTH).collect();
            line(
                out,
                &format!("        {} {}\n", arrow(from), safe(&message)),
            );
        }
    }
}

fn summary(report: &Report, detail: Detail) -> String {
    let count = |verdict| report.count(verdict);
    let mut out = format!(
        "{} passed, {} failed, {} warnings, {} not exercised, in {:.1} s\n",
        count(Verdict::Pass),
        count(Verdict::Fail),
        count(Verdict::Warn),
        count(Verdict::NotExercised),
        report.took.as_secs_f64()
    );
    if detail == Detail::Short && count(Verdict::NotExercised) > 0 {
        out.push_str("-v lists what was not exercised, and how to provoke it\n");
    }
    out
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Must => "MUST",
        Level::Should => "SHOULD",
        Level::May => "MAY",
        Level::Observed => "customary",
    }
}

/// Foreign text on one line, with control characters made visible.
fn safe(text: &str) -> String {
    visible(text).into_owned()
}

fn line(out: &mut String, text: &str) {
    out.write_str(text).unwrap_or_default();
}

impl TextStyle {
    fn bold(self, text: &str) -> String {
        match self {
            TextStyle::Plain => text.to_owned(),
            TextStyle::Colours => format!("\x1b[1m{text}\x1b[0m"),
        }
    }

    fn verdict(self, verdict: Verdict) -> String {
        let (name, colour) = match verdict {
            Verdict::Pass => ("pass", "32"),
            Verdict::Fail => ("FAIL", "31"),
            Verdict::Warn => ("warn", "33"),
            Verdict::NotExercised => ("none", "2"),
        };
        match self {
            TextStyle::Plain => name.to_owned(),
            TextStyle::Colours => format!("\x1b[{colour}m{name}\x1b[0m"),
        }
    }
}

const MESSAGES: usize = 3;
const STDERR_LINES: usize = 3;
const CONVERSATIONS: usize = 3;
const WIDTH: usize = 200;
