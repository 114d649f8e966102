//! Tool calls from their start to their result. Each is sent once; after that only changes are sent.

use std::collections::HashMap;

use attache::json::Raw;
use attache::schema::Meta;
use attache::v1;
use serde_json::{Value, json};

use super::{DisplaySupport, SessionAction};
use crate::frames::{TaskEnd, runs_on};
use crate::tools::{self, CallDisplay};

/// The open tool calls.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    open: HashMap<String, Call>,
}

/// An open tool call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) input: Value,
    shown: CallDisplay,
    parent: Option<String>,
    task: Option<String>,
    is_complete: bool,
    /// Whether its output was sent while it ran.
    is_live: bool,
    written: Option<CommandOutput>,
    /// Whether it has returned a result and its task keeps running.
    is_in_background: bool,
    /// The end of its task, if that arrived before the result of the call.
    end: Option<TaskEnd>,
}

/// The output of a command.
#[derive(Debug, Clone)]
struct CommandOutput {
    size: u64,
    end: String,
}

impl ToolCalls {
    /// Sends a new call, or what changed in a known one.
    pub(super) fn update(
        &mut self,
        id: &str,
        name: &str,
        input: &Value,
        parent: Option<&str>,
        display: DisplaySupport,
        actions: &mut Vec<SessionAction>,
    ) {
        let now = tools::call_display(name, input);
        let Some(call) = self.open.get_mut(id) else {
            let call = Call {
                name: name.to_owned(),
                input: input.clone(),
                shown: now,
                parent: parent.map(str::to_owned),
                task: None,
                is_complete: false,
                is_live: false,
                written: None,
                is_in_background: false,
                end: None,
            };
            if !tools::is_plan(name) {
                actions.push(SessionAction::Update(v1::SessionUpdate::ToolCall(
                    call.first(id, display),
                )));
            }
            self.open.insert(id.to_owned(), call);
            return;
        };
        let is_news = call.input != *input && !input.is_null();
        if !is_news || call.is_complete {
            return;
        }
        call.input = input.clone();
        let update = call.changed(id, &now);
        call.shown = now;
        if !tools::is_plan(name) {
            actions.push(SessionAction::Update(v1::SessionUpdate::ToolCallUpdate(
                update,
            )));
        }
    }

    /// Marks the input as complete; later versions of it are ignored.
    pub(super) fn complete_input(&mut self, id: &str, actions: &mut Vec<SessionAction>) {
        let Some(call) = self.open.get_mut(id) else {
            return;
        };
        if call.is_complete {
            return;
        }
        call.is_complete = true;
        if let ("Bash", Some(command)) = (call.name.as_str(), call.input["command"].as_str()) {
            actions.push(SessionAction::ExpectCommand {
                tool_call: id.to_owned(),
                command: command.to_owned(),
            });
        }
    }

    pub(super) fn mark_live(&mut self, id: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.is_live = true;
        }
    }

    pub(super) fn set_task(&mut self, id: &str, task: String) {
        if let Some(call) = self.open.get_mut(id) {
            call.task = Some(task);
        }
    }

    pub(super) fn task_of(&self, id: &str) -> Option<&str> {
        self.open.get(id)?.task.as_deref()
    }

    pub(super) fn is_in_background(&self, id: &str) -> bool {
        self.open.get(id).is_some_and(|call| call.is_in_background)
    }

    pub(super) fn has_background(&self) -> bool {
        self.open.values().any(|call| call.is_in_background)
    }

    pub(super) fn set_command_output(&mut self, id: &str, size: u64, end: String) {
        if let Some(call) = self.open.get_mut(id) {
            call.written = Some(CommandOutput { size, end });
        }
    }

    /// Handles the result of a call. Returns the call if this closed it.
    pub(super) fn finish(
        &mut self,
        id: &str,
        content: &Value,
        result: &Value,
        is_error: bool,
        display: DisplaySupport,
        actions: &mut Vec<SessionAction>,
    ) -> Option<Call> {
        if runs_on(result) && !is_error {
            self.move_to_background(id, display, actions);
            return None;
        }
        let call = self.open.remove(id)?;
        if tools::is_plan(&call.name) {
            return Some(call);
        }
        let status = match is_error {
            true => v1::ToolCallStatus::Failed,
            false => v1::ToolCallStatus::Completed,
        };
        let mut update = call.update(id).status(status);
        let result_display = tools::result_display(&call.name, content, result, is_error);
        if let Some(content) = result_display.content {
            update = update.content(content);
        }
        if let Some(locations) = result_display.locations {
            update = update.locations(locations);
        }
        if let Some(output) = result_display.output {
            update = match display.terminals {
                true => {
                    with_terminal_exit(update, id, told(&call, output), result_display.exit_code)
                }
                false => match call.end_of(&output) {
                    Some(end) => update.content(console(end)),
                    // Output shown while the command ran stays if nothing replaces it.
                    None if call.is_live && output.is_empty() => update,
                    None => update.content(console(&output)),
                },
            };
        }
        update = update.raw_output(Raw::from(content.clone()));
        actions.push(SessionAction::Update(v1::SessionUpdate::ToolCallUpdate(
            update,
        )));
        Some(call)
    }

    /// The result says that the call continues in the background: only the end of its task closes it.
    fn move_to_background(
        &mut self,
        id: &str,
        display: DisplaySupport,
        actions: &mut Vec<SessionAction>,
    ) {
        let Some(call) = self.open.get_mut(id) else {
            return;
        };
        call.is_in_background = true;
        let update = call.update(id).status(v1::ToolCallStatus::InProgress);
        actions.push(SessionAction::Update(v1::SessionUpdate::ToolCallUpdate(
            update,
        )));
        if let Some(end) = call.end.take() {
            self.end(end, display, actions);
        }
    }

    /// The task of a call has ended. A call in the foreground still gets its result.
    pub(super) fn end(
        &mut self,
        end: TaskEnd,
        display: DisplaySupport,
        actions: &mut Vec<SessionAction>,
    ) {
        let id = end.tool_use_id.clone();
        let Some(call) = self.open.get_mut(&id) else {
            return;
        };
        if !call.is_in_background {
            call.end = Some(end);
            return;
        }
        let status = match end.is_success() {
            true => v1::ToolCallStatus::Completed,
            false => v1::ToolCallStatus::Failed,
        };
        let update = call.update(&id).status(status);
        let update = match call.name.as_str() {
            "Bash" if display.terminals => {
                let code = end.exit_code();
                with_terminal_exit(update, &id, told(call, end.summary), code)
            }
            "Bash" if call.written.is_some() => {
                let words = call.end_of("").unwrap_or(&end.summary);
                update.content(console(words))
            }
            "Bash" if call.is_live => update,
            // The summary of a stopped task only repeats its description.
            _ if end.summary.is_empty() || end.status == "stopped" => update,
            _ => update.content([v1::ContentBlock::from(end.summary)]),
        };
        self.open.remove(&id);
        actions.push(SessionAction::Update(v1::SessionUpdate::ToolCallUpdate(
            update,
        )));
    }

    /// Fails the calls whose input never became complete, because the turn has ended.
    pub(super) fn fail_incomplete(
        &mut self,
        display: DisplaySupport,
        actions: &mut Vec<SessionAction>,
    ) {
        let cut = |_: &String, call: &mut Call| !call.is_complete && call.parent.is_none();
        actions.extend(failed(self.open.extract_if(cut).collect(), display));
    }

    /// Fails all open calls.
    pub(super) fn fail_open(&mut self, display: DisplaySupport) -> Vec<SessionAction> {
        failed(self.open.drain().collect(), display)
    }
}

