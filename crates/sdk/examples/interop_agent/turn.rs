//! One prompt, from its text to its stop reason.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use attache::agent::{ClientHandle, ClientSession};
use attache::json::{Raw, RawObject};
use attache::schema::error;
use attache::{CallError, CallErrorKind, Error, Reply, v1};

pub(crate) struct Turn {
    pub(crate) client: ClientHandle,
    pub(crate) session: ClientSession,
    pub(crate) cwd: PathBuf,
    pub(crate) tool_calls: Arc<AtomicU32>,
}

impl Turn {
    pub(crate) async fn run(
        &self,
        text: &str,
        reply: &Reply<v1::PromptResponse>,
    ) -> Result<v1::StopReason, Error> {
        if text == "fail" {
            return Err(Error::new(Error::INTERNAL, "failed on purpose"));
        }
        self.obey(text, reply).await.map_err(|failure| {
            let reason = failure.to_string();
            match failure.kind() {
                CallErrorKind::NotOffered { .. } => error::invalid_request("not_offered", &reason),
                _ => failure.forward_refusal(),
            }
        })
    }

    async fn obey(
        &self,
        text: &str,
        reply: &Reply<v1::PromptResponse>,
    ) -> Result<v1::StopReason, CallError> {
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (verb, rest) {
            ("stream", count) => match count.parse() {
                Ok(count) => self.stream(count).await?,
                Err(_) => self.session.send_message(text).await?,
            },
            ("tool", "") => self.tool().await?,
            ("permission", "") => return self.permission().await,
            ("wait", "") => {
                self.session.send_message("waiting").await?;
                reply.cancelled().await;
                self.session.send_message("stopping").await?;
                return Ok(v1::StopReason::Cancelled);
            }
            ("write", rest) => self.write(rest).await?,
            ("read", path) => self.read(path).await?,
            ("terminal", "") => self.terminal().await?,
            ("ext", "") => self.extension().await?,
            _ => self.session.send_message(text).await?,
        }
        Ok(v1::StopReason::EndTurn)
    }

    async fn stream(&self, count: u32) -> Result<(), CallError> {
        for number in 0..count {
            self.session.send_message(format!("chunk {number}")).await?;
        }
        Ok(())
    }

    async fn tool(&self) -> Result<(), CallError> {
        let id = self.start_tool("Edit a file").await?;
        let change = v1::ToolCallUpdate::new(id);
        let running = change.clone().status(v1::ToolCallStatus::InProgress);
        self.session.update(running).await?;

        let diff = v1::Diff::new(self.path("a.txt"), "new\n").old_text("old\n");
        let text = v1::Content::new("edited");
        let content: [v1::ToolCallContent; 2] = [diff.into(), text.into()];
        let done = change.status(v1::ToolCallStatus::Completed);
        self.session.update(done.content(content)).await?;

        let first = v1::PlanEntry::new(
            "first step",
            v1::PlanEntryPriority::High,
            v1::PlanEntryStatus::Completed,
        );
        let second = v1::PlanEntry::new(
            "second step",
            v1::PlanEntryPriority::Medium,
            v1::PlanEntryStatus::Pending,
        );
        self.session.update(v1::Plan::new([first, second])).await
    }

    async fn permission(&self) -> Result<v1::StopReason, CallError> {
        let id = self.start_tool("Ask first").await?;
        let kind = v1::PermissionOptionKind::AllowOnce;
        let allow = v1::PermissionOption::new("allow", "Allow", kind);
        let kind = v1::PermissionOptionKind::RejectOnce;
        let reject = v1::PermissionOption::new("reject", "Reject", kind);
        let tool_call = v1::ToolCallUpdate::new(id);
        let asked = self.session.request_permission(tool_call, [allow, reject]);
        match asked.await? {
            v1::RequestPermissionOutcome::Selected(selected) => {
                let said = format!("permission: selected {}", selected.option_id);
                self.session.send_message(said).await?;
                Ok(v1::StopReason::EndTurn)
            }
            _ => {
                self.session.send_message("permission: cancelled").await?;
                Ok(v1::StopReason::Cancelled)
            }
        }
    }

    async fn write(&self, rest: &str) -> Result<(), CallError> {
        let (name, content) = rest.split_once(' ').unwrap_or((rest, ""));
        let id = self.session.id().clone();
        let request = v1::WriteTextFileRequest::new(id, self.path(name), content);
        self.client.request(request).await?;
        self.session.send_message("written").await
    }

    async fn read(&self, name: &str) -> Result<(), CallError> {
        let id = self.session.id().clone();
        let request = v1::ReadTextFileRequest::new(id, self.path(name));
        let file = self.client.request(request.line(2).limit(1)).await?;
        self.session.send_message(file.content).await
    }

    async fn terminal(&self) -> Result<(), CallError> {
        let session = || self.session.id().clone();
        let create = v1::CreateTerminalRequest::new(session(), "echo").args(["hello"]);
        let terminal = self.client.request(create).await?.terminal_id;
        let wait = v1::WaitForTerminalExitRequest::new(session(), terminal.clone());
        let code = self.client.request(wait).await?.exit_code;
        let output = v1::TerminalOutputRequest::new(session(), terminal.clone());
        let printed = self.client.request(output).await?.output;
        let release = v1::ReleaseTerminalRequest::new(session(), terminal);
        self.client.request(release).await?;
        let code = code.map_or_else(|| "unknown".to_owned(), |code| code.to_string());
        let said = format!("terminal: {} exit {code}", printed.trim());
        self.session.send_message(said).await
    }

    async fn extension(&self) -> Result<(), CallError> {
        let question = params("value", 42);
        let answer = self.client.request_extension("_interop/echo", &question);
        let answer: Option<RawObject> = answer.await?.read().ok();
        let value = answer.and_then(|answer| answer.get("value"));
        let value = value.as_ref().map_or("nothing", Raw::as_str);
        self.session.send_message(format!("ext: {value}")).await?;
        let note = params("n", 1);
        self.client.notify_extension("_interop/note", &note).await
    }

    async fn start_tool(&self, title: &str) -> Result<v1::ToolCallId, CallError> {
        let number = self.tool_calls.fetch_add(1, Ordering::Relaxed) + 1;
        let id = v1::ToolCallId::from(format!("call-{number}"));
        let call = v1::ToolCall::new(id.clone(), title).kind(v1::ToolKind::Edit);
        self.session.update(call).await?;
        Ok(id)
    }

    fn path(&self, name: &str) -> String {
        self.cwd.join(name).to_string_lossy().into_owned()
    }
}

fn params(name: &str, value: u64) -> Raw {
    Raw::of(&RawObject::new().with(name, Raw::of(&value)))
}
