//! Two endpoints that exchange random messages over a connection that delivers random amounts of bytes.

use std::collections::HashMap;

use proptest::prelude::*;

use super::super::pair::{Pair, Side, raw};
use crate::{CallId, Event, Framing, Id, Limits, SendOptions, SessionKey, Urgency};

#[derive(Debug, Clone)]
enum Step {
    Call(Side, u8, Urgency),
    Notify(Side, u8, Urgency),
    Respond(Side, prop::sample::Index, Urgency),
    Cancel(Side, prop::sample::Index),
    Deliver(Side, usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    let side = || prop_oneof![Just(Side::Left), Just(Side::Right)];
    let urgency = || prop_oneof![3 => Just(Urgency::Ordinary), 1 => Just(Urgency::Urgent)];
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (side(), 0..3u8, urgency())
            .prop_map(|(side, session, urgency)| Step::Call(side, session, urgency)),
        (side(), 0..3u8, urgency())
            .prop_map(|(side, session, urgency)| Step::Notify(side, session, urgency)),
        (side(), index(), urgency())
            .prop_map(|(side, which, urgency)| Step::Respond(side, which, urgency)),
        (side(), index()).prop_map(|(side, which)| Step::Cancel(side, which)),
        (side(), 1..200usize).prop_map(|(side, bytes)| Step::Deliver(side, bytes)),
    ]
}

/// The expected state of one end.
#[derive(Default)]
struct SideRecord {
    calls: Vec<CallId>,
    results: HashMap<CallId, String>,
    requests: Vec<(Id, String)>,
    /// The next number in each session, in both directions.
    sent: [u64; 3],
    received: [u64; 3],
}

struct RandomTraffic {
    pair: Pair,
    records: [SideRecord; 2],
}

fn options(session: u8, urgency: Urgency) -> SendOptions {
    let session = SessionKey::named(&session.to_string());
    SendOptions { session, urgency }
}

impl RandomTraffic {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Call(side, session, urgency) => {
                let record = &mut self.records[*side as usize];
                let params = raw(&format!("[{}]", record.calls.len()));
                let endpoint = &mut self.pair.end(*side).endpoint;
                let call = endpoint
                    .call("m", &params, options(*session, *urgency))
                    .expect("short");
                record.calls.push(call);
            }
            Step::Notify(side, session, urgency) => {
                let next = &mut self.records[*side as usize].sent[usize::from(*session)];
                let params = raw(&format!("[{session},{next}]"));
                *next += 1;
                let endpoint = &mut self.pair.end(*side).endpoint;
                endpoint
                    .notify("n", &params, options(*session, *urgency))
                    .expect("short");
            }
            Step::Respond(side, which, urgency) => {
                let many = self.records[*side as usize].requests.len();
                if many > 0 {
                    self.respond(*side, which.index(many), *urgency);
                }
            }
            Step::Cancel(side, which) => {
                let calls = &self.records[*side as usize].calls;
                if !calls.is_empty() {
                    let call = calls[which.index(calls.len())];
                    self.pair.end(*side).endpoint.cancel(call);
                }
            }
            Step::Deliver(side, bytes) => {
                self.pair.deliver(*side, *bytes);
                self.receive_events(*side);
            }
        }
    }

    fn respond(&mut self, side: Side, which: usize, urgency: Urgency) {
        let (id, params) = self.records[side as usize].requests.swap_remove(which);
        let endpoint = &mut self.pair.end(side).endpoint;
        assert!(endpoint.respond(&id, options(0, urgency), Ok(&raw(&params))));
    }

    fn receive_events(&mut self, side: Side) {
        let record = &mut self.records[side as usize];
        for event in self.pair.end(side).events() {
            match event {
                Event::Request(id, call) => {
                    let params = call.params().expect("params").to_owned();
                    record.requests.push((id, params));
                }
                Event::Notification(call) => {
                    let numbers: Vec<u64> =
                        crate::json::from_str(call.params().expect("params")).expect("numbers");
                    let session = usize::try_from(numbers[0]).expect("small");
                    assert_eq!(
                        numbers[1], record.received[session],
                        "in order within the session"
                    );
                    record.received[session] += 1;
                }
                Event::Cancelled(id) => {
                    let is_open = record.requests.iter().any(|(request, _)| *request == id);
                    assert!(is_open, "under way");
                }
                Event::Response(call, Ok(payload)) => {
                    let before = record.results.insert(call, payload.as_str().to_owned());
                    assert_eq!(before, None, "once");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn finish(&mut self) {
        for side in [Side::Left, Side::Right, Side::Left, Side::Right] {
            self.step(&Step::Deliver(side, usize::MAX));
            while !self.records[side as usize].requests.is_empty() {
                self.respond(side, 0, Urgency::Ordinary);
            }
        }
        self.step(&Step::Deliver(Side::Left, usize::MAX));
        self.step(&Step::Deliver(Side::Right, usize::MAX));
        for (record, other) in [(0, 1), (1, 0)].map(|(a, b)| (&self.records[a], &self.records[b])) {
            for (index, call) in record.calls.iter().enumerate() {
                assert_eq!(
                    record.results.get(call),
                    Some(&format!("[{index}]")),
                    "its own answer"
                );
            }
            assert_eq!(record.sent, other.received, "nothing is lost");
        }
        for end in [&mut self.pair.left, &mut self.pair.right] {
            assert_eq!(end.endpoint.end(), []);
            assert_eq!(end.endpoint.open_requests(), 0);
            assert_eq!(
                (
                    end.endpoint.counts().malformed,
                    end.endpoint.counts().stray_responses
                ),
                (0, 0)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_call_gets_its_own_response_and_every_session_keeps_its_order(
        headers in any::<bool>(),
        steps in prop::collection::vec(any_step(), 0..120),
    ) {
        let framing = if headers { Framing::Headers } else { Framing::Lines };
        let pair = Pair::new(&Limits::default(), framing);
        let mut traffic = RandomTraffic { pair, records: Default::default() };
        for step in &steps {
            traffic.step(step);
        }
        traffic.finish();
    }
}
