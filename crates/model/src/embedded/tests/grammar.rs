//! Tests of how the grammar parses requests.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::super::instruction::Instruction;
use super::super::words::requests;
use super::super::{RequestProgress, pieces};
use super::*;

fn check(text: &str, expect: Expect) {
    let calls: Vec<String> = requests(text)
        .into_iter()
        .map(|request| match Instruction::read(request) {
            None => format!("? {request}"),
            Some(order) => match order.call() {
                Some((name, input)) => format!("{name} {input}"),
                None => format!("{order:?}"),
            },
        })
        .collect();
    expect.assert_eq(&calls.join("\n"));
}

#[test]
fn files() {
    check("read a.txt", expect![[r#"read {"path":"a.txt"}"#]]);
    check(
        "/read \"my file.txt\"",
        expect![[r#"read {"path":"my file.txt"}"#]],
    );
    check(
        "show a.txt:10-20",
        expect![[r#"read {"path":"a.txt","line":10,"limit":11}"#]],
    );
    check(
        "read 'a.txt' line 7",
        expect![[r#"read {"path":"a.txt","line":7,"limit":1}"#]],
    );
    check("read a.txt lines 9-2", expect!["? read a.txt lines 9-2"]);
    check("read two words", expect!["? read two words"]);
    check("list", expect!["list {}"]);
    check("ls src", expect![[r#"list {"path":"src"}"#]]);
    check("list files in src", expect![[r#"list {"path":"src"}"#]]);
    check(
        "delete the old.txt",
        expect![[r#"delete {"path":"old.txt"}"#]],
    );
    check(
        "move a.txt to b/c.txt",
        expect![[r#"move {"from":"a.txt","to":"b/c.txt"}"#]],
    );
    check(
        "rename 'a b' to 'to'",
        expect![[r#"move {"from":"a b","to":"to"}"#]],
    );
}

#[test]
fn finding() {
    check("find **/*.rs", expect![[r#"glob {"pattern":"**/*.rs"}"#]]);
    check(
        "glob '*.md' in docs",
        expect![[r#"glob {"pattern":"*.md","path":"docs"}"#]],
    );
    check(
        "search for fn main in src",
        expect![[r#"search {"pattern":"fn main","path":"src"}"#]],
    );
    check(
        "grep a.b(c)",
        expect![[r#"search {"pattern":"a\\.b\\(c\\)"}"#]],
    );
    check("search \"in\" in in", expect![[r#"? search "in" in in"#]]);
}

#[test]
fn writing() {
    check(
        "replace foo with bar in a.txt",
        expect![[r#"edit {"path":"a.txt","edits":[{"old":"foo","new":"bar","all":true}]}"#]],
    );
    check(
        "replace \"a with b\" with '' in a.txt",
        expect![[r#"edit {"path":"a.txt","edits":[{"old":"a with b","new":"","all":true}]}"#]],
    );
    check(
        "change 1 to 2 in a.txt",
        expect![[r#"edit {"path":"a.txt","edits":[{"old":"1","new":"2","all":true}]}"#]],
    );
    check(
        "create a.txt",
        expect![[r#"write {"path":"a.txt","content":""}"#]],
    );
    check(
        "write a.txt with hello there",
        expect![[r#"write {"path":"a.txt","content":"hello there"}"#]],
    );
    check(
        "write a.txt with:\n```\nread b\nthen\n```\nread c",
        expect![[r#"
            write {"path":"a.txt","content":"read b\nthen\n"}
            read {"path":"c"}"#]],
    );
    check(
        "write a.md\n```md\n# T\n```",
        expect![[r##"write {"path":"a.md","content":"# T\n"}"##]],
    );
    check("write a.txt hello", expect!["? write a.txt hello"]);
}

#[test]
fn running() {
    check(
        "run cargo test --workspace",
        expect![[r#"run {"command":"cargo test --workspace"}"#]],
    );
    check(
        "run sh -c 'echo a then echo b; exit 1'",
        expect![[r#"run {"command":"sh -c 'echo a then echo b; exit 1'"}"#]],
    );
    check("$ git status", expect![[r#"run {"command":"git status"}"#]]);
    check(
        "fetch https://example.com/a?b=c",
        expect![[r#"fetch {"url":"https://example.com/a?b=c"}"#]],
    );
    check(
        "Please run echo hi!",
        expect![[r#"run {"command":"echo hi!"}"#]],
    );
    check("run the tests", expect!["? run the tests"]);
    check("fetch me a beer", expect!["? fetch me a beer"]);
}

#[test]
fn talking() {
    check(
        "ask Which one? options: red, blue",
        expect![[r#"ask {"question":"Which one?","options":["red","blue"]}"#]],
    );
    check(
        "think about it",
        expect![[r#"think {"thought":"about it"}"#]],
    );
    check("mode architect", expect![[r#"mode {"mode":"architect"}"#]]);
    check(
        "please plan: a; b",
        expect![[r#"Plan { items: ["a", "b"] }"#]],
    );
    check("plan", expect!["? plan"]);
    check("plan: a; b", expect![[r#"Plan { items: ["a", "b"] }"#]]);
    check(
        "plan the party\n1. read a\n2) then b",
        expect![[r#"Plan { items: ["the party", "read a", "then b"] }"#]],
    );
    check("Help!", expect!["Help"]);
    check("don't read it", expect!["? don't read it"]);
}

#[test]
fn several() {
    check(
        "read a, then read b; and then read c",
        expect![[r#"
        read {"path":"a"}
        read {"path":"b"}
        read {"path":"c"}"#]],
    );
    check(
        "- read a\n- read b\n\n* list",
        expect![[r#"
        read {"path":"a"}
        read {"path":"b"}
        list {}"#]],
    );
    check(
        "read strengthen.txt",
        expect![[r#"read {"path":"strengthen.txt"}"#]],
    );
    check(
        "read \"unclosed then list",
        expect![[r#"
        read {"path":"\"unclosed"}
        list {}"#]],
    );
}

/// The grammar understands the examples in the second column of the documentation's table of requests.
#[test]
fn the_examples_in_the_documentation_are_understood() {
    let text = include_str!("../../../../../docs/models.md");
    let rows = text
        .split("| request | example |")
        .nth(1)
        .expect("the table");
    let rows = rows
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with('|'));
    let examples = rows.filter_map(|row| row.split('|').nth(2));
    let examples: Vec<&str> = examples
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(examples.len() > 10, "{examples:?}");
    for example in examples {
        assert!(Instruction::read(example).is_some(), "{example}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(?s)((read|plan:|write|search|then|with|in|to|\"|'|`|```|\n|;| |[a-zé—1-9:.-]){0,30}|.{0,60})", results in 0_usize..6) {
        let message = Message::User(vec![Input::Text(text.clone())]);
        let request = Request { messages: vec![Arc::new(message)], tools: ALL.iter().map(|name| tool(name)).collect(), ..Request::default() };
        drop(RequestProgress::of(&request).next(&request.tools));
        for failed in [false, true] {
            let result = ToolResult { id: "1".to_owned(), name: "read".to_owned(), content: vec![Input::Text(text.clone())], failed };
            let mut request = request.clone();
            request.messages.push(Arc::new(Message::Tools(vec![result; results])));
            drop(RequestProgress::of(&request).next(&request.tools));
        }
        prop_assert_eq!(pieces(&text).collect::<String>(), text);
    }
}
