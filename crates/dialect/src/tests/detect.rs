//! Detection of a peer's dialect, the names of dialects, and the page that explains them.

use std::fmt::Write as _;

use expect_test::expect_file;

use crate::{Dialect, losses};

const CLIENT: fn(&str) -> Option<Dialect> = Dialect::of_client;
const AGENT: fn(&str) -> Option<Dialect> = Dialect::of_agent;
const SESSION: fn(&str) -> Option<Dialect> = Dialect::of_session;

fn check(tell: fn(&str) -> Option<Dialect>, text: &str, name: &str) {
    let told = tell(text).map_or("nothing", Dialect::name);
    assert_eq!(told, name, "{text}");
}

#[test]
fn clients() {
    check(
        CLIENT,
        r#"{"protocolVersion":1,"capabilities":{"fs":{"read":true}}}"#,
        "draft",
    );
    check(
        CLIENT,
        r#"{"protocolVersion":2,"capabilities":{},"info":{}}"#,
        "nothing",
    );
    check(
        CLIENT,
        r#"{"protocolVersion":1,"capabilities":{},"clientCapabilities":{"terminal":true}}"#,
        "official",
    );
    check(
        CLIENT,
        r#"{"protocolVersion":1,"clientCapabilities":{"terminal":{"create":true}}}"#,
        "pharo",
    );
    check(
        CLIENT,
        r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}"#,
        "nothing",
    );
    check(
        CLIENT,
        r#"{"protocolVersion":1,"clientCapabilities":{"terminal":false}}"#,
        "official",
    );
    check(
        CLIENT,
        r#"{"protocolVersion":1,"clientCapabilities":{"elicitation":{}}}"#,
        "official",
    );
    check(CLIENT, r#"{"protocolVersion":1}"#, "nothing");
    check(CLIENT, "[]", "nothing");
}

#[test]
fn agents() {
    check(
        AGENT,
        r#"{"protocolVersion":1,"capabilities":{"loadSession":true}}"#,
        "draft",
    );
    check(
        AGENT,
        r#"{"protocolVersion":2,"capabilities":{},"info":{}}"#,
        "nothing",
    );
    check(
        AGENT,
        r#"{"protocolVersion":1,"authenticationMethods":[]}"#,
        "pharo",
    );
    check(
        AGENT,
        r#"{"protocolVersion":1,"agentCapabilities":{"sessionModes":[]}}"#,
        "pharo",
    );
    check(
        AGENT,
        r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"supportedTransports":[]}}}"#,
        "pharo",
    );
    check(
        AGENT,
        r#"{"protocolVersion":1,"authMethods":[],"authenticationMethods":[]}"#,
        "official",
    );
    check(
        AGENT,
        r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}"#,
        "official",
    );
    check(
        AGENT,
        r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}"#,
        "nothing",
    );
    check(AGENT, "null", "nothing");
}

#[test]
fn clients_by_their_first_session() {
    check(SESSION, r#"{"cwd":"/p","mcpServers":[]}"#, "nothing");
    check(
        SESSION,
        r#"{"cwd":"/p","mcpServers":[{"transport":"stdio","command":"a"}]}"#,
        "pharo",
    );
    check(
        SESSION,
        r#"{"cwd":"/p","mcpServers":[{"name":"a","command":"a","args":[],"env":[]}]}"#,
        "official",
    );
    check(SESSION, r#"{"workingDirectory":"/p"}"#, "draft");
    check(
        SESSION,
        r#"{"cwd":"/p","mcpServers":[{"name":"a","transport":{"type":"stdio"}}]}"#,
        "draft",
    );
}

#[test]
fn names() {
    for (dialect, name) in Dialect::ALL.into_iter().zip(Dialect::NAMES) {
        assert_eq!(dialect.to_string(), name);
        assert_eq!(name.parse(), Ok(dialect));
    }
    let unknown = "Pharo"
        .parse::<Dialect>()
        .expect_err("names are lower case");
    assert_eq!(
        unknown.to_string(),
        "unknown dialect \"Pharo\", expected one of official, bridge, draft, pharo"
    );
}

/// `UPDATE_EXPECT=1` writes the table into the page.
#[test]
fn docs_dialects_md_matches_the_losses() {
    let page = include_str!("../../../../docs/dialects.md");
    let (before, rest) = page.split_once(OPEN).expect("the table opens");
    let (_, after) = rest.split_once(CLOSE).expect("the table closes");
    let page = format!("{before}{OPEN}\n{}{CLOSE}{after}", table());
    expect_file!["../../../../docs/dialects.md"].assert_eq(&page);
}

fn table() -> String {
    let mut table = String::from("| dialect | what | way | what happens |\n|---|---|---|---|\n");
    for loss in losses::all() {
        let (dialect, way) = (loss.dialect, loss.direction);
        writeln!(
            table,
            "| {dialect} | {} | {way} | {} |",
            loss.element, loss.what
        )
        .expect("a string");
    }
    table
}

const OPEN: &str = "<!-- losses -->";
const CLOSE: &str = "<!-- /losses -->";
