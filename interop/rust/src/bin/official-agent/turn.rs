//! One turn: performs the action in the prompt and ends with a stop reason.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use agent_client_protocol::v1::{ConnectionTo, schema as v1};
use agent_client_protocol::{Client, Error, Result, UntypedMessage};
use serde_json::json;
use tokio::sync::Notify;

use crate::locked;

pub(crate) struct Turn {
    pub(crate) session: v1::SessionId,
    pub(crate) cwd: PathBuf,
    pub(crate) calls: Arc<Mutex<u32>>,
    pub(crate) cancelled: Arc<Notify>,
    pub(crate) offered: v1::ClientCapabilities,
    pub(crate) client: ConnectionTo<Client>,
}

impl Turn {
    pub(crate) async fn run(&self, text: &str) -> Result<v1::StopReason> {
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        match verb {
            "stream" => {
                let count: u32 = rest.parse().map_err(Error::into_internal_error)?;
                (0..count).try_for_each(|n| self.send_message(format!("chunk {n}")))?;
            }
            "tool" => self.tool()?,
            "permission" => return self.permission().await,
            "wait" => {
                self.send_message("waiting")?;
                self.cancelled.notified().await;
                self.send_message("stopping")?;
                return Ok(v1::StopReason::Cancelled);
            }
            "read" => self.read(rest).await?,
            "write" => self.write(rest).await?,
            "terminal" => self.terminal().await?,
            "ext" => self.extension().await?,
            "fail" => return Err(Error::new(-32603, "failed on purpose")),
            _ => self.send_message(text)?,
        }
        Ok(v1::StopReason::EndTurn)
    }

    fn tool(&self) -> Result<()> {
        let id = self.start_tool("Edit a file")?;
        let running = v1::ToolCallUpdateFields::new().status(v1::ToolCallStatus::InProgress);
        self.update(v1::SessionUpdate::ToolCallUpdate(v1::ToolCallUpdate::new(
            id.clone(),
            running,
        )))?;

        let diff = v1::Diff::new(self.cwd.join("a.txt"), "new\n").old_text("old\n".to_owned());
        let text = v1::Content::new(text_block("edited"));
        let done = v1::ToolCallUpdateFields::new()
            .status(v1::ToolCallStatus::Completed)
            .content(vec![
                v1::ToolCallContent::Diff(diff),
                v1::ToolCallContent::Content(text),
            ]);
        self.update(v1::SessionUpdate::ToolCallUpdate(v1::ToolCallUpdate::new(
            id, done,
        )))?;

        self.update(v1::SessionUpdate::Plan(v1::Plan::new(vec![
            v1::PlanEntry::new(
                "first step",
                v1::PlanEntryPriority::High,
                v1::PlanEntryStatus::Completed,
            ),
            v1::PlanEntry::new(
                "second step",
                v1::PlanEntryPriority::Medium,
                v1::PlanEntryStatus::Pending,
            ),
        ])))
    }

    async fn permission(&self) -> Result<v1::StopReason> {
        let id = self.start_tool("Ask first")?;
        let call = v1::ToolCallUpdate::new(id, v1::ToolCallUpdateFields::new());
        let options = vec![
            v1::PermissionOption::new("allow", "Allow", v1::PermissionOptionKind::AllowOnce),
            v1::PermissionOption::new("reject", "Reject", v1::PermissionOptionKind::RejectOnce),
        ];
        let request = v1::RequestPermissionRequest::new(self.session.clone(), call, options);
        match self
            .client
            .send_request(request)
            .block_task()
            .await?
            .outcome
        {
            v1::RequestPermissionOutcome::Selected(selected) => {
                self.send_message(format!("permission: selected {}", selected.option_id))?;
                Ok(v1::StopReason::EndTurn)
            }
            _ => {
                self.send_message("permission: cancelled")?;
                Ok(v1::StopReason::Cancelled)
            }
        }
    }

    async fn read(&self, name: &str) -> Result<()> {
        require_capability(self.offered.fs.read_text_file, "fs/read_text_file")?;
        let request = v1::ReadTextFileRequest::new(self.session.clone(), self.cwd.join(name));
        let file = self
            .client
            .send_request(request.line(2).limit(1))
            .block_task()
            .await?;
        self.send_message(file.content)
    }

    async fn write(&self, rest: &str) -> Result<()> {
        require_capability(self.offered.fs.write_text_file, "fs/write_text_file")?;
        let (name, content) = rest.split_once(' ').unwrap_or((rest, ""));
        let path = self.cwd.join(name);
        let request = v1::WriteTextFileRequest::new(self.session.clone(), path, content);
        self.client.send_request(request).block_task().await?;
        self.send_message("written")
    }

    async fn terminal(&self) -> Result<()> {
        require_capability(self.offered.terminal, "terminal/create")?;
        let session = || self.session.clone();
        let create =
            v1::CreateTerminalRequest::new(session(), "echo").args(vec!["hello".to_owned()]);
        let id = self
            .client
            .send_request(create)
            .block_task()
            .await?
            .terminal_id;
        let wait = v1::WaitForTerminalExitRequest::new(session(), id.clone());
        let ended = self
            .client
            .send_request(wait)
            .block_task()
            .await?
            .exit_status;
        let output = v1::TerminalOutputRequest::new(session(), id.clone());
        let printed = self.client.send_request(output).block_task().await?.output;
        let release = v1::ReleaseTerminalRequest::new(session(), id);
        self.client.send_request(release).block_task().await?;
        let code = ended
            .exit_code
            .map_or("unknown".to_owned(), |code| code.to_string());
        self.send_message(format!("terminal: {} exit {code}", printed.trim()))
    }

    async fn extension(&self) -> Result<()> {
        let echo = UntypedMessage::new("_interop/echo", json!({ "value": 42 }))?;
        let response = self.client.send_request(echo).block_task().await?;
        self.send_message(format!("ext: {}", response["value"]))?;
        self.client
            .send_notification(UntypedMessage::new("_interop/note", json!({ "n": 1 }))?)
    }

    fn start_tool(&self, title: &str) -> Result<v1::ToolCallId> {
        let mut calls = locked(&self.calls);
        *calls += 1;
        let id = v1::ToolCallId::new(format!("call-{calls}"));
        let call = v1::ToolCall::new(id.clone(), title)
            .kind(v1::ToolKind::Edit)
            .status(v1::ToolCallStatus::Pending);
        self.update(v1::SessionUpdate::ToolCall(call))?;
        Ok(id)
    }

    fn send_message(&self, text: impl Into<String>) -> Result<()> {
        let chunk = v1::ContentChunk::new(text_block(text));
        self.update(v1::SessionUpdate::AgentMessageChunk(chunk))
    }

    fn update(&self, update: v1::SessionUpdate) -> Result<()> {
        self.client
            .send_notification(v1::SessionNotification::new(self.session.clone(), update))
    }
}

fn text_block(text: impl Into<String>) -> v1::ContentBlock {
    v1::ContentBlock::Text(v1::TextContent::new(text))
}

fn require_capability(capability: bool, method: &str) -> Result<()> {
    let error = || Error::new(-32600, format!("the client does not offer {method}"));
    capability.then_some(()).ok_or_else(error)
}
