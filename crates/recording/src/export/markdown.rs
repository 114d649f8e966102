//! Converts a recording to a readable Markdown document: prompts, messages, tool calls and permission requests.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use std::fmt::Write as _;
use std::io::{self, BufRead};

use attache_schema::call::{AgentNotification, AgentRequest, ClientRequest};
use attache_schema::v1;
use attache_testkit::{Side, WireMessage};
use attache_text::plain::{visible, visible_command};

use super::super::validate::wire_message;
use super::super::{RecordContent, RecordingReader};

/// Converts a recording to Markdown.
///
/// # Errors
///
/// When the recording cannot be read.
pub fn markdown<R: BufRead>(records: &mut RecordingReader<R>) -> io::Result<String> {
    let mut page = MarkdownPage::default();
    for record in records {
        let record = record?;
        match &record.content {
            RecordContent::Header(header) => {
                page.block(&format!("# Conversation with {}", inline(&header.agent)))
            }
            RecordContent::End(how) => page.block(&format!("*{}*", inline(how))),
            RecordContent::Lost(_, loss) => page.block(&format!("*Not recorded: {loss}.*")),
            RecordContent::Line(..) | RecordContent::Closed(_) => {}
        }
        match wire_message(&record) {
            Some((Side::Client, WireMessage::Request(_, method, params))) => {
                if let Ok(request) = ClientRequest::decode(&method, params.as_deref()) {
                    page.client_request(&request);
                }
            }
            Some((Side::Agent, WireMessage::Request(_, method, params))) => {
                if let Ok(request) = AgentRequest::decode(&method, params.as_deref()) {
                    page.agent_request(&request);
                }
            }
            Some((Side::Agent, WireMessage::Notification(method, params))) => {
                let notification = AgentNotification::decode(&method, params.as_deref());
                if let Ok(AgentNotification::Session(notification)) = notification {
                    page.update(&notification.update);
                }
            }
            Some((_, WireMessage::Failure(_, error))) => {
                page.block(&format!("**Error:** {}", code(&error.to_string())))
            }
            // Notifications of the client, results, and lines that are not messages.
            Some((Side::Client, WireMessage::Notification(..)))
            | Some((_, WireMessage::Response(..) | WireMessage::Raw(_) | WireMessage::Closed))
            | None => {}
        }
    }
    page.out.push('\n');
    Ok(page.out)
}

#[derive(Default)]
struct MarkdownPage {
    out: String,
    /// The heading above the last text. Further text of the same speaker continues it.
    speaker: Option<&'static str>,
}

impl MarkdownPage {
    fn client_request(&mut self, request: &ClientRequest) {
        match request {
            ClientRequest::Prompt(prompt) => {
                self.block("## Prompt");
                let words: Vec<String> = prompt.prompt.iter().map(shown).collect();
                self.block(&words.join("\n\n"));
            }
            ClientRequest::NewSession(session) => {
                self.block(&format!("*A session in {}.*", code(session.cwd.as_str())));
            }
            ClientRequest::LoadSession(session) => {
                self.block(&format!(
                    "*Session {} is loaded.*",
                    code(session.session_id.as_str())
                ));
            }
            // Requests about the connection and the list of sessions are not part of the conversation.
            ClientRequest::Initialize(_)
            | ClientRequest::Authenticate(_)
            | ClientRequest::Logout(_)
            | ClientRequest::AuthStatus(_)
            | ClientRequest::ResumeSession(_)
            | ClientRequest::CloseSession(_)
            | ClientRequest::ListSessions(_)
            | ClientRequest::DeleteSession(_)
            | ClientRequest::ForkSession(_)
            | ClientRequest::ArchiveSession(_)
            | ClientRequest::UnarchiveSession(_)
            | ClientRequest::SessionStatus(_)
            | ClientRequest::SetSessionTitle(_)
            | ClientRequest::SetSessionMode(_)
            | ClientRequest::SetSessionConfigOption(_)
            | ClientRequest::ListProviders(_)
            | ClientRequest::SetProvider(_)
            | ClientRequest::DisableProvider(_)
            | ClientRequest::Extension(_) => {}
            unknown => self.unknown("request", unknown.method()),
        }
    }

    fn agent_request(&mut self, request: &AgentRequest) {
        match request {
            AgentRequest::RequestPermission(request) => {
                let title = request.tool_call.title.as_deref();
                let title = title.unwrap_or(request.tool_call.tool_call_id.as_str());
                self.block(&format!("- asks for permission: {}", inline(title)));
            }
            AgentRequest::CreateElicitation(request) => {
                self.block(&format!("- asks: {}", inline(&request.message)));
            }
            AgentRequest::CreateTerminal(request) => {
                let words = [std::slice::from_ref(&request.command), &request.args].concat();
                self.block(&format!("- runs {}", code(&visible_command(words))));
            }
            AgentRequest::ReadTextFile(request) => {
                self.block(&format!("- reads {}", code(request.path.as_str())));
            }
            AgentRequest::WriteTextFile(request) => {
                self.block(&format!("- writes {}", code(request.path.as_str())));
            }
            // The creation of a terminal stands for the command.
            AgentRequest::TerminalOutput(_)
            | AgentRequest::WaitForTerminalExit(_)
            | AgentRequest::KillTerminal(_)
            | AgentRequest::ReleaseTerminal(_)
            | AgentRequest::MessageMcp(_)
            | AgentRequest::Extension(_) => {}
            unknown => self.unknown("request", unknown.method()),
        }
    }

