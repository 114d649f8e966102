//! `attache agent`: the coding agent on standard input and output.

use std::env;
use std::io::IsTerminal as _;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use attache::Options;
use attache_agent::tools::{ToolEnvironment, WebClient};
use attache_agent::{Limits, Setup, serve};
use attache_client::config::Configuration;
use attache_dialect::Role;
use attache_host::files::{self, Files};
use attache_host::ownership;
use attache_host::permissions::Policy;
use attache_host::protected_files;
use attache_host::terminals::{self, Terminals};
use attache_journal::Store;
use attache_model::scripted::ScriptedModel;
use attache_model::{Catalog, Environment, Model as _};
use tokio::time::timeout;

use crate::arguments::Agent;
use crate::exit::Exit;
use crate::signals::Signals;
use crate::{agents, directories, prepare};

pub(crate) async fn agent(arguments: &Agent) -> anyhow::Result<Exit> {
    if std::io::stdin().is_terminal() {
        crate::print::note!(
            "attache: the agent reads ACP from standard input; to talk to it, use `attache chat -a builtin`"
        );
    }
    ownership::accept(arguments.checked.clone());
    protect(arguments);
    let setup = Setup {
        store: store(arguments)?,
        models: models(arguments)?,
        limits: limits(arguments),
        environment: environment(arguments)?,
        policy: policy(arguments)?,
    };
    let options = Options::default()
        .translator(attache_dialect::detect(Role::Client))
        .grace(GRACE);
    let mut signals = Signals::new()?;
    let (client, calls) = attache::agent::stdio_with(options)?;
    let mut serving = pin!(serve(client.clone(), calls, setup));
    tokio::select! {
        () = &mut serving => return Ok(Exit::Done),
        () = signals.next() => {}
    }
    // As after a disconnect of the client: turns and their processes end, and the journal is written.
    client.close();
    drop(timeout(LEAVE, serving).await);
    Ok(Exit::Done)
}

fn limits(arguments: &Agent) -> Limits {
    let mut limits = Limits::default();
    if let Some(requests) = arguments.requests {
        limits.requests = requests.try_into().unwrap_or(usize::MAX);
    }
    limits
}

fn store(arguments: &Agent) -> anyhow::Result<Store> {
    let dir = match &arguments.data {
        Some(dir) => dir.clone(),
        None => directories::data_dir()?,
    };
    Ok(Store::open(&dir)?)
}

/// Reads the policies. Fails if one cannot be read, because a policy must never be ignored.
fn policy(arguments: &Agent) -> anyhow::Result<Option<Policy>> {
    let mut all: Option<Policy> = None;
    for given in &arguments.policy {
        let policy = Policy::from_argument(given)?;
        all = Some(match all {
            Some(before) => before.narrowed_by(policy, given),
            None => policy,
        });
    }
    Ok(all)
}

/// Protects the policies and the files that the project's file names, trusted or not: the agent must not write the files
/// that decide what it may do. The client reports a configuration that cannot be read.
fn protect(arguments: &Agent) {
    let configuration = configuration();
    let deciding = prepare::policy_files(arguments.policy.iter(), &configuration);
    protected_files::protect(deciding.into_iter().chain(configuration.named_files));
}

/// The configuration for the current directory; empty if it cannot be read.
fn configuration() -> Configuration {
    let sources = env::current_dir().map_err(anyhow::Error::from);
    let sources = sources.and_then(|cwd| agents::sources(&cwd, &[]));
    let configuration = sources.and_then(|sources| Ok(Configuration::load(&sources)?));
    configuration.unwrap_or_default()
}

fn models(arguments: &Agent) -> anyhow::Result<Catalog> {
    let mut environment = Environment::read(|name| env::var(name).ok());
    if let Some(model) = &arguments.model {
        environment.model = Some(model.clone());
    }
    let Some(path) = &arguments.script else {
        return Ok(Catalog::new(&environment));
    };
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read the script `{}`", path.display()))?;
    let script = ScriptedModel::parse(&text);
    let script = script.with_context(|| format!("`{}` is not a valid script", path.display()))?;
    environment.model = Some(script.info().id.clone());
    let models = Catalog::new(&environment);
    models.add(Arc::new(script));
    Ok(models)
}

fn environment(arguments: &Agent) -> anyhow::Result<ToolEnvironment> {
    let mut ours = vec![
        directories::config_dir()?,
        directories::data_dir()?,
        directories::state_dir()?,
    ];
    ours.extend(arguments.data.clone());
    let configuration = configuration();
    let fixed = prepare::policy_files(arguments.policy.iter(), &configuration);
    let (sandbox, missing) = prepare::sandbox(arguments.sandbox, &configuration, &ours, fixed)?;
    for missing in missing {
        crate::print::note!("attache: {missing}");
    }
    Ok(ToolEnvironment {
        files: Files::new(files::FileLimits::default(), &ours),
        terminals: Terminals::with_environment(
            terminals::TerminalLimits::default(),
            sandbox,
            configuration.child_environment(),
        ),
        pages: WebClient::default(),
    })
}

/// Time for turns to end after the client has disconnected.
const GRACE: Duration = Duration::from_secs(1);
/// Time for the agent to end after a signal. Most senders of a signal do not wait longer.
const LEAVE: Duration = Duration::from_secs(5);