fn failed(mut calls: Vec<(String, Call)>, display: DisplaySupport) -> Vec<SessionAction> {
    calls.sort_by(|(one, _), (other, _)| one.cmp(other));
    let shown = calls
        .into_iter()
        .filter(|(_, call)| !tools::is_plan(&call.name));
    let failed = shown.map(|(id, call)| {
        let mut update = call.update(&id).status(v1::ToolCallStatus::Failed);
        if call.name == "Bash" && display.terminals {
            update = with_terminal_exit(update, &id, None, None);
        }
        SessionAction::Update(v1::SessionUpdate::ToolCallUpdate(update))
    });
    failed.collect()
}

impl Call {
    fn first(&self, id: &str, display: DisplaySupport) -> v1::ToolCall {
        let shown = &self.shown;
        let mut call = v1::ToolCall::new(id, shown.title.as_str())
            .name(self.name.as_str())
            .kind(shown.kind.clone())
            .locations(shown.locations.clone())
            .content(shown.content.clone())
            .meta(self.meta());
        if self
            .input
            .as_object()
            .is_some_and(|input| !input.is_empty())
        {
            call = call.raw_input(Raw::from(self.input.clone()));
        }
        if self.name == "Bash" && display.terminals {
            call = call.content([v1::Terminal::new(id)]).meta(
                self.meta()
                    .with("terminal_info", json!({ "terminal_id": id })),
            );
        }
        call
    }

    fn changed(&self, id: &str, now: &CallDisplay) -> v1::ToolCallUpdate {
        let mut update = self.update(id).raw_input(Raw::from(self.input.clone()));
        if self.shown.title != now.title {
            update = update.title(now.title.as_str());
        }
        if self.shown.locations != now.locations {
            update = update.locations(now.locations.clone());
        }
        if self.shown.content != now.content {
            update = update.content(now.content.clone());
        }
        update
    }

    /// The last part of the output, if the CLI's text is cut off before it.
    fn end_of(&self, text: &str) -> Option<&str> {
        let written = self.written.as_ref()?;
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        let is_cut = text.is_empty() || length.saturating_add(TRIMMED) < written.size;
        (is_cut && !written.end.is_empty()).then_some(written.end.as_str())
    }

    fn update(&self, id: &str) -> v1::ToolCallUpdate {
        v1::ToolCallUpdate::new(id).meta(self.meta())
    }

    fn meta(&self) -> Meta {
        let mut about = json!({ "toolName": self.name });
        if let Some(parent) = &self.parent {
            about["parentToolUseId"] = json!(parent);
        }
        Meta::new().with("claudeCode", about)
    }
}

/// The output, unless the terminal has shown it already.
fn told(call: &Call, output: String) -> Option<String> {
    (!call.is_live).then_some(output)
}

fn with_terminal_exit(
    update: v1::ToolCallUpdate,
    id: &str,
    output: Option<String>,
    code: Option<u32>,
) -> v1::ToolCallUpdate {
    let meta = update.meta.clone().unwrap_or_default();
    let mut meta = meta.with(
        "terminal_exit",
        json!({ "terminal_id": id, "exit_code": code, "signal": null }),
    );
    if let Some(output) = output.filter(|output| !output.is_empty()) {
        let data = tools::terminal_lines(&output);
        meta = meta.with(
            "terminal_output",
            json!({ "terminal_id": id, "data": data }),
        );
    }
    update.meta(meta)
}

fn console(output: &str) -> Vec<v1::ToolCallContent> {
    match output.trim().is_empty() {
        true => Vec::new(),
        false => vec![tools::fenced("console", output)],
    }
}

/// A text that is shorter than the file by no more than this counts as complete: the CLI removes blanks and colours.
const TRIMMED: u64 = 4096;
