//! Two peers that talk at random, over a line that delivers at random.

use std::collections::HashMap;

use proptest::prelude::*;

use super::super::pair::{Pair, Side, raw};
use crate::{CallId, Event, Framing, Id, Limits, SendOptions, SessionKey, Urgency};

#[derive(Debug, Clone)]
enum Step {
    Call(Side, u8, Urgency),
    Notify(Side, u8, Urgency),
    Answer(Side, prop::sample::Index, Urgency),
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
            .prop_map(|(side, which, urgency)| Step::Answer(side, which, urgency)),
        (side(), index()).prop_map(|(side, which)| Step::Cancel(side, which)),
        (side(), 1..200usize).prop_map(|(side, bytes)| Step::Deliver(side, bytes)),
    ]
}

/// What one end knows.
#[derive(Default)]
struct Known {
    calls: Vec<CallId>,
    results: HashMap<CallId, String>,
    questions: Vec<(Id, String)>,
    /// The next number of each session, ours and the other end's.
    told: [u64; 3],
    heard: [u64; 3],
}

struct Talk {
    pair: Pair,
    known: [Known; 2],
}

fn options(session: u8, urgency: Urgency) -> SendOptions {
    let session = SessionKey::named(&session.to_string());
    SendOptions { session, urgency }
}

impl Talk {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Call(side, session, urgency) => {
                let known = &mut self.known[*side as usize];
                let params = raw(&format!("[{}]", known.calls.len()));
                let endpoint = &mut self.pair.end(*side).endpoint;
                let call = endpoint
                    .call("m", &params, options(*session, *urgency))
                    .expect("short");
                known.calls.push(call);
            }
            Step::Notify(side, session, urgency) => {
                let next = &mut self.known[*side as usize].told[usize::from(*session)];
                let params = raw(&format!("[{session},{next}]"));
                *next += 1;
                let endpoint = &mut self.pair.end(*side).endpoint;
                endpoint
                    .notify("n", &params, options(*session, *urgency))
                    .expect("short");
            }
            Step::Answer(side, which, urgency) => {
                let many = self.known[*side as usize].questions.len();
                if many > 0 {
                    self.answer(*side, which.index(many), *urgency);
                }
            }
            Step::Cancel(side, which) => {
                let calls = &self.known[*side as usize].calls;
                if !calls.is_empty() {
                    let call = calls[which.index(calls.len())];
                    self.pair.end(*side).endpoint.cancel(call);
                }
            }
            Step::Deliver(side, bytes) => {
                self.pair.deliver(*side, *bytes);
                self.see(*side);
            }
        }
    }

    fn answer(&mut self, side: Side, which: usize, urgency: Urgency) {
        let (id, params) = self.known[side as usize].questions.swap_remove(which);
        let endpoint = &mut self.pair.end(side).endpoint;
        assert!(endpoint.answer(&id, options(0, urgency), Ok(&raw(&params))));
    }

    fn see(&mut self, side: Side) {
        let known = &mut self.known[side as usize];
        for event in self.pair.end(side).events() {
            match event {
                Event::Request(id, call) => {
                    let params = call.params().expect("params").to_owned();
                    known.questions.push((id, params));
                }
                Event::Notification(call) => {
                    let numbers: Vec<u64> =
                        crate::json::from_str(call.params().expect("params")).expect("numbers");
                    let session = usize::try_from(numbers[0]).expect("small");
                    assert_eq!(
                        numbers[1], known.heard[session],
                        "in order within the session"
                    );
                    known.heard[session] += 1;
                }
                Event::Cancelled(id) => {
                    let asked = known.questions.iter().any(|(question, _)| *question == id);
                    assert!(asked, "under way");
                }
                Event::Answered(call, Ok(payload)) => {
                    let before = known.results.insert(call, payload.as_str().to_owned());
                    assert_eq!(before, None, "once");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn finish(&mut self) {
        for side in [Side::Left, Side::Right, Side::Left, Side::Right] {
            self.step(&Step::Deliver(side, usize::MAX));
            while !self.known[side as usize].questions.is_empty() {
                self.answer(side, 0, Urgency::Ordinary);
            }
        }
        self.step(&Step::Deliver(Side::Left, usize::MAX));
        self.step(&Step::Deliver(Side::Right, usize::MAX));
        for (known, other) in [(0, 1), (1, 0)].map(|(a, b)| (&self.known[a], &self.known[b])) {
            for (index, call) in known.calls.iter().enumerate() {
                assert_eq!(
                    known.results.get(call),
                    Some(&format!("[{index}]")),
                    "its own answer"
                );
            }
            assert_eq!(known.told, other.heard, "nothing is lost");
        }
        for end in [&mut self.pair.left, &mut self.pair.right] {
            assert_eq!(end.endpoint.end(), []);
            assert_eq!(end.endpoint.open_requests(), 0);
            assert_eq!(
                (
                    end.endpoint.counts().malformed,
                    end.endpoint.counts().stray_answers
                ),
                (0, 0)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_call_gets_its_own_answer_and_every_stream_keeps_its_order(
        headers in any::<bool>(),
        steps in prop::collection::vec(any_step(), 0..120),
    ) {
        let framing = if headers { Framing::Headers } else { Framing::Lines };
        let pair = Pair::new(&Limits::default(), framing);
        let mut talk = Talk { pair, known: Default::default() };
        for step in &steps {
            talk.step(step);
        }
        talk.finish();
    }
}
