//! A conversation as a document: what was asked, said and done.

use std::fmt::Write as _;
use std::io::{self, BufRead};

use attache_schema::call::{AgentNotification, AgentRequest, ClientRequest};
use attache_schema::v1;

use super::super::validate::heard;
use super::super::{Records, What};
use crate::Side;
use crate::heard::Heard;

/// A recording as Markdown.
///
/// # Errors
///
/// When the recording cannot be read.
pub fn markdown<R: BufRead>(records: &mut Records<R>) -> io::Result<String> {
    let mut page = Page::default();
    for record in records {
        let record = record?;
        match &record.what {
            What::Header(header) => page.block(&format!("# Conversation with {}", header.agent)),
            What::End(how) => page.block(&format!("*{how}*")),
            What::Lost(_, loss) => page.block(&format!("*Not recorded: {loss}.*")),
            What::Said(..) | What::Closed(_) => {}
        }
        match heard(&record) {
            Some((Side::Client, Heard::Request(_, method, params))) => {
                if let Ok(request) = ClientRequest::decode(&method, params.as_deref()) {
                    page.client_asks(&request);
                }
            }
            Some((Side::Agent, Heard::Request(_, method, params))) => {
                if let Ok(request) = AgentRequest::decode(&method, params.as_deref()) {
                    page.agent_asks(&request);
                }
            }
            Some((Side::Agent, Heard::Notification(method, params))) => {
                let told = AgentNotification::decode(&method, params.as_deref());
                if let Ok(AgentNotification::Session(news)) = told {
                    page.update(&news.update);
                }
            }
            Some((_, Heard::Refusal(_, error))) => page.block(&format!("**Error:** `{error}`")),
            _ => {}
        }
    }
    page.out.push('\n');
    Ok(page.out)
}

#[derive(Default)]
struct Page {
    out: String,
    /// What the last words belong to, which further words go on with.
    speaker: Option<&'static str>,
}

impl Page {
    fn client_asks(&mut self, request: &ClientRequest) {
        match request {
            ClientRequest::Prompt(prompt) => {
                self.block("## Prompt");
                let words: Vec<String> = prompt.prompt.iter().map(shown).collect();
                self.block(&words.join("\n\n"));
            }
            ClientRequest::NewSession(session) => {
                self.block(&format!("*A session in `{}`.*", session.cwd.as_str()));
            }
            ClientRequest::LoadSession(session) => {
                self.block(&format!("*Session `{}` is loaded.*", session.session_id));
            }
            _ => {}
        }
    }

    fn agent_asks(&mut self, request: &AgentRequest) {
        match request {
            AgentRequest::RequestPermission(asked) => {
                let title = asked.tool_call.title.as_deref();
                let title = title.unwrap_or(asked.tool_call.tool_call_id.as_str());
                self.block(&format!("- asks for permission: {title}"));
            }
            AgentRequest::CreateElicitation(asked) => {
                self.block(&format!("- asks: {}", asked.message));
            }
            AgentRequest::CreateTerminal(asked) => {
                let words = [std::slice::from_ref(&asked.command), &asked.args].concat();
                self.block(&format!("- runs `{}`", words.join(" ")));
            }
            AgentRequest::ReadTextFile(asked) => {
                self.block(&format!("- reads `{}`", asked.path.as_str()));
            }
            AgentRequest::WriteTextFile(asked) => {
                self.block(&format!("- writes `{}`", asked.path.as_str()));
            }
            _ => {}
        }
    }

    fn update(&mut self, update: &v1::SessionUpdate) {
        match update {
            v1::SessionUpdate::UserMessageChunk(chunk) => self.words("### Person", chunk),
            v1::SessionUpdate::AgentMessageChunk(chunk) => self.words("### Agent", chunk),
            v1::SessionUpdate::AgentThoughtChunk(chunk) => self.words("### Thought", chunk),
            v1::SessionUpdate::ToolCall(call) => {
                let (kind, status) = (&call.kind, &call.status);
                self.block(&format!("- {} ({kind}, {status})", call.title));
            }
            v1::SessionUpdate::ToolCallUpdate(call) => {
                if let Some(status) = &call.status {
                    let title = call.title.as_deref().unwrap_or(call.tool_call_id.as_str());
                    self.block(&format!("- {title}: {status}"));
                }
            }
            v1::SessionUpdate::Plan(plan) => {
                let entries = plan.entries.iter();
                let list: Vec<String> = entries
                    .map(|entry| format!("1. {} ({})", entry.content, entry.status))
                    .collect();
                self.block("### Plan");
                self.block(&list.join("\n"));
            }
            v1::SessionUpdate::Notice(notice) => {
                self.block(&format!("> {}: {}", notice.severity, notice.title));
            }
            _ => {}
        }
    }

    fn words(&mut self, speaker: &'static str, chunk: &v1::ContentChunk) {
        if self.speaker != Some(speaker) {
            self.block(speaker);
            self.out.push_str("\n\n");
            self.speaker = Some(speaker);
        }
        self.out.push_str(&shown(&chunk.content));
    }

    fn block(&mut self, text: &str) {
        self.speaker = None;
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
        self.out.push_str(text);
    }
}

fn shown(block: &v1::ContentBlock) -> String {
    match block {
        v1::ContentBlock::Text(content) => content.text.clone(),
        v1::ContentBlock::Image(content) => format!("*(image, {})*", content.mime_type),
        v1::ContentBlock::Audio(content) => format!("*(sound, {})*", content.mime_type),
        v1::ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
        v1::ContentBlock::Resource(resource) => {
            let mut text = String::new();
            if let v1::EmbeddedResourceResource::Text(contents) = &resource.resource {
                write!(text, "`{}`\n\n```\n{}\n```", contents.uri, contents.text)
                    .unwrap_or_default();
            } else {
                text.push_str("*(a file)*");
            }
            text
        }
        _ => "*(content of an unknown kind)*".to_owned(),
    }
}
