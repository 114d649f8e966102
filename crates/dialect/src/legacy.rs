//! Older official shapes: `session/set_model` with the `models` of a session, and errors distinguished by a word in
//! their data.
//!
//! The translation inspects responses that open a session, updates of options, calls that set an option in a session
//! with `session/set_model`, and errors. All other messages pass unread.

mod model_option;

use std::borrow::Cow;

use attache_rpc::json::{self, Object, ValueKind};
use attache_rpc::{Error, Id};
use attache_schema::error;

use self::model_option::ModelOption;
use super::error_code::{self, ErrorMeaning};
use super::memory::{PendingCalls, RecentMap, short};
use super::{Call, TranslateCalls, TranslatedCall, divide, edit, option_list};

/// A connection with an official peer, which may use older shapes.
#[derive(Debug, Default)]
pub(super) struct Legacy {
    models: RecentMap<ModelSetting>,
    /// Whether any session uses `session/set_model`.
    has_methods: bool,
    /// Pending calls: the session that they open by its id, or their change to a session with `session/set_model`.
    pending: PendingCalls,
}

/// How the model of a session is set.
#[derive(Debug, Clone)]
enum ModelSetting {
    /// With the option with this id.
    Option(String),
    /// With `session/set_model`: the session has `models`, and we add the option for them.
    Method(Option<ModelOption>),
}

impl TranslateCalls for Legacy {
    fn read_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        if call.method == SET_MODEL {
            return self.set_model(call);
        }
        if let Some(params) = config_option_params(call) {
            return Ok(self.read_config_option_update(call, params));
        }
        if let Some(session) = loaded_session_id(call) {
            self.pending.theirs.call(call.id, call.method, session);
        }
        Ok(TranslatedCall::unchanged(call))
    }

    fn write_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        if call.method == SET_OPTION && self.has_methods {
            return self.set_option(call);
        }
        if let Some((session, update)) = config_option_params(call)
            .as_ref()
            .and_then(config_option_update)
        {
            self.learn_option(&session, &update);
        }
        if let Some(session) = loaded_session_id(call) {
            self.pending.ours.call(call.id, call.method, session);
        }
        Ok(TranslatedCall::unchanged(call))
    }

    fn read_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let context = self.pending.ours.answer(id, method);
        if let (SET_OPTION, Some(context)) = (method, &context) {
            return self
                .read_set_option_result(&Object::parse(context).unwrap_or_default(), result);
        }
        let Some((session, mut opened)) = opened_session(method, context, result) else {
            return Ok(Cow::Borrowed(result));
        };
        let Some(list) = self.learn(&session, &opened) else {
            return Ok(Cow::Borrowed(result));
        };
        opened.set("configOptions", list);
        Ok(Cow::Owned(json::to_string(&opened)))
    }

    fn write_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let context = self.pending.theirs.answer(id, method);
        if let Some((session, opened)) = opened_session(method, context, result) {
            self.learn(&session, &opened);
        }
        Ok(Cow::Borrowed(result))
    }

    /// Translates a code that the implementation chose, by the meaning in its data. A meaning other than "not found"
    /// overrides the number.
    fn read_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.pending.ours.answer(id, method);
        match error_code::of_official(&error) {
            None | Some(ErrorMeaning::ResourceNotFound | ErrorMeaning::SessionNotFound) => error,
            Some(meaning) => error_code::official(meaning, error),
        }
    }

    fn write_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.pending.theirs.answer(id, method);
        error
    }
}

/// A change to the model of a session.
impl Legacy {
    fn set_model<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        let mut params = parsed(call)?;
        let session = edit::string(&params, "sessionId").unwrap_or_default();
        let option = match self.models.get(&session) {
            Some(ModelSetting::Option(option)) => option,
            Some(ModelSetting::Method(_)) => return Ok(TranslatedCall::unchanged(call)),
            None => return Err(error::unusable_params(NO_OPTION)),
        };
        params.put("configId", option);
        params.rename("modelId", "value");
        Ok(translated(SET_OPTION, &params))
    }

    fn set_option<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        let mut params = parsed(call)?;
        let session = edit::string(&params, "sessionId").unwrap_or_default();
        let Some(ModelSetting::Method(option)) = self.models.get(&session) else {
            return Ok(TranslatedCall::unchanged(call));
        };
        let id = option
            .as_ref()
            .map_or(model_option::MODEL, |option| &option.id);
        let is_model = edit::string(&params, "configId").as_deref() == Some(id);
        let known: &[&str] = if is_model {
            &["sessionId", "configId", "value"]
        } else {
            &["sessionId"]
        };
        let context = json::to_string(&divide::only(&params, known));
        self.pending.ours.call(call.id, SET_OPTION, context);
        if !is_model {
            return Ok(TranslatedCall::unchanged(call));
        }
        params.take("configId");
        params.rename("value", "modelId");
        Ok(translated(SET_MODEL, &params))
    }

    /// The result of a changed option. The result of `session/set_model` is empty, but that of an option is the list of
    /// all options.
    fn read_set_option_result<'a>(
        &mut self,
        request: &Object<'_>,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let session = edit::string(request, "sessionId").unwrap_or_default();
        let is_empty = result.trim() == "null";
        let (Ok(mut set), true) = (
            Object::parse(if is_empty { "{}" } else { result }),
            request.has("configId") || !is_empty,
        ) else {
            return Ok(Cow::Borrowed(result));
        };
        let list = match set.get("configOptions") {
            Some(reported) => self.complete(&session, reported),
            None => request
                .get("value")
                .map(|value| self.options_with_model(&session, value)),
        };
        let Some(list) = list else {
            return Ok(Cow::Borrowed(result));
        };
        set.set("configOptions", list);
        Ok(Cow::Owned(json::to_string(&set)))
    }

    /// All options of a session with another model; `None` if they are not remembered.
    fn options_with_model(&mut self, session: &str, model: &str) -> String {
        let Some(ModelSetting::Method(Some(option))) = self.models.get(session) else {
            return "[]".to_owned();
        };
        let list = option_list::with_value(&option.list, &option.id, model);
        let id = option.id.clone();
        self.remember(
            session,
            ModelOption {
                id,
                list: list.clone(),
            },
        );
        list
    }
}

