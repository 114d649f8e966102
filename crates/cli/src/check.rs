//! `attache check`.

mod home;
mod relay;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context, bail};
use attache::process::Program;
use attache_check::conformance::{
    self, Detail, Format, Options, Processes, Report, Selection, Subject, TextStyle, Verdict,
};

use crate::arguments::{
    Check, CheckAgent, CheckClient, CheckCommand, CheckFormat, CheckHome, CheckProxy, How,
};
use crate::exit::{self, Exit};
use crate::signals::Signals;
use crate::{agents, print};
use home::FreshHome;

pub(crate) async fn check(arguments: Check) -> anyhow::Result<Exit> {
    let done = match arguments.command {
        CheckCommand::Agent(agent) => agent_checked(&agent).await,
        CheckCommand::Client(client) => client_checked(&client).await,
        CheckCommand::Proxy(proxy) => proxy_checked(&proxy).await,
        CheckCommand::Relay { place } => return relay::join(&place).await,
        CheckCommand::Mcp { heard } => return mcp(&heard),
    };
    done.or_else(|error| Ok(exit::fail(Exit::Usage, &error)))
}

async fn agent_checked(arguments: &CheckAgent) -> anyhow::Result<Exit> {
    let how = &arguments.how;
    if how.list {
        return list(Subject::Agent, how);
    }
    let here = std::env::current_dir().context("the current directory")?;
    let agent = agents::chosen(&arguments.choice, &here)?;
    let mut surroundings = Surroundings::new(how)?;
    let mut options = surroundings.options(how);
    if let Some(preset) = arguments.preset {
        options = options.preset(preset);
    }
    options.prompts.extend(arguments.prompts.iter().cloned());
    let us = std::env::current_exe().context("this program")?;
    let words = ["check", "mcp"].map(str::to_owned);
    let us = us.to_string_lossy().into_owned();
    options.mcp = Some(std::iter::once(us).chain(words).collect());
    let program = surroundings.put(agent.program());
    let launch = conformance::launch_program(program, surroundings.processes.clone());
    let check = conformance::check_agent(launch, options);
    let Some(report) = surroundings.finish(check).await else {
        return Ok(Exit::Interrupted);
    };
    if how.home == CheckHome::Fresh && report.wants_login() {
        crate::print::say!(
            "attache: the agent requires a login; it was checked with an empty home directory. `--home real` uses your own, which the agent may change"
        );
    }
    tell(&report, how)
}

async fn client_checked(arguments: &CheckClient) -> anyhow::Result<Exit> {
    let how = &arguments.how;
    if how.list {
        return list(Subject::Client, how);
    }
    let mut surroundings = Surroundings::new(how)?;
    let options = surroundings.options(how);
    let launch = relay::client(arguments, &surroundings, options.response_timeout)?;
    let check = conformance::check_client(launch, options);
    match surroundings.finish(check).await {
        Some(report) => tell(&report, how),
        None => Ok(Exit::Interrupted),
    }
}

async fn proxy_checked(arguments: &CheckProxy) -> anyhow::Result<Exit> {
    let how = &arguments.how;
    if how.list {
        return list(Subject::Proxy, how);
    }
    if arguments.command.is_empty() {
        bail!("no proxy: give its command after `--`");
    }
    let mut surroundings = Surroundings::new(how)?;
    let options = surroundings.options(how);
    let launch = relay::proxy(&arguments.command, &surroundings, options.response_timeout)?;
    let check = conformance::check_proxy(launch, options);
    match surroundings.finish(check).await {
        Some(report) => tell(&report, how),
        None => Ok(Exit::Interrupted),
    }
}

/// What programs under test are started in: a directory and a home directory, which are gone in the end, however the
/// check ends.
struct Surroundings {
    folder: Folder,
    home: Option<FreshHome>,
    processes: Processes,
    signals: Signals,
}

impl Surroundings {
    fn new(how: &How) -> anyhow::Result<Surroundings> {
        // First: from now on a signal leaves no folder behind.
        let signals = Signals::new()?;
        Ok(Surroundings {
            folder: Folder::new()?,
            home: match how.home {
                CheckHome::Fresh => Some(FreshHome::new()?),
                CheckHome::Real => None,
            },
            processes: Processes::default(),
            signals,
        })
    }

    fn options(&self, how: &How) -> Options {
        let mut options = Options::new(self.folder.path());
        options.response_timeout = Duration::from_secs(how.timeout);
        options.parallel_cases = usize::from(how.jobs);
        options.selection = Selection::new(how.only.iter().cloned());
        options
    }

    /// The program in these surroundings.
    fn put(&self, program: Program) -> Program {
        let program = program.cwd(self.folder.path());
        match &self.home {
            Some(home) => home.move_in(program),
            None => program,
        }
    }

    /// The report, or nothing if a signal comes first; then all that was started has ended.
    async fn finish(&mut self, check: impl Future<Output = Report>) -> Option<Report> {
        // Kept until its processes have ended: dropping it would kill them without waiting.
        let mut check = pin!(check);
        tokio::select! {
            report = &mut check => Some(report),
            () = self.signals.next() => {
                self.processes.end().await;
                crate::print::say!("attache: interrupted; all programs started for the check have ended");
                None
            }
        }
    }
}

fn list(subject: Subject, how: &How) -> anyhow::Result<Exit> {
    let wanted = Selection::new(how.only.iter().cloned());
    let mut out = String::new();
    for check in subject.checks() {
        if wanted.takes(check.id) {
            let rule = check
                .rule
                .map_or(String::new(), |rule| format!(" rule {rule}"));
            out += &format!("{}  {}{rule}  {}\n", check.id, check.level, check.text);
        }
    }
    print::print(&out)
}

fn tell(report: &Report, how: &How) -> anyhow::Result<Exit> {
    if let Some(path) = &how.report {
        let page = report.write(Format::Html);
        fs::write(path, page).with_context(|| format!("--report {}", path.display()))?;
    }
    let format = match how.format {
        CheckFormat::Json => Format::Json,
        CheckFormat::Junit => Format::Junit,
        CheckFormat::Text => {
            let detail = if how.verbose {
                Detail::Full
            } else {
                Detail::Short
            };
            let plain = !io::stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some();
            Format::Text(
                detail,
                if plain {
                    TextStyle::Plain
                } else {
                    TextStyle::Colours
                },
            )
        }
    };
    let printed = print::print(&report.write(format))?;
    let seen = [Verdict::Pass, Verdict::Warn, Verdict::Fail];
    if seen.into_iter().all(|verdict| report.count(verdict) == 0) {
        crate::print::say!(
            "attache: no check could be exercised; is the command right? -v shows why"
        );
    }
    match printed {
        Exit::Done if !report.is_conformant() => Ok(Exit::Failed),
        exit => Ok(exit),
    }
}

fn mcp(heard: &Path) -> anyhow::Result<Exit> {
    let heard = fs::File::create(heard).context("the received messages cannot be written")?;
    conformance::serve_mcp(io::stdin().lock(), io::stdout().lock(), heard)?;
    Ok(Exit::Done)
}

/// A directory for what is under test to work in, which is gone in the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> anyhow::Result<Folder> {
        let made = tempfile::Builder::new().prefix("attache-check-").tempdir();
        let made = made.context("a directory to work in")?;
        fs::write(made.path().join("hello.txt"), "one\ntwo\nthree\n")?;
        Ok(Folder(made))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}
