//! Cancellation and completion in every order: each call ends once, with its own response.

use super::super::pair::{Pair, Side};
use crate::{CallId, Event, Id};

/// A possible next step.
#[derive(Debug, Clone, Copy)]
enum Step {
    Call,
    Cancel(usize),
    Respond(usize),
    /// One message to an end, if there is one.
    Deliver(Side),
}

const STEPS: &[Step] = &[
    Step::Call,
    Step::Cancel(0),
    Step::Cancel(1),
    Step::Respond(0),
    Step::Respond(1),
    Step::Deliver(Side::Left),
    Step::Deliver(Side::Right),
];

#[derive(Default)]
struct Run {
    pair: Pair,
    calls: Vec<CallId>,
    requests: Vec<Id>,
    answered: Vec<Id>,
    cancelled_ids: Vec<Id>,
    ended: Vec<(CallId, String)>,
}

impl Run {
    fn step(&mut self, step: Step) {
        match step {
            Step::Call if self.calls.len() < 2 => {
                let params = format!("[{}]", self.calls.len());
                self.calls.push(self.pair.left.call("m", &params));
            }
            Step::Cancel(index) => {
                if let Some(&call) = self.calls.get(index) {
                    self.pair.left.endpoint.cancel(call);
                }
            }
            Step::Respond(index) => {
                if let Some(id) = self.requests.get(index).cloned() {
                    self.respond(&id);
                }
            }
            Step::Deliver(side) => self.deliver(side),
            Step::Call => {}
        }
    }

    fn respond(&mut self, id: &Id) {
        let first = !self.answered.contains(id);
        let cancelled = self.cancelled_ids.contains(id);
        assert_eq!(
            self.pair.right.endpoint.is_cancelled(id),
            cancelled || !first
        );
        let sent = self
            .pair
            .right
            .respond(id, &format!("{{\"of\":{id},\"cancelled\":{cancelled}}}"));
        assert_eq!(sent, first, "answered once");
        self.answered.push(id.clone());
    }

    /// Bytes one by one until an end has seen something, or nothing is left.
    fn deliver(&mut self, side: Side) {
        while self.pair.deliver(side, 1) > 0 {
            let events = self.pair.end(side).events();
            if !events.is_empty() {
                events
                    .into_iter()
                    .for_each(|event| self.receive_event(event));
                return;
            }
        }
    }

    fn receive_event(&mut self, event: Event) {
        match event {
            Event::Request(id, call) => {
                assert_eq!(call.params(), Some(&*format!("[{}]", self.requests.len())));
                self.requests.push(id);
            }
            Event::Cancelled(id) => {
                assert!(self.requests.contains(&id), "never before its request");
                assert!(!self.answered.contains(&id), "never after its answer");
                self.cancelled_ids.push(id);
            }
            Event::Response(call, Ok(payload)) => {
                assert!(self.ended.iter().all(|(ended, _)| *ended != call), "once");
                self.ended.push((call, payload.as_str().to_owned()));
            }
            other => panic!("{other:?}"),
        }
    }

    /// Delivers everything until nothing is left to do.
    fn finish(&mut self) {
        self.drain();
        for id in self.requests.clone() {
            if !self.answered.contains(&id) {
                self.respond(&id);
            }
        }
        self.drain();
        assert_eq!(self.ended.len(), self.calls.len(), "every call has ended");
        for (call, result) in &self.ended {
            assert!(
                result.starts_with(&format!("{{\"of\":{},", call.0)),
                "{result}"
            );
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

    fn drain(&mut self) {
        loop {
            let before = (
                self.requests.len(),
                self.cancelled_ids.len(),
                self.ended.len(),
            );
            self.deliver(Side::Right);
            self.deliver(Side::Left);
            if before
                == (
                    self.requests.len(),
                    self.cancelled_ids.len(),
                    self.ended.len(),
                )
            {
                return;
            }
        }
    }
}

#[test]
fn every_call_ends_once_with_its_own_response_in_every_order_of_events() {
    let length = 5;
    let many = STEPS.len().pow(length);
    for number in 0..many {
        let mut run = Run::default();
        run.step(Step::Call);
        let mut rest = number;
        for _ in 0..length {
            run.step(STEPS[rest % STEPS.len()]);
            rest /= STEPS.len();
        }
        run.finish();
    }
}
