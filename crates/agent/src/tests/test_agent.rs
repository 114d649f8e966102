//! A test harness: the agent between a scripted model and a scripted client, with a project and a journal on disk.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use attache::{Options, v1};
use attache_host::permissions::Policy;
use attache_journal::{Kind, Kinds, Store};
use attache_model::scripted::ScriptedModel;
use attache_model::{Catalog, Environment, Input, Message, Model as _, Output, Request};
use attache_testkit::{Side, Trace, scripted_client};
use tempfile::TempDir;

use super::disconnecting_stream::disconnecting;
use crate::entry_kinds;
use crate::tools::ToolEnvironment;
use crate::{Limits, Setup, serve};

/// A scripted model, a project and a journal. The agent can be started several times with them.
pub(super) struct TestAgent {
    pub(super) model: ScriptedModel,
    pub(super) limits: Limits,
    /// Rules of the user, in JSON.
    pub(super) policy: Option<String>,
    /// The environment of the model catalog. Default: only the scripted model.
    pub(super) environment: Option<Environment>,
    dir: TempDir,
}

impl TestAgent {
    /// A model with these turns, in JSON.
    pub(super) fn new(turns: &str) -> TestAgent {
        let model = ScriptedModel::parse(&format!("{{\"turns\":[{turns}]}}")).unwrap();
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("project")).unwrap();
        TestAgent {
            model,
            limits: Limits::default(),
            policy: None,
            environment: None,
            dir,
        }
    }

    pub(super) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// Writes the session database. Call it before the agent is started.
    pub(super) fn put_database(&self, bytes: &[u8]) {
        let data = self.dir.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(data.join("sessions.db"), bytes).unwrap();
    }

    pub(super) fn store(&self) -> Store {
        Store::open(&self.dir.path().join("data")).unwrap()
    }

    /// Starts the agent and plays a client's script to it, after `initialize`. `CWD` stands for the project directory.
    /// Fails if the agent violates the protocol.
    pub(super) async fn play(&self, capabilities: &str, script: &str) -> Trace {
        let ((read, write), peer) = scripted_client(&self.script(capabilities, script)).unwrap();
        let (client, calls) = attache::agent::connect(read, write, Options::default());
        let serving = tokio::spawn(serve(client, calls, self.setup()));
        let trace = peer
            .finish()
            .await
            .unwrap_or_else(|difference| panic!("{difference}"));
        serving.await.unwrap();
        let broken = trace.violations_of(Side::Agent);
        let broken: Vec<String> = broken.iter().map(ToString::to_string).collect();
        assert!(broken.is_empty(), "{broken:#?}\n{}", trace.to_script());
        trace.replacing(self.project().display().to_string(), "CWD")
    }

    /// Like [`play`](Self::play), with a client that disappears at the end of the script.
    pub(super) async fn play_and_vanish(&self, script: &str) {
        let ((read, write), peer) = scripted_client(&self.script("{}", script)).unwrap();
        let (read, write) = disconnecting(read, write);
        let (client, calls) = attache::agent::connect(read, write, Options::default());
        let serving = tokio::spawn(serve(client, calls, self.setup()));
        let played = peer.finish().await;
        played.unwrap_or_else(|difference| panic!("{difference}"));
        serving.await.unwrap();
    }

    fn script(&self, capabilities: &str, script: &str) -> String {
        let cwd = self.project().display().to_string();
        format!(
            "-> initialize {{\"protocolVersion\":1,\"clientCapabilities\":{capabilities},\
             \"clientInfo\":{{\"name\":\"c\",\"version\":\"1\"}}}}\n<= {{...}}\n{}",
            script.replace("CWD", &cwd)
        )
    }

    pub(super) fn setup(&self) -> Setup {
        let scripted = || Environment {
            model: Some(self.model.info().id.clone()),
            ..Environment::default()
        };
        let environment = self.environment.clone().unwrap_or_else(scripted);
        let models = Catalog::new(&environment);
        models.add(Arc::new(self.model.clone()));
        Setup {
            store: self.store(),
            models,
            limits: self.limits,
            environment: ToolEnvironment::default(),
            policy: self
                .policy
                .as_deref()
                .map(|text| Policy::parse("policy", text).unwrap()),
        }
    }

    /// The id of the only session.
    pub(super) async fn only(&self) -> String {
        let listed = self.store().list(&Default::default(), None, 2).await;
        let listed = listed.unwrap().infos;
        assert_eq!(listed.len(), 1);
        listed[0].id.as_str().to_owned()
    }

    /// Adds entries to the journal of a session that is not open, as if a process had been killed after writing them.
    pub(super) async fn add(&self, id: &str, entries: &[(Kind, &str)]) {
        let (_, journal) = self.store().open_session(id).await.unwrap();
        for (kind, body) in entries {
            journal.commit(*kind, (*body).to_owned()).await.unwrap();
        }
        journal.close().await.unwrap();
    }

    /// The last request to the model, with a line for each part.
    pub(super) fn sent_to_model(&self) -> String {
        let requests = self.model.requests();
        requests.last().map(told).unwrap_or_default()
    }

    /// The journal of the only session, a line for each entry; updates as their kind.
    pub(super) async fn journal(&self) -> String {
        let store = self.store();
        let page = store.list(&Default::default(), None, 10).await.unwrap();
        let [info] = page.infos.as_slice() else {
            panic!("{} sessions", page.infos.len());
        };
        let (_, journal) = store.open_session(&info.id).await.unwrap();
        let mut entries = journal.entries(Kinds::ALL).await.unwrap();
        let mut lines = String::new();
        while let Some(entry) = entries.next().await.unwrap() {
            let text = String::from_utf8(entry.body.to_vec()).unwrap();
            lines.push_str(&line(entry.kind, &text));
            lines.push('\n');
        }
        journal.close().await.unwrap();
        lines
    }
}

