//! Plans: what the agent means to do. Each update carries the whole plan.

ids! {
    /// Names a plan within its session (unstable).
    PlanId
}

message! {
    /// The plan, complete; it replaces the one before.
    pub struct Plan {
        /// The steps, in order.
        entries: Vec<PlanEntry> = "entries" items,
    }
}

message! {
    /// A step of a plan.
    pub struct PlanEntry {
        /// What is to be done.
        content: String = "content",
        /// How much it matters.
        priority: PlanEntryPriority = "priority",
        /// How far it has come.
        status: PlanEntryStatus = "status",
    }
}

open_enum! {
    /// How much a step matters.
    pub enum PlanEntryPriority {
        /// Most.
        High = "high",
        /// Some.
        Medium = "medium",
        /// Least.
        Low = "low",
    }
}

open_enum! {
    /// How far a step has come.
    pub enum PlanEntryStatus {
        /// Not started.
        Pending = "pending",
        /// Begun.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}

message! {
    /// A plan with an id, complete; only for clients that show plans with ids (unstable).
    pub struct PlanUpdate {
        /// The plan.
        plan: PlanUpdateContent = "plan",
    }
}

union! {
    /// A plan in one of its forms (unstable).
    pub enum PlanUpdateContent by "type" {
        /// Steps.
        Items(PlanItems) = "items",
        /// A file.
        File(PlanFile) = "file",
        /// Markdown.
        Markdown(PlanMarkdown) = "markdown",
    }
}

message! {
    /// A plan as steps (unstable).
    pub struct PlanItems {
        /// Which plan.
        plan_id: PlanId = "planId",
        /// The steps, in order.
        entries: Vec<PlanEntry> = "entries" items,
    }
}

message! {
    /// A plan as a file (unstable).
    pub struct PlanFile {
        /// Which plan.
        plan_id: PlanId = "planId",
        /// Where the file is.
        uri: String = "uri",
    }
}

message! {
    /// A plan as Markdown (unstable).
    pub struct PlanMarkdown {
        /// Which plan.
        plan_id: PlanId = "planId",
        /// The text.
        content: String = "content",
    }
}

message! {
    /// A plan is gone (unstable).
    pub struct PlanRemoved {
        /// Which plan.
        plan_id: PlanId = "planId",
    }
}
