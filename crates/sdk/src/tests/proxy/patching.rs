//! Changes of typed values, applied to the text that they were decoded from.

use attache_schema::method::{Notification, Request};
use proptest::prelude::*;

use crate::json;
use crate::proxy::patched;
use crate::v1;

/// Decodes, changes, and applies the change to the text.
fn check<T: json::Decode + json::Encode>(text: &str, change: impl FnOnce(&mut T), expected: &str) {
    let mut value: T = json::from_str(text).unwrap();
    let before = json::to_string(&value);
    change(&mut value);
    assert_eq!(patched(text, &before, &json::to_string(&value)), expected);
}

fn new_session(text: &str, change: impl FnOnce(&mut v1::NewSessionRequest), expected: &str) {
    assert_eq!(v1::NewSessionRequest::METHOD.name, "session/new");
    check(text, change, expected);
}

fn server(name: &str) -> v1::McpServer {
    let no_args: [&str; 0] = [];
    v1::McpServerStdio::new(name, "/bin/x", no_args, []).into()
}

#[test]
fn members_are_set_removed_and_left_alone() {
    new_session(
        r#"{ "cwd" : "\u002fa", "future" : 1.0, "mcpServers" : [ ] }"#,
        |new| new.cwd = "/b".into(),
        r#"{"cwd":"/b","future":1.0,"mcpServers":[ ]}"#,
    );
    // A default that was left out stays left out; what was given and cannot be read stays, unless it is set.
    check::<v1::InitializeRequest>(
        r#"{"protocolVersion":1,"clientInfo":7,"clientCapabilities":{"terminal":true,"fs":{"new":1}}}"#,
        |hello| hello.client_capabilities.terminal = false,
        r#"{"protocolVersion":1,"clientInfo":7,"clientCapabilities":{"terminal":false,"fs":{"new":1}}}"#,
    );
    check::<v1::InitializeRequest>(
        r#"{"protocolVersion":1,"clientInfo":7}"#,
        |hello| hello.client_info = Some(v1::Implementation::new("p", "1")),
        r#"{"protocolVersion":1,"clientInfo":{"name":"p","version":"1"}}"#,
    );
    new_session(
        r#"{"cwd":"/a","mcpServers":[], "b" : 1}"#,
        |_| {},
        r#"{"cwd":"/a","mcpServers":[], "b" : 1}"#,
    );
}

#[test]
fn items_of_lists_keep_what_the_type_does_not_know() {
    let list = r#"{"cwd":"/","mcpServers":[{"name":"a","command":"/a","args":[],"env":[],"x":1},{"name":"b","command":"/b","args":[],"env":[],"x":2}]}"#;
    new_session(
        list,
        |new| new.mcp_servers.insert(0, server("c")),
        r#"{"cwd":"/","mcpServers":[{"name":"c","command":"/bin/x","args":[],"env":[]},{"name":"a","command":"/a","args":[],"env":[],"x":1},{"name":"b","command":"/b","args":[],"env":[],"x":2}]}"#,
    );
    new_session(
        list,
        |new| {
            new.mcp_servers.remove(0);
            if let v1::McpServer::Stdio(server) = &mut new.mcp_servers[0] {
                server.command = "/c".into();
            }
        },
        r#"{"cwd":"/","mcpServers":[{"name":"b","command":"/c","args":[],"env":[],"x":2}]}"#,
    );
    new_session(
        list,
        |new| new.mcp_servers.swap(0, 1),
        r#"{"cwd":"/","mcpServers":[{"name":"b","command":"/b","args":[],"env":[],"x":2},{"name":"a","command":"/a","args":[],"env":[],"x":1}]}"#,
    );
    new_session(
        list,
        |new| {
            if let v1::McpServer::Stdio(server) = &mut new.mcp_servers[1] {
                server.name = "renamed".into();
            }
        },
        r#"{"cwd":"/","mcpServers":[{"name":"a","command":"/a","args":[],"env":[],"x":1},{"name":"renamed","command":"/b","args":[],"env":[],"x":2}]}"#,
    );
}

/// Lists skip items that they cannot read. Those stay in the message, behind the item that they followed.
#[test]
fn items_that_cannot_be_read_stay() {
    let list = r#"{"availableCommands":[7,{"name":"a","description":"","x":1},{"name":8},{"name":"b","description":""}]}"#;
    check::<v1::AvailableCommandsUpdate>(
        list,
        |update| update.available_commands[1].description = "new".to_owned(),
        r#"{"availableCommands":[7,{"name":"a","description":"","x":1},{"name":8},{"name":"b","description":"new"}]}"#,
    );
    check::<v1::AvailableCommandsUpdate>(
        list,
        |update| drop(update.available_commands.remove(0)),
        r#"{"availableCommands":[7,{"name":8},{"name":"b","description":""}]}"#,
    );
}

/// The members of one variant mean nothing in another.
#[test]
fn another_variant_replaces_the_whole_object() {
    assert_eq!(v1::SessionNotification::METHOD.name, "session/update");
    check::<v1::SessionNotification>(
        r#"{"sessionId":"s","x":1,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","x":2},"x":3}}"#,
        |params| params.update = v1::SessionUpdate::Plan(v1::Plan::new([])),
        r#"{"sessionId":"s","x":1,"update":{"sessionUpdate":"plan","entries":[]}}"#,
    );
}

proptest! {
    /// The patched text reads as the changed value, whatever else is in it.
    #[test]
    fn the_changed_text_reads_as_the_changed_value(
        names in proptest::collection::vec("[a-c]{1,2}", 0..5),
        changed in proptest::collection::vec("[a-d]{1,2}", 0..5),
        unknown in "[a-z]{3}",
        keep in any::<bool>(),
    ) {
        let servers = |names: &[String]| names.iter().map(|name| server(name)).collect::<Vec<_>>();
        let mut before = v1::NewSessionRequest::new("/", servers(&names));
        let text = json::to_string(&before);
        let raw = text.replace(r#""env":[]"#, &format!(r#""env":[],"{unknown}":[1]"#));
        let encoded = json::to_string(&before);
        before.mcp_servers = match keep {
            true => before.mcp_servers.into_iter().chain(servers(&changed)).rev().collect(),
            false => servers(&changed),
        };
        let after = json::to_string(&before);
        let patched = patched(&raw, &encoded, &after);
        let read: v1::NewSessionRequest = json::from_str(&patched).unwrap();
        prop_assert_eq!(json::to_string(&read), after);
        if keep {
            prop_assert_eq!(patched.matches(&format!("\"{unknown}\"")).count(), names.len());
        }
    }
}
