//! A client in memory: files with unsaved buffers over them, and real terminals.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use attache::agent::{self, ClientSession};
use attache::{AgentCall, ClientCall, Error, Options, client, pipes, v1};
use attache_host::Roots;
use attache_host::terminals::Terminals;

use super::ClientOffer;

#[derive(Clone)]
pub(super) struct TestEditor {
    buffers: Arc<Mutex<HashMap<PathBuf, String>>>,
    asked: Arc<Mutex<Vec<String>>>,
    terminals: Terminals,
    roots: Roots,
    /// No terminal is created while this is locked.
    pub(super) gate: Arc<tokio::sync::Mutex<()>>,
}

impl TestEditor {
    pub(super) async fn open(offer: ClientOffer, roots: Roots) -> (TestEditor, ClientSession) {
        let (one, other) = pipes(64 * 1024);
        let (handle, mut agent_calls) = agent::connect(one.0, one.1, Options::default());
        let (agent, mut calls) = client::connect(other.0, other.1, Options::default());
        tokio::spawn(async move {
            while let Some(call) = agent_calls.next().await {
                match call {
                    AgentCall::Initialize(_, reply) => {
                        reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
                    }
                    other => other.refuse(),
                }
            }
        });
        let mut hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1);
        let offered = &mut hello.client_capabilities;
        offered.fs.read_text_file =
            matches!(offer, ClientOffer::Everything | ClientOffer::OnlyReads);
        offered.fs.write_text_file =
            matches!(offer, ClientOffer::Everything | ClientOffer::OnlyWrites);
        offered.terminal = offer == ClientOffer::Everything;
        agent.initialize(hello).await.unwrap();
        let editor = TestEditor {
            buffers: Arc::default(),
            asked: Arc::default(),
            terminals: Terminals::default(),
            roots,
            gate: Arc::default(),
        };
        let served = editor.clone();
        tokio::spawn(async move {
            // The agent's side lives as long as the client's.
            let _agent = agent;
            while let Some(call) = calls.next().await {
                tokio::spawn(served.clone().serve(call));
            }
        });
        (editor, handle.session("s"))
    }

    /// An open file with unsaved changes.
    pub(super) fn open_buffer(&self, path: PathBuf, text: &str) {
        self.buffers.lock().unwrap().insert(path, text.to_owned());
    }

    pub(super) fn buffer(&self, path: &PathBuf) -> Option<String> {
        self.buffers.lock().unwrap().get(path).cloned()
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn note(&self, what: String) {
        self.asked.lock().unwrap().push(what);
    }

    async fn serve(self, call: ClientCall) {
        match call {
            ClientCall::ReadTextFile(request, reply) => {
                self.note(format!("read {}", request.path.as_str()));
                reply.with(self.read(&request));
            }
            ClientCall::WriteTextFile(request, reply) => {
                self.note(format!("write {}", request.path.as_str()));
                let path = request.path.as_path().to_owned();
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &request.content).unwrap();
                let mut buffers = self.buffers.lock().unwrap();
                buffers
                    .entry(path)
                    .and_modify(|text| text.clone_from(&request.content));
                drop(buffers);
                reply.ok(v1::WriteTextFileResponse::new());
            }
            ClientCall::CreateTerminal(request, reply) => {
                self.note(format!("create {} {:?}", request.command, request.args));
                let _open = self.gate.lock().await;
                let made = self.terminals.create(&self.roots, &request).await;
                reply.with(made.map(v1::CreateTerminalResponse::new));
            }
            ClientCall::TerminalOutput(request, reply) => {
                let (session, id) = (&request.session_id, &request.terminal_id);
                reply.with(self.terminals.output(session, id));
            }
            ClientCall::WaitForTerminalExit(request, reply) => {
                let (session, id) = (&request.session_id, &request.terminal_id);
                let exit = self.terminals.wait(session, id).await;
                let answer = |exit: v1::TerminalExitStatus| {
                    let mut answer = v1::WaitForTerminalExitResponse::new();
                    answer.exit_code = exit.exit_code;
                    answer.signal = exit.signal;
                    answer
                };
                reply.with(exit.map(answer));
            }
            ClientCall::KillTerminal(request, reply) => {
                self.note("kill".to_owned());
                let (session, id) = (&request.session_id, &request.terminal_id);
                let killed = self.terminals.kill(session, id).await;
                reply.with(killed.map(|()| v1::KillTerminalResponse::new()));
            }
            ClientCall::ReleaseTerminal(request, reply) => {
                self.note("release".to_owned());
                let (session, id) = (&request.session_id, &request.terminal_id);
                let released = self.terminals.release(session, id).await;
                reply.with(released.map(|()| v1::ReleaseTerminalResponse::new()));
            }
            other => other.refuse(),
        }
    }

    fn read(&self, request: &v1::ReadTextFileRequest) -> Result<v1::ReadTextFileResponse, Error> {
        let path = request.path.as_path().to_owned();
        let text = self.buffer(&path);
        let text = text.or_else(|| fs::read_to_string(&path).ok());
        // Like a client that has no error code for a missing file.
        let text = text.ok_or_else(|| Error::new(-32603, "no buffer could be opened"))?;
        let skip = request.line.map_or(0, |line| line.saturating_sub(1)) as usize;
        let take = request.limit.map_or(usize::MAX, |limit| limit as usize);
        let lines: String = text.split_inclusive('\n').skip(skip).take(take).collect();
        Ok(v1::ReadTextFileResponse::new(lines))
    }
}
