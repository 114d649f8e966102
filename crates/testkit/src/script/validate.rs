//! Validates a script before it is played: every response has a request, and every name has a value.

use std::collections::{HashMap, HashSet};

use super::{Block, LineContent, Repetition, Script, ScriptError, ScriptLine, Step};
use crate::Side;
use crate::pattern::Pattern;

/// Fails at the first response without an open request.
pub(super) fn responses(script: &Script) -> Result<(), ScriptError> {
    let mut open = OpenRequests::default();
    for block in &script.blocks {
        match block {
            Block::Step(step) => open.step(step)?,
            Block::Repeat(times, steps) => open.repeat(*times, steps)?,
        }
    }
    Ok(())
}

#[derive(Default, Clone)]
struct OpenRequests(HashMap<(Side, Option<String>), i64>);

impl OpenRequests {
    fn step(&mut self, step: &Step) -> Result<(), ScriptError> {
        step.lines().try_for_each(|line| self.line(line))
    }

    fn repeat(&mut self, times: usize, steps: &[Step]) -> Result<(), ScriptError> {
        let before = self.clone();
        for step in steps {
            self.step(step)?;
        }
        let again = i64::try_from(times).unwrap_or(i64::MAX) - 1;
        for (key, count) in &mut self.0 {
            let once = *count - before.0.get(key).copied().unwrap_or(0);
            *count = count.saturating_add(once.saturating_mul(again));
            if *count < 0
                && let Some(line) = steps.iter().flat_map(Step::lines).next()
            {
                return Err(line
                    .location
                    .wrong("as many requests as responses in the block"));
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &ScriptLine) -> Result<(), ScriptError> {
        let times = match line.times {
            Repetition::Exactly(times) => i64::try_from(times).unwrap_or(i64::MAX),
            Repetition::Any => 1,
        };
        match &line.content {
            LineContent::Request { label, .. } => {
                *self.0.entry((line.from, label.clone())).or_default() += times;
            }
            LineContent::Response(request, _) | LineContent::Failure(request, _) => {
                if let super::RequestRef::Id(_) = request {
                    return Ok(());
                }
                let label = request.label().map(str::to_owned);
                let open = self.0.entry((line.from.other(), label)).or_default();
                *open -= times;
                if *open < 0 {
                    return Err(line.location.wrong(NO_REQUEST));
                }
            }
            LineContent::Notification { .. } | LineContent::Raw(_) | LineContent::Close => {}
        }
        Ok(())
    }
}

/// Fails at the first hole for which the side has no value to send.
pub(super) fn playable(script: &Script, side: Side) -> Result<(), ScriptError> {
    let mut known = HashSet::new();
    let mut labels = HashSet::new();
    for line in script.all_lines() {
        if let LineContent::Request {
            label: Some(label), ..
        } = &line.content
        {
            labels.insert(label.as_str());
        }
        let mut missing = None;
        for pattern in line.patterns() {
            pattern.visit(&mut |hole| {
                let lacks = match hole {
                    Pattern::Hole(name, default) => {
                        let sent = line.from == side && default.is_none();
                        let bound = name.as_ref().is_some_and(|name| known.contains(name));
                        known.extend(name.clone());
                        (sent && !bound).then(|| {
                            let name = name.as_deref();
                            let hole = name.map_or("_".to_owned(), |name| format!("${name}"));
                            format!("a value for `{hole}`, since the {side} is to send it")
                        })
                    }
                    Pattern::IdOf(label) => {
                        let known = labels.contains(label.as_str());
                        (!known).then(|| format!("a request labelled `@{label}` before this line"))
                    }
                    _ => None,
                };
                missing = missing.take().or(lacks);
            });
        }
        if let Some(expected) = missing {
            return Err(line.location.wrong(&expected));
        }
    }
    Ok(())
}

const NO_REQUEST: &str = "an open request for this response; a response without a label belongs to the oldest request without one";
