//! Questions to the person. Each is a task of its own, so that nothing else waits for the answer; a question that the
//! CLI takes back is taken back from the client too.

use std::collections::BTreeMap;
use std::path::Path;

use attache::agent::ClientSession;
use attache::schema::Meta;
use attache::{CallError, v1};
use serde_json::{Value, json};

use super::Session;
use crate::frames::{CanUseTool, Elicitation, Mode};
use crate::mapping::Shows;
use crate::question::{self, Choice, elicitation};
use crate::tools;

impl Session {
    pub(super) fn ask_person(&mut self, asked: CanUseTool) {
        let id = asked.id.clone();
        if self.open_questions.contains_key(&id) {
            // The CLI may say it twice.
            return;
        }
        let client = self.client.clone();
        let (bypass, shows) = (self.settings.bypass, self.shows);
        let task = self.asked.spawn(async move {
            let answer = match question::choices(&asked) {
                Some(choices) => choose(&client, &asked, &choices).await,
                None => permit(&client, &asked, bypass, shows).await,
            };
            let answer = match answer {
                Ok(answer) => answer,
                // The client has gone, and the session with it: a denial would let the CLI go on.
                Err(CallError::Closed(_)) => std::future::pending().await,
                Err(error) => {
                    let words = format!("The user could not be asked: {error}");
                    question::deny(&asked, &words)
                }
            };
            (asked.id, answer)
        });
        self.open_questions.insert(id, task);
    }

    /// Asks for an MCP server.
    pub(super) async fn elicit(&mut self, asked: Elicitation) {
        if self.open_questions.contains_key(&asked.id) {
            return;
        }
        let client = self.client.client().clone();
        let capabilities = client.capabilities().unwrap_or_default();
        let request = elicitation::request(&asked, self.client.id(), &capabilities);
        let Some(request) = request.filter(|_| self.open_questions.len() < OPEN) else {
            return self.say(&elicitation::declined(&asked)).await;
        };
        let id = asked.id.clone();
        if let Mode::Page { id: page, .. } = &asked.mode {
            let server = asked.server.clone();
            self.pages.open(server, page.clone(), id.clone());
        }
        let task = self.asked.spawn(async move {
            let answer = match client.request(request).await {
                Ok(response) => elicitation::answer(&asked, response.action),
                Err(CallError::Closed(_)) => std::future::pending().await,
                Err(_) => elicitation::cancelled(&asked),
            };
            (asked.id, answer)
        });
        self.open_questions.insert(id, task);
    }

    /// The answer of a person goes to the CLI, unless it no longer wants one.
    pub(super) async fn has_answered(&mut self, id: &str, answer: &Value) {
        if self.open_questions.remove(id).is_some() {
            self.say(answer).await;
            self.tell_if_done(id).await;
        }
    }

    pub(super) fn withdraw(&mut self, id: &str) {
        if let Some(question) = self.open_questions.remove(id) {
            question.abort();
            self.pages.close(id);
        }
    }

    pub(super) async fn page_done(&mut self, server: &str, id: &str) {
        let question = self.pages.done(server, id);
        // The end of a page must not overtake the question.
        if let Some(question) = question.filter(|it| !self.open_questions.contains_key(it)) {
            self.tell_if_done(&question).await;
        }
    }

    async fn tell_if_done(&mut self, question: &str) {
        if self.pages.close_if_done(question) {
            let done = v1::CompleteElicitationNotification::new(question);
            // It fails when the client is gone, which the end of the orders tells.
            self.client.client().notify(done).await.ok();
        }
    }
}

async fn permit(
    client: &ClientSession,
    asked: &CanUseTool,
    bypass: bool,
    shows: Shows,
) -> Result<Value, CallError> {
    let shown = tools::shown(&asked.tool, &asked.input);
    let mut call = v1::ToolCallUpdate::new(asked.tool_use_id.as_str())
        .title(shown.title)
        .kind(shown.kind)
        .raw_input(attache::json::Raw::from(asked.input.clone()));
    let locations = question::locations(asked, shown.locations);
    if !locations.is_empty() {
        call = call.locations(locations);
    }
    if asked.needs_person {
        let meta = json!({ "requiresUserInteraction": true });
        call = call.meta(Meta::new().with("claudeCode", meta));
    }
    let mut content = shown.content;
    if asked.tool == "Write" {
        tell_old_text(&mut content).await;
    }
    if asked.tool == "Bash" && shows.terminals {
        content.push(v1::Terminal::new(asked.tool_use_id.as_str()).into());
    }
    let notes = [question::reason(asked), question::unoffered(asked)];
    for note in notes.into_iter().flatten() {
        content.push(v1::ContentBlock::from(note).into());
    }
    if !content.is_empty() {
        call = call.content(content);
    }
    let options = question::options(asked, bypass);
    Ok(match client.request_permission(call, options).await? {
        v1::RequestPermissionOutcome::Selected(chosen) => {
            question::answer(asked, chosen.option_id.as_str())
        }
        _ => question::dismissed(asked),
    })
}

/// A file that is there already is not to look like a new one: whoever is asked sees what would be lost.
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

/// By a form where the client has forms, else one question after the other.
async fn choose(
    client: &ClientSession,
    asked: &CanUseTool,
    choices: &[Choice],
) -> Result<Value, CallError> {
    let capabilities = client.client().capabilities().unwrap_or_default();
    let has_forms = capabilities.elicitation.is_some_and(|it| it.form.is_some());
    let answers = match has_forms {
        true => fill(client, asked, choices).await?,
        false => pick(client, asked, choices).await?,
    };
    Ok(match answers {
        Some(answers) => question::answered(asked, &answers),
        None => question::deny(asked, "The user did not want to answer."),
    })
}

async fn fill(
    client: &ClientSession,
    asked: &CanUseTool,
    choices: &[Choice],
) -> Result<Option<BTreeMap<String, String>>, CallError> {
    let scope = v1::ElicitationSessionScope::new(client.id().clone())
        .tool_call_id(asked.tool_use_id.as_str());
    let mode = v1::ElicitationFormMode::new(question::form(choices));
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
            Ok(Some(question::filled(choices, &content)))
        }
        _ => Ok(None),
    }
}

async fn pick(
    client: &ClientSession,
    asked: &CanUseTool,
    choices: &[Choice],
) -> Result<Option<BTreeMap<String, String>>, CallError> {
    let mut answers = BTreeMap::new();
    for choice in choices {
        let call =
            v1::ToolCallUpdate::new(asked.tool_use_id.as_str()).title(choice.question.as_str());
        let outcome = client
            .request_permission(call, question::choice_options(choice))
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

/// Servers are strangers: they do not get more questions open than this.
const OPEN: usize = 32;
/// A larger file is not shown as it was.
const LARGEST: u64 = 4 * 1024 * 1024;
