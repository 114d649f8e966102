//! Tests of redaction: secrets are removed, other text stays.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::super::redact;

fn check(line: &str, expected: &Expect) {
    let (shown, hidden) = redact(line);
    expected.assert_eq(&format!("{hidden}: {shown}"));
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn values_of_the_environment_and_headers() {
    check(
        r#"{"params":{"mcpServers":[{"name":"f","command":"/f","env":[{"name":"KEY","value":"hunter2"}]},{"type":"http","headers":[{"name":"X","value":"hunter2"}]}]}}"#,
        &expect![[
            r#"2: {"params":{"mcpServers":[{"name":"f","command":"/f","env":[{"name":"KEY","value":"[redacted]"}]},{"type":"http","headers":[{"name":"X","value":"[redacted]"}]}]}}"#
        ]],
    );
    check(
        r#"{"params":{"providerId":"p","headers":{"x-key":"hunter2"},"env":{"A":"hunter2"}}}"#,
        &expect![[
            r#"2: {"params":{"providerId":"p","headers":{"x-key":"[redacted]"},"env":{"A":"[redacted]"}}}"#
        ]],
    );
}

#[test]
fn personal_data_is_redacted() {
    check(
        r#"{"result":{"state":"authenticated","accounts":[{"label":"hunter2","email":"hunter2","active":true}]}}"#,
        &expect![[
            r#"2: {"result":{"state":"authenticated","accounts":[{"label":"[redacted]","email":"[redacted]","active":true}]}}"#
        ]],
    );
}

#[test]
fn members_with_secret_names_are_redacted() {
    check(
        r#"{"apiKey":"hunter2","access_token":"hunter2","Authorization":"hunter2","credentials":{"deep":["hunter2"]},"clientSecret":"hunter2","totalTokens":12,"progressToken":3}"#,
        &expect![[
            r#"5: {"apiKey":"[redacted]","access_token":"[redacted]","Authorization":"[redacted]","credentials":{"deep":["[redacted]"]},"clientSecret":"[redacted]","totalTokens":12,"progressToken":3}"#
        ]],
    );
}

#[test]
fn keys_inside_text_are_redacted() {
    check(
        r#"{"text":"use Bearer hunter2 and API_KEY=hunter2, or sk-abcdefghijklmnopqrstuvwx"}"#,
        &expect![[r#"3: {"text":"use Bearer [redacted] and API_KEY=[redacted], or [redacted]"}"#]],
    );
    check(
        "warning: PASSWORD=hunter2 was set; see ghp_abcdefghijklmnopqrstuvwxyz",
        &expect!["2: warning: PASSWORD=[redacted] was set; see [redacted]"],
    );
}

#[test]
fn values_after_a_name_are_redacted() {
    for (line, shown) in [
        (
            "export API_KEY=\"hunter2\"",
            "export API_KEY=\"[redacted]\"",
        ),
        ("PASSWORD='hunter2 and more' x", "PASSWORD='[redacted]' x"),
        ("password: hunter2", "password: [redacted]"),
        ("x-api-key: hunter2", "x-api-key: [redacted]"),
        ("{'api_key': 'hunter2'}", "{'api_key': '[redacted]'}"),
        (
            r#"DEBUG > {"apiKey":"hunter2","n":1}"#,
            r#"DEBUG > {"apiKey":"[redacted]","n":1}"#,
        ),
        (
            r#"DEBUG "{\"apiKey\":\"hunter2\"}""#,
            r#"DEBUG "{\"apiKey\":\"[redacted]\"}""#,
        ),
        (
            "Authorization: Basic hunter2hunter2==\nnext",
            "Authorization: [redacted]\nnext",
        ),
        ("Cookie: a=1; b=hunter2", "Cookie: [redacted]"),
        (
            "tool --api-key hunter2 --fast",
            "tool --api-key [redacted] --fast",
        ),
        (
            r#"log: "env":[{"name":"A","value":"hunter2"}],"x":1"#,
            r#"log: "env":[[redacted]],"x":1"#,
        ),
        (
            "EnvVariable { env: [A { name: \"A\", value: \"hunter2\" }] }",
            "EnvVariable { env: [[redacted]] }",
        ),
    ] {
        check_text(line, shown);
    }
}

#[test]
fn addresses() {
    for (line, shown) in [
        (
            "postgres://me:hunter2@db/x",
            "postgres://me:[redacted]@db/x",
        ),
        (
            "https://x/mcp?api_key=hunter2&a=1",
            "https://x/mcp?api_key=[redacted]&a=1",
        ),
        (
            "https://x/v1?a=1&key=hunter2#top",
            "https://x/v1?a=1&key=[redacted]#top",
        ),
    ] {
        check_text(line, shown);
    }
}

#[test]
fn keys_are_found_at_any_position() {
    let key = "sk-ant-abcdefghijklmnop";
    check_text(&format!("ANTHROPIC=({key})"), "ANTHROPIC=([redacted])");
    check_text(&format!("at /keys/{key}: bad"), "at /keys/[redacted]: bad");
    check_text(
        "-----BEGIN RSA PRIVATE KEY-----\nhunter2\nhunter2\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----",
    );
}

#[test]
fn options_in_a_list_of_words() {
    check(
        r#"{"args":["--token","hunter2","--port","8"],"list":["token","fine"]}"#,
        &expect![[r#"1: {"args":["--token","[redacted]","--port","8"],"list":["token","fine"]}"#]],
    );
}

/// Checks a text on its own and as a string in a message.
fn check_text(line: &str, shown: &str) {
    assert_eq!(redact(line).0, shown);
    let mut quoted = String::from("{");
    attache_rpc::json::write::member(&mut quoted, "text", line);
    quoted.push('}');
    let mut expected = String::from("{");
    attache_rpc::json::write::member(&mut expected, "text", shown);
    expected.push('}');
    assert_eq!(redact(&quoted).0, expected);
}

#[test]
fn program_source_is_not_redacted() {
    for line in [
        "fn parse(token: Token) -> Token { let token = Token::new(); }",
        "if token == other { secrets::list() }",
        "max_tokens: 12, tokens=3, https://x.org/a?b=c",
        "http://[::1]:8080/a@b",
    ] {
        assert_eq!(redact(line), (line.into(), 0));
    }
}

#[test]
fn a_line_that_is_cut_off() {
    check(
        r#"{"env":[{"name":"A","value":"hunter2"},{"name":"B","value":"hunter2 and mo"#,
        &expect![[
            r#"3: {"env":[{"name":"A","value":"[redacted]"},{"name":"[redacted]","value":"[redacted]" [unreadable]"#
        ]],
    );
    check(
        r#"{"text":"API_KEY=hunter2"#,
        &expect![[r#"1: {"text":"API_KEY=[redacted]"#]],
    );
}

#[test]
fn text_that_only_resembles_a_secret_is_kept() {
    for line in [
        r#"{ "text" : "a skirt = sk-irt, keyboard, tokens: 12", "n": 1e400 }"#,
        "a=b",
        "{\"text\":\"eyJ\"",
    ] {
        let (shown, hidden) = redact(line);
        assert_eq!((shown.as_ref(), hidden), (line, 0));
    }
}

proptest! {
    /// Redacted JSON is still JSON, and redacting a line twice changes nothing more.
    #[test]
    fn redaction_keeps_json_valid(name in "[a-zA-Z_]{1,12}", value in ".{0,40}", odd in ".{0,80}") {
        let mut line = String::from("{");
        attache_rpc::json::write::member(&mut line, &name, value.as_str());
        line.push('}');
        let (once, _) = redact(&line);
        prop_assert!(attache_rpc::json::Raw::parse(&once).is_ok());
        let (odd_once, _) = redact(&odd);
        let odd_once = odd_once.into_owned();
        let odd_twice = redact(&odd_once).0.into_owned();
        prop_assert_eq!(odd_twice, odd_once);
    }
}
