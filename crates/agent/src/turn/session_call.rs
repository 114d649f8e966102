//! Carries out calls that affect only the session.

use std::collections::BTreeMap;

use attache::v1;
use attache_model::Input;
use serde_json::json;

use super::call::failed;
use super::{OpenCall, Turn};
use crate::ToolOutcome;
use crate::failure::Failure;
use crate::modes::Mode;
use crate::permission::{JournaledDecision, PermissionAnswer};
use crate::session_call::SessionCall;

impl Turn<'_> {
    pub(super) async fn session_call(
        &self,
        open: &OpenCall,
        inner: SessionCall,
    ) -> Result<ToolOutcome, Failure> {
        match inner {
            SessionCall::Plan(entries) => {
                let count = entries.len();
                self.session.show(v1::Plan::new(entries)).await?;
                Ok(done(&format!("The user sees the plan ({count} entries).")))
            }
            SessionCall::Think(thought) => Ok(ToolOutcome {
                content: vec![v1::ContentBlock::from(thought).into()],
                ..done("Noted.")
            }),
            SessionCall::Ask { question, options } => self.ask_user(open, question, options).await,
            SessionCall::Mode { mode, reason } => self.switch_mode(open, mode, reason).await,
            // Resources are prepared and read as MCP calls.
            SessionCall::Resource(_) => Ok(failed("a resource is not read this way")),
        }
    }

    async fn ask_user(
        &self,
        open: &OpenCall,
        question: String,
        options: Vec<String>,
    ) -> Result<ToolOutcome, Failure> {
        let client = self.session.client.client();
        let capabilities = client.capabilities().unwrap_or_default();
        if capabilities
            .elicitation
            .is_none_or(|elicitation| elicitation.form.is_none())
        {
            return Ok(failed(CANNOT_ASK));
        }
        let scope = v1::ElicitationSessionScope::new(self.session.id().clone())
            .tool_call_id(open.shown.clone());
        let form = v1::ElicitationFormMode::new(form(&options));
        let request = v1::CreateElicitationRequest::new(
            question,
            v1::ElicitationScope::Session(scope),
            v1::ElicitationMode::Form(form),
        );
        let answered = match client.request(request).await {
            Ok(answered) => answered.action,
            Err(gone) if gone.is_closed() => return Err(gone.into()),
            Err(_) => return Ok(failed(COULD_NOT_ASK)),
        };
        Ok(match answered {
            v1::ElicitationAction::Accept(given) => match answer(given, &options) {
                Some(text) => ToolOutcome {
                    content: vec![v1::ContentBlock::from(text.as_str()).into()],
                    raw: Some(json!({ "answer": text })),
                    ..done(&format!("The user answered: {text}"))
                },
                None => failed("the user's answer is not one of the options"),
            },
            v1::ElicitationAction::Decline => failed("the user declined to answer"),
            _ => failed("the user closed the question without an answer"),
        })
    }

    async fn switch_mode(
        &self,
        open: &OpenCall,
        mode: Mode,
        reason: String,
    ) -> Result<ToolOutcome, Failure> {
        let current = self.session.settings().mode;
        if current == mode {
            return Ok(done(&format!("The mode is already {}.", mode.id())));
        }
        let mode = match mode {
            // Switching to a stricter mode needs no permission.
            Mode::Architect => mode,
            Mode::Ask | Mode::Code => {
                match self.ask_to_switch(open, current, mode, reason).await? {
                    Some(chosen) => chosen,
                    None => {
                        return Ok(failed(
                            "the user wants to stay in this mode; continue in it",
                        ));
                    }
                }
            }
        };
        self.session
            .change(move |settings| settings.mode = mode)
            .await?;
        Ok(done(&format!(
            "The mode is now {}: {}.",
            mode.id(),
            mode.description()
        )))
    }

    /// Asks the user which mode to continue in; `None` to stay.
    async fn ask_to_switch(
        &self,
        open: &OpenCall,
        current: Mode,
        wanted: Mode,
        reason: String,
    ) -> Result<Option<Mode>, Failure> {
        use v1::PermissionOptionKind as Kind;
        let mut call = v1::ToolCallUpdate::new(open.shown.clone())
            .title(format!("Switch to {} mode", wanted.name()))
            .kind(v1::ToolKind::SwitchMode);
        if !reason.trim().is_empty() {
            call = call.content([v1::ToolCallContent::from(v1::ContentBlock::from(reason))]);
        }
        let go = Mode::ALL
            .into_iter()
            .filter(|mode| *mode != current && *mode != Mode::Architect);
        let go = go.map(|mode| {
            let (name, description) = (mode.name(), mode.description().to_lowercase());
            let name = format!("Switch to {name} mode: {description}");
            v1::PermissionOption::new(mode.id(), name, Kind::AllowOnce)
        });
        let stay = format!("Stay in {} mode", current.name());
        let stay = v1::PermissionOption::new(STAY, stay, Kind::RejectOnce);
        let options: Vec<_> = go.chain([stay]).collect();
        let chosen = match self.permission(call, options).await? {
            Some(v1::RequestPermissionOutcome::Selected(chosen)) => {
                Mode::find(chosen.option_id.as_str())
            }
            _ => None,
        };
        let chosen = chosen.filter(|mode| *mode != Mode::Architect);
        let answer = match chosen {
            Some(_) => PermissionAnswer::AllowOnce,
            None => PermissionAnswer::RejectOnce,
        };
        self.store_decision(JournaledDecision::once(&open.shown, answer))
            .await?;
        Ok(chosen)
    }
}

fn form(options: &[String]) -> v1::ElicitationSchema {
    let mut field = v1::StringPropertySchema::new().title("Answer");
    if !options.is_empty() {
        field = field.enum_values(options.to_vec());
    }
    let field = v1::ElicitationPropertySchema::String(field);
    v1::ElicitationSchema::new()
        .properties(BTreeMap::from([(FIELD.to_owned(), field)]))
        .required(vec![FIELD.to_owned()])
}

/// The user's answer, validated against the options.
fn answer(given: v1::ElicitationAcceptAction, options: &[String]) -> Option<String> {
    let mut content = given.content?;
    let v1::ElicitationContentValue::String(text) = content.remove(FIELD)? else {
        return None;
    };
    (options.is_empty() || options.contains(&text)).then_some(text)
}

fn done(for_model: &str) -> ToolOutcome {
    ToolOutcome {
        for_model: vec![Input::Text(for_model.to_owned())],
        ..ToolOutcome::default()
    }
}

const FIELD: &str = "answer";
const STAY: &str = "stay";
const COULD_NOT_ASK: &str =
    "the client could not ask the user; put the question into your message and end your turn";
const CANNOT_ASK: &str =
    "this client cannot show questions; put the question into your message and end your turn";
