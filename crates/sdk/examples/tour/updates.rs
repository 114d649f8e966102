//! The updates and requests of the tour, with one function for each.

use std::time::Duration;

use attache::{CallError, CallErrorKind, v1};

use crate::turn::Stop;

/// Sends the plan with the first `done` steps completed.
pub(crate) async fn plan(stop: &Stop, done: usize) -> Result<(), CallError> {
    let steps = ["Look at the greeting", "Make it shorter", "Run it"];
    let entries = steps.iter().enumerate().map(|(at, step)| {
        let status = match at {
            at if at < done => v1::PlanEntryStatus::Completed,
            at if at == done => v1::PlanEntryStatus::InProgress,
            _ => v1::PlanEntryStatus::Pending,
        };
        v1::PlanEntry::new(*step, v1::PlanEntryPriority::Medium, status)
    });
    stop.session
        .update(v1::SessionUpdate::Plan(v1::Plan::new(entries)))
        .await
}

pub(crate) async fn read(stop: &Stop) -> Result<(), CallError> {
    let call = v1::ToolCall::new(id(stop, "read"), "Read greeting.rs")
        .kind(v1::ToolKind::Read)
        .status(v1::ToolCallStatus::InProgress)
        .locations([v1::ToolCallLocation::new(path(stop)).line(1)]);
    stop.session
        .update(v1::SessionUpdate::ToolCall(call))
        .await?;
    tokio::time::sleep(Duration::from_millis(100)).await;
    end(stop, "read", v1::ToolCallStatus::Completed).await
}

/// Requests permission for an edit, writes the file, and returns whether the user allowed it.
pub(crate) async fn edit(stop: &Stop) -> Result<bool, CallError> {
    let diff = v1::Diff::new(path(stop), NEW).old_text(OLD);
    let call = v1::ToolCall::new(id(stop, "edit"), "Edit greeting.rs")
        .kind(v1::ToolKind::Edit)
        .locations([v1::ToolCallLocation::new(path(stop))])
        .content([diff]);
    stop.session
        .update(v1::SessionUpdate::ToolCall(call))
        .await?;
    let options = [
        v1::PermissionOption::new("yes", "Yes", v1::PermissionOptionKind::AllowOnce),
        v1::PermissionOption::new("no", "No", v1::PermissionOptionKind::RejectOnce),
    ];
    let asked = v1::ToolCallUpdate::new(id(stop, "edit"));
    let outcome = stop.session.request_permission(asked, options).await?;
    let allowed = matches!(
        outcome,
        v1::RequestPermissionOutcome::Selected(chosen) if chosen.option_id.as_str() == "yes"
    );
    let writes = stop
        .session
        .client()
        .capabilities()
        .is_some_and(|client| client.fs.write_text_file);
    if allowed && writes {
        stop.session.write_text_file(path(stop), NEW).await?;
    }
    let status = match allowed {
        true => v1::ToolCallStatus::Completed,
        false => v1::ToolCallStatus::Failed,
    };
    end(stop, "edit", status).await?;
    Ok(allowed)
}

/// Requests permission and runs a command in a terminal, if the client has terminals. Returns false if it was rejected.
pub(crate) async fn run(stop: &Stop) -> Result<bool, CallError> {
    let client = stop.session.client();
    if !client.capabilities().is_some_and(|client| client.terminal) {
        return Ok(true);
    }
    let session = stop.session.id().clone();
    let script = "for n in 1 2 3; do echo \"hello $n\"; sleep 0.2; done";
    let request = v1::CreateTerminalRequest::new(session.clone(), "sh").args(["-c", script]);
    let terminal = match client.request(request).await {
        Ok(created) => created.terminal_id,
        Err(error) if error.refusal().is_some() => return Ok(false),
        Err(error) => return Err(error),
    };
    let call = v1::ToolCall::new(id(stop, "run"), "Run the greeting")
        .kind(v1::ToolKind::Execute)
        .status(v1::ToolCallStatus::InProgress)
        .content([v1::Terminal::new(terminal.clone())]);
    stop.session
        .update(v1::SessionUpdate::ToolCall(call))
        .await?;
    let wait = v1::WaitForTerminalExitRequest::new(session.clone(), terminal.clone());
    client.request(wait).await?;
    end(stop, "run", v1::ToolCallStatus::Completed).await?;
    client
        .request(v1::ReleaseTerminalRequest::new(session, terminal))
        .await
        .map(|_| true)
}

