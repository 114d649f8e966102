//! A conversation as a document: what was asked, said and done.

use std::fmt::Write as _;
use std::io::{self, BufRead};

use attache_schema::call::{AgentNotification, AgentRequest, ClientRequest};
use attache_schema::v1;
use attache_testkit::{Side, WireMessage};
use attache_text::plain::{visible, visible_command};

use super::super::validate::wire_message;
use super::super::{RecordContent, RecordingReader};

/// A recording as Markdown.
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
                let told = AgentNotification::decode(&method, params.as_deref());
                if let Ok(AgentNotification::Session(news)) = told {
                    page.update(&news.update);
                }
            }
            Some((_, WireMessage::Failure(_, error))) => {
                page.block(&format!("**Error:** {}", code(&error.to_string())))
            }
            _ => {}
        }
    }
    page.out.push('\n');
    Ok(page.out)
}

#[derive(Default)]
struct MarkdownPage {
    out: String,
    /// What the last words belong to, which further words go on with.
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
            _ => {}
        }
    }

    fn agent_request(&mut self, request: &AgentRequest) {
        match request {
            AgentRequest::RequestPermission(asked) => {
                let title = asked.tool_call.title.as_deref();
                let title = title.unwrap_or(asked.tool_call.tool_call_id.as_str());
                self.block(&format!("- asks for permission: {}", inline(title)));
            }
            AgentRequest::CreateElicitation(asked) => {
                self.block(&format!("- asks: {}", inline(&asked.message)));
            }
            AgentRequest::CreateTerminal(asked) => {
                let words = [std::slice::from_ref(&asked.command), &asked.args].concat();
                self.block(&format!("- runs {}", code(&visible_command(words))));
            }
            AgentRequest::ReadTextFile(asked) => {
                self.block(&format!("- reads {}", code(asked.path.as_str())));
            }
            AgentRequest::WriteTextFile(asked) => {
                self.block(&format!("- writes {}", code(asked.path.as_str())));
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
        _ => "*(content of an unknown kind)*".to_owned(),
    }
}

/// Words on one line that Markdown takes for nothing but words.
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

/// A piece of code on one line.
fn code(text: &str) -> String {
    let text = visible(text);
    let fence = fence(&text, 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// Words of a message, which are Markdown themselves. Line ends and tabs stay.
fn lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let parts: Vec<_> = line.split('\t').map(visible).collect();
        parts.join("\t")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The address of a link.
fn address(uri: &str) -> String {
    let is_plain =
        |char: char| char.is_ascii_graphic() && !matches!(char, '(' | ')' | '<' | '>' | '\\');
    match uri.chars().all(is_plain) {
        true => uri.to_owned(),
        false => format!("<{}>", visible(uri).replace('<', "%3C").replace('>', "%3E")),
    }
}

/// More backticks than stand together anywhere in the text.
fn fence(text: &str, least: usize) -> String {
    let runs = text.split(|char| char != '`').map(str::len);
    "`".repeat(runs.max().map_or(least, |run| least.max(run + 1)))
}

#[cfg(test)]
mod tests {
    use super::{address, code, fence, inline, lines};

    #[test]
    fn a_title_is_one_line_of_words() {
        assert_eq!(inline("a\n## Prompt\n"), "a⏎\\#\\# Prompt⏎");
        assert_eq!(
            inline("<b>*x*</b> \u{1b}[31m"),
            "\\<b\\>\\*x\\*\\</b\\> ␛\\[31m"
        );
    }

    #[test]
    fn code_ends_where_it_should() {
        assert_eq!(code("ls"), "`ls`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\nb"), "`a⏎b`");
        assert_eq!(fence("x\n````\n", 3), "`````");
    }

    #[test]
    fn messages_keep_their_lines_and_nothing_that_steers_a_terminal() {
        assert_eq!(
            lines("a\tb\r\n\u{1b}]0;x\u{7}\u{9b}2J"),
            "a\tb\n␛]0;x␇⟦U+009B⟧2J"
        );
        assert_eq!(address("x) [y](javascript:1"), "<x) [y](javascript:1>");
        assert_eq!(address("file:///a"), "file:///a");
    }
}
