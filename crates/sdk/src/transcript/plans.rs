//! Plans with an id (unstable).

use attache_schema::v1;

/// The plans, in the order in which they first came.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Plans {
    list: Vec<v1::PlanUpdateContent>,
    dropped: usize,
}

/// A plan in a form that this version does not know and in which no id can be found.
pub(super) struct PlanWithoutId(pub(super) v1::PlanUpdate);

impl Plans {
    pub(super) fn as_slice(&self) -> &[v1::PlanUpdateContent] {
        &self.list
    }

    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// Puts a plan in the place of the one with its id.
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

    /// Whether there was such a plan.
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
    }
}

/// How many plans with an id are kept; agents have one or two.
pub(super) const MAX_PLANS: usize = 64;
