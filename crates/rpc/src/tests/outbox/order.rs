//! For any sequence of pushes and pops: a session keeps its order, urgent messages go first, and no message is lost or
//! duplicated.

use bytestring::ByteString;
use proptest::prelude::*;

use super::{messages, unbounded};
use crate::{Chunk, Framing, Outbox, SendOptions, SessionKey, Urgency};

#[derive(Debug, Clone)]
enum Step {
    Push {
        session: u8,
        urgency: Urgency,
        form: Form,
        padding: usize,
    },
    Take,
    Written(prop::sample::Index),
}

/// How a message is handed over.
#[derive(Debug, Clone, Copy)]
enum Form {
    Encoded,
    Line,
    WindowsLine,
    LineWithoutEnd,
    SpreadOut,
}

fn any_step() -> impl Strategy<Value = Step> {
    let urgency = prop_oneof![4 => Just(Urgency::Ordinary), 1 => Just(Urgency::Urgent)];
    let form = prop::sample::select(vec![
        Form::Encoded,
        Form::Encoded,
        Form::Line,
        Form::WindowsLine,
        Form::LineWithoutEnd,
        Form::SpreadOut,
    ]);
    let padding = prop_oneof![8 => 0..100usize, 1 => 20_000..70_000usize];
    let push =
        (0..4u8, urgency, form, padding).prop_map(|(session, urgency, form, padding)| Step::Push {
            session,
            urgency,
            form,
            padding,
        });
    prop_oneof![
        6 => push,
        1 => Just(Step::Take),
        1 => any::<prop::sample::Index>().prop_map(Step::Written),
    ]
}

/// A message that was pushed, and how many had been taken then.
struct PushedMessage {
    session: u8,
    urgency: Urgency,
    taken: usize,
}

struct Run {
    outbox: Outbox,
    framing: Framing,
    pushed: Vec<PushedMessage>,
    /// The numbers of the messages in the order in which they were taken.
    taken: Vec<usize>,
    unwritten: Vec<Chunk>,
}

impl Run {
    fn step(&mut self, step: &Step) {
        match *step {
            Step::Push {
                session,
                urgency,
                form,
                padding,
            } => {
                let options = SendOptions {
                    session: SessionKey::named(&session.to_string()),
                    urgency,
                };
                self.push(options, form, padding);
                let taken = self.taken.len();
                self.pushed.push(PushedMessage {
                    session,
                    urgency,
                    taken,
                });
            }
            Step::Take => self.take(),
            Step::Written(which) => {
                if !self.unwritten.is_empty() {
                    let chunk = self
                        .unwritten
                        .swap_remove(which.index(self.unwritten.len()));
                    let before = self.outbox.unwritten();
                    let length = chunk.as_ref().len();
                    self.outbox.mark_written(chunk);
                    assert_eq!(self.outbox.unwritten(), before - length);
                }
            }
        }
    }

    fn push(&mut self, options: SendOptions, form: Form, padding: usize) {
        let number = self.pushed.len();
        let text = format!("{{\"n\":{number},\"x\":\"{}\"}}", "x".repeat(padding));
        let (sent, line) = match form {
            Form::Encoded => (text.len() + 1, None),
            Form::Line => (text.len() + 1, Some(format!("{text}\n"))),
            Form::WindowsLine => (text.len() + 2, Some(format!("{text}\r\n"))),
            Form::LineWithoutEnd => (text.len() + 1, Some(text.clone())),
            Form::SpreadOut => (text.len() + 1, Some(text.replace(':', ":\n ") + "\n")),
        };
        let before = self.outbox.unwritten();
        let pushed = match line {
            Some(line) => self.outbox.push_line(options, ByteString::from(line)),
            None => self.outbox.push(options, |out| out.push_str(&text)),
        };
        assert_eq!(pushed, Ok(()));
        if self.framing == Framing::Lines {
            assert_eq!(self.outbox.unwritten(), before + sent, "{form:?}");
        }
    }

    fn take(&mut self) {
        let Some(chunk) = self.outbox.pop() else {
            assert!(self.outbox.is_empty());
            return;
        };
        // A chunk is made of whole messages, so that each can be written at once.
        for message in messages(chunk.as_ref()) {
            let value: serde_json::Value = serde_json::from_str(&message).expect("JSON");
            let number = value["n"].as_u64().expect("a number");
            self.taken.push(usize::try_from(number).expect("small"));
        }
        self.unwritten.push(chunk);
    }

    fn finish(mut self) -> Result<(), TestCaseError> {
        while !self.outbox.is_empty() {
            self.take();
        }
        let bytes: usize = self
            .unwritten
            .iter()
            .map(|chunk| chunk.as_ref().len())
            .sum();
        prop_assert_eq!(self.outbox.unwritten(), bytes);
        for chunk in self.unwritten.drain(..) {
            self.outbox.mark_written(chunk);
        }
        prop_assert_eq!(self.outbox.unwritten(), 0);
        let mut place = vec![None; self.pushed.len()];
        for (index, &number) in self.taken.iter().enumerate() {
            prop_assert_eq!(place[number].replace(index), None, "doubled");
        }
        let place: Option<Vec<usize>> = place.into_iter().collect();
        let place = place.ok_or_else(|| TestCaseError::fail("lost"))?;
        self.check_order(&place)
    }

    fn check_order(&self, place: &[usize]) -> Result<(), TestCaseError> {
        for (number, message) in self.pushed.iter().enumerate() {
            for (other, before) in self.pushed[..number].iter().enumerate() {
                if before.session == message.session {
                    prop_assert!(place[other] < place[number], "{other} and {number}");
                }
            }
            if message.urgency == Urgency::Ordinary {
                continue;
            }
            for (other, ordinary) in self.pushed.iter().enumerate() {
                let waited = other > number || place[other] >= message.taken;
                if waited && ordinary.session != message.session && !self.is_hurried(other) {
                    prop_assert!(place[number] < place[other], "{number} before {other}");
                }
            }
        }
        Ok(())
    }

    /// Whether a message is urgent, or has an urgent one behind it in its session.
    fn is_hurried(&self, number: usize) -> bool {
        let session = self.pushed[number].session;
        let mut behind = self.pushed[number..].iter();
        behind.any(|other| other.session == session && other.urgency == Urgency::Urgent)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_session_keeps_its_order_and_urgent_messages_go_first(
        headers in any::<bool>(),
        steps in prop::collection::vec(any_step(), 0..80),
    ) {
        let framing = if headers { Framing::Headers } else { Framing::Lines };
        let mut run = Run {
            outbox: unbounded(framing),
            framing,
            pushed: Vec::new(),
            taken: Vec::new(),
            unwritten: Vec::new(),
        };
        for step in &steps {
            run.step(step);
        }
        run.finish()?;
    }
}
