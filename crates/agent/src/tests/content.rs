//! What a person attaches to a prompt.

use expect_test::expect;

use super::NEW;
use super::stage::Stage;

#[tokio::test]
async fn what_is_attached_to_a_command_goes_with_it() {
    let stage = Stage::new(r#"{"say":[{"text":"Seen."}]}"#);
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
    let told = stage.told();
    assert!(told.starts_with("user: Review it."), "{told}");
    assert!(told.contains("in the file"), "{told}");
}

#[tokio::test]
async fn links_are_read_and_resources_quoted() {
    let stage = Stage::new(r#"{"say":[{"text":"Seen."}]}"#);
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
        .told()
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
