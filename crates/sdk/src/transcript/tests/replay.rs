//! A loaded session has the same transcript as the original session.

use expect_test::expect;

use super::render::render;
use super::script::{lines, run};

const LIVE: &str = r#"
    > Hi
    thought hm
    agent Let me
    agent _look
    {"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","status":"pending"}
    {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}
    agent Done
    {"sessionUpdate":"session_info_update","title":"Greeting"}
    = end_turn
    > Bye
    agent Bye
    = end_turn
    "#;

/// The updates that an agent sends on `session/load`: prompts become user messages, and turns have no ends.
fn loaded() -> String {
    let replayed = lines(LIVE).filter(|line| !line.starts_with('='));
    let updates = replayed.map(|line| line.replace("> ", "user ") + "\n");
    updates.collect()
}

/// The transcript without entry numbers and turn ends. A prompt looks like any user message.
fn heard(script: &str) -> String {
    let text = render(&run(script));
    let items = text
        .lines()
        .map(|line| line.trim_start_matches(|c: char| c.is_ascii_digit()));
    let heard = items.filter(|line| !line.starts_with(" end "));
    heard
        .map(|line| line.replace(" prompt ", " user ") + "\n")
        .collect()
}

#[test]
fn a_replay_gives_the_same_transcript_as_the_session() {
    let replayed = heard(&loaded());
    expect![[r#"
         user "Hi"
         thought "hm"
         agent "Let me look"
         call {"toolCallId":"c","title":"Read","status":"completed"}
         agent "Done"
         user "Bye"
         agent "Bye"
        title Greeting
    "#]]
    .assert_eq(&replayed);
    assert_eq!(replayed, heard(LIVE));
}

#[test]
fn the_same_updates_give_the_same_transcript() {
    assert_eq!(run(LIVE), run(LIVE));
    assert_eq!(run(&loaded()), run(&loaded()));
}
