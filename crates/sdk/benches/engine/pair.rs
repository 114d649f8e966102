//! Two processes joined by a pipe each way.

use std::io::{PipeReader, Read, pipe};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::figures::Figures;
use crate::side::{Side, own};
use crate::task::Task;

/// The figures of both sides.
pub(crate) struct PairFigures {
    pub(crate) agent: Figures,
    pub(crate) client: Figures,
}

/// Lets a client do its task with an agent; `None` if the agent is not installed.
pub(crate) fn run(client: Side, agent: Side, task: Task) -> Option<PairFigures> {
    let agent = agent.agent()?;
    Some(join(client_of(client, task), agent))
}

pub(crate) fn client_of(client: Side, task: Task) -> Command {
    own(&["client", client.name(), task.name(), &task.n().to_string()])
}

/// Starts two programs, each reading what the other writes, and waits for both.
pub(crate) fn join(client: Command, agent: Command) -> PairFigures {
    let (to_agent_end, to_agent) = pipe().unwrap();
    let (to_client_end, to_client) = pipe().unwrap();
    let agent = Running::start(agent, to_agent_end, Stdio::from(to_client));
    let client = Running::start(client, to_client_end, Stdio::from(to_agent));
    PairFigures {
        client: client.finish(),
        agent: agent.finish(),
    }
}

/// A process whose figures are being read.
pub(crate) struct Running {
    child: Child,
    said: thread::JoinHandle<String>,
    name: String,
}

impl Running {
    pub(crate) fn start(mut command: Command, input: PipeReader, output: Stdio) -> Self {
        command.stdin(Stdio::from(input)).stdout(output);
        let name = format!("{command:?}");
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // Its ends of the pipes must not stay open here.
        drop(command);
        let mut errors = child.stderr.take().unwrap();
        let said = thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).unwrap();
            text
        });
        Running { child, said, name }
    }

    pub(crate) fn finish(mut self) -> Figures {
        let status = self.child.wait().unwrap();
        let said = self.said.join().unwrap();
        assert!(
            status.success(),
            "{} ended with {status}\n{said}",
            self.name
        );
        Figures::parse(&said)
    }
}
