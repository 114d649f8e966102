use attache::v1;
use expect_test::{Expect, expect};

use super::{Colour, OutputTarget, PrintFormat, Printer, PrinterOutput};
use crate::event::{Event, PermissionPrompt, PromptSubject};
use attache_host::FileOnDisk;
use attache_host::permissions::{Action, ComparedChange, Reason};

/// Prints updates of a turn, given as JSON, one a line; notes are marked.
fn check(mut printer: Printer, updates: &str, expected: &Expect) {
    let began = Event::TurnStarted {
        session: "s".into(),
        content: Vec::new(),
    };
    let mut pieces = printer.print_event(&began);
    for update in updates
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let told = format!(r#"{{"sessionId":"s","update":{update}}}"#);
        let told: v1::SessionNotification = attache::json::from_str(&told).unwrap();
        pieces.extend(printer.print_event(&Event::Update(Box::new(told))));
    }
    let outcome = Ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
    let session = "s".into();
    pieces.extend(printer.print_event(&Event::TurnEnded { session, outcome }));
    let shown = pieces.iter().map(|piece| match piece {
        PrinterOutput::Answer(text) => text.clone(),
        PrinterOutput::Note(text) => {
            let lines = text.lines().map(|line| format!("| {line}\n"));
            lines.collect()
        }
    });
    expected.assert_eq(&shown.collect::<String>().replace('\u{1b}', "^"));
}

fn text() -> Printer {
    Printer::new(PrintFormat::Text, OutputTarget::Plain, Colour::Off)
}

const TURN: &str = r#"
    {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Let me "}}
    {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"look."}}
    {"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}
    {"sessionUpdate":"tool_call","toolCallId":"a","title":"Read a.rs","kind":"read"}
    {"sessionUpdate":"tool_call_update","toolCallId":"a","status":"in_progress"}
    {"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}
    {"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed","rawOutput":{}}
    {"sessionUpdate":"tool_call","toolCallId":"b","title":"Edit a.rs","kind":"edit","status":"completed","content":[{"type":"diff","path":"/p/a.rs","oldText":"one\ntwo\nthree\n","newText":"one\n2\nthree\n"}]}
    {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run\u001b[2J tests","kind":"execute","status":"failed"}
    {"sessionUpdate":"tool_call","toolCallId":"d","title":"Never done"}
    {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}
"#;

#[test]
fn a_turn_as_text() {
    check(
        text(),
        TURN,
        &expect![[r#"
            Let me look.
            | tool: Read a.rs (read, completed)
            | tool: Edit a.rs (edit, completed)
            | --- /p/a.rs
            | +++ /p/a.rs
            | @@ -1,3 +1,3 @@
            |  one
            | -two
            | +2
            |  three
            | tool: Run␛[2J tests (execute, failed)
            Done
            | tool: Never done (other, pending)
        "#]],
    );
}

#[test]
fn a_turn_with_colours() {
    let printer = Printer::new(PrintFormat::Text, OutputTarget::Terminal, Colour::On);
    check(
        printer,
        TURN,
        &expect![[r#"
            Let me look.
            | ^[2mtool: Read a.rs (read, completed)^[0m
            | ^[2mtool: Edit a.rs (edit, completed)^[0m
            | ^[1m--- /p/a.rs^[0m
            | ^[1m+++ /p/a.rs^[0m
            | ^[36m@@ -1,3 +1,3 @@^[0m
            |  one
            | ^[31m-two^[0m
            | ^[32m+2^[0m
            |  three
            | ^[2mtool: Run␛[2J tests (execute, failed)^[0m
            Done
            | ^[2mtool: Never done (other, pending)^[0m
        "#]],
    );
}

#[test]
fn only_the_last_message() {
    let printer = Printer::new(PrintFormat::Quiet, OutputTarget::Plain, Colour::Off);
    check(
        printer,
        TURN,
        &expect![[r#"
        Done
    "#]],
    );
}

#[test]
fn messages_of_different_ids_stand_on_lines_of_their_own() {
    check(
        text(),
        r#"
        {"sessionUpdate":"agent_message_chunk","messageId":"1","content":{"type":"text","text":"one"}}
        {"sessionUpdate":"agent_message_chunk","messageId":"2","content":{"type":"text","text":"two"}}
        {"sessionUpdate":"agent_message_chunk","messageId":"2","content":{"type":"image","data":"AAAA","mimeType":"image/png"}}
        "#,
        &expect![[r#"
            one
            two
            | [image image/png, 3 B]
        "#]],
    );
}

#[test]
fn escape_sequences_reach_a_file_but_no_screen() {
    let words = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\u001b[2Jgone\n"}}"#;
    check(
        text(),
        words,
        &expect![[r#"
        ^[2Jgone
    "#]],
    );
    let printer = Printer::new(PrintFormat::Text, OutputTarget::Terminal, Colour::Off);
    check(
        printer,
        words,
        &expect![[r#"
        gone
    "#]],
    );
}

#[test]
fn a_notice() {
    let notice = r#"{"sessionUpdate":"notice","severity":"warning","title":"Low on\u001b[2J credit","description":"5 % are left"}"#;
    check(
        text(),
        notice,
        &expect![[r#"
            | warning: Low on␛[2J credit: 5 % are left
        "#]],
    );
}

#[test]
fn a_change_is_printed_once_as_that_of_the_file_on_disk() {
    let call = r#"{"toolCallId":"b","title":"Edit a","kind":"edit","status":"failed","content":[{"type":"diff","path":"/p/a","oldText":"one\n","newText":"two\n"}]}"#;
    let call: v1::ToolCall = attache::json::from_str(call).unwrap();
    let request = v1::RequestPermissionRequest::new(
        "s",
        v1::ToolCallUpdate::new("b"),
        Vec::<v1::PermissionOption>::new(),
    );
    let diffs = vec![v1::Diff::new("/p/a", "two\n").old_text("one\n")];
    let asked = PermissionPrompt {
        id: 1,
        action: Action::from_request("a", "/p".into(), &request, Some(&call)),
        subject: PromptSubject::ToolCall(call.clone()),
        options: Vec::new(),
        change: None,
        changes: ComparedChange::compare(diffs, &[FileOnDisk::Text("zero\none\n".to_owned())]),
    };
    let mut printer = text();
    let began = Event::TurnStarted {
        session: "s".into(),
        content: Vec::new(),
    };
    printer.print_event(&began);
    let mut pieces = printer.print_event(&Event::PermissionDecided {
        prompt: Box::new(asked),
        is_allowed: false,
        reason: Reason::new("--deny-all"),
    });
    let told = v1::SessionNotification::new("s", v1::SessionUpdate::ToolCall(call));
    pieces.extend(printer.print_event(&Event::Update(Box::new(told))));
    let shown = pieces.iter().map(|piece| match piece {
        PrinterOutput::Answer(text) | PrinterOutput::Note(text) => format!("{text}\n"),
    });
    expect![[r#"
        denied: edit /p/a (--deny-all)
        --- /p/a
        +++ /p/a
        @@ -1,2 +1,2 @@
         zero
        -one
        +two
        tool: Edit a (edit, failed)
    "#]]
    .assert_eq(&shown.collect::<String>());
}
