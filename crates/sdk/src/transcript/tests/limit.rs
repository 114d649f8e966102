//! Transcripts that exceed their limits.

use attache_schema::v1;
use expect_test::expect;

use super::render::render;
use super::script::{step, update};
use crate::transcript::{Change, Entry, Transcript};

const LIMIT: usize = 4096;

#[test]
fn the_oldest_entries_are_dropped_and_counted() {
    let mut transcript = Transcript::with_limit(LIMIT);
    for number in 0..100 {
        step(
            &mut transcript,
            &format!("agent#{number} {}", "x".repeat(200)),
        );
        assert!(transcript.bytes() <= LIMIT);
    }
    let kept = transcript.entries().len();
    let dropped = transcript.dropped();
    assert_eq!(dropped.entries + kept, 100);
    assert!(kept > 2 && dropped.bytes >= dropped.entries * 200);
    let first = transcript.entries().next().map(Entry::index);
    assert_eq!(first, Some(dropped.entries));
    assert_eq!(transcript.entry(dropped.entries - 1), None);
}

#[test]
fn an_update_of_a_dropped_tool_call_adds_it_again() {
    let mut transcript = Transcript::with_limit(LIMIT);
    step(
        &mut transcript,
        r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}"#,
    );
    step(&mut transcript, &format!("agent {}", "x".repeat(3500)));
    let late = r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}"#;
    assert_eq!(transcript.tool_call(&"c".into()), None);
    step(&mut transcript, "= end_turn");
    step(&mut transcript, late);
    expect![[r#"
        (2 dropped)
        2 end end_turn []
        3 call {"toolCallId":"c","title":"","status":"completed"}
    "#]]
    .assert_eq(&render(&transcript).replace(&"x".repeat(3500), "…"));
}

#[test]
fn a_message_over_the_limit_loses_its_beginning_at_a_character() {
    let mut transcript = Transcript::with_limit(LIMIT);
    step(&mut transcript, "user Hi");
    let mut cuts = 0;
    for _ in 0..10_000 {
        let change = step(&mut transcript, "agent äö");
        cuts += usize::from(change == Change::Changed(1));
        assert!(transcript.bytes() <= LIMIT);
    }
    let entry = transcript.entries().last().expect("the message");
    let message = entry.message().expect("a message");
    assert!(message.text().ends_with("äöäö"));
    assert!((LIMIT / 4..LIMIT).contains(&message.text().len()));
    assert_eq!(entry.dropped() + message.text().len(), 10_000 * "äö".len());
    let most = 10_000 * "äö".len() / (LIMIT / 4);
    assert!((1..most).contains(&cuts), "{cuts} cuts");
}

#[test]
fn a_message_of_images_over_the_limit_loses_the_first_ones() {
    let mut transcript = Transcript::with_limit(LIMIT);
    for number in 0..100 {
        let image = v1::ImageContent::new(number.to_string().repeat(200), "image/png");
        let chunk = v1::ContentChunk::new(v1::ContentBlock::Image(image));
        transcript.apply(v1::SessionUpdate::AgentMessageChunk(chunk));
    }
    assert_eq!(transcript.dropped().entries, 0);
    let message = transcript.last_message().expect("the message");
    let images = message.content.as_slice().iter().map(|block| match block {
        v1::ContentBlock::Image(image) => image.data[..2].parse().unwrap(),
        other => panic!("{other:?}"),
    });
    let images: Vec<usize> = images.collect();
    assert!((2..LIMIT / 400).contains(&images.len()), "{images:?}");
    assert_eq!(images, Vec::from_iter(100 - images.len()..100));
}

#[test]
fn a_tool_call_over_the_limit_loses_its_content_only() {
    let mut transcript = Transcript::with_limit(LIMIT);
    step(&mut transcript, "user Hi");
    let mut call = v1::ToolCallUpdate::new("c");
    call.title = Some("Read".into());
    call.content = Some(vec![v1::ContentBlock::from("x".repeat(LIMIT)).into()]);
    transcript.apply(call.into());
    expect![[r#"
        0 user "Hi"
        1 call {"toolCallId":"c","title":"Read"} (cut)
    "#]]
    .assert_eq(&render(&transcript));
    assert!(transcript.dropped().bytes >= LIMIT);
}

#[test]
fn a_tiny_limit_keeps_nothing() {
    let mut transcript = Transcript::with_limit(0);
    for line in ["> Hi", "agent a", "agent b", "= cancelled"] {
        step(&mut transcript, line);
    }
    assert_eq!((transcript.bytes(), transcript.entries().len()), (0, 0));
    assert_eq!(transcript.dropped().entries, 4);
}

#[test]
fn a_million_chunks_are_one_message() {
    let mut transcript = Transcript::new();
    let piece = update("agent#m word");
    for _ in 0..1_000_000 {
        transcript.apply(piece.clone());
    }
    let message = transcript.last_message().expect("the message");
    assert_eq!(message.text().len(), 4_000_000);
    assert_eq!(transcript.entries().len(), 1);
}
