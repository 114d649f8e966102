//! Whole conversations with the embedded model and scripted tool results.

mod grammar;

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};
use futures_util::{FutureExt, StreamExt};
use serde_json::json;

use super::*;
use crate::{ToolResult, ToolSpec};

/// Runs a prompt and compares what the model wrote and called, with the tool results.
fn check(prompt: &str, results: &[(&str, &str)], expect: Expect) {
    check_with(prompt, results, &ALL, expect);
}

fn check_with(prompt: &str, results: &[(&str, &str)], tools: &[&str], expect: Expect) {
    let mut request = Request {
        messages: vec![Arc::new(Message::User(vec![Input::Text(
            prompt.to_owned(),
        )]))],
        tools: tools.iter().map(|name| tool(name)).collect(),
        ..Request::default()
    };
    let mut results = results.iter();
    let mut shown = String::new();
    loop {
        let (outputs, stop) = answer(&request, &mut shown);
        if stop == Stop::Done {
            break;
        }
        let answered = outputs.iter().filter_map(|output| match output {
            Output::Call(call) => Some(result(
                call,
                results.next().expect("a result for each call"),
                &mut shown,
            )),
            _ => None,
        });
        let answered = answered.collect();
        request.messages.push(Arc::new(Message::Model(outputs)));
        request.messages.push(Arc::new(Message::Tools(answered)));
    }
    assert_eq!(results.next(), None, "results are left over");
    expect.assert_eq(&shown);
}

fn answer(request: &Request, shown: &mut String) -> (Vec<Output>, Stop) {
    let model = EmbeddedModel::new();
    let events = model
        .answer(request.clone())
        .collect::<Vec<_>>()
        .now_or_never()
        .expect("it never waits");
    let mut outputs = Vec::new();
    for event in events {
        match event.expect("it never fails") {
            Event::Text(text) => {
                shown.push_str(&text);
                outputs.push(Output::Text(text));
            }
            Event::Call(call) => {
                writeln!(shown, "→ {} {}", call.name, call.input).expect("written");
                outputs.push(Output::Call(call));
            }
            Event::End(stop) => return (outputs, stop),
            _ => {}
        }
    }
    panic!("an answer ends");
}

fn result(call: &ToolCall, (status, text): &(&str, &str), shown: &mut String) -> ToolResult {
    writeln!(shown, "← {status}").expect("written");
    ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: vec![Input::Text((*text).to_owned())],
        failed: *status == "failed",
    }
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        schema: json!({ "type": "object" }),
    }
}

const ALL: [&str; 14] = [
    "read", "write", "edit", "delete", "move", "list", "glob", "search", "run", "fetch", "plan",
    "think", "ask", "mode",
];

