use attache::{Transcript, v1};
use attache_host::terminals::TerminalView;
use expect_test::{Expect, expect};
use pulldown_cmark::{Event, Parser, Tag};

use super::{json, json_with, markdown, markdown_with};

fn check(shown: &str, expected: &Expect) {
    expected.assert_eq(shown);
}

#[test]
fn exports_show_what_a_command_wrote() {
    let mut transcript = Transcript::new();
    let call = v1::ToolCall::new("t", "Run the tests");
    let terminal = v1::ToolCallContent::Terminal(v1::Terminal::new("t1"));
    transcript.apply(v1::SessionUpdate::ToolCall(call.content([terminal])));
    let view = TerminalView {
        command: ["sh", "-c", "echo hi"].map(str::to_owned).to_vec(),
        output: "10 %\r100 %\n\u{1b}[31mhi\n".to_owned(),
        is_truncated: false,
        exit: Some(v1::TerminalExitStatus::new().exit_code(1u32)),
        is_released: true,
    };
    let page = json_with(&transcript, &|_| Some(view.clone()));
    let object: serde_json::Value = serde_json::from_str(&page).unwrap();
    check(
        &object["entries"][0]["terminals"].to_string(),
        &expect![[
            r#"[{"terminalId":"t1","command":["sh","-c","echo hi"],"output":"10 %\r100 %\n\u001b[31mhi\n","truncated":false,"exitStatus":{"exitCode":1}}]"#
        ]],
    );
    let page = markdown_with(&transcript, &|_| Some(view.clone()));
    check(
        &page,
        &expect![[r#"
        # Conversation

        - **tool** `Run the tests` (pending)

          ```console
          $ sh -c 'echo hi'
          100 %
          hi
          exit 1
          ```
    "#]],
    );
}

#[test]
fn markdown_contains_messages_and_tool_calls() {
    check(
        &markdown(&sample()),
        &expect![[r#"
            # Conversation

            ## You

            > Fix *it*
            > please

            *Thought*

            > Hm.
            >
            > Let me see.

            - **edit** `` Edit `a.md` `` (completed)

              ````diff
              --- /project/a.md
              +++ /project/a.md
              @@ -1,3 +1,3 @@
               ```
              -old
              +new
               ```
              ````

              `````
              ````
              ok
              `````

            *warning: slow \<b\>*

            ## Agent

            Done:

            ```
            new
            ```

            *Stopped: max\_tokens*
        "#]],
    );
}

#[test]
fn json_contains_every_entry() {
    let text = json(&sample());
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(value["entries"].as_array().map(Vec::len), Some(6));
    check(
        &text,
        &expect![[r#"
        {"turns":1,"entries":[
        {"index":0,"turn":1,"type":"message","role":"user","content":[{"type":"text","text":"Fix *it*\nplease"}]},
        {"index":1,"turn":1,"type":"message","role":"thought","content":[{"type":"text","text":"Hm.\n\nLet me see."}]},
        {"index":2,"turn":1,"type":"toolCall","toolCall":{"toolCallId":"1","title":"Edit `a.md`","kind":"edit","status":"completed","content":[{"type":"diff","path":"/project/a.md","newText":"```\nnew\n```\n","oldText":"```\nold\n```\n"},{"type":"content","content":{"type":"text","text":"````\nok\u001b[31m"}}]}},
        {"index":3,"turn":1,"type":"notice","notice":{"severity":"warning","title":"slow <b>"}},
        {"index":4,"turn":1,"type":"message","role":"agent","content":[{"type":"text","text":"Done:\n\n```\nnew\n```"}]},
        {"index":5,"turn":1,"type":"end","stopReason":"max_tokens"}
        ]}
    "#]],
    );
}

#[test]
fn an_open_fence_does_not_swallow_what_follows() {
    let mut transcript = Transcript::new();
    for text in [
        "```rust\nfn a() {\n",
        "~~~~\nx\n~~~\n",
        "<!-- hidden",
        "done",
    ] {
        transcript.begin_turn(vec!["and?".into()]);
        transcript.apply(v1::SessionUpdate::AgentMessageChunk(v1::ContentChunk::new(
            text,
        )));
    }
    let page = markdown(&transcript);
    let is_heading = |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { .. }));
    let headings = Parser::new(&page).filter(is_heading).count();
    assert_eq!(headings, 9, "{page}");
}

fn sample() -> Transcript {
    let mut transcript = Transcript::new();
    transcript.begin_turn(vec!["Fix *it*\nplease".into()]);
    let piece = |text: &str| v1::ContentChunk::new(text);
    transcript.apply(v1::SessionUpdate::AgentThoughtChunk(piece(
        "Hm.\n\nLet me see.",
    )));
    let diff = v1::Diff::new("/project/a.md", "```\nnew\n```\n").old_text("```\nold\n```\n");
    let call = v1::ToolCall::new("1", "Edit `a.md`")
        .kind(v1::ToolKind::Edit)
        .status(v1::ToolCallStatus::Completed)
        .content(vec![
            v1::ToolCallContent::Diff(diff),
            v1::ContentBlock::from("````\nok\u{1b}[31m").into(),
        ]);
    transcript.apply(v1::SessionUpdate::ToolCall(call));
    transcript.apply(v1::SessionUpdate::Notice(v1::Notice::new(
        v1::NoticeSeverity::Warning,
        "slow <b>",
    )));
    transcript.apply(v1::SessionUpdate::AgentMessageChunk(piece(
        "Done:\n\n```\nnew\n```",
    )));
    transcript.end_turn(v1::StopReason::MaxTokens);
    transcript
}
