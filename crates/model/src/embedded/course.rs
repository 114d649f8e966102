//! Where a request stands: what was asked for, what was done since, and what comes next. It is computed anew each time
//! from the conversation alone.

use serde_json::Value;

use super::order::Order;
use super::plan::entries;
use super::words::requests;
use super::{report, speech, texts};
use crate::{Input, Message, Request, Tool, ToolResult};

/// What was asked for, and what came of it so far.
pub(super) struct Course<'r> {
    asked: Asked,
    results: Vec<&'r ToolResult>,
}

enum Asked {
    Steps(Vec<Step>),
    /// Nothing is to be done; these are the words for it.
    Words(String),
}

/// What is said, and what is called then.
pub(super) struct Next {
    pub(super) words: String,
    pub(super) step: Option<(&'static str, Value)>,
}

/// One call.
enum Step {
    Do(Order),
    /// Part of a plan: what to set it to if this fails.
    DoOfPlan(Order, Value),
    Plan(Value),
    /// Words at the end of a plan.
    Say(String),
}

impl<'r> Course<'r> {
    pub(super) fn of(request: &'r Request) -> Course<'r> {
        let messages = &request.messages;
        let last = messages
            .iter()
            .rposition(|message| matches!(**message, Message::User(_)));
        let text = last.map_or("", |last| match &*messages[last] {
            Message::User(inputs) => prompt(inputs),
            Message::Model(_) | Message::Tools(_) => "",
        });
        let since = &messages[last.map_or(0, |last| last + 1)..];
        let results = since.iter().flat_map(|message| match &**message {
            Message::Tools(results) => results.as_slice(),
            Message::User(_) | Message::Model(_) => &[],
        });
        Course {
            asked: asked(text),
            results: results.collect(),
        }
    }

    pub(super) fn next(&self, tools: &[Tool]) -> Next {
        let steps = match &self.asked {
            Asked::Words(words) => return Next::words(words.clone()),
            Asked::Steps(steps) => steps,
        };
        let Some(done) = self.results.len().checked_sub(1) else {
            return self.step(steps, 0, String::new(), tools);
        };
        if let Some(failed) = self.results.iter().position(|result| result.failed) {
            return self.failed(steps, failed);
        }
        let words = match steps.get(done) {
            Some(Step::Do(order) | Step::DoOfPlan(order, _)) => {
                format!("{}\n", report::of(order, self.results[done]))
            }
            Some(Step::Plan(_) | Step::Say(_)) | None => String::new(),
        };
        self.step(steps, done + 1, words, tools)
    }

    fn step(&self, steps: &[Step], at: usize, mut words: String, tools: &[Tool]) -> Next {
        let (name, input) = match steps.get(at) {
            None => return Next::words(words),
            Some(Step::Say(more)) => {
                words.push_str(more);
                return Next::words(words);
            }
            Some(Step::Plan(entries)) => ("plan", entries.clone()),
            Some(Step::Do(order) | Step::DoOfPlan(order, _)) => match order.call() {
                Some(call) => call,
                None => return Next::words(words),
            },
        };
        if !tools.iter().any(|tool| tool.name == name) {
            words.push_str(&speech::not_offered(name));
            return Next::words(words);
        }
        Next {
            words,
            step: Some((name, input)),
        }
    }

    /// After a failure nothing else is tried. In a plan, what failed is open again.
    fn failed(&self, steps: &[Step], failed: usize) -> Next {
        let is_told = self.results.len() > failed + 1;
        let left = steps
            .iter()
            .skip(failed + 1)
            .filter(|step| matches!(step, Step::Do(_) | Step::DoOfPlan(..)));
        match steps.get(failed) {
            Some(Step::DoOfPlan(_, entries)) if !is_told => Next {
                words: report::failure(self.results[failed], left.count()),
                step: Some(("plan", entries.clone())),
            },
            Some(Step::DoOfPlan(..)) => Next::words(String::new()),
            _ => Next::words(report::failure(self.results[failed], left.count())),
        }
    }
}

impl Next {
    fn words(words: String) -> Next {
        Next { words, step: None }
    }
}

/// The first words that are not a quotation of something else.
fn prompt(inputs: &[Input]) -> &str {
    let mut texts =
        texts(inputs).filter(|text| !text.trim().is_empty() && !text.trim_start().starts_with('<'));
    texts.next().unwrap_or_default()
}

/// All or nothing: what is not understood in one place is not begun in another.
fn asked(text: &str) -> Asked {
    let requests = requests(text);
    let orders: Option<Vec<Order>> = requests
        .iter()
        .map(|request| Order::read(request))
        .collect();
    match orders.as_deref() {
        None => {
            let odd = requests
                .iter()
                .find(|request| Order::read(request).is_none());
            Asked::Words(speech::not_understood(odd.copied(), requests.len()))
        }
        Some([]) => Asked::Words(speech::not_understood(None, 0)),
        Some([Order::Greeting]) => Asked::Words(speech::greeting()),
        Some(orders) => match orders.iter().flat_map(steps).collect::<Vec<Step>>() {
            steps if steps.is_empty() => Asked::Words(speech::help()),
            steps => Asked::Steps(steps),
        },
    }
}

fn steps(order: &Order) -> Vec<Step> {
    match order {
        Order::Plan { items } => plan(items),
        Order::Help | Order::Greeting => Vec::new(),
        order => vec![Step::Do(order.clone())],
    }
}

/// Items that are requests are carried out, one after the other; the plan says how far it got.
fn plan(items: &[String]) -> Vec<Step> {
    let orders: Vec<(usize, Order)> = items
        .iter()
        .enumerate()
        .filter_map(|(place, item)| Some((place, Order::read(item)?)))
        .filter(|(_, order)| order.call().is_some())
        .collect();
    let places: Vec<usize> = orders.iter().map(|(place, _)| *place).collect();
    let mut steps = vec![Step::Plan(entries(items, &[], places.first().copied()))];
    for (count, (_, order)) in orders.into_iter().enumerate() {
        let (done, left) = places.split_at(count + 1);
        steps.push(Step::DoOfPlan(
            order,
            entries(items, &places[..count], None),
        ));
        steps.push(Step::Plan(entries(items, done, left.first().copied())));
    }
    steps.push(Step::Say(speech::planned(items.len(), places.len())));
    steps
}
