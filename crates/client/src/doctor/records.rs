//! Checks our own files: policy, remembered decisions and audit log.

use std::path::Path;

use attache_host::audit;
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};

use super::{Diagnosis, DoctorCheck, counted};
use crate::agents::line;

/// Checks the file of remembered decisions and the audit log. Creates and changes nothing.
pub fn check_records(decisions: &Path, log: &Path, mut report: impl FnMut(Diagnosis)) {
    remembered(decisions, &mut report);
    report(logged(log));
}

/// Checks the configured policy for rules that do less than they seem to do, or than they did before.
pub fn check_policy(policy: Result<Option<Policy>, String>, mut report: impl FnMut(Diagnosis)) {
    let policy = match policy {
        Ok(Some(policy)) => policy,
        Ok(None) => return,
        Err(error) => {
            let fix = "correct the file; until then no agent starts";
            return report(Diagnosis::failure(DoctorCheck::Policy, line(&error), fix));
        }
    };
    let warnings = policy.warnings();
    if warnings.is_empty() {
        return report(Diagnosis::ok(
            DoctorCheck::Policy,
            "all rules do what they say",
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
        let fix = "find out what happened to the file; if you do not need it any more, move it away, and you are asked again";
        return report(Diagnosis::warning(
            DoctorCheck::Permissions,
            line(&warning.to_string()),
            fix,
        ));
    }
    let decisions = permissions.list();
    let what = match decisions.len() as u64 {
        0 => "no remembered decisions".to_owned(),
        count => counted(count, "remembered decision", "remembered decisions"),
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
            let fix = "fix this; until then the audit log does not record what agents do";
            return Diagnosis::warning(DoctorCheck::Audit, line(&error.to_string()), fix);
        }
    };
    match report.broken {
        Some(broken) => Diagnosis::warning(
            DoctorCheck::Audit,
            line(&broken.to_string()),
            "find out what happened to the log; logging continues after the break, or starts again if you move the directory away",
        ),
        None if report.lines == 0 => Diagnosis::ok(DoctorCheck::Audit, "no entries yet"),
        None => {
            let lines = counted(report.lines, "line", "lines");
            Diagnosis::ok(DoctorCheck::Audit, format!("{lines}, intact"))
        }
    }
}
