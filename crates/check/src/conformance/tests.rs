//! The checker, checked: whoever conforms passes everything, and for each check there is somebody who fails it alone.

mod agent_breakers;
mod client_breakers;
mod mock_agent;
mod mock_client;
mod mock_proxy;
mod mutation;
mod proxy_breakers;
mod tables;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::{Options, PromptKind, Report, Verdict};

/// Options under which every prompt is the name of its kind.
fn options(folder: &Path) -> Options {
    let mut options = Options::new(folder);
    for kind in PromptKind::ALL {
        options.prompts.insert(kind, kind.name().to_owned());
    }
    options.act_within = Duration::from_secs(100_000);
    options.mcp = Some(vec!["server".to_owned()]);
    options
}

/// The ids of the checks that ended so.
fn ids(report: &Report, verdict: Verdict) -> BTreeSet<&'static str> {
    report.of(verdict).map(|made| made.check.id).collect()
}

/// The ids of the checks that were not met.
fn broken(report: &Report) -> BTreeSet<&'static str> {
    let (failed, warned) = (ids(report, Verdict::Fail), ids(report, Verdict::Warn));
    failed.union(&warned).copied().collect()
}

/// What was not met, with the reasons, for people who look at a test that fails.
fn told(report: &Report) -> String {
    let made = report.judgements.iter();
    let made = made.filter(|made| matches!(made.verdict, Verdict::Fail | Verdict::Warn));
    made.map(|made| format!("{}: {}\n", made.check.id, made.why))
        .collect()
}
