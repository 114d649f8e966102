//! What can be said of a script before it is played: every answer has its question, and every name its value.

use std::collections::{HashMap, HashSet};

use super::{Line, Saying, Scene, Script, ScriptError, Step, Times};
use crate::Side;
use crate::pattern::Pattern;

/// Fails at the first answer for which there is no open request.
pub(super) fn questions(script: &Script) -> Result<(), ScriptError> {
    let mut open = Open::default();
    for step in &script.steps {
        match step {
            Step::Scene(scene) => open.scene(scene)?,
            Step::Repeat(times, scenes) => open.repeat(*times, scenes)?,
        }
    }
    Ok(())
}

#[derive(Default, Clone)]
struct Open(HashMap<(Side, Option<String>), i64>);

impl Open {
    fn scene(&mut self, scene: &Scene) -> Result<(), ScriptError> {
        scene.lines().try_for_each(|line| self.line(line))
    }

    fn repeat(&mut self, times: usize, scenes: &[Scene]) -> Result<(), ScriptError> {
        let before = self.clone();
        for scene in scenes {
            self.scene(scene)?;
        }
        let again = i64::try_from(times).unwrap_or(i64::MAX) - 1;
        for (key, count) in &mut self.0 {
            let once = *count - before.0.get(key).copied().unwrap_or(0);
            *count = count.saturating_add(once.saturating_mul(again));
            if *count < 0
                && let Some(line) = scenes.iter().flat_map(Scene::lines).next()
            {
                return Err(line
                    .place
                    .wrong("as many requests as responses in the block"));
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &Line) -> Result<(), ScriptError> {
        let times = match line.times {
            Times::Exactly(times) => i64::try_from(times).unwrap_or(i64::MAX),
            Times::Any => 1,
        };
        match &line.saying {
            Saying::Request { label, .. } => {
                *self.0.entry((line.from, label.clone())).or_default() += times;
            }
            Saying::Answer(question, _) | Saying::Refusal(question, _) => {
                if let super::Question::Id(_) = question {
                    return Ok(());
                }
                let label = question.label().map(str::to_owned);
                let open = self.0.entry((line.from.other(), label)).or_default();
                *open -= times;
                if *open < 0 {
                    return Err(line.place.wrong(NO_QUESTION));
                }
            }
            Saying::Notification { .. } | Saying::Raw(_) | Saying::Close => {}
        }
        Ok(())
    }
}

/// Fails at the first hole that the side would have to fill and cannot.
pub(super) fn playable(script: &Script, side: Side) -> Result<(), ScriptError> {
    let mut known = HashSet::new();
    let mut labels = HashSet::new();
    for line in script.all_lines() {
        if let Saying::Request {
            label: Some(label), ..
        } = &line.saying
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
            return Err(line.place.wrong(&expected));
        }
    }
    Ok(())
}

const NO_QUESTION: &str = "an open request for this response; a response without a label belongs to the oldest request without one";
