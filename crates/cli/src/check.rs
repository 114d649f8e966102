//! `attache check`.

mod home;
mod relay;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use attache::process::Program;
use attache_check::conformance::{
    self, Detail, Format, Options, Paint, Report, Selection, Subject, Verdict,
};

use crate::arguments::{
    Check, CheckAgent, CheckClient, CheckCommand, CheckFormat, CheckHome, CheckProxy, How,
};
use crate::exit::{self, Exit};
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
    if arguments.how.list {
        return list(Subject::Agent, &arguments.how);
    }
    let here = std::env::current_dir().context("the current directory")?;
    let agent = agents::chosen(&arguments.choice, &here)?;
    let folder = Folder::new()?;
    let mut options = options(&arguments.how, &folder);
    if let Some(preset) = arguments.preset {
        options = options.preset(preset);
    }
    options.prompts.extend(arguments.prompts.iter().cloned());
    let us = std::env::current_exe().context("this program")?;
    let words = ["check", "mcp"].map(str::to_owned);
    let us = us.to_string_lossy().into_owned();
    options.mcp = Some(std::iter::once(us).chain(words).collect());
    let program = agent.program().cwd(folder.path());
    let home = match arguments.home {
        CheckHome::Fresh => Some(FreshHome::new()?),
        CheckHome::Real => None,
    };
    let program = match &home {
        Some(home) => home.move_in(program),
        None => program,
    };
    let launch = conformance::launch_program(program);
    let report = conformance::check_agent(launch, options).await;
    if home.is_some() && report.wants_login() {
        eprintln!(
            "attache: the agent wants a login; it was checked with an empty home directory. `--home real` checks it with your own, which it may change"
        );
    }
    tell(&report, &arguments.how)
}

async fn client_checked(arguments: &CheckClient) -> anyhow::Result<Exit> {
    if arguments.how.list {
        return list(Subject::Client, &arguments.how);
    }
    let folder = Folder::new()?;
    let options = options(&arguments.how, &folder);
    let launch = relay::client(arguments, &folder, options.patience)?;
    let report = conformance::check_client(launch, options).await;
    tell(&report, &arguments.how)
}

async fn proxy_checked(arguments: &CheckProxy) -> anyhow::Result<Exit> {
    if arguments.how.list {
        return list(Subject::Proxy, &arguments.how);
    }
    if arguments.command.is_empty() {
        bail!("no proxy: give its command after `--`");
    }
    let folder = Folder::new()?;
    let options = options(&arguments.how, &folder);
    let launch = relay::proxy(&arguments.command, &folder, options.patience)?;
    let report = conformance::check_proxy(launch, options).await;
    tell(&report, &arguments.how)
}

fn options(how: &How, folder: &Folder) -> Options {
    let mut options = Options::new(folder.path());
    options.patience = Duration::from_secs(how.timeout);
    options.at_once = usize::from(how.jobs);
    options.only = Selection::new(how.only.iter().cloned());
    options
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
            Format::Text(detail, if plain { Paint::Plain } else { Paint::Colours })
        }
    };
    let printed = print::print(&report.write(format))?;
    let seen = [Verdict::Pass, Verdict::Warn, Verdict::Fail];
    if seen.into_iter().all(|verdict| report.count(verdict) == 0) {
        eprintln!("attache: nothing could be seen of it; is the command right? -v tells why");
    }
    match printed {
        Exit::Done if !report.is_conformant() => Ok(Exit::Failed),
        exit => Ok(exit),
    }
}

fn mcp(heard: &Path) -> anyhow::Result<Exit> {
    let heard = fs::File::create(heard).context("what was heard cannot be written")?;
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

fn program(command: &[String], folder: &Folder) -> anyhow::Result<Program> {
    let (name, words) = command.split_first().context("the command is empty")?;
    Ok(Program::new(name).args(words).cwd(folder.path()))
}
