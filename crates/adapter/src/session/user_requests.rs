//! Requests to the user: permissions, questions and elicitations. Each runs in its own task, so nothing else waits for
//! the user. If the CLI withdraws its request, ours is cancelled.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use attache::agent::ClientSession;
use attache::schema::Meta;
use attache::{CallError, v1};
use serde_json::{Value, json};

use super::Session;
use crate::elicitation::{self, UserQuestion};
use crate::frames::{CanUseTool, Elicitation, ElicitationMode};
use crate::mapping::DisplaySupport;
use crate::permission;
use crate::tools;

impl Session {
    pub(super) fn request_permission(&mut self, request: CanUseTool) {
        let id = request.id.clone();
        if self.user_request_handles.contains_key(&id) {
            // The CLI may repeat a request.
            return;
        }
        let client = self.client.clone();
        let (bypass, display) = (self.settings.bypass, self.display);
        let task = self.user_requests.spawn(async move {
            let answer = match elicitation::user_questions(&request) {
                Some(choices) => choose(&client, &request, &choices).await,
                None => permit(&client, &request, bypass, display).await,
            };
            let answer = match answer {
                Ok(answer) => answer,
                // The client has disconnected, and its session ends: a rejection would let the CLI go on.
                Err(error) if error.is_closed() => std::future::pending().await,
                Err(error) => {
                    let words = format!("The user could not be asked: {}", error.kind());
                    permission::deny(&request, &words)
                }
            };
            (request.id, answer)
        });
        self.user_request_handles.insert(id, task);
    }

    /// Asks the user on behalf of an MCP server.
    pub(super) async fn elicit(&mut self, elicitation: Elicitation) {
        if self.user_request_handles.contains_key(&elicitation.id) {
            return;
        }
        let client = self.client.client().clone();
        let capabilities = client.capabilities().unwrap_or_default();
        let request = elicitation::request(&elicitation, self.client.id(), &capabilities);
        let Some(request) = request.filter(|_| self.user_request_handles.len() < MAX_OPEN) else {
            return self.send_frame(&elicitation::declined(&elicitation)).await;
        };
        let id = elicitation.id.clone();
        if let ElicitationMode::Url { id: page, .. } = &elicitation.mode {
            let server = elicitation.server.clone();
            self.url_elicitations.add(server, page.clone(), id.clone());
        }
        let task = self.user_requests.spawn(async move {
            let response = match client.request(request).await {
                Ok(response) => elicitation::respond(&elicitation, response.action),
                Err(error) if error.is_closed() => std::future::pending().await,
                Err(_) => elicitation::cancelled(&elicitation),
            };
            (elicitation.id, response)
        });
        self.user_request_handles.insert(id, task);
    }

    /// Passes the user's response to the CLI, unless the CLI has withdrawn its request.
    pub(super) async fn send_user_response(&mut self, id: &str, answer: &Value) {
        if self.user_request_handles.remove(id).is_some() {
            self.send_frame(answer).await;
            self.send_completion_if_done(id).await;
        }
    }

    pub(super) fn withdraw_user_request(&mut self, id: &str) {
        if let Some(question) = self.user_request_handles.remove(id) {
            question.abort();
            self.url_elicitations.remove(id);
        }
    }

    pub(super) async fn complete_elicitation(&mut self, server: &str, id: &str) {
        let question = self.url_elicitations.complete(server, id);
        // `elicitation/complete` must not overtake the response to the request.
        if let Some(question) = question.filter(|it| !self.user_request_handles.contains_key(it)) {
            self.send_completion_if_done(&question).await;
        }
    }

    async fn send_completion_if_done(&mut self, question: &str) {
        if self.url_elicitations.remove_if_done(question) {
            let done = v1::CompleteElicitationNotification::new(question);
            // Fails only if the client is gone, and then the command channel closes as well.
            self.client.client().notify(done).await.ok();
        }
    }
}

/// The open pages, newest last.
#[derive(Debug, Default)]
pub(super) struct UrlElicitations(VecDeque<UrlElicitation>);

#[derive(Debug)]
struct UrlElicitation {
    server: String,
    id: String,
    /// The id of the CLI's request.
    request: String,
    is_done: bool,
}

impl UrlElicitations {
    pub(super) fn add(&mut self, server: String, id: String, request: String) {
        if self.0.len() == MAX_PAGES {
            self.0.pop_front();
        }
        self.0.push_back(UrlElicitation {
            server,
            id,
            request,
            is_done: false,
        });
    }

    /// Marks a page as completed by the user. Returns the id of its request.
    pub(super) fn complete(&mut self, server: &str, id: &str) -> Option<String> {
        let mut elicitations = self.0.iter_mut();
        let elicitation = elicitations
            .find(|elicitation| elicitation.server == server && elicitation.id == id)?;
        elicitation.is_done = true;
        Some(elicitation.request.clone())
    }

    /// Removes the page of a request if it is completed. Returns whether it was.
    pub(super) fn remove_if_done(&mut self, request: &str) -> bool {
        let elicitations = self.0.len();
        self.0
            .retain(|elicitation| !(elicitation.is_done && elicitation.request == request));
        self.0.len() < elicitations
    }

