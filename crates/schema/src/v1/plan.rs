//! Plans: the agent's list of steps. Each update replaces the whole plan.

ids! {
    /// Id of a plan, unique within its session.
    ///
    /// Unstable: may change or be removed. See [Plan operations](https://agentclientprotocol.com/rfds/plan-operations).
    PlanId
}

message! {
    /// The agent's plan. The agent MUST send all entries each time, and the client MUST replace the whole plan.
    ///
    /// See [Agent plan](https://agentclientprotocol.com/protocol/v1/agent-plan).
    pub struct Plan {
        /// The steps, in order. Items that cannot be read are skipped.
        entries: Vec<PlanEntry> = "entries" items,
    }
}

message! {
    /// A step of a plan.
    ///
    /// See [Agent plan](https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries).
    pub struct PlanEntry {
        /// Description of the step for the user.
        content: String = "content",
        /// Importance of the step.
        priority: PlanEntryPriority = "priority",
        /// Progress of the step.
        status: PlanEntryStatus = "status",
    }
}

open_enum! {
    /// Importance of a step of a plan.
    ///
    /// See [Agent plan](https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries).
    pub enum PlanEntryPriority {
        /// Critical to the goal.
        High = "high",
        /// Important.
        Medium = "medium",
        /// Nice to have.
        Low = "low",
    }
}

open_enum! {
    /// Progress of a step of a plan.
    ///
    /// See [Agent plan](https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries).
    pub enum PlanEntryStatus {
        /// Not started.
        Pending = "pending",
        /// Being worked on.
        InProgress = "in_progress",
        /// Finished.
        Completed = "completed",
    }
}

message! {
    /// A plan with an id. It replaces the previous plan with that id. The agent MUST NOT send it unless the client
    /// advertises `plan`.
    ///
    /// Unstable: may change or be removed. See [Plan operations](https://agentclientprotocol.com/rfds/plan-operations).
    pub struct PlanUpdate {
        /// The plan.
        plan: PlanUpdateContent = "plan",
    }
}

union! {
    /// A plan with an id, in one of three forms.
    ///
    /// Unstable: may change or be removed. See [Plan operations](https://agentclientprotocol.com/rfds/plan-operations).
    pub enum PlanUpdateContent by "type" {
        /// A list of steps.
        Items(PlanItems) = "items",
        /// A file that contains the plan.
        File(PlanFile) = "file",
        /// A plan in Markdown.
        Markdown(PlanMarkdown) = "markdown",
    }
}

message! {
    /// A plan as a list of steps.
    ///
    /// Unstable: may change or be removed. See [Plan operations](https://agentclientprotocol.com/rfds/plan-operations).
    pub struct PlanItems {
        /// Id of the plan.
        plan_id: PlanId = "planId",
        /// All steps, in order. Items that cannot be read are skipped.
        entries: Vec<PlanEntry> = "entries" items,
    }
}

message! {
    /// A plan in a file.
    ///
    /// Unstable: may change or be removed. See [Plan operations](https://agentclientprotocol.com/rfds/plan-operations).
    pub struct PlanFile {
        /// Id of the plan.
        plan_id: PlanId = "planId",
        /// URI of the file.
        uri: String = "uri",
    }
}

message! {
    /// A plan in Markdown.
    ///
    /// Unstable: may change or be removed. See [Plan operations](https://agentclientprotocol.com/rfds/plan-operations).
    pub struct PlanMarkdown {
        /// Id of the plan.
        plan_id: PlanId = "planId",
        /// The plan in Markdown.
        content: String = "content",
    }
}

message! {
    /// A plan no longer exists. The agent MUST NOT send it unless the client advertises `plan`.
    ///
    /// Unstable: may change or be removed. See [Plan operations](https://agentclientprotocol.com/rfds/plan-operations).
    pub struct PlanRemoved {
        /// Id of the plan.
        plan_id: PlanId = "planId",
    }
}
