//! The progress of the user's request: its steps, their results, and the next step. It is computed from the
//! conversation for each answer, so the model has no state.

use serde_json::{Value, json};

use super::instruction::Instruction;
use super::words::{requests, without_list_mark};
use super::{replies, report, texts};
use crate::{Input, Message, Request, ToolResult, ToolSpec};

/// The requests of the user, and the results so far.
pub(super) struct RequestProgress<'r> {
    prompt: ParsedPrompt,
    results: Vec<&'r ToolResult>,
}

enum ParsedPrompt {
    Steps(Vec<PlannedStep>),
    /// Nothing to do; reply with this text.
    Reply(String),
}

/// The next answer: text, then a call.
pub(super) struct NextOutput {
    pub(super) text: String,
    pub(super) call: Option<(&'static str, Value)>,
}

/// A step of the work.
enum PlannedStep {
    Call(Instruction),
    /// An item of a plan, with the plan to show if it fails.
    PlanItem(Instruction, Value),
    ShowPlan(Value),
    /// Text at the end of a plan.
    Text(String),
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
            prompt: parse_prompt(text),
            results: results.collect(),
        }
    }

    pub(super) fn next(&self, tools: &[ToolSpec]) -> NextOutput {
        let steps = match &self.prompt {
            ParsedPrompt::Reply(words) => return NextOutput::text(words.clone()),
            ParsedPrompt::Steps(steps) => steps,
        };
        let Some(done) = self.results.len().checked_sub(1) else {
            return self.step(steps, 0, String::new(), tools);
        };
        if let Some(failed) = self.results.iter().position(|result| result.failed) {
            return self.after_failure(steps, failed);
        }
        let words = match steps.get(done) {
            Some(PlannedStep::Call(instruction) | PlannedStep::PlanItem(instruction, _)) => {
                format!("{}\n", report::success(instruction, self.results[done]))
            }
            Some(PlannedStep::ShowPlan(_) | PlannedStep::Text(_)) | None => String::new(),
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
            None => return NextOutput::text(words),
            Some(PlannedStep::Text(more)) => {
                words.push_str(more);
                return NextOutput::text(words);
            }
            Some(PlannedStep::ShowPlan(entries)) => ("plan", entries.clone()),
            Some(PlannedStep::Call(instruction) | PlannedStep::PlanItem(instruction, _)) => {
                match instruction.call() {
                    Some(call) => call,
                    None => return NextOutput::text(words),
                }
            }
        };
        if !tools.iter().any(|tool| tool.name == name) {
            words.push_str(&replies::not_offered(name));
            return NextOutput::text(words);
        }
        NextOutput {
            text: words,
            call: Some((name, input)),
        }
    }

    /// Stops after a failure. The failed item of a plan is open again.
    fn after_failure(&self, steps: &[PlannedStep], failed: usize) -> NextOutput {
        let is_reported = self.results.len() > failed + 1;
        let left = steps
            .iter()
            .skip(failed + 1)
            .filter(|step| matches!(step, PlannedStep::Call(_) | PlannedStep::PlanItem(..)));
        match steps.get(failed) {
            Some(PlannedStep::PlanItem(_, entries)) if !is_reported => NextOutput {
                text: report::failure(self.results[failed], left.count()),
                call: Some(("plan", entries.clone())),
            },
            Some(PlannedStep::PlanItem(..)) => NextOutput::text(String::new()),
            _ => NextOutput::text(report::failure(self.results[failed], left.count())),
        }
    }
}

impl NextOutput {
    fn text(words: String) -> NextOutput {
        NextOutput {
            text: words,
            call: None,
        }
    }
}

/// The first text that is not embedded context.
fn prompt(inputs: &[Input]) -> &str {
    let mut texts =
        texts(inputs).filter(|text| !text.trim().is_empty() && !text.trim_start().starts_with('<'));
    texts.next().unwrap_or_default()
}

/// Parses a prompt. If any part is not understood, nothing is done.
fn parse_prompt(text: &str) -> ParsedPrompt {
    let requests = requests(text);
    let instructions: Option<Vec<Instruction>> = requests
        .iter()
        .map(|request| Instruction::read(request))
        .collect();
    match instructions.as_deref() {
        None => {
            let odd = requests
                .iter()
                .find(|request| Instruction::read(request).is_none());
            ParsedPrompt::Reply(replies::not_understood(odd.copied(), requests.len()))
        }
        Some([]) => ParsedPrompt::Reply(replies::not_understood(None, 0)),
        Some([Instruction::Greeting]) => ParsedPrompt::Reply(replies::greeting()),
        Some(instructions) => match instructions
            .iter()
            .flat_map(steps)
            .collect::<Vec<PlannedStep>>()
        {
            steps if steps.is_empty() => ParsedPrompt::Reply(replies::help()),
            steps => ParsedPrompt::Steps(steps),
        },
    }
}

fn steps(instruction: &Instruction) -> Vec<PlannedStep> {
    match instruction {
        Instruction::Plan { items } => plan(items),
        Instruction::Help | Instruction::Greeting => Vec::new(),
        instruction => vec![PlannedStep::Call(instruction.clone())],
    }
}

/// Carries out the items that are instructions, one after the other, and updates the plan after each.
fn plan(items: &[String]) -> Vec<PlannedStep> {
    let instructions: Vec<(usize, Instruction)> = items
        .iter()
        .enumerate()
        .filter_map(|(place, item)| Some((place, Instruction::read(item)?)))
        .filter(|(_, instruction)| instruction.call().is_some())
        .collect();
    let places: Vec<usize> = instructions.iter().map(|(place, _)| *place).collect();
    let mut steps = vec![PlannedStep::ShowPlan(entries(
        items,
        &[],
        places.first().copied(),
    ))];
    for (count, (_, instruction)) in instructions.into_iter().enumerate() {
        let (done, left) = places.split_at(count + 1);
        steps.push(PlannedStep::PlanItem(
            instruction,
            entries(items, &places[..count], None),
        ));
        steps.push(PlannedStep::ShowPlan(entries(
            items,
            done,
            left.first().copied(),
        )));
    }
    steps.push(PlannedStep::Text(replies::planned(
        items.len(),
        places.len(),
    )));
    steps
}

/// The items of a plan: one per line, or separated by semicolons on one line.
pub(super) fn items(text: &str) -> Vec<String> {
    let separators: &[char] = match text.trim().contains('\n') {
        true => &['\n'],
        false => &[';'],
    };
    let items = text
        .split(separators)
        .map(without_list_mark)
        .filter(|item| !item.is_empty());
    items.take(MAX_ITEMS).map(str::to_owned).collect()
}

/// The input of the tool `plan`: which items are done, and which one is in progress.
fn entries(items: &[String], done: &[usize], current: Option<usize>) -> Value {
    let entries = items.iter().enumerate().map(|(place, item)| {
        let status = match place {
            _ if done.contains(&place) => "completed",
            _ if current == Some(place) => "in_progress",
            _ => "pending",
        };
        json!({ "content": item, "status": status, "priority": "medium" })
    });
    json!({ "entries": entries.collect::<Vec<_>>() })
}

const MAX_ITEMS: usize = 100;
