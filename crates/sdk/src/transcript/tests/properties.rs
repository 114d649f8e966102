//! Properties of every session.

use std::collections::HashMap;

use attache_schema::{json, v1};
use proptest::prelude::*;

use super::render::render;
use super::sample::{Event, events, updates};
use crate::transcript::{Change, Entry, MessageKind, Transcript};

type Texts = HashMap<(MessageKind, v1::MessageId), String>;

fn take(transcript: &mut Transcript, event: Event) -> Change {
    match event {
        Event::Update(update) => transcript.apply(*update),
        Event::Begin(prompt) => transcript.begin_turn(vec![prompt.into()]),
        Event::End(reason) => transcript.end_turn(v1::StopReason::from(reason)),
    }
}

/// The text that was sent under each id.
fn sent(updates: &[v1::SessionUpdate]) -> Texts {
    let mut texts = Texts::new();
    for update in updates {
        let (kind, chunk) = match update {
            v1::SessionUpdate::UserMessageChunk(chunk) => (MessageKind::User, chunk),
            v1::SessionUpdate::AgentMessageChunk(chunk) => (MessageKind::Agent, chunk),
            v1::SessionUpdate::AgentThoughtChunk(chunk) => (MessageKind::Thought, chunk),
            _ => continue,
        };
        let Some(id) = chunk.message_id.clone() else {
            continue;
        };
        let text = texts.entry((kind, id)).or_default();
        if let v1::ContentBlock::Text(content) = &chunk.content {
            text.push_str(&content.text);
        }
    }
    texts
}

fn kept(transcript: &Transcript) -> Texts {
    let messages = transcript.entries().filter_map(Entry::message);
    let named = messages.filter_map(|message| {
        let id = message.id.clone()?;
        Some(((message.kind, id), message.text().into_owned()))
    });
    named.collect()
}

/// The bytes of all text in messages, counted by other means than the transcript's own.
fn text_bytes(transcript: &Transcript) -> usize {
    let messages = transcript.entries().filter_map(Entry::message);
    messages.map(|message| message.text().len()).sum()
}

/// Whether the bytes that the change reports as new are the end of the block that it reports as grown.
fn is_tail(transcript: &Transcript, change: &Change) -> bool {
    let Change::Appended { entry, block, text } = change else {
        return true;
    };
    let message = transcript.entry(*entry).and_then(Entry::message);
    message.is_none_or(|message| match &message.content.as_slice()[*block..] {
        [v1::ContentBlock::Text(content)] => content.text.len() == text.end,
        others => others.len() == 1 && text.is_empty(),
    })
}

proptest! {
    #[test]
    fn chunks_with_one_id_are_one_text(updates in updates()) {
        let mut transcript = Transcript::new();
        let sent = sent(&updates);
        for update in updates {
            transcript.apply(update);
        }
        prop_assert_eq!(kept(&transcript), sent);
    }

    #[test]
    fn the_limit_is_kept_and_drops_are_counted(events in events(), limit in 0_usize..6000) {
        let mut transcript = Transcript::with_limit(limit);
        for event in events {
            let before = transcript.entries().len() + transcript.dropped().entries;
            let change = take(&mut transcript, event);
            prop_assert!(transcript.bytes() <= limit);
            prop_assert!(text_bytes(&transcript) <= transcript.bytes());
            prop_assert!(is_tail(&transcript, &change), "{change:?}");
            let after = transcript.entries().len() + transcript.dropped().entries;
            let added = usize::from(matches!(change, Change::Added(_)));
            prop_assert_eq!(after, before + added);
        }
        render(&transcript);
        let mut numbers = transcript.entries().map(Entry::index);
        let first = transcript.dropped().entries;
        prop_assert!(numbers.by_ref().enumerate().all(|(place, number)| number == first + place));
    }

    #[test]
    fn a_change_names_all_that_changed(events in events()) {
        let mut transcript = Transcript::new();
        for event in events {
            let before = transcript.revision();
            let is_end = matches!(event, Event::End(_));
            let change = take(&mut transcript, event);
            let changed: Vec<usize> = transcript.changed_since(before).map(Entry::index).collect();
            if !is_end {
                prop_assert_eq!(changed, Vec::from_iter(change.entry()));
            }
        }
    }

    #[test]
    fn json_in_between_changes_nothing(updates in updates()) {
        let mut direct = Transcript::new();
        let mut over_the_wire = Transcript::new();
        for update in updates {
            let text = json::to_string(&update);
            let read = json::from_str(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(direct.apply(update), over_the_wire.apply(read));
        }
        prop_assert_eq!(direct, over_the_wire);
    }
}
