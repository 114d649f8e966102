//! Checks what the kernel can enforce: the sandbox for commands, and rules on paths and commands.

use attache::process::{ExecSupport, NestedMounts, exec_support, namespace_support};
use attache_host::sandbox::{self, SandboxSupport};

use super::{Diagnosis, DoctorCheck};

/// Checks what the kernel can enforce. `nested` says whether agents may mount file systems. Leaves nothing running.
pub fn check_sandbox(nested: NestedMounts, mut report: impl FnMut(Diagnosis)) {
    report(match sandbox::support() {
        SandboxSupport::Full => Diagnosis::ok(
            DoctorCheck::Sandbox,
            "commands write only inside the session's directories, temporary folders and tool caches",
        ),
        SandboxSupport::Partial { gap } => Diagnosis::warning(
            DoctorCheck::Sandbox,
            format!("commands are confined, but can still {gap}"),
            "use a newer kernel: Linux 6.12 or later supports the whole sandbox",
        ),
        SandboxSupport::Missing { reason } => Diagnosis::warning(
            DoctorCheck::Sandbox,
            format!("commands run without a sandbox: {reason}"),
            "allow it, or run agents in a container or virtual machine",
        ),
    });
    report(match (namespace_support(), nested) {
        (Ok(()), NestedMounts::Refused) => Diagnosis::ok(
            DoctorCheck::DeniedPaths,
            "paths that a policy denies are hidden from agents and commands; meanwhile an agent's own sandbox of mounts, such as bubblewrap, fails; to allow it: attache config set sandbox.nested allowed",
        ),
        (Ok(()), NestedMounts::Allowed) => Diagnosis::warning(
            DoctorCheck::DeniedPaths,
            "paths that a policy denies are hidden from agents, but `sandbox.nested` lets agents mount: a program that tries can reach them",
            "unless an agent needs a sandbox of its own: attache config unset sandbox.nested",
        ),
        (Err(missing), _) => Diagnosis::warning(
            DoctorCheck::DeniedPaths,
            format!(
                "the kernel does not hide paths that a policy denies, so agents can read them with tools of their own: {}",
                missing.reason
            ),
            missing.fix,
        ),
    });
    report(match exec_support() {
        ExecSupport::Full => Diagnosis::ok(
            DoctorCheck::CommandRules,
            "command rules are enforced when a program is executed",
        ),
        ExecSupport::Restarting => Diagnosis::ok(
            DoctorCheck::CommandRules,
            "command rules are enforced when a program is executed; Linux 5.19 or later handles signals better meanwhile",
        ),
        ExecSupport::Missing { reason } => Diagnosis::warning(
            DoctorCheck::CommandRules,
            "command rules apply only to what an agent says it will run; commands that cannot be decided are asked about or denied",
            reason,
        ),
    });
}
