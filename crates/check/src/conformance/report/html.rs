//! Writes a report as one self-contained HTML page: judgements on the left, on the right the conversation that proves
//! the selected one.

use attache_recording::redact;
use attache_testkit::Side;
use attache_text::markup::escape;

use super::{Report, shown};
use crate::conformance::{Conversation, Judgement, Verdict};

pub(super) fn write(report: &Report) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>attache check {name}</title>\n<style>{STYLE}</style></head>\n<body><main><h1>attache check {name}</h1>\n",
        name = report.subject.name()
    );
    out += &format!(
        "<p>{} passed, {} failed, {} warnings, {} not exercised, in {:.1} s</p>\n",
        report.count(Verdict::Pass),
        report.count(Verdict::Fail),
        report.count(Verdict::Warn),
        report.count(Verdict::NotExercised),
        report.took.as_secs_f64()
    );
    for verdict in [
        Verdict::Fail,
        Verdict::Warn,
        Verdict::NotExercised,
        Verdict::Pass,
    ] {
        if report.count(verdict) == 0 {
            continue;
        }
        let open = if verdict > Verdict::NotExercised {
            " open"
        } else {
            ""
        };
        out += &format!(
            "<details{open}><summary>{} ({})</summary>\n",
            verdict.name(),
            report.count(verdict)
        );
        for made in report.of(verdict) {
            out += &finding(made);
        }
        out += "</details>\n";
    }
    out += "</main><aside>\n";
    for (index, conversation) in report.conversations.iter().enumerate() {
        out += &conversation_list(index, conversation);
    }
    out += "</aside></body></html>\n";
    out
}

fn finding(made: &Judgement) -> String {
    let check = made.check;
    let mut out = format!(
        "<section class=\"{}\"><h2>{}</h2><p>{}</p>",
        made.verdict.name().replace(' ', "-"),
        escape(check.id),
        escape(check.text)
    );
    if let Some(rule) = check.rule() {
        out += &format!(
            "<p class=\"rule\">Rule {}, {}: {}</p>",
            rule.number,
            check.level,
            escape(rule.text)
        );
    }
    if !made.why.is_empty() {
        out += &format!("<p class=\"why\">{}</p>", escape(&made.why));
    }
    if made.verdict > Verdict::NotExercised {
        out += &format!("<p class=\"hint\">{}</p>", escape(check.hint));
    }
    for it in &made.evidence {
        let (conversation, entry) = (it.conversation, it.entry);
        out += &format!(
            "<a href=\"#m{conversation}-{entry}\">conversation {}, message {}</a> ",
            conversation + 1,
            entry + 1
        );
    }
    out + "</section>\n"
}

fn conversation_list(index: usize, conversation: &Conversation) -> String {
    let mut out = format!(
        "<h3>{}. {}</h3><ol>\n",
        index + 1,
        escape(conversation.test_case)
    );
    for (entry, line) in conversation.entries.iter().enumerate() {
        let side = match line.from {
            Side::Client => "client",
            Side::Agent => "agent",
        };
        out += &format!(
            "<li id=\"m{index}-{entry}\" class=\"{side}\"><b>{side} {:.3}</b> <code>{}</code></li>\n",
            line.at.as_secs_f64(),
            escape(&shown(&line.content))
        );
    }
    out += "</ol>\n";
    if !conversation.stderr.trim().is_empty() {
        out += &format!(
            "<details><summary>stderr</summary><pre>{}</pre></details>\n",
            escape(&redact(&conversation.stderr).0)
        );
    }
    out
}

const STYLE: &str = "body{display:flex;margin:0;font:14px/1.5 system-ui,sans-serif;height:100vh;color:#222;background:#fff}\
main,aside{overflow:auto;padding:1rem 1.5rem;flex:1}aside{background:#f6f6f4;border-left:1px solid #ddd}\
h1{font-size:1.3rem}h2{font:600 .95rem ui-monospace,monospace;margin:0}h3{font-size:1rem}section{border-left:4px solid #bbb;padding:.3rem .8rem;margin:.6rem 0}\
p{margin:.2rem 0}.fail{border-color:#c33}.warn{border-color:#d90}.pass{border-color:#3a3}.rule{color:#555}.why{font-weight:600}a{color:#05a}.hint{font-style:italic}\
summary{cursor:pointer;font-weight:600}ol{padding-left:2.5rem}li{margin:.2rem 0}li:target{background:#ffec99}code{font:12px ui-monospace,monospace;overflow-wrap:anywhere}\
li.client b{color:#05a}li.agent b{color:#a50}@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}aside{background:#232323;border-color:#444}.rule{color:#aaa}li:target{background:#554b10}li.client b,a{color:#6ad}li.agent b{color:#e93}}";
