//! Two peers joined by queues of bytes, of which as much is delivered as the test says.

use bytes::BytesMut;

use crate::json::Raw;
use crate::{
    CallId, Endpoint, Event, Frame, Framing, Id, InboundMessage, Limits, Malformed, NonJsonLines,
    SendOptions,
};
use crate::{SessionKey, Splitter};

/// A peer, and the bytes that it has been sent.
pub(super) struct TestEndpoint {
    pub(super) endpoint: Endpoint,
    splitter: Splitter,
    buffer: BytesMut,
    events: Vec<Event>,
}

impl TestEndpoint {
    pub(super) fn new(limits: Limits, framing: Framing, non_json_lines: NonJsonLines) -> Self {
        let endpoint = Endpoint::new(limits, framing, non_json_lines);
        TestEndpoint {
            splitter: Splitter::new(endpoint.limits().frame),
            endpoint,
            buffer: BytesMut::new(),
            events: Vec::new(),
        }
    }

    /// Bytes arrive.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        while let Some(frame) = self
            .splitter
            .next(&mut self.buffer)
            .expect("a whole stream")
        {
            let event = match frame {
                Frame::Message(line) => {
                    let message = InboundMessage::read(line, self.endpoint.limits());
                    self.endpoint.receive(message)
                }
                Frame::TooLong(head) => {
                    let malformed = Malformed::too_long(&head, self.endpoint.limits());
                    self.endpoint.receive_too_long(malformed)
                }
            };
            self.events.extend(event);
        }
    }

    /// The stream ends.
    pub(super) fn close(&mut self) {
        if let Some(last) = self.splitter.end(&mut self.buffer).expect("lines") {
            let message = InboundMessage::read(last, self.endpoint.limits());
            self.events.extend(self.endpoint.receive_last(message));
        }
    }

    /// What has happened since the last look.
    pub(super) fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The same in words.
    pub(super) fn event_lines(&mut self) -> Vec<String> {
        self.events().iter().map(shown).collect()
    }

    /// The bytes that are to be written, as if they were.
    pub(super) fn sent(&mut self) -> Vec<u8> {
        let mut sent = Vec::new();
        while let Some(chunk) = self.endpoint.outbox().pop() {
            sent.extend_from_slice(chunk.as_ref());
            self.endpoint.outbox().mark_written(chunk);
        }
        assert_eq!(self.endpoint.outbox().unwritten(), 0);
        sent
    }

    /// The lines that are to be written.
    pub(super) fn lines(&mut self) -> Vec<String> {
        let sent = String::from_utf8(self.sent()).expect("text");
        sent.lines().map(str::to_owned).collect()
    }

    pub(super) fn call(&mut self, method: &str, params: &str) -> CallId {
        let options = SendOptions::of(SessionKey::CONNECTION);
        self.endpoint
            .call(method, &raw(params), options)
            .expect("short")
    }

    pub(super) fn respond(&mut self, id: &Id, result: &str) -> bool {
        let options = SendOptions::of(SessionKey::CONNECTION);
        self.endpoint.respond(id, options, Ok(&raw(result)))
    }
}

impl Default for TestEndpoint {
    fn default() -> Self {
        TestEndpoint::new(Limits::default(), Framing::Lines, NonJsonLines::Reject)
    }
}

/// Which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// Two ends, and what is under way to each.
#[derive(Default)]
pub(super) struct Pair {
    pub(super) left: TestEndpoint,
    pub(super) right: TestEndpoint,
    to_left: Vec<u8>,
    to_right: Vec<u8>,
}

impl Pair {
    pub(super) fn new(limits: &Limits, framing: Framing) -> Self {
        let end = || TestEndpoint::new(limits.clone(), framing, NonJsonLines::Reject);
        Pair {
            left: end(),
            right: end(),
            ..Pair::default()
        }
    }

    pub(super) fn end(&mut self, side: Side) -> &mut TestEndpoint {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    /// Writes what an end has to write and delivers at most so many bytes to the other, which is told; how many they
    /// were.
    pub(super) fn deliver(&mut self, to: Side, most: usize) -> usize {
        let (from, under_way, end) = match to {
            Side::Left => (&mut self.right, &mut self.to_left, &mut self.left),
            Side::Right => (&mut self.left, &mut self.to_right, &mut self.right),
        };
        under_way.extend(from.sent());
        let some: Vec<u8> = under_way.drain(..most.min(under_way.len())).collect();
        end.feed(&some);
        some.len()
    }

    /// Delivers everything.
    pub(super) fn settle(&mut self) {
        while self.deliver(Side::Left, usize::MAX) + self.deliver(Side::Right, usize::MAX) > 0 {}
    }
}

pub(super) fn raw(json: &str) -> Raw {
    Raw::parse(json).expect(json)
}

/// An event in one line.
pub(super) fn shown(event: &Event) -> String {
    match event {
        Event::Request(id, call) => {
            let params = call.params().unwrap_or("-");
            format!("request {id} {} {params}", call.method())
        }
        Event::Notification(call) => {
            let params = call.params().unwrap_or("-");
            format!("notification {} {params}", call.method())
        }
        Event::Cancelled(id) => format!("cancelled {id}"),
        Event::Response(call, Ok(payload)) => {
            format!("answered {}: {}", call.0, payload.as_str())
        }
        Event::Response(call, Err(lost)) => format!("lost {}: {lost}", call.0),
        Event::Fatal(fatal) => format!("fatal: {fatal}"),
    }
}
