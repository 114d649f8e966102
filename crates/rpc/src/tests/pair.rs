//! Two endpoints connected by queues of bytes. The test decides how many bytes are delivered.

use bytes::BytesMut;

use crate::json::Raw;
use crate::{
    CallId, Endpoint, Event, Frame, Framing, Id, InboundMessage, Limits, Malformed, NonJsonLines,
    SendOptions,
};
use crate::{SessionKey, Splitter};

/// An endpoint, and the bytes that it has received.
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

    /// Receives bytes.
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

    /// Ends the stream.
    pub(super) fn close(&mut self) {
        if let Some(last) = self.splitter.end(&mut self.buffer).expect("lines") {
            let message = InboundMessage::read(last, self.endpoint.limits());
            self.events.extend(self.endpoint.receive_last(message));
        }
    }

    /// The events since the last call.
    pub(super) fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The events since the last call, as text.
    pub(super) fn event_lines(&mut self) -> Vec<String> {
        self.events().iter().map(shown).collect()
    }

    /// Takes all bytes from the outbox, as if they were written.
    pub(super) fn sent(&mut self) -> Vec<u8> {
        let mut sent = Vec::new();
        while let Some(chunk) = self.endpoint.outbox().pop() {
            sent.extend_from_slice(chunk.as_ref());
            self.endpoint.outbox().mark_written(chunk);
        }
        assert_eq!(self.endpoint.outbox().unwritten(), 0);
        sent
    }

    /// Takes all lines from the outbox.
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

/// One of the two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// Two endpoints, and the bytes that are on the way to each.
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

    /// Writes the outbox of one end, and delivers at most this many bytes to the other end. Returns the number of bytes.
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
        Event::ForwardedResponse(id, outcome) => match outcome {
            Ok(result) => format!("forwarded response {id} {}", result.as_str()),
            Err(failure) => format!("forwarded response {id} failed: {failure}"),
        },
        Event::Fatal(fatal) => format!("fatal: {fatal}"),
    }
}
