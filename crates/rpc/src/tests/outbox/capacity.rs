//! The limits of the outbox, and its use of memory.

use bytestring::ByteString;

use super::{BULK, line, messages, unbounded, written};
use crate::{Framing, Outbox, SendOptions, SessionKey, TooLarge};

#[test]
fn there_is_room_below_the_limit_and_again_after_writing() {
    let mut outbox = Outbox::new(Framing::Lines, 100, 30);
    assert!(outbox.has_room() && outbox.is_empty());
    for bytes in [11, 22, 33, 44] {
        outbox
            .push(BULK, |out| out.push_str("[123,4567]"))
            .expect("short");
        assert_eq!(outbox.unwritten(), bytes);
        assert_eq!(outbox.has_room(), bytes < 30);
    }
    let chunk = outbox.pop().expect("four messages");
    assert!(outbox.is_empty() && outbox.pop().is_none());
    assert!(!outbox.has_room(), "taken is not written");
    outbox.mark_written(chunk);
    assert!(outbox.has_room());
    assert_eq!(outbox.unwritten(), 0);
}

#[test]
fn a_message_may_be_as_long_as_the_limit() {
    for framing in [Framing::Lines, Framing::Headers] {
        for urgent in [BULK, SendOptions::urgent(SessionKey::CONNECTION)] {
            let mut outbox = Outbox::new(framing, 10, 1000);
            let text = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
            let too_large = Err(TooLarge {
                size: 11,
                limit: 10,
            });
            outbox.push(BULK, |out| out.push('1')).expect("short");
            let before = outbox.unwritten();
            assert_eq!(
                outbox.push(urgent, |out| out.push_str(&text(11))),
                too_large
            );
            for end in ["", "\n", "\r\n"] {
                assert_eq!(outbox.push_line(urgent, line(&(text(11) + end))), too_large);
            }
            assert_eq!(outbox.unwritten(), before, "nothing was queued");
            for length in [9, 10] {
                assert_eq!(
                    outbox.push(urgent, |out| out.push_str(&text(length))),
                    Ok(())
                );
                for end in ["", "\n", "\r\n"] {
                    assert_eq!(
                        outbox.push_line(urgent, line(&(text(length) + end))),
                        Ok(())
                    );
                }
            }
            let sent = messages(&written(&mut outbox));
            assert_eq!(sent.len(), 9);
            assert_eq!((&*sent[0], sent[1].len(), sent[8].len()), ("1", 9, 10));
            assert_eq!(outbox.unwritten(), 0);
        }
    }
}

#[test]
fn many_messages_are_written_in_few_chunks() {
    let mut outbox = unbounded(Framing::Lines);
    for _ in 0..10_000 {
        outbox
            .push(BULK, |out| out.push_str("[123,4567]"))
            .expect("no limit");
    }
    let mut chunks = 0;
    while let Some(chunk) = outbox.pop() {
        assert!(chunk.as_ref().len() < (64 << 10) + 11);
        outbox.mark_written(chunk);
        chunks += 1;
    }
    assert_eq!(chunks, 2);
}

#[test]
fn a_long_message_makes_a_chunk_of_its_own_length() {
    let mut outbox = unbounded(Framing::Lines);
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    outbox.push(BULK, |out| out.push('1')).expect("no limit");
    outbox
        .push(BULK, |out| out.push_str(&long))
        .expect("no limit");
    outbox.push(BULK, |out| out.push('2')).expect("no limit");
    assert_eq!(messages(&written(&mut outbox)), ["1", &long, "2"]);
}

/// Lines that were read into one buffer. Each line keeps the whole buffer in memory, which the queue cannot see.
#[test]
fn lines_that_would_keep_too_much_memory_are_copied() {
    let mut outbox = Outbox::new(Framing::Lines, 1 << 20, 64 << 10);
    let apart: Vec<ByteString> = (0..4).map(|n| line(&format!("[{n}]\n"))).collect();
    for _ in 0..2 {
        let in_place = passed_on(&mut outbox, &apart);
        assert_eq!(in_place, [true, true, false, false]);
    }
    let piece = line(&"[1]\n".repeat(1000));
    let places = (0..1000).map(|n| 4 * n..4 * (n + 1));
    let together: Vec<ByteString> = places.map(|at| piece.slice_ref(&piece[at])).collect();
    let in_place = passed_on(&mut outbox, &together);
    assert_eq!(in_place, vec![true; 1000]);
}

/// Relays lines, and returns which of them were written without a copy.
fn passed_on(outbox: &mut Outbox, lines: &[ByteString]) -> Vec<bool> {
    for line in lines {
        outbox.push_line(BULK, line.clone()).expect("short");
    }
    let (mut places, mut bytes) = (Vec::new(), Vec::new());
    while let Some(chunk) = outbox.pop() {
        places.push(chunk.as_ref().as_ptr());
        bytes.extend_from_slice(chunk.as_ref());
        outbox.mark_written(chunk);
    }
    let all: Vec<u8> = lines.iter().flat_map(|line| line.bytes()).collect();
    assert_eq!(bytes, all);
    let in_place = lines.iter().map(|line| places.contains(&line.as_ptr()));
    in_place.collect()
}

#[test]
fn session_keys_depend_on_the_name_and_differ_from_the_connection() {
    assert_eq!(SessionKey::named("a"), SessionKey::named("a"));
    for name in ["", "0", "a", "b"] {
        assert_ne!(SessionKey::named(name), SessionKey::CONNECTION);
    }
    assert_ne!(SessionKey::named("a"), SessionKey::named("b"));
}