/// The models of a session, as the agent reports them.
impl Legacy {
    /// Remembers the result that opens a session. Returns all its options if the one for the models is missing.
    fn learn(&mut self, session: &str, opened: &Object<'_>) -> Option<String> {
        if self.learn_option(session, opened)
            || edit::kind(opened, "models") != Some(ValueKind::Object)
        {
            return None;
        }
        self.has_methods = true;
        self.models.set(session, ModelSetting::Method(None));
        let models = Object::parse(opened.get("models")?).ok()?;
        let option = ModelOption::of(&models, opened.get("configOptions").unwrap_or("[]"))?;
        let list = option.list.clone();
        self.remember(session, option);
        Some(list)
    }

    /// Remembers the option for the model, if there is one.
    fn learn_option(&mut self, session: &str, source: &Object<'_>) -> bool {
        let option = source.get("configOptions").and_then(option_list::model);
        let has_option = option.is_some();
        if let Some(option) = short(option) {
            self.models.set(session, ModelSetting::Option(option));
        }
        has_option
    }

    /// Adds our option to an agent's update of all options, if it is missing.
    fn read_config_option_update<'a>(
        &mut self,
        call: Call<'a>,
        mut params: Object<'_>,
    ) -> TranslatedCall<'a> {
        let Some((session, mut update)) = config_option_update(&params) else {
            return TranslatedCall::unchanged(call);
        };
        if self.learn_option(&session, &update) {
            return TranslatedCall::unchanged(call);
        }
        let list = update.get("configOptions").unwrap_or("[]");
        let Some(list) = self.complete(&session, list) else {
            return TranslatedCall::unchanged(call);
        };
        update.set("configOptions", list);
        params.put("update", &update);
        translated(UPDATE, &params)
    }

    /// All options of a session, from the list that the agent has sent; `None` if ours is not remembered or not
    /// missing.
    fn complete(&mut self, session: &str, reported: &str) -> Option<String> {
        let Some(ModelSetting::Method(Some(option))) = self.models.get(session) else {
            return None;
        };
        if option_list::model(reported).is_some() {
            return None;
        }
        let option = option.join(reported)?;
        let list = option.list.clone();
        self.remember(session, option);
        Some(list)
    }

    fn remember(&mut self, session: &str, option: ModelOption) {
        let is_short = option_list::to_remember(&option.list).is_some();
        let option = Some(option).filter(|_| is_short);
        self.models.set(session, ModelSetting::Method(option));
    }
}

/// The session that a call opens by its id.
fn loaded_session_id(call: Call<'_>) -> Option<String> {
    let params = call
        .params
        .filter(|_| LOADING_METHODS.contains(&call.method))?;
    edit::tag(params, "sessionId")
}

/// The session that a result opens, and the result. Without an id, it is the session of the call.
fn opened_session<'a>(
    method: &str,
    session_of_call: Option<String>,
    result: &'a str,
) -> Option<(String, Object<'a>)> {
    let session = match method {
        "session/new" | "session/fork" => edit::tag(result, "sessionId"),
        _ if LOADING_METHODS.contains(&method) => session_of_call,
        _ => None,
    };
    session.zip(Object::parse(result).ok())
}

/// The parameters of an update that may be about options. Others are not parsed.
fn config_option_params(call: Call<'_>) -> Option<Object<'_>> {
    let params = call.params.filter(|_| call.method == UPDATE)?;
    let params = Some(params).filter(|params| params.contains(CONFIG_OPTION_UPDATE))?;
    Object::parse(params).ok()
}

/// The session and the update of options in the parameters.
fn config_option_update(params: &Object<'_>) -> Option<(String, Object<'static>)> {
    let update = Object::parse(params.get("update")?).ok()?;
    let is_option_update =
        edit::string(&update, "sessionUpdate").as_deref() == Some(CONFIG_OPTION_UPDATE);
    let session = edit::string(params, "sessionId").filter(|_| is_option_update)?;
    Some((session, update.into_owned()))
}

fn parsed(call: Call<'_>) -> Result<Object<'_>, Error> {
    Object::parse(call.params.unwrap_or("{}")).map_err(edit::refusal)
}

fn translated(method: &'static str, params: &Object<'_>) -> TranslatedCall<'static> {
    TranslatedCall::Call {
        method: Cow::Borrowed(method),
        params: Some(Cow::Owned(json::to_string(params))),
    }
}

const SET_MODEL: &str = "session/set_model";
const SET_OPTION: &str = "session/set_config_option";
const UPDATE: &str = "session/update";
const CONFIG_OPTION_UPDATE: &str = "config_option_update";
const NO_OPTION: &str = "modelId: this session has no option of category model";
const LOADING_METHODS: [&str; 2] = ["session/load", "session/resume"];