    fn update(&mut self, update: &v1::SessionUpdate) {
        match update {
            v1::SessionUpdate::UserMessageChunk(chunk) => self.words("### User", chunk),
            v1::SessionUpdate::AgentMessageChunk(chunk) => self.words("### Agent", chunk),
            v1::SessionUpdate::AgentThoughtChunk(chunk) => self.words("### Thought", chunk),
            v1::SessionUpdate::ToolCall(call) => {
                let (kind, status) = (&call.kind, &call.status);
                self.block(&format!("- {} ({kind}, {status})", inline(&call.title)));
            }
            v1::SessionUpdate::ToolCallUpdate(call) => {
                if let Some(status) = &call.status {
                    let title = call.title.as_deref().unwrap_or(call.tool_call_id.as_str());
                    self.block(&format!("- {}: {status}", inline(title)));
                }
            }
            v1::SessionUpdate::Plan(plan) => {
                let entries = plan.entries.iter();
                let list: Vec<String> = entries
                    .map(|entry| format!("1. {} ({})", inline(&entry.content), entry.status))
                    .collect();
                self.block("### Plan");
                self.block(&list.join("\n"));
            }
            v1::SessionUpdate::Notice(notice) => {
                self.block(&format!("> {}: {}", notice.severity, inline(&notice.title)));
            }
            // State that the client shows beside the conversation.
            v1::SessionUpdate::PlanUpdate(_)
            | v1::SessionUpdate::PlanRemoved(_)
            | v1::SessionUpdate::AvailableCommandsUpdate(_)
            | v1::SessionUpdate::CurrentModeUpdate(_)
            | v1::SessionUpdate::ConfigOptionUpdate(_)
            | v1::SessionUpdate::SessionInfoUpdate(_)
            | v1::SessionUpdate::UsageUpdate(_)
            | v1::SessionUpdate::CompactionUpdate(_)
            | v1::SessionUpdate::CompactionSummaryChunk(_)
            | v1::SessionUpdate::SubagentUpdate(_)
            | v1::SessionUpdate::SessionMessage(_)
            | v1::SessionUpdate::SessionMessageChunk(_)
            | v1::SessionUpdate::Other(_) => {}
            unknown => self.unknown("update", &unknown.tag()),
        }
    }

    /// A message that is newer than this page's code, but not than the types that read it.
    fn unknown(&mut self, what: &str, name: &str) {
        self.block(&format!("*(a {what} of an unknown kind: {})*", code(name)));
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
        v1::ContentBlock::Text(content) => lines(&content.text),
        v1::ContentBlock::Image(content) => format!("*(image, {})*", inline(&content.mime_type)),
        v1::ContentBlock::Audio(content) => format!("*(sound, {})*", inline(&content.mime_type)),
        v1::ContentBlock::ResourceLink(link) => {
            format!("[{}]({})", inline(&link.name), address(&link.uri))
        }
        v1::ContentBlock::Resource(resource) => {
            let mut text = String::new();
            if let v1::EmbeddedResourceResource::Text(contents) = &resource.resource {
                let fence = fence(&contents.text, 3);
                let (uri, content) = (code(&contents.uri), lines(&contents.text));
                write!(text, "{uri}\n\n{fence}\n{content}\n{fence}").unwrap_or_default();
            } else {
                text.push_str("*(a file)*");
            }
            text
        }
        v1::ContentBlock::Other(_) => UNKNOWN_CONTENT.to_owned(),
        _ => UNKNOWN_CONTENT.to_owned(),
    }
}

/// Text on one line, escaped so that Markdown does not format it.
fn inline(text: &str) -> String {
    let mut inline = String::with_capacity(text.len());
    for char in visible(text).chars() {
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~'
        ) {
            inline.push('\\');
        }
        inline.push(char);
    }
    inline
}

/// Text on one line as a Markdown code span.
fn code(text: &str) -> String {
    let text = visible(text);
    let fence = fence(&text, 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// The text of a message, which is Markdown itself. Line breaks and tabs stay; other control characters become visible.
fn lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let parts: Vec<_> = line.split('\t').map(visible).collect();
        parts.join("\t")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A URI as the target of a Markdown link.
fn address(uri: &str) -> String {
    let is_plain =
        |char: char| char.is_ascii_graphic() && !matches!(char, '(' | ')' | '<' | '>' | '\\');
    match uri.chars().all(is_plain) {
        true => uri.to_owned(),
        false => format!("<{}>", visible(uri).replace('<', "%3C").replace('>', "%3E")),
    }
}

/// A fence of at least `least` backticks, longer than any run of backticks in the text.
fn fence(text: &str, least: usize) -> String {
    let runs = text.split(|char| char != '`').map(str::len);
    "`".repeat(runs.max().map_or(least, |run| least.max(run + 1)))
}

const UNKNOWN_CONTENT: &str = "*(content of an unknown kind)*";

#[cfg(test)]
mod tests {
    use super::{address, code, fence, inline, lines};

    #[test]
    fn a_title_is_one_plain_line() {
        assert_eq!(inline("a\n## Prompt\n"), "a⏎\\#\\# Prompt⏎");
        assert_eq!(
            inline("<b>*x*</b> \u{1b}[31m"),
            "\\<b\\>\\*x\\*\\</b\\> ␛\\[31m"
        );
    }

    #[test]
    fn code_spans_are_closed() {
        assert_eq!(code("ls"), "`ls`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\nb"), "`a⏎b`");
        assert_eq!(fence("x\n````\n", 3), "`````");
    }

    #[test]
    fn messages_keep_line_breaks_but_no_control_characters() {
        assert_eq!(
            lines("a\tb\r\n\u{1b}]0;x\u{7}\u{9b}2J"),
            "a\tb\n␛]0;x␇⟦U+009B⟧2J"
        );
        assert_eq!(address("x) [y](javascript:1"), "<x) [y](javascript:1>");
        assert_eq!(address("file:///a"), "file:///a");
    }
}
