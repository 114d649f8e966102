//! What we keep ourselves: remembered decisions, and the log of what was done.

use std::path::Path;

use attache_host::audit;
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};

use super::{Diagnosis, DoctorCheck, counted};
use crate::agents::line;

/// Looks at the file of remembered decisions and at the audit log in its directory. Nothing is made or changed.
pub fn check_records(decisions: &Path, log: &Path, mut report: impl FnMut(Diagnosis)) {
    remembered(decisions, &mut report);
    report(logged(log));
}

/// Looks at the policy that is configured: rules that do less than they look like, or than they did before.
pub fn check_policy(policy: Result<Option<Policy>, String>, mut report: impl FnMut(Diagnosis)) {
    let policy = match policy {
        Ok(Some(policy)) => policy,
        Ok(None) => return,
        Err(error) => {
            let fix = "correct the file; until then no agent is started";
            return report(Diagnosis::failure(DoctorCheck::Policy, line(&error), fix));
        }
    };
    let warnings = policy.warnings();
    if warnings.is_empty() {
        return report(Diagnosis::ok(
            DoctorCheck::Policy,
            "every rule does what it says",
        ));
    }
    for warning in warnings {
        let what = format!("rule `{}` {}", warning.rule, warning.problem);
        report(Diagnosis::warning(
            DoctorCheck::Policy,
            line(&what),
            warning.remedy,
        ));
    }
}

fn remembered(file: &Path, report: &mut impl FnMut(Diagnosis)) {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.store = Some(file.to_owned());
    let (permissions, warnings) = Permissions::open(config);
    if let Some(warning) = warnings.first() {
        let fix = "see what has happened to it; if you do not need it any more, move it away, and you are asked again";
        return report(Diagnosis::warning(
            DoctorCheck::Permissions,
            line(&warning.to_string()),
            fix,
        ));
    }
    let decisions = permissions.list();
    let what = match decisions.len() as u64 {
        0 => "nothing is remembered".to_owned(),
        count => counted(count, "decision is remembered", "decisions are remembered"),
    };
    report(Diagnosis::ok(DoctorCheck::Permissions, what));
    for decision in &decisions {
        if let Some(problem) = decision.problem() {
            let what = format!("decision {} ({}) {problem}", decision.id, decision.summary);
            let fix = format!("`attache permissions revoke {}`", decision.id);
            report(Diagnosis::warning(
                DoctorCheck::Permissions,
                line(&what),
                fix,
            ));
        }
    }
}

fn logged(dir: &Path) -> Diagnosis {
    let report = match audit::verify(dir) {
        Ok(report) => report,
        Err(error) => {
            let fix = "put that right: until then nothing is written down of what agents do";
            return Diagnosis::warning(DoctorCheck::Audit, line(&error.to_string()), fix);
        }
    };
    match report.broken {
        Some(broken) => Diagnosis::warning(
            DoctorCheck::Audit,
            line(&broken.to_string()),
            "see what has happened to it; it goes on behind the break, or begins anew if you move the directory away",
        ),
        None if report.lines == 0 => {
            Diagnosis::ok(DoctorCheck::Audit, "nothing is written down yet")
        }
        None => {
            let lines = counted(report.lines, "line", "lines");
            Diagnosis::ok(
                DoctorCheck::Audit,
                format!("{lines}, and the chain is whole"),
            )
        }
    }
}
