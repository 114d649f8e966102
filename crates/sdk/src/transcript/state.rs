//! The current state of a session.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use attache_schema::json::Raw;
use attache_schema::v1;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct State {
    pub(super) plan: Option<v1::Plan>,
    pub(super) plans: Plans,
    pub(super) commands: Option<v1::AvailableCommandsUpdate>,
    pub(super) mode: Option<v1::CurrentModeUpdate>,
    pub(super) config: Option<v1::ConfigOptionUpdate>,
    pub(super) title: Option<String>,
    pub(super) updated_at: Option<String>,
    pub(super) usage: Option<v1::UsageUpdate>,
    /// Entry of the compaction that was updated last.
    pub(super) compaction: Option<usize>,
}

/// The plans in the order in which they first arrived.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Plans {
    list: Vec<v1::PlanUpdateContent>,
    dropped: usize,
}

/// A plan of an unknown type without an id.
pub(super) struct PlanWithoutId(pub(super) v1::PlanUpdate);

impl Plans {
    pub(super) fn as_slice(&self) -> &[v1::PlanUpdateContent] {
        &self.list
    }

    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// Adds a plan or replaces the one with the same id.
    pub(super) fn put(&mut self, update: v1::PlanUpdate) -> Result<(), PlanWithoutId> {
        let Some(id) = id(&update.plan) else {
            return Err(PlanWithoutId(update));
        };
        if let Some(place) = self.place(&id) {
            self.list[place] = update.plan;
            return Ok(());
        }
        if self.list.len() == MAX_PLANS {
            self.list.remove(0);
            self.dropped += 1;
        }
        self.list.push(update.plan);
        Ok(())
    }

    /// Removes a plan and returns whether it existed.
    pub(super) fn remove(&mut self, id: &v1::PlanId) -> bool {
        match self.place(id) {
            Some(place) => {
                self.list.remove(place);
                true
            }
            None => false,
        }
    }

    fn place(&self, wanted: &v1::PlanId) -> Option<usize> {
        let mut plans = self.list.iter();
        plans.position(|plan| id(plan).is_some_and(|id| id == *wanted))
    }
}

fn id(plan: &v1::PlanUpdateContent) -> Option<v1::PlanId> {
    match plan {
        v1::PlanUpdateContent::Items(plan) => Some(plan.plan_id.clone()),
        v1::PlanUpdateContent::File(plan) => Some(plan.plan_id.clone()),
        v1::PlanUpdateContent::Markdown(plan) => Some(plan.plan_id.clone()),
        v1::PlanUpdateContent::Other(raw) => raw.string_member("planId").map(v1::PlanId::from),
        _ => Raw::of(plan).string_member("planId").map(v1::PlanId::from),
    }
}

/// Maximum number of plans with an id; agents have one or two.
pub(super) const MAX_PLANS: usize = 64;
