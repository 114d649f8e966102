//! Converts the CLI's to-do lists to an ACP plan. `TodoWrite` writes the whole list, the `Task…` tools one task each.

use std::collections::BTreeMap;

use attache::v1;
use serde_json::Value;

/// The tasks of the plan.
#[derive(Debug, Clone, Default)]
pub struct TaskPlan {
    tasks: BTreeMap<u64, Task>,
}

#[derive(Debug, Clone)]
struct Task {
    subject: String,
    status: v1::PlanEntryStatus,
}

impl TaskPlan {
    /// The plan that a call sets before it runs: only `TodoWrite` does.
    pub fn plan_before(&self, name: &str, input: &Value) -> Option<v1::Plan> {
        if name != "TodoWrite" {
            return None;
        }
        let todos = input["todos"].as_array()?;
        let entries = todos.iter().map(|todo| {
            let text = todo["content"].as_str().unwrap_or_default();
            entry(text, status(&todo["status"]))
        });
        Some(v1::Plan::new(entries))
    }

    /// The plan after a call's result, if it changed.
    pub fn plan_after(&mut self, name: &str, input: &Value, result: &Value) -> Option<v1::Plan> {
        match name {
            "TaskCreate" => {
                let task = &result["task"];
                let subject = input["subject"].as_str().or(task["subject"].as_str())?;
                let task = Task {
                    subject: subject.to_owned(),
                    status: v1::PlanEntryStatus::Pending,
                };
                self.tasks.insert(number(&result["task"]["id"])?, task);
            }
            "TaskUpdate" => self.update(number(&input["taskId"])?, input)?,
            "TaskList" => self.replace(result["tasks"].as_array()?),
            _ => return None,
        }
        let entries = self.tasks.values();
        let entries = entries.map(|task| entry(&task.subject, task.status.clone()));
        Some(v1::Plan::new(entries))
    }

    fn update(&mut self, id: u64, input: &Value) -> Option<()> {
        if input["status"] == "deleted" {
            return self.tasks.remove(&id).map(drop);
        }
        let task = self.tasks.get_mut(&id)?;
        if !input["status"].is_null() {
            task.status = status(&input["status"]);
        }
        if let Some(subject) = input["subject"].as_str() {
            task.subject = subject.to_owned();
        }
        Some(())
    }

    fn replace(&mut self, tasks: &[Value]) {
        let tasks = tasks.iter().filter_map(|task| {
            let known = Task {
                subject: task["subject"].as_str()?.to_owned(),
                status: status(&task["status"]),
            };
            Some((number(&task["id"])?, known))
        });
        self.tasks = tasks.collect();
    }
}

fn entry(text: &str, status: v1::PlanEntryStatus) -> v1::PlanEntry {
    v1::PlanEntry::new(text, v1::PlanEntryPriority::Medium, status)
}

fn status(status: &Value) -> v1::PlanEntryStatus {
    match status.as_str() {
        Some("completed") => v1::PlanEntryStatus::Completed,
        Some("in_progress") => v1::PlanEntryStatus::InProgress,
        _ => v1::PlanEntryStatus::Pending,
    }
}

fn number(id: &Value) -> Option<u64> {
    id.as_u64().or_else(|| id.as_str()?.parse().ok())
}
