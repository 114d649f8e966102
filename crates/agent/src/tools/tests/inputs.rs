//! Tests of parsing the inputs that models write.

use expect_test::{Expect, expect};

use super::super::{parse, specs};
use super::TestWorkplace;

fn check(tool: &str, input: &str, expected: Expect) {
    let told = match parse(tool, input) {
        None => "not ours".to_owned(),
        Some(Ok(call)) => format!("{} | {call:?}", call.title()),
        Some(Err(misfit)) => misfit.to_string(),
    };
    expected.assert_eq(&told);
}

#[test]
fn obvious_input_mistakes_are_accepted() {
    check(
        "read",
        r#"{"path":"a","line":"3","limit":2.0,"verbose":true}"#,
        expect![[r#"Read a (3 - 4) | Read(Read { path: "a", line: Some(3), limit: Some(2) })"#]],
    );
    check(
        "read",
        r#"{"path":"a","line":null,"limit":""}"#,
        expect![[r#"Read a | Read(Read { path: "a", line: None, limit: None })"#]],
    );
    check(
        "read",
        r#""{\"path\":\"a\"}""#,
        expect![[r#"Read a | Read(Read { path: "a", line: None, limit: None })"#]],
    );
    check(
        "list",
        "",
        expect!["List . | List(List { path: None, depth: None })"],
    );
    check(
        "list",
        r#"{"path":"","depth":"4"}"#,
        expect!["List . | List(List { path: None, depth: Some(4) })"],
    );
    check(
        "edit",
        r#"{"path":"a","edits":{"old":"x","new":"y","all":"true"}}"#,
        expect![[
            r#"Edit a | Edit(Edit { path: "a", edits: [Replacement { old: "x", new: "y", all: true }] })"#
        ]],
    );
    check(
        "edit",
        r#"{"path":"a","edits":"[{\"old\":\"x\",\"new\":\"y\"}]"}"#,
        expect![[
            r#"Edit a | Edit(Edit { path: "a", edits: [Replacement { old: "x", new: "y", all: false }] })"#
        ]],
    );
    check(
        "edit",
        r#"{"path":"a","old":"x","new":"y"}"#,
        expect![[
            r#"Edit a | Edit(Edit { path: "a", edits: [Replacement { old: "x", new: "y", all: false }] })"#
        ]],
    );
    check(
        "run",
        r#"{"command":"make\ntest","timeout":"9","background":"false"}"#,
        expect![[
            r#"Run `make test` | Run(Start(StartCommand { command: "make\ntest", cwd: None, timeout: Some(9), background: false }))"#
        ]],
    );
    check(
        "run",
        r#"{"id":"bg1","stop":1}"#,
        expect![[r#"Stop command bg1 | Run(Stop { id: "bg1" })"#]],
    );
    check(
        "run",
        r#"{"id":"bg1"}"#,
        expect![[r#"Show the output of command bg1 | Run(Output { id: "bg1" })"#]],
    );
    check(
        "search",
        r#"{"pattern":"x","ignore_case":"True","context":"2"}"#,
        expect![[
            r#"Search `x` | Search(Search { pattern: "x", path: None, glob: None, ignore_case: true, context: Some(2) })"#
        ]],
    );
    check("think", "{}", expect!["not ours"]);
}

#[test]
fn input_errors_name_the_member_without_its_value() {
    check(
        "read",
        r#"{"path":7}"#,
        expect!["`path` must be a string; it is a number"],
    );
    check(
        "read",
        "{}",
        expect!["`path` is missing; it must be a string"],
    );
    check(
        "read",
        r#"{"path":"a","line":-1}"#,
        expect!["`line` must be a whole number from 0 to 4294967295; it is another number"],
    );
    check(
        "read",
        r#"{"path":"a","line":"secret"}"#,
        expect!["`line` must be a whole number from 0 to 4294967295; it is another text"],
    );
    check(
        "read",
        r#"{"path":"a","line":1.5}"#,
        expect!["`line` must be a whole number from 0 to 4294967295; it is another number"],
    );
    check(
        "read",
        r#"{"path":"a","#,
        expect!["the input is not JSON: it is incomplete at line 1, column 12; send one object"],
    );
    check(
        "read",
        r#"["a"]"#,
        expect!["the input must be an object; it is a list"],
    );
    check(
        "write",
        r#"{"path":"a"}"#,
        expect!["`content` is missing; it must be a string"],
    );
    check(
        "write",
        r#"{"path":" ","content":""}"#,
        expect!["`path` must not be empty"],
    );
    check(
        "edit",
        r#"{"path":"a"}"#,
        expect!["`edits` is missing; it must be a list of objects with `old` and `new`"],
    );
    check(
        "edit",
        r#"{"path":"a","edits":["x"]}"#,
        expect!["each of `edits` must be an object; it is a text"],
    );
    check(
        "edit",
        r#"{"path":"a","edits":[{"old":"x"}]}"#,
        expect!["`new` is missing; it must be a string"],
    );
    check(
        "run",
        "{}",
        expect!["`command` is missing; it must be a string"],
    );
    check(
        "run",
        r#"{"id":"bg1","command":"ls"}"#,
        expect![
            "`id` cannot be combined with `command`; send `id` to manage a running command, `command` to run another"
        ],
    );
    check(
        "run",
        r#"{"command":"ls","background":"maybe"}"#,
        expect!["`background` must be true or false; it is another text"],
    );
}

#[test]
fn every_specified_tool_can_be_called() {
    for tool in specs() {
        assert!(parse(&tool.name, "{}").is_some(), "{}", tool.name);
        assert_eq!(tool.schema["additionalProperties"], false, "{}", tool.name);
        let properties = tool.schema["properties"].as_object().unwrap();
        for name in tool.schema["required"].as_array().unwrap() {
            assert!(properties.contains_key(name.as_str().unwrap()));
        }
    }
}

#[tokio::test]
async fn a_call_has_a_title_and_locations_before_any_file_access() {
    let stage = TestWorkplace::new(&[]).await;
    let calls = [
        ("read", r#"{"path":"src/main.rs","line":1,"limit":40}"#),
        ("read", r#"{"path":"src/main.rs","line":7}"#),
        ("write", r#"{"path":"a.txt","content":""}"#),
        ("edit", r#"{"path":"/x/a.txt","old":"a","new":"b"}"#),
        ("delete", r#"{"path":"a\nb"}"#),
        ("move", r#"{"from":"a","to":"b"}"#),
        ("list", "{}"),
        ("glob", r#"{"pattern":"*.rs","path":"src"}"#),
        ("search", r#"{"pattern":"fn main"}"#),
        ("run", r#"{"command":"cargo test"}"#),
        ("run", r#"{"id":"bg1","stop":true}"#),
        ("fetch", r#"{"url":"https://example.com"}"#),
    ];
    let told = calls.map(|(tool, input)| {
        let call = parse(tool, input).unwrap().unwrap();
        let locations = call.locations(&stage.workplace);
        let locations = locations
            .iter()
            .map(|at| format!(" {}:{:?}", at.path.as_str(), at.line));
        let locations: String = locations.collect();
        let line = format!(
            "{} | {:?} {:?}{locations}\n",
            call.title(),
            call.kind(),
            call.effect()
        );
        line.replace(stage.top.to_str().unwrap(), "@")
    });
    expect![[r#"
        Read src/main.rs (1 - 40) | Read Read @/ws/src/main.rs:Some(1)
        Read src/main.rs (from 7) | Read Read @/ws/src/main.rs:Some(7)
        Write a.txt | Edit Change @/ws/a.txt:None
        Edit /x/a.txt | Edit Change /x/a.txt:None
        Delete a b | Delete Change @/ws/a
        b:None
        Move a to b | Move Change @/ws/a:None @/ws/b:None
        List . | Search Read
        Find *.rs in src | Search Read
        Search `fn main` | Search Read
        Run `cargo test` | Execute Execute
        Stop command bg1 | Execute Read
        Fetch https://example.com | Fetch Fetch
    "#]]
    .assert_eq(&told.concat());
}
