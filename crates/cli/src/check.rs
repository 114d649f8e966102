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
use attache_text::plain::visible;

use crate::arguments::{
    Check, CheckAgent, CheckClient, CheckCommand, CheckFormat, CheckHome, CheckOptions, CheckProxy,
};
use crate::exit::{self, Exit};
use crate::signals::Signals;
use crate::{agents, print};
use home::FreshHome;

pub(crate) async fn check(arguments: Check) -> anyhow::Result<Exit> {
    let done = match arguments.command {
        CheckCommand::Agent(agent) => check_agent(&agent).await,
        CheckCommand::Client(client) => check_client(&client).await,
        CheckCommand::Proxy(proxy) => check_proxy(&proxy).await,
        CheckCommand::Relay { address } => return relay::run(&address).await,
        CheckCommand::Mcp { heard } => return serve_mcp(&heard),
    };
    done.or_else(|error| Ok(exit::fail(Exit::Usage, &error)))
}

async fn check_agent(arguments: &CheckAgent) -> anyhow::Result<Exit> {
    let flags = &arguments.options;
    if flags.list {
        return list(Subject::Agent, flags);
    }
    let here = std::env::current_dir().context("the current directory")?;
    let agent = agents::choose(&arguments.choice, &here)?;
    let mut environment = TestEnvironment::new(flags)?;
    let mut options = environment.options(flags);
    if let Some(preset) = arguments.preset {
        options = options.preset(preset);
    }
    options.prompts.extend(arguments.prompts.iter().cloned());
    let us = std::env::current_exe().context("this program")?;
    let words = ["check", "mcp"].map(str::to_owned);
    let us = us.to_string_lossy().into_owned();
    options.mcp = Some(std::iter::once(us).chain(words).collect());
    let program = environment.apply_to(agent.program());
    let launch = conformance::launch_program(program, environment.processes.clone());
    let check = conformance::check_agent(launch, options);
    let Some(report) = environment.finish(check).await else {
        return Ok(Exit::Interrupted);
    };
    if flags.home == CheckHome::Fresh && report.wants_login() {
        crate::print::note!(
            "attache: the agent requires a login; it was checked with an empty home directory. `--home real` uses your own, which the agent may change"
        );
    }
    print_report(&report, flags)
}

async fn check_client(arguments: &CheckClient) -> anyhow::Result<Exit> {
    let flags = &arguments.options;
    if flags.list {
        return list(Subject::Client, flags);
    }
    let mut environment = TestEnvironment::new(flags)?;
    let options = environment.options(flags);
    let launch = relay::launch_client(arguments, &environment, options.response_timeout)?;
    let check = conformance::check_client(launch, options);
    match environment.finish(check).await {
        Some(report) => print_report(&report, flags),
        None => Ok(Exit::Interrupted),
    }
}

async fn check_proxy(arguments: &CheckProxy) -> anyhow::Result<Exit> {
    let flags = &arguments.options;
    if flags.list {
        return list(Subject::Proxy, flags);
    }
    if arguments.command.is_empty() {
        bail!("no proxy: give its command after `--`");
    }
    let mut environment = TestEnvironment::new(flags)?;
    let options = environment.options(flags);
    let launch = relay::launch_proxy(&arguments.command, &environment, options.response_timeout)?;
    let check = conformance::check_proxy(launch, options);
    match environment.finish(check).await {
        Some(report) => print_report(&report, flags),
        None => Ok(Exit::Interrupted),
    }
}

/// The environment of programs under test: a working directory and a home directory. Both are removed at the end of the
/// check.
struct TestEnvironment {
    folder: WorkingDirectory,
    home: Option<FreshHome>,
    processes: Processes,
    signals: Signals,
}

impl TestEnvironment {
    fn new(flags: &CheckOptions) -> anyhow::Result<TestEnvironment> {
        // First, so that a signal leaves no directory behind.
        let signals = Signals::new()?;
        Ok(TestEnvironment {
            folder: WorkingDirectory::new()?,
            home: match flags.home {
                CheckHome::Fresh => Some(FreshHome::new()?),
                CheckHome::Real => None,
            },
            processes: Processes::default(),
            signals,
        })
    }

    fn options(&self, flags: &CheckOptions) -> Options {
        let mut options = Options::new(self.folder.path());
        options.response_timeout = Duration::from_secs(flags.timeout);
        options.parallel_cases = usize::from(flags.jobs);
        options.selection = Selection::new(flags.only.iter().cloned());
        options
    }

    /// The program in this environment.
    fn apply_to(&self, program: Program) -> Program {
        let program = program.cwd(self.folder.path());
        match &self.home {
            Some(home) => home.apply_to(program),
            None => program,
        }
    }

    /// The report; `None` after a signal, when all started programs have been stopped.
    async fn finish(&mut self, check: impl Future<Output = Report>) -> Option<Report> {
        // Kept alive until its processes are stopped: dropping it would kill them without waiting.
        let mut check = pin!(check);
        tokio::select! {
            report = &mut check => Some(report),
            () = self.signals.next() => {
                self.processes.end().await;
                crate::print::note!("attache: interrupted; all programs started for the check have ended");
                None
            }
        }
    }
}

fn list(subject: Subject, flags: &CheckOptions) -> anyhow::Result<Exit> {
    let wanted = Selection::new(flags.only.iter().cloned());
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

fn print_report(report: &Report, flags: &CheckOptions) -> anyhow::Result<Exit> {
    if let Some(path) = &flags.report {
        let page = report.write(Format::Html);
        fs::write(path, page).with_context(|| format!("--report {}", path.display()))?;
    }
    let format = match flags.format {
        CheckFormat::Json => Format::Json,
        CheckFormat::Junit => Format::Junit,
        CheckFormat::Text => {
            let detail = if flags.verbose {
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
        let why = report.judgements.first().map_or("", |made| &made.why);
        crate::print::note!(
            "attache: no check could be exercised; is the command right? {}",
            visible(why)
        );
    }
    match printed {
        Exit::Done if !report.is_conformant() => Ok(Exit::Failed),
        exit => Ok(exit),
    }
}

fn serve_mcp(heard: &Path) -> anyhow::Result<Exit> {
    let heard = fs::File::create(heard).context("the received messages cannot be written")?;
    conformance::serve_mcp(io::stdin().lock(), io::stdout().lock(), heard)?;
    Ok(Exit::Done)
}

/// The working directory of programs under test, which is removed at the end.
struct WorkingDirectory(tempfile::TempDir);

impl WorkingDirectory {
    fn new() -> anyhow::Result<WorkingDirectory> {
        let made = tempfile::Builder::new().prefix("attache-check-").tempdir();
        let made = made.context("a directory to work in")?;
        fs::write(made.path().join("hello.txt"), "one\ntwo\nthree\n")?;
        Ok(WorkingDirectory(made))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}
