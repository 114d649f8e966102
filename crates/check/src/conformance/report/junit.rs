//! Writes a report as JUnit XML for CI systems. A warning becomes a passed case with a note.

use attache_text::markup::escape;

use super::{Report, arrow};
use crate::conformance::{Judgement, Verdict};

pub(super) fn write(report: &Report) -> String {
    let name = report.subject.name();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &format!(
        "<testsuite name=\"attache check {name}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n",
        report.judgements.len(),
        report.count(Verdict::Fail),
        report.count(Verdict::NotExercised),
        report.took.as_secs_f64()
    );
    for made in &report.judgements {
        out += &case(report, made);
    }
    out += "</testsuite>\n";
    out
}

fn case(report: &Report, made: &Judgement) -> String {
    let check = made.check;
    let class = format!("{}.{}", report.subject.name(), check.group());
    let body = match made.verdict {
        Verdict::Pass => String::new(),
        Verdict::NotExercised => format!("<skipped message=\"{}\"/>", escape(&made.why)),
        Verdict::Warn => format!(
            "<system-out>{}</system-out>",
            escape(&details(report, made))
        ),
        Verdict::Fail => format!(
            "<failure message=\"{}\">{}</failure>",
            escape(&made.why),
            escape(&details(report, made))
        ),
    };
    format!(
        "  <testcase classname=\"{}\" name=\"{}\">{body}</testcase>\n",
        escape(&class),
        escape(check.id)
    )
}

fn details(report: &Report, made: &Judgement) -> String {
    let mut out = format!("{}\n{}\n", made.check.text, made.why);
    for (from, line) in made.evidence.iter().filter_map(|it| report.proof(it)) {
        out += &format!("{} {line}\n", arrow(from));
    }
    out + made.check.hint
}
