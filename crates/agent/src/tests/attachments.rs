//! Tests of attachments to prompts: images, links and resources.

use expect_test::expect;

use super::NEW;
use super::test_agent::TestAgent;

#[tokio::test]
async fn attachments_of_a_command_are_sent_with_it() {
    let stage = TestAgent::new(r#"{"say":[{"text":"Seen."}]}"#);
    stage.write("a.txt", "in the file\n");
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[
            {{"type":"text","text":"/review it"}},
            {{"type":"resource_link","name":"a.txt","uri":"file://CWD/a.txt"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    let told = stage.sent_to_model();
    assert!(told.starts_with("user: Review it."), "{told}");
    assert!(told.contains("in the file"), "{told}");
}

#[tokio::test]
async fn links_are_read_and_resources_quoted() {
    let stage = TestAgent::new(r#"{"say":[{"text":"Seen."}]}"#);
    stage.write("a.txt", "in the file\n");
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[
            {{"type":"text","text":"Look"}},
            {{"type":"resource_link","name":"a.txt","uri":"file://CWD/a.txt"}},
            {{"type":"resource_link","name":"b.txt","uri":"file:///etc/passwd"}},
            {{"type":"resource_link","name":"page","uri":"https://example.com/"}},
            {{"type":"resource","resource":{{"uri":"file://CWD/unsaved.rs","text":"fn main() {{}}"}}}},
            {{"type":"resource","resource":{{"uri":"note:1","blob":"aGVsbG8=","mimeType":"text/plain"}}}},
            {{"type":"image","data":"AAAA","mimeType":"image/png"}},
            {{"type":"audio","data":"AAAA","mimeType":"audio/wav"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    let told = stage
        .sent_to_model()
        .replace(&stage.project().display().to_string(), "CWD");
    expect![[r#"
        user: Look
        user: <file name="CWD/a.txt">
        in the file

        </file>
        user: [/etc/passwd could not be read: `/etc/passwd` lies outside the directories of this session; add its directory to the session]
        user: [link: page <https://example.com/>]
        user: <file name="CWD/unsaved.rs">
        fn main() {}
        </file>
        user: <file name="note:1">
        hello
        </file>
        user: [image/png]
        user: [audio/wav]
    "#]].assert_eq(&told);
}

#[tokio::test]
async fn a_rejected_image_does_not_break_later_turns() {
    let refused = r#"{"say":[{"error":{"media":"Could not process image (status 400)"}}]}"#;
    let seen = r#"{"say":[{"text":"Seen."}]}"#;
    let stage = TestAgent::new(&[seen, refused, seen, seen].join(","));
    let prompt = |name: &str, text: &str, session: &str, end: &str| {
        format!(
            r#"
            -> session/prompt @{name} {{"sessionId":{session},"prompt":[
                {{"type":"text","text":"{text}"}},
                {{"type":"image","data":"AAAA","mimeType":"image/png"}}]}}
            <. session/update {{"sessionId":{session}, ...}} x*
            {end}
        "#
        )
    };
    let done = |name: &str| format!(r#"<= @{name} {{"stopReason":"end_turn", ...}}"#);
    let words = r#"
        -> session/prompt @c {"sessionId":$s,"prompt":[{"type":"text","text":"Then without"}]}
        <. session/update {"sessionId":$s, ...} x*
        <= @c {"stopReason":"end_turn", ...}
    "#;
    let failed = r#"<! @b {"code":-32603,"message":"Internal error: script does not accept the attachment: Could not process image (status 400); it is left out from now on", ...}"#;
    let script = [
        NEW,
        &prompt("a", "Good", "$s", &done("a")),
        &prompt("b", "Bad", "$s", failed),
        words,
    ]
    .concat();
    stage.play("{}", &script).await;
    let told = expect![[r#"
        user: Good
        user: [image/png]
        model: Seen.
        user: Bad
        user: [an attachment was removed because the model rejected it]
        user: Then without
    "#]];
    told.assert_eq(&stage.sent_to_model());
    let id = stage.only().await;
    let again = format!(
        r#"
        -> session/resume {{"sessionId":"{id}","cwd":"CWD"}}
        <= {{...}}
        <. session/update {{...}}
        -> session/prompt @d {{"sessionId":"{id}","prompt":[{{"type":"text","text":"Later"}}]}}
        <. session/update {{"sessionId":"{id}", ...}} x*
        <= @d {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &again).await;
    let told = stage.sent_to_model();
    assert!(
        told.contains("[an attachment was removed because the model rejected it]"),
        "{told}"
    );
    assert_eq!(told.matches("[image/png]").count(), 1, "{told}");
}