#[test]
fn reads_a_file() {
    check(
        "read src/main.rs lines 2-3",
        &[("ok", "2\tfn main() {\n3\t}\n")],
        expect![[r#"
            → read {"path":"src/main.rs","line":2,"limit":2}
            ← ok
            Read 2 lines of `src/main.rs`.

            ```
            2	fn main() {
            3	}
            ```

        "#]],
    );
}

#[test]
fn searches_and_counts() {
    let found = "src/a.rs:3: // TODO one\nsrc/a.rs:9: // TODO two\nsrc/b.rs:1: // TODO three\n";
    check(
        "search TODO in src",
        &[("ok", found)],
        expect![[r#"
        → search {"pattern":"TODO","path":"src"}
        ← ok
        3 matches of “TODO” in 2 files.

        ```
        src/a.rs:3: // TODO one
        src/a.rs:9: // TODO two
        src/b.rs:1: // TODO three
        ```

    "#]],
    );
    check(
        "search \"no such (thing)\"",
        &[("ok", "")],
        expect![[r#"
        → search {"pattern":"no such \\(thing\\)"}
        ← ok
        Nothing matches “no such (thing)”.
    "#]],
    );
}

#[test]
fn several_requests_one_after_the_other() {
    check(
        "write notes.txt with \"a\\nb\" then replace a with c in notes.txt\nrun cat notes.txt",
        &[("ok", ""), ("ok", "1 replacement"), ("ok", "c\nb\n")],
        expect![[r#"
            → write {"path":"notes.txt","content":"a\nb"}
            ← ok
            Wrote 3 bytes to `notes.txt`.
            → edit {"path":"notes.txt","edits":[{"old":"a","new":"c","all":true}]}
            ← ok
            Replaced in `notes.txt`. 1 replacement
            → run {"command":"cat notes.txt"}
            ← ok
            `cat notes.txt` has run.

            ```
            c
            b
            ```

        "#]],
    );
}

#[test]
fn stops_at_a_failure_and_says_so() {
    check(
        "delete a then delete b then list",
        &[("failed", "a: no such file\nat all")],
        expect![[r#"
            → delete {"path":"a"}
            ← failed
            The tool `delete` failed:

            ```
            a: no such file
            at all
            ```

            I stopped there; 2 requests were not tried.
        "#]],
    );
}

#[test]
fn works_a_plan_off() {
    check(
        "plan: read a.txt; think hard about it; make it better",
        &[
            ("ok", ""),
            ("ok", "text"),
            ("ok", ""),
            ("ok", ""),
            ("ok", ""),
        ],
        expect![[r#"
            → plan {"entries":[{"content":"read a.txt","status":"in_progress","priority":"medium"},{"content":"think hard about it","status":"pending","priority":"medium"},{"content":"make it better","status":"pending","priority":"medium"}]}
            ← ok
            → read {"path":"a.txt"}
            ← ok
            Read 1 line of `a.txt`.

            ```
            text
            ```

            → plan {"entries":[{"content":"read a.txt","status":"completed","priority":"medium"},{"content":"think hard about it","status":"in_progress","priority":"medium"},{"content":"make it better","status":"pending","priority":"medium"}]}
            ← ok
            → think {"thought":"hard about it"}
            ← ok
            Noted.
            → plan {"entries":[{"content":"read a.txt","status":"completed","priority":"medium"},{"content":"think hard about it","status":"completed","priority":"medium"},{"content":"make it better","status":"pending","priority":"medium"}]}
            ← ok
            The plan has 3 items. I carried out 2; I don't understand 1 request, so it stays open.
        "#]],
    );
}

#[test]
fn a_plan_whose_item_fails_is_open_again() {
    check(
        "plan:\n- [ ] read a.txt\n- read b.txt",
        &[("ok", ""), ("failed", "gone"), ("ok", "")],
        expect![[r#"
            → plan {"entries":[{"content":"read a.txt","status":"in_progress","priority":"medium"},{"content":"read b.txt","status":"pending","priority":"medium"}]}
            ← ok
            → read {"path":"a.txt"}
            ← failed
            The tool `read` failed: gone
            I stopped there; 1 request was not tried.
            → plan {"entries":[{"content":"read a.txt","status":"pending","priority":"medium"},{"content":"read b.txt","status":"pending","priority":"medium"}]}
            ← ok
        "#]],
    );
}

#[test]
fn outlines_a_file() {
    let text = "     1\t//! Top.\n     2\tpub(crate) struct A {\n     3\t}\n     4\timpl A {\n     5\t    pub async fn go(&self) -> u8 {\n     6\t        let fnord = 1;\n     7\t    }\n     8\t}\n";
    check(
        "outline a.rs",
        &[("ok", text)],
        expect![[r#"
        → read {"path":"a.rs"}
        ← ok
        `a.rs` has 8 lines:

        - 2: `pub(crate) struct A`
        - 4: `impl A`
        - 5: `pub async fn go(&self) -> u8`
    "#]],
    );
    check(
        "explain README.md",
        &[("ok", "# Title\n\ntext\n## Part\n")],
        expect![[r#"
            → read {"path":"README.md"}
            ← ok
            `README.md` has 4 lines:

            - 1: `# Title`
            - 4: `## Part`
        "#]],
    );
    check(
        "outline x.bin",
        &[("ok", "??")],
        expect![[r#"
            → read {"path":"x.bin"}
            ← ok
            `x.bin` has 1 line and nothing in it that I can outline.
        "#]],
    );
}

#[test]
fn a_tool_that_is_not_offered() {
    check_with(
        "read a then write a with b",
        &[("ok", "x")],
        &["read"],
        expect![[r#"
            → read {"path":"a"}
            ← ok
            Read 1 line of `a`.

            ```
            x
            ```

            That needs the tool `write`, which this mode does not offer. Switch the mode, or ask for something that only reads.
        "#]],
    );
}

#[test]
fn what_it_does_not_understand() {
    check(
        "Please make the tests pass",
        &[],
        expect![[r#"
        I don't understand that: the embedded model is not a language model, it only knows a small grammar. Try `read README.md`, `search TODO in src` or `run cargo test`, enter `help` for the rest, or use a real model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and start again.
    "#]],
    );
    check(
        "read a then make it better",
        &[],
        expect![[r#"
        I did nothing, because I don't understand “make it better”: the embedded model is not a language model, it only knows a small grammar. Try `read README.md`, `search TODO in src` or `run cargo test`, enter `help` for the rest, or use a real model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and start again.
    "#]],
    );
    check(
        "",
        &[],
        expect![[r#"
        I don't understand that: the embedded model is not a language model, it only knows a small grammar. Try `read README.md`, `search TODO in src` or `run cargo test`, enter `help` for the rest, or use a real model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and start again.
    "#]],
    );
}

#[test]
fn who_it_is() {
    check(
        "hello",
        &[],
        expect![[r#"
        I am Attaché's embedded model: a small grammar, not a language model. Say `help` for what I understand. For a real model set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and start again.
    "#]],
    );
    check(
        "/help",
        &[],
        expect![[r#"
        I am Attaché's embedded model: a small grammar, not a language model. I understand:

        - `read FILE`, `read FILE lines 10-20`
        - `outline FILE`: its functions, types and headings
        - `list`, `list DIR`
        - `find PATTERN`, `find PATTERN in DIR`
        - `search TEXT`, `search TEXT in PATH`
        - `replace A with B in FILE`
        - `write FILE with TEXT`
        - `delete FILE`
        - `move A to B`
        - `run COMMAND`
        - `fetch URL`
        - `plan: ITEM; ITEM; ITEM`: items that are requests are carried out
        - `ask QUESTION options: A, B`
        - `think TEXT`, `mode NAME`
        - `help`

        Join several with `then`, or put each on its own line. Quote names with spaces.

        For a real model set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and start again.
    "#]],
    );
}

#[test]
fn only_words_get_words() {
    let said = |prompt: &str| {
        let message = Message::User(vec![Input::Text(prompt.to_owned())]);
        let request = Request {
            messages: vec![Arc::new(message)],
            ..Request::default()
        };
        answer(&request, &mut String::new()).0.len()
    };
    assert!(said("hi then help") > 1);
}

#[test]
fn its_text_comes_in_pieces_and_its_usage_is_counted() {
    let request = Request {
        messages: vec![Arc::new(Message::User(vec![Input::Text(
            "help".to_owned(),
        )]))],
        ..Request::default()
    };
    let events = events(&request);
    let pieces = events
        .iter()
        .filter(|event| matches!(event, Event::Text(_)))
        .count();
    assert!(pieces > 10, "{pieces}");
    let usage = events.iter().find_map(|event| match event {
        Event::Usage(usage) => Some(usage),
        _ => None,
    });
    assert_eq!(usage.map(|usage| usage.input), Some(1));
}
