//! Where a request stands: what was parse_prompt for, what was done since, and what comes next. It is computed anew each time
//! from the conversation alone.

use serde_json::Value;

use super::instruction::Instruction;
use super::plan::entries;
use super::words::requests;
use super::{report, speech, texts};
use crate::{Input, Message, Request, ToolResult, ToolSpec};

/// What was parse_prompt for, and what came of it so far.
pub(super) struct RequestProgress<'r> {
    parse_prompt: ParsedPrompt,
    results: Vec<&'r ToolResult>,
}

enum ParsedPrompt {
    Steps(Vec<PlannedStep>),
    /// Nothing is to be done; these are the words for it.
    Reply(String),
}

/// What is said, and what is called then.
pub(super) struct NextOutput {
    pub(super) words: String,
    pub(super) step: Option<(&'static str, Value)>,
}

/// One call.
enum PlannedStep {
    Do(Instruction),
    /// Part of a plan: what to set it to if this fails.
    DoOfPlan(Instruction, Value),
    Plan(Value),
    /// Words at the end of a plan.
    Say(String),
}

impl<'r> RequestProgress<'r> {
    pub(super) fn of(request: &'r Request) -> RequestProgress<'r> {
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
        RequestProgress {
            parse_prompt: parse_prompt(text),
            results: results.collect(),
        }
    }

    pub(super) fn next(&self, tools: &[ToolSpec]) -> NextOutput {
        let steps = match &self.parse_prompt {
            ParsedPrompt::Reply(words) => return NextOutput::words(words.clone()),
            ParsedPrompt::Steps(steps) => steps,
        };
        let Some(done) = self.results.len().checked_sub(1) else {
            return self.step(steps, 0, String::new(), tools);
        };
        if let Some(failed) = self.results.iter().position(|result| result.failed) {
            return self.failed(steps, failed);
        }
        let words = match steps.get(done) {
            Some(PlannedStep::Do(order) | PlannedStep::DoOfPlan(order, _)) => {
                format!("{}\n", report::of(order, self.results[done]))
            }
            Some(PlannedStep::Plan(_) | PlannedStep::Say(_)) | None => String::new(),
        };
        self.step(steps, done + 1, words, tools)
    }

    fn step(
        &self,
        steps: &[PlannedStep],
        at: usize,
        mut words: String,
        tools: &[ToolSpec],
    ) -> NextOutput {
        let (name, input) = match steps.get(at) {
            None => return NextOutput::words(words),
            Some(PlannedStep::Say(more)) => {
                words.push_str(more);
                return NextOutput::words(words);
            }
            Some(PlannedStep::Plan(entries)) => ("plan", entries.clone()),
            Some(PlannedStep::Do(order) | PlannedStep::DoOfPlan(order, _)) => match order.call() {
                Some(call) => call,
                None => return NextOutput::words(words),
            },
        };
        if !tools.iter().any(|tool| tool.name == name) {
            words.push_str(&speech::not_offered(name));
            return NextOutput::words(words);
        }
        NextOutput {
            words,
            step: Some((name, input)),
        }
    }

    /// After a failure nothing else is tried. In a plan, what failed is open again.
    fn failed(&self, steps: &[PlannedStep], failed: usize) -> NextOutput {
        let is_told = self.results.len() > failed + 1;
        let left = steps
            .iter()
            .skip(failed + 1)
            .filter(|step| matches!(step, PlannedStep::Do(_) | PlannedStep::DoOfPlan(..)));
        match steps.get(failed) {
            Some(PlannedStep::DoOfPlan(_, entries)) if !is_told => NextOutput {
                words: report::failure(self.results[failed], left.count()),
                step: Some(("plan", entries.clone())),
            },
            Some(PlannedStep::DoOfPlan(..)) => NextOutput::words(String::new()),
            _ => NextOutput::words(report::failure(self.results[failed], left.count())),
        }
    }
}

impl NextOutput {
    fn words(words: String) -> NextOutput {
        NextOutput { words, step: None }
    }
}

/// The first words that are not a quotation of something else.
fn prompt(inputs: &[Input]) -> &str {
    let mut texts =
        texts(inputs).filter(|text| !text.trim().is_empty() && !text.trim_start().starts_with('<'));
    texts.next().unwrap_or_default()
}

/// All or nothing: what is not understood in one place is not begun in another.
fn parse_prompt(text: &str) -> ParsedPrompt {
    let requests = requests(text);
    let orders: Option<Vec<Instruction>> = requests
        .iter()
        .map(|request| Instruction::read(request))
        .collect();
    match orders.as_deref() {
        None => {
            let odd = requests
                .iter()
                .find(|request| Instruction::read(request).is_none());
            ParsedPrompt::Reply(speech::not_understood(odd.copied(), requests.len()))
        }
        Some([]) => ParsedPrompt::Reply(speech::not_understood(None, 0)),
        Some([Instruction::Greeting]) => ParsedPrompt::Reply(speech::greeting()),
        Some(orders) => match orders.iter().flat_map(steps).collect::<Vec<PlannedStep>>() {
            steps if steps.is_empty() => ParsedPrompt::Reply(speech::help()),
            steps => ParsedPrompt::Steps(steps),
        },
    }
}

fn steps(order: &Instruction) -> Vec<PlannedStep> {
    match order {
        Instruction::Plan { items } => plan(items),
        Instruction::Help | Instruction::Greeting => Vec::new(),
        order => vec![PlannedStep::Do(order.clone())],
    }
}

/// Items that are requests are carried out, one after the other; the plan says how far it got.
fn plan(items: &[String]) -> Vec<PlannedStep> {
    let orders: Vec<(usize, Instruction)> = items
        .iter()
        .enumerate()
        .filter_map(|(place, item)| Some((place, Instruction::read(item)?)))
        .filter(|(_, order)| order.call().is_some())
        .collect();
    let places: Vec<usize> = orders.iter().map(|(place, _)| *place).collect();
    let mut steps = vec![PlannedStep::Plan(entries(
        items,
        &[],
        places.first().copied(),
    ))];
    for (count, (_, order)) in orders.into_iter().enumerate() {
        let (done, left) = places.split_at(count + 1);
        steps.push(PlannedStep::DoOfPlan(
            order,
            entries(items, &places[..count], None),
        ));
        steps.push(PlannedStep::Plan(entries(
            items,
            done,
            left.first().copied(),
        )));
    }
    steps.push(PlannedStep::Say(speech::planned(items.len(), places.len())));
    steps
}
