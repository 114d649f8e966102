//! The configuration of a conversation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use attache::{Options, v1};
use attache_host::Host;
use attache_host::exec::Watcher;

use crate::agents::detecting_options;

/// The configuration of a conversation: the agent, the host that serves it, and timeouts.
#[derive(Clone)]
pub struct Setup {
    pub(super) agent: String,
    pub(super) host: Host,
    pub(super) offer: v1::ClientCapabilities,
    pub(super) info: v1::Implementation,
    pub(super) options: MakeOptions,
    pub(super) times: Timeouts,
    pub(super) listeners: Vec<LineListener>,
    pub(super) warnings: Vec<String>,
    pub(super) watcher: Option<Watcher>,
}

/// Timeouts of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the response to `initialize`.
    pub initialize: Duration,
    /// For a session to open.
    pub open: Duration,
    /// For a login, which may lead the user through a browser.
    pub login: Duration,
    /// For a cancelled turn to end; after that the agent counts as hanging.
    pub cancel: Duration,
    /// For all other responses, except the response to a prompt.
    pub answer: Duration,
}

/// The direction of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineDirection {
    /// From the agent.
    FromAgent,
    /// To the agent.
    ToAgent,
}

pub(super) type LineListener = Arc<dyn Fn(LineDirection, &[u8]) + Send + Sync>;
pub(super) type MakeOptions = Arc<dyn Fn() -> Options + Send + Sync>;

impl Setup {
    /// A conversation with an agent, served by this host. Decisions are remembered under the name `agent`. Offers all
    /// capabilities that the client has.
    pub fn new(agent: impl Into<String>, host: Host) -> Setup {
        let agent = agent.into();
        Setup {
            host: host.for_agent(&agent),
            agent,
            offer: everything(),
            info: v1::Implementation::new("attache", env!("CARGO_PKG_VERSION")),
            options: Arc::new(detecting_options),
            times: Timeouts::default(),
            listeners: Vec::new(),
            warnings: Vec::new(),
            watcher: None,
        }
    }

    /// Changes the capabilities that the client offers.
    #[must_use]
    pub fn offer(mut self, change: impl FnOnce(&mut v1::ClientCapabilities)) -> Setup {
        change(&mut self.offer);
        self
    }

    /// Sets the client's name and version for `initialize`.
    #[must_use]
    pub fn info(mut self, info: v1::Implementation) -> Setup {
        self.info = info;
        self
    }

    /// Sets the options of each connection. By default, the agent's dialect is detected from its first messages.
    #[must_use]
    pub fn options(mut self, options: impl Fn() -> Options + Send + Sync + 'static) -> Setup {
        self.options = Arc::new(options);
        self
    }

    /// Adds a warning for the user, which is the first event.
    #[must_use]
    pub fn warn(mut self, what: impl Into<String>) -> Setup {
        self.warnings.push(what.into());
        self
    }

    /// Judges every program that the agent and its commands execute, and notes it in the audit log. Of an agent that runs
    /// already, only the commands are watched.
    #[must_use]
    pub fn watch(mut self, watcher: Watcher) -> Setup {
        let permissions = &self.host.permissions;
        let rules = watcher.rules();
        let mut enforcement = permissions.enforcement();
        enforcement.commands = rules.is_enforcing() && rules.is_complete();
        permissions.enforce(enforcement);
        self.host.terminals.watch_with(watcher.clone());
        self.watcher = Some(watcher);
        self
    }

    /// Sets the timeouts.
    #[must_use]
    pub fn times(mut self, times: Timeouts) -> Setup {
        self.times = times;
        self
    }

    /// Adds a listener for every line on the wire, in both directions. A listener must not block, because the conversation
    /// waits for it.
    #[must_use]
    pub fn listen(
        mut self,
        listener: impl Fn(LineDirection, &[u8]) + Send + Sync + 'static,
    ) -> Setup {
        self.listeners.push(Arc::new(listener));
        self
    }
}

/// The capabilities of a client with a screen.
fn everything() -> v1::ClientCapabilities {
    let files = v1::FileSystemCapabilities::new()
        .read_text_file(true)
        .write_text_file(true);
    let boolean = v1::BooleanConfigOptionCapabilities::new();
    let session = v1::ClientSessionCapabilities::new()
        .compaction(v1::CompactionCapabilities::new())
        .config_options(v1::SessionConfigOptionsCapabilities::new().boolean(boolean))
        .notices(v1::NoticeCapabilities::new());
    let elicitation = v1::ElicitationCapabilities::new()
        .form(v1::ElicitationFormCapabilities::new())
        .url(v1::ElicitationUrlCapabilities::new());
    v1::ClientCapabilities::new()
        .fs(files)
        .terminal(true)
        .session(session)
        .subagents(v1::SubagentCapabilities::new())
        .plan(v1::PlanCapabilities::new())
        .auth(v1::AuthCapabilities::new().terminal(true))
        .elicitation(elicitation)
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            initialize: Duration::from_secs(60),
            open: Duration::from_secs(120),
            login: Duration::from_secs(600),
            cancel: Duration::from_secs(10),
            answer: Duration::from_secs(60),
        }
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Setup")
            .field("agent", &self.agent)
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}