fn line(kind: Kind, text: &str) -> String {
    if kind != entry_kinds::UPDATE {
        return name(kind).to_owned();
    }
    let update: v1::SessionUpdate = attache::json::Raw::parse(text).unwrap().read().unwrap();
    match update {
        v1::SessionUpdate::ToolCall(call) => format!("Update tool_call {:?}", call.status),
        v1::SessionUpdate::ToolCallUpdate(call) => {
            format!("Update tool_call_update {:?}", call.status)
        }
        v1::SessionUpdate::AgentMessageChunk(chunk) => {
            format!(
                "Update message {:?}",
                chunk.content.as_text().unwrap_or_default()
            )
        }
        v1::SessionUpdate::AgentThoughtChunk(_) => "Update thought".to_owned(),
        v1::SessionUpdate::Plan(plan) => format!("Update plan of {}", plan.entries.len()),
        other => {
            let json = attache::json::Raw::of(&other);
            format!(
                "Update {}",
                json.string_member("sessionUpdate").unwrap_or_default()
            )
        }
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        entry_kinds::PROMPT => "Prompt",
        entry_kinds::MESSAGE => "Message",
        entry_kinds::DECISION => "Decision",
        entry_kinds::TOOL_STARTED => "ToolStarted",
        entry_kinds::TOOL_ENDED => "ToolEnded",
        entry_kinds::TURN_ENDED => "TurnEnded",
        entry_kinds::COMPACTED => "Compacted",
        other => panic!("{other:?}"),
    }
}

fn told(request: &Request) -> String {
    let mut lines = Vec::new();
    for message in &request.messages {
        match message.as_ref() {
            Message::User(inputs) => {
                lines.extend(inputs.iter().map(|input| format!("user: {}", said(input))))
            }
            Message::Model(outputs) => lines.extend(outputs.iter().map(|output| match output {
                Output::Text(text) => format!("model: {text}"),
                Output::Thought { text, .. } => format!("model thinks: {text}"),
                Output::Call(call) => format!("model calls {} {}", call.name, call.input),
            })),
            Message::Tools(results) => lines.extend(results.iter().map(|result| {
                let content: Vec<_> = result.content.iter().map(said).collect();
                let how = if result.failed { " failed" } else { "" };
                format!("{}{how}: {}", result.name, content.join(" | "))
            })),
        }
    }
    lines.join("\n") + "\n"
}

fn said(input: &Input) -> String {
    match input {
        Input::Text(text) => text.clone(),
        Input::Image { media_type, .. } => format!("[{media_type}]"),
        Input::Audio { media_type, .. } => format!("[{media_type}]"),
    }
}
