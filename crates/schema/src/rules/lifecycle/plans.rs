//! Checks that plan updates are complete.

use std::collections::HashMap;

use crate::rules::{Findings, Level, MessagePath, Violation};
use crate::v1::{
    PlanEntry, PlanEntryPriority, PlanEntryStatus, PlanId, PlanUpdateContent, SessionUpdate,
};

/// Checks that the plan updates of a session have all entries, for the plan without an id and those with one.
///
/// An agent may shorten a plan, so a missing step alone proves nothing. A plan that lacks unfinished steps, has no
/// unchanged one and adds none looks partial.
#[derive(Debug, Clone, Default)]
pub struct Plans(HashMap<PlanKey, PlanSteps>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum PlanKey {
    Unnamed,
    Id(PlanId),
}

type PlanSteps = HashMap<String, (PlanEntryPriority, PlanEntryStatus)>;

impl Plans {
    /// Checks the next update of the session.
    pub fn apply(&mut self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let at = MessagePath::params("session/update");
        let at = at.member("update");
        match update {
            SessionUpdate::Plan(plan) => {
                self.replace(
                    PlanKey::Unnamed,
                    &plan.entries,
                    &at.member("entries"),
                    &mut found,
                );
            }
            SessionUpdate::PlanUpdate(update) => match &update.plan {
                PlanUpdateContent::Items(plan) => {
                    let at = at.member("plan");
                    let name = PlanKey::Id(plan.plan_id.clone());
                    self.replace(name, &plan.entries, &at.member("entries"), &mut found);
                }
                PlanUpdateContent::File(plan) => self.forget(&plan.plan_id),
                PlanUpdateContent::Markdown(plan) => self.forget(&plan.plan_id),
                PlanUpdateContent::Other(_) => {}
            },
            SessionUpdate::PlanRemoved(plan) => self.forget(&plan.plan_id),
            SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_)
            | SessionUpdate::ToolCall(_)
            | SessionUpdate::ToolCallUpdate(_)
            | SessionUpdate::AvailableCommandsUpdate(_)
            | SessionUpdate::CurrentModeUpdate(_)
            | SessionUpdate::ConfigOptionUpdate(_)
            | SessionUpdate::SessionInfoUpdate(_)
            | SessionUpdate::UsageUpdate(_)
            | SessionUpdate::Notice(_)
            | SessionUpdate::CompactionUpdate(_)
            | SessionUpdate::CompactionSummaryChunk(_)
            | SessionUpdate::SubagentUpdate(_)
            | SessionUpdate::SessionMessage(_)
            | SessionUpdate::SessionMessageChunk(_)
            | SessionUpdate::Other(_) => {}
        }
        found.into_list()
    }

    fn replace(
        &mut self,
        name: PlanKey,
        entries: &[PlanEntry],
        at: &MessagePath<'_>,
        found: &mut Findings,
    ) {
        let after = steps(entries);
        let before = self.0.insert(name, after.clone()).unwrap_or_default();
        if !after.is_empty() && has_lost(&before, &after) && is_all_changes(&before, &after) {
            let message = "looks like the changed steps only; send the whole plan";
            found.hint(rule!("128"), Level::Should, at, message);
        }
    }

    fn forget(&mut self, id: &PlanId) {
        self.0.remove(&PlanKey::Id(id.clone()));
    }
}

fn steps(entries: &[PlanEntry]) -> PlanSteps {
    let step = |entry: &PlanEntry| {
        let state = (entry.priority.clone(), entry.status.clone());
        (entry.content.clone(), state)
    };
    entries.iter().map(step).collect()
}

fn has_lost(before: &PlanSteps, after: &PlanSteps) -> bool {
    before.iter().any(|(content, (_, status))| {
        *status != PlanEntryStatus::Completed && !after.contains_key(content)
    })
}

fn is_all_changes(before: &PlanSteps, after: &PlanSteps) -> bool {
    after
        .iter()
        .all(|(content, state)| before.get(content).is_some_and(|old| old != state))
}
