//! Tests of writing: the relay forwards everything, even if the file is full or blocked.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;

use super::super::{
    Loss, Record, RecordContent, RecordedLine, RecordedStream, RecordingReader, RecordingWriter,
    Secrets, copy_lines, relay,
};
use super::poll;

/// A file in memory that can be full or blocked.
#[derive(Clone, Default)]
struct Disk(Arc<Inner>);

#[derive(Default)]
struct Inner {
    text: Mutex<Vec<u8>>,
    room: Mutex<Room>,
    changed: Condvar,
    tried: AtomicUsize,
    refused: AtomicUsize,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Room {
    #[default]
    Free,
    Full,
    Blocked,
}

impl Disk {
    fn set(&self, room: Room) {
        *self.0.room.lock().unwrap() = room;
        self.0.changed.notify_all();
    }

    /// Waits until the writing thread has tried this many writes.
    fn wait_for_tries(&self, count: usize) {
        poll(|| self.0.tried.load(Ordering::SeqCst) >= count);
    }

    fn records(&self) -> (Vec<Record>, u64) {
        let text = self.0.text.lock().unwrap().clone();
        let mut records = RecordingReader::new(&text[..]);
        let found = records.by_ref().map(Result::unwrap).collect();
        (found, records.invalid())
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.tried.fetch_add(1, Ordering::SeqCst);
        let room = self.0.room.lock().unwrap();
        let room = self
            .0
            .changed
            .wait_while(room, |room| *room == Room::Blocked);
        match *room.unwrap() {
            Room::Full => {
                self.0.refused.fetch_add(1, Ordering::SeqCst);
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => {
                self.0.text.lock().unwrap().extend_from_slice(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn recording(disk: &Disk, limit: usize) -> RecordingWriter {
    RecordingWriter::start(disk.clone(), "test", Secrets::Kept, limit)
}

/// Sends pieces through a relay. Returns the bytes that arrived and the bytes that were recorded.
fn pass(pieces: Vec<Vec<u8>>) -> (Vec<u8>, Vec<u8>) {
    let disk = Disk::default();
    let recording = recording(&disk, 64 << 20);
    let (read, mut near) = io::pipe().unwrap();
    let (mut far, write) = io::pipe().unwrap();
    let theirs = recording.clone();
    let passing = thread::spawn(move || relay(read, write, RecordedStream::Client, &theirs));
    let sending = thread::spawn(move || {
        let mut send = |piece: Vec<u8>| near.write_all(&piece);
        pieces.into_iter().try_for_each(&mut send)
    });
    let mut arrived = Vec::new();
    far.read_to_end(&mut arrived).unwrap();
    sending.join().unwrap().unwrap();
    passing.join().unwrap().unwrap();
    recording.finish("over", PATIENCE).unwrap();
    let text = disk.0.text.lock().unwrap().clone();
    let mut recorded = Vec::new();
    copy_lines(
        &mut RecordingReader::new(&text[..]),
        RecordedStream::Client,
        |line| {
            recorded.extend_from_slice(line);
            Ok(())
        },
    )
    .unwrap();
    (arrived, recorded)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Partial lines, invalid UTF-8 and any line breaks arrive and are recorded.
    #[test]
    fn the_relay_forwards_every_byte(pieces in proptest::collection::vec(
        proptest::collection::vec(prop_oneof![3 => any::<u8>(), 1 => Just(b'\n'), 1 => Just(b'\r')], 0..200), 0..20)) {
        let sent = pieces.concat();
        let (arrived, recorded) = pass(pieces);
        prop_assert_eq!(&arrived, &sent);
        prop_assert_eq!(&recorded, &sent);
    }
}

#[test]
fn a_line_of_20_megabytes_is_forwarded_and_truncated_in_the_recording() {
    let mut line = vec![b'x'; 20 << 20];
    line.push(b'\n');
    let (arrived, recorded) = pass(vec![line.clone()]);
    assert!(arrived == line);
    assert!(recorded.len() < 100_000, "{}", recorded.len());
}

#[test]
fn a_blocked_file_does_not_delay_the_relay_and_the_loss_is_reported() {
    let disk = Disk::default();
    disk.set(Room::Blocked);
    let recording = recording(&disk, 10_000);
    recording.record_bytes(RecordedStream::Agent, Bytes::from_static(b"first\npart"));
    disk.wait_for_tries(1);
    let piece = Bytes::from(vec![b'\n'; 1_000]);
    // More than the queue accepts. A call that waited would never return, because the disk is unblocked only later.
    for _ in 0..100 {
        recording.record_bytes(RecordedStream::Agent, piece.clone());
    }
    assert!(recording.finish("over", Duration::ZERO).is_err());
    disk.set(Room::Free);
    let told = recording.finish("over", PATIENCE).unwrap_err();
    assert!(told.contains("too slow"), "{told}");
    let (records, broken) = disk.records();
    assert_eq!(broken, 0);
    let said = records
        .iter()
        .filter(|record| matches!(record.content, RecordContent::Line(..)));
    let lost: Vec<Loss> = records
        .iter()
        .filter_map(|record| match record.content {
            RecordContent::Lost(Some(RecordedStream::Agent), loss) => Some(loss),
            _ => None,
        })
        .collect();
    let total: u64 = lost.iter().map(|loss| loss.lines).sum();
    assert_eq!(
        said.count() as u64 + total,
        100_001,
        "each line is recorded or counted"
    );
}

#[test]
fn after_a_loss_the_next_line_is_written() {
    let disk = Disk::default();
    disk.set(Room::Blocked);
    let recording = recording(&disk, 200);
    recording.record_line(RecordedStream::Agent, &[b'a'; 100]);
    recording.record_line(RecordedStream::Agent, &[b'b'; 100]);
    disk.set(Room::Free);
    poll(|| {
        recording.record_line(RecordedStream::Agent, b"after");
        let (records, _) = disk.records();
        let lost = |record: &Record| matches!(record.content, RecordContent::Lost(Some(_), _));
        records.iter().any(lost) && records.iter().any(|it| it.content == said("after"))
    });
}

fn said(line: &str) -> RecordContent {
    RecordContent::Line(RecordedStream::Agent, RecordedLine::whole(line))
}

#[test]
fn a_full_disk_is_reported_and_writing_continues() {
    let disk = Disk::default();
    let recording = recording(&disk, 1 << 20);
    recording.record_line(RecordedStream::Client, b"before");
    disk.wait_for_tries(1);
    disk.set(Room::Full);
    recording.record_line(RecordedStream::Client, b"lost");
    poll(|| disk.0.refused.load(Ordering::SeqCst) > 0);
    disk.set(Room::Free);
    recording.record_line(RecordedStream::Client, b"after");
    let told = recording.finish("over", PATIENCE).unwrap_err();
    assert!(!told.is_empty());
    let (records, _) = disk.records();
    let has_loss = records
        .iter()
        .any(|record| matches!(record.content, RecordContent::Lost(None, _)));
    let has_end = records
        .iter()
        .any(|record| matches!(record.content, RecordContent::End(_)));
    assert!(has_loss && has_end, "{records:?}");
}

#[test]
fn recordings_are_redacted_by_default() {
    for (secrets, shows) in [(Secrets::Redacted, false), (Secrets::Kept, true)] {
        let disk = Disk::default();
        let recording = RecordingWriter::start(disk.clone(), "test", secrets, 1 << 20);
        recording.record_line(RecordedStream::Client, br#"{"apiKey":"hunter2"}"#);
        recording.record_bytes(
            RecordedStream::Errors,
            Bytes::from_static(b"PASSWORD=hunter2\n"),
        );
        recording.finish("over", PATIENCE).unwrap();
        let text = String::from_utf8(disk.0.text.lock().unwrap().clone()).unwrap();
        assert_eq!(text.contains("hunter2"), shows, "{text}");
    }
}

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_secret_next_to_invalid_utf8_is_redacted() {
    let disk = Disk::default();
    let recording = RecordingWriter::start(disk.clone(), "test", Secrets::Redacted, 1 << 20);
    let line = Bytes::from_static(b"\xff PASSWORD=hunter2\n\xff nothing\n");
    recording.record_bytes(RecordedStream::Errors, line);
    recording.finish("over", PATIENCE).unwrap();
    let said: Vec<(Vec<u8>, u64)> = disk
        .records()
        .0
        .into_iter()
        .filter_map(|record| match record.content {
            RecordContent::Line(_, said) => Some((said.bytes, said.hidden)),
            _ => None,
        })
        .collect();
    let shown = "\u{fffd} PASSWORD=[redacted]".as_bytes().to_vec();
    assert_eq!(said, [(shown, 1), (b"\xff nothing".to_vec(), 0)]);
}