    pub(super) fn remove(&mut self, request: &str) {
        self.0.retain(|elicitation| elicitation.request != request);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

async fn permit(
    client: &ClientSession,
    request: &CanUseTool,
    bypass: bool,
    display: DisplaySupport,
) -> Result<Value, CallError> {
    let shown = tools::call_display(&request.tool, &request.input);
    let mut call = v1::ToolCallUpdate::new(request.tool_use_id.as_str())
        .title(shown.title)
        .kind(shown.kind)
        .raw_input(attache::json::Raw::from(request.input.clone()));
    let locations = permission::locations(request, shown.locations);
    if !locations.is_empty() {
        call = call.locations(locations);
    }
    if request.needs_user {
        let meta = json!({ "requiresUserInteraction": true });
        call = call.meta(Meta::new().with("claudeCode", meta));
    }
    let mut content = shown.content;
    if request.tool == "Write" {
        tell_old_text(&mut content).await;
    }
    if request.tool == "Bash" && display.terminals {
        content.push(v1::Terminal::new(request.tool_use_id.as_str()).into());
    }
    let notes = [
        permission::reason(request),
        permission::hidden_suggestions_note(request),
    ];
    for note in notes.into_iter().flatten() {
        content.push(v1::ContentBlock::from(note).into());
    }
    if !content.is_empty() {
        call = call.content(content);
    }
    let options = permission::options(request, bypass);
    Ok(match client.request_permission(call, options).await? {
        v1::RequestPermissionOutcome::Selected(chosen) => {
            permission::respond(request, chosen.option_id.as_str())
        }
        _ => permission::cancelled(request),
    })
}

/// Adds the current text of a file that would be overwritten, so that the user sees what would be lost.
async fn tell_old_text(content: &mut [v1::ToolCallContent]) {
    for item in content {
        if let v1::ToolCallContent::Diff(diff) = item {
            diff.old_text = text_of(diff.path.as_path()).await;
        }
    }
}

async fn text_of(path: &Path) -> Option<String> {
    let about = tokio::fs::metadata(path).await.ok()?;
    let fits = about.is_file() && about.len() <= LARGEST;
    let text = tokio::fs::read_to_string(path);
    if fits { text.await.ok() } else { None }
}

/// Asks with one form if the client has forms, otherwise one question after the other.
async fn choose(
    client: &ClientSession,
    request: &CanUseTool,
    choices: &[UserQuestion],
) -> Result<Value, CallError> {
    let capabilities = client.client().capabilities().unwrap_or_default();
    let has_forms = capabilities.elicitation.is_some_and(|it| it.form.is_some());
    let answers = match has_forms {
        true => fill(client, request, choices).await?,
        false => pick(client, request, choices).await?,
    };
    Ok(match answers {
        Some(answers) => elicitation::respond_with_answers(request, &answers),
        None => permission::deny(request, "The user did not want to answer."),
    })
}

async fn fill(
    client: &ClientSession,
    request: &CanUseTool,
    choices: &[UserQuestion],
) -> Result<Option<BTreeMap<String, String>>, CallError> {
    let scope = v1::ElicitationSessionScope::new(client.id().clone())
        .tool_call_id(request.tool_use_id.as_str());
    let mode = v1::ElicitationFormMode::new(elicitation::question_form(choices));
    let message = match choices {
        [one] => one.question.as_str(),
        _ => "The agent has some questions.",
    };
    let request = v1::CreateElicitationRequest::new(
        message,
        v1::ElicitationScope::Session(scope),
        v1::ElicitationMode::Form(mode),
    );
    match client.client().request(request).await?.action {
        v1::ElicitationAction::Accept(answer) => {
            let content = answer.content.unwrap_or_default();
            Ok(Some(elicitation::form_answers(choices, &content)))
        }
        _ => Ok(None),
    }
}

async fn pick(
    client: &ClientSession,
    request: &CanUseTool,
    choices: &[UserQuestion],
) -> Result<Option<BTreeMap<String, String>>, CallError> {
    let mut answers = BTreeMap::new();
    for choice in choices {
        let call =
            v1::ToolCallUpdate::new(request.tool_use_id.as_str()).title(choice.question.as_str());
        let outcome = client
            .request_permission(call, elicitation::question_options(choice))
            .await?;
        let v1::RequestPermissionOutcome::Selected(chosen) = outcome else {
            return Ok(None);
        };
        let at = chosen.option_id.as_str().parse::<usize>().ok();
        if let Some((label, _)) = at.and_then(|at| choice.labels.get(at)) {
            answers.insert(choice.question.clone(), label.clone());
        }
    }
    Ok((!answers.is_empty()).then_some(answers))
}

/// Maximum open requests. Elicitations of MCP servers beyond it are declined.
const MAX_OPEN: usize = 32;
/// Maximum size of a file whose current text is shown.
const LARGEST: u64 = 4 * 1024 * 1024;
const MAX_PAGES: usize = 32;