pub(crate) async fn usage(stop: &Stop) -> Result<(), CallError> {
    let title = v1::SessionInfoUpdate::new().title(format!("A tour, stop {}", stop.number));
    stop.session
        .update(v1::SessionUpdate::SessionInfoUpdate(title))
        .await?;
    let used = 1_200 * stop.number as u64;
    let usage = v1::UsageUpdate::new(used, 200_000_u64).cost(v1::Cost::new(0.02, "USD"));
    stop.session
        .update(v1::SessionUpdate::UsageUpdate(usage))
        .await
}

pub(crate) async fn notice(stop: &Stop) -> Result<(), CallError> {
    let notice = v1::Notice::new(
        v1::NoticeSeverity::Warning,
        "The bridge is closed on Mondays",
    );
    stop.session.update(v1::SessionUpdate::Notice(notice)).await
}

pub(crate) async fn form(stop: &Stop) -> Result<(), CallError> {
    let name = v1::StringPropertySchema::new().title("Your name");
    let guests = v1::IntegerPropertySchema::new()
        .title("Guests")
        .minimum(1)
        .maximum(20);
    let lunch = v1::BooleanPropertySchema::new().title("Lunch");
    let fields = [
        ("name", v1::ElicitationPropertySchema::String(name)),
        ("guests", v1::ElicitationPropertySchema::Integer(guests)),
        ("lunch", v1::ElicitationPropertySchema::Boolean(lunch)),
    ];
    let fields = fields.map(|(name, field)| (name.to_owned(), field));
    let schema = v1::ElicitationSchema::new()
        .properties(
            fields
                .into_iter()
                .collect::<std::collections::BTreeMap<_, _>>(),
        )
        .required(["name", "guests"].map(str::to_owned));
    let mode = v1::ElicitationMode::Form(v1::ElicitationFormMode::new(schema));
    ask(stop, "Who is coming?", mode).await
}

pub(crate) async fn page(stop: &Stop) -> Result<(), CallError> {
    let url = "https://example.com/tickets?tour=1";
    let mode = v1::ElicitationMode::Url(v1::ElicitationUrlMode::new("tickets", url));
    ask(stop, "The tickets are sold on a page.", mode).await
}

async fn ask(stop: &Stop, message: &str, mode: v1::ElicitationMode) -> Result<(), CallError> {
    let scope = v1::ElicitationSessionScope::new(stop.session.id().clone());
    let scope = v1::ElicitationScope::Session(scope);
    let request = v1::CreateElicitationRequest::new(message, scope, mode);
    let answer = match stop.session.client().request(request).await {
        Ok(answer) => answer.action,
        Err(error) if matches!(error.kind(), CallErrorKind::NotOffered { .. }) => {
            return stop
                .session
                .send_message("Your client has no forms; `attache chat` has.")
                .await;
        }
        Err(error) => return Err(error),
    };
    let answer = match answer {
        v1::ElicitationAction::Accept(_) => "Thank you.",
        v1::ElicitationAction::Decline => "As you like.",
        _ => "Never mind.",
    };
    stop.session.send_message(answer).await
}

async fn end(stop: &Stop, what: &str, status: v1::ToolCallStatus) -> Result<(), CallError> {
    let update = v1::ToolCallUpdate::new(id(stop, what)).status(status);
    stop.session
        .update(v1::SessionUpdate::ToolCallUpdate(update))
        .await
}

fn id(stop: &Stop, what: &str) -> v1::ToolCallId {
    format!("{what}-{}", stop.number).into()
}

fn path(stop: &Stop) -> String {
    format!("{}/greeting.rs", stop.cwd)
}

const OLD: &str =
    "fn greet(name: &str) -> String {\n    format!(\"A very good morning to you, {name}!\")\n}\n";
const NEW: &str = "fn greet(name: &str) -> String {\n    format!(\"Hello, {name}!\")\n}\n";

pub(crate) const SUMMARY: &str = "\
## What you have seen

- a **plan**, a file *read*, and one changed unless the mode is *Plan*
- a command in a terminal of yours

| sight | kind |
|---|---|
| greeting | edit |
| hello 3 | execute |

```rust
fn main() {
    println!(\"{}\", greet(\"you\"));
}
```

There is more: try `/form`, `/page`, `/slow` or `/flood 5000`.
";
