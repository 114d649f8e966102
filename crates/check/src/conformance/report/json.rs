//! Writes a report as JSON.

use serde_json::{Value, json};

use super::Report;
use crate::conformance::{Judgement, Verdict};

pub(super) fn write(report: &Report) -> String {
    let checks: Vec<Value> = report
        .judgements
        .iter()
        .map(|made| check(report, made))
        .collect();
    let count = |verdict| report.count(verdict);
    let whole = json!({
        "subject": report.subject.name(),
        "conformant": report.is_conformant(),
        "seconds": report.took.as_secs_f64(),
        "passed": count(Verdict::Pass),
        "failed": count(Verdict::Fail),
        "warnings": count(Verdict::Warn),
        "notExercised": count(Verdict::NotExercised),
        "checks": checks,
    });
    format!("{whole:#}\n")
}

fn check(report: &Report, made: &Judgement) -> Value {
    let check = made.check;
    let rule = check.rule().map(
        |rule| json!({ "number": rule.number, "text": rule.text, "level": rule.level.to_string() }),
    );
    let messages: Vec<Value> = made
        .evidence
        .iter()
        .filter_map(|evidence| {
            let (from, line) = report.proof(evidence)?;
            Some(json!({ "from": from.to_string(), "line": line }))
        })
        .collect();
    json!({
        "id": check.id,
        "group": check.group(),
        "level": check.level.to_string(),
        "text": check.text,
        "rule": rule,
        "verdict": made.verdict.name(),
        "why": made.why,
        "hint": check.hint,
        "messages": messages,
    })
}
