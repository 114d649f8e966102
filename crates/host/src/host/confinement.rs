//! Confines an agent so that the kernel enforces the policy's deny rules.

use attache_process::{Confinement, NestedMounts, Program};

use super::Host;
use crate::denied::{ConfinedProcess, DeniedPaths};
use crate::permissions::PathPattern;
use crate::sandbox;

impl Host {
    /// Sets whether the agent may mount file systems while paths are denied.
    #[must_use]
    pub fn nested_mounts(mut self, nested_mounts: NestedMounts) -> Host {
        self.nested_mounts = nested_mounts;
        self
    }

    /// Confines an agent: the kernel hides the paths that the policy denies. Also returns notices for the user, for
    /// example about paths that cannot be hidden. Reads the disk.
    pub fn confine_agent(&self, program: Program) -> (Program, Vec<String>) {
        let confined = self.confine(program);
        let is_enforced = confined.faults.is_empty() && self.nested_mounts == NestedMounts::Refused;
        self.permissions.enforce_paths(&self.agent, is_enforced);
        let mut notices = confined.faults;
        notices.extend(confined.notes);
        (confined.program, notices)
    }

    /// Confines another program of the agent, such as its login. Does not change whether the agent itself counts as
    /// confined.
    pub fn confine_login(&self, program: Program) -> (Program, Vec<String>) {
        let confined = self.confine(program);
        (confined.program, confined.faults)
    }

    fn confine(&self, program: Program) -> ConfinedProgram {
        let mut confined = ConfinedProgram {
            program,
            faults: Vec::new(),
            notes: Vec::new(),
        };
        let rules = self.permissions.deny_path_rules(&self.agent);
        if rules.is_empty() {
            return confined;
        }
        if let Some(missing) = sandbox::path_rule_shortcoming() {
            confined.faults.push(missing);
            return confined;
        }
        let cwd = confined.program.working_directory();
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        let mut directories = vec![cwd.clone()];
        directories.extend(self.directories.iter().cloned());
        let denied = DeniedPaths::find(&rules, &directories);
        if denied.is_cut() {
            confined.faults.push("the search for files that the policy denies was too large and is incomplete, so the agent can access some of them".to_owned());
        }
        let (covers, left_out) = match denied.covers(ConfinedProcess::Agent, &cwd) {
            Ok(found) => found,
            Err(error) => {
                let fault = format!(
                    "the paths that the policy denies are not hidden from the agent: {error}"
                );
                confined.faults.push(fault);
                return confined;
            }
        };
        confined.faults.extend(left_out.iter().map(|path| {
            let path = path.display();
            format!("the policy denies `{path}`, but the agent works there, so the path is not hidden from the agent")
        }));
        self.permissions
            .expect_missing(denied.missing().iter().cloned());
        confined
            .notes
            .extend(missing_paths_notice(denied.missing()));
        let confinement = covers
            .into_iter()
            .fold(Confinement::new(), Confinement::cover);
        let confinement = denied.keep_covered(confinement, ConfinedProcess::Agent, &cwd);
        // Without signals, the agent can't delay the covering of paths that appear later.
        let confinement = sandbox::keep_signals_inside(confinement);
        match self.nested_mounts {
            // Our own agent has no sandbox of its own that would fail.
            NestedMounts::Refused if is_our_own(&confined.program) => {}
            NestedMounts::Refused => confined.notes.push(NO_MOUNTS.to_owned()),
            NestedMounts::Allowed => confined.notes.push(MOUNTS.to_owned()),
        }
        confined.program = confined
            .program
            .confine(confinement.nested_mounts(self.nested_mounts));
        confined
    }
}

/// A confined program, with sentences for the user.
struct ConfinedProgram {
    program: Program,
    /// Denied paths that the program can still access.
    faults: Vec<String>,
    /// Other remarks for the user.
    notes: Vec<String>,
}

fn is_our_own(program: &Program) -> bool {
    let ours = std::env::current_exe().ok();
    ours.is_some_and(|ours| program.words().next() == Some(ours.as_os_str()))
}

fn missing_paths_notice(missing: &[PathPattern]) -> Option<String> {
    let paths: Vec<String> = missing
        .iter()
        .filter_map(PathPattern::tree)
        .take(MOST_NAMED)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = match missing.len() > paths.len() {
        true => " and others",
        false => "",
    };
    (!paths.is_empty()).then(|| {
        format!(
            "the policy denies paths that do not exist yet or lead through a link: {}{more}. The kernel hides each one as soon as it appears, but the agent could create it, so you are asked about commands that might. To avoid this, create an empty file or directory at the path",
            paths.join(", ")
        )
    })
}

const NO_MOUNTS: &str = "while the policy denies paths, the agent cannot mount file systems, so a sandbox of its own that uses namespaces, such as bubblewrap, fails. To allow mounts: attache config set sandbox.nested allowed";
const MOUNTS: &str = "`sandbox.nested` lets the agent mount file systems, so a malicious program can access the paths that the policy denies";
const MOST_NAMED: usize = 5;
