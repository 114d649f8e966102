//! Text for the user about calls to MCP servers: ours, with the server's own text quoted. Nothing that a server writes can
//! leave the quotation.

use attache::json::Raw;
use attache::v1;
use attache_mcp::{DefinitionPart, Resource, Tool};
use attache_text::plain::{visible, visible_lines, visible_start};
use serde_json::Value;

/// The name of our tool that reads resources.
pub(super) const RESOURCE_TOOL: &str = "resource";

pub(crate) fn tool_title(tool: &Tool) -> String {
    let (name, server) = (quoted_name(&tool.name), quoted_name(&tool.server));
    format!("Call {name} of the MCP server {server}")
}

/// The tool, its full arguments, what has changed since the user allowed it, and the server's description of it.
pub(super) fn tool_content(
    tool: &Tool,
    input: &Raw,
    changed: &[DefinitionPart],
) -> Vec<v1::ToolCallContent> {
    let (name, server) = (quoted_name(&tool.name), quoted_name(&tool.server));
    let mut text = format!(
        "{name} is a tool of the MCP server {server}, which is in your configuration. Attaché cannot check what it does.\n"
    );
    if !changed.is_empty() {
        let parts: Vec<&str> = changed.iter().map(|part| part.name()).collect();
        text.push_str(&format!(
            "\nThe definition of this tool changed since you allowed it in this session: {}. That permission no longer applies.\n",
            parts.join(", ")
        ));
    }
    text.push_str(&format!(
        "\nArguments:\n{}\n",
        fenced(&visible_lines(&pretty(input)))
    ));
    text.push_str(&quotation(tool));
    vec![v1::ContentBlock::from(text).into()]
}

pub(super) fn resource_title(resource: &Resource) -> String {
    let (uri, server) = (quoted_name(&resource.uri), quoted_name(&resource.server));
    format!("Read {uri} of the MCP server {server}")
}

pub(super) fn resource_content(resource: &Resource) -> Vec<v1::ToolCallContent> {
    let server = quoted_name(&resource.server);
    let text = format!(
        "Read a resource of the MCP server {server}, which is in your configuration:\n{}\n",
        fenced(&visible(&resource.uri))
    );
    vec![v1::ContentBlock::from(text).into()]
}

/// A name chosen by a server or client, in backticks so that its ends are visible.
pub(super) fn quoted_name(name: &str) -> String {
    let (shown, hidden) = visible_start(name, LONGEST_NAME);
    let shown = shown.replace('`', "'");
    match hidden {
        0 => format!("`{shown}`"),
        hidden => format!("`{shown}` (and {hidden} more characters)"),
    }
}

/// The server's text, with a mark before each line that no text can remove.
fn quotation(tool: &Tool) -> String {
    let hint = tool.read_only.then_some("Hint: the tool only reads.");
    let said = Some(tool.words.text.as_str()).filter(|said| !said.is_empty());
    if said.is_none() && hint.is_none() {
        return "\nThe server does not describe this tool further.\n".to_owned();
    }
    let mut text = "\nThe server's description of this tool (not checked):\n".to_owned();
    for line in said.iter().chain(&hint).flat_map(|said| said.split('\n')) {
        text.push_str(&format!("> {}\n", visible(line)));
    }
    if tool.words.left_out > 0 {
        let more = tool.words.left_out;
        text.push_str(&format!("({more} more characters not shown)\n"));
    }
    text
}

fn pretty(input: &Raw) -> String {
    let value = serde_json::from_str::<Value>(input.as_str());
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value));
    pretty.unwrap_or_else(|_| input.as_str().to_owned())
}

/// Text in a fence longer than any inside it.
fn fenced(text: &str) -> String {
    let runs = text.split(|char| char != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

const LONGEST_NAME: usize = 100;
