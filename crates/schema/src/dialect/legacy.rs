//! What older official documents name: `session/set_model`, and errors told apart by a word in their data.
//!
//! Everything else passes without being looked at.

use std::borrow::Cow;

use attache_rpc::json::{self, Object, Raw};
use attache_rpc::{Error, Id};

use super::error_code::{self, Meaning};
use super::memory::{Asked, Recent};
use super::{Call, Passage, Translate, edit};
use crate::error;

/// One official connection.
#[derive(Debug, Default)]
pub(super) struct Legacy {
    models: Recent<Models>,
    /// Whether any session sets its model by the method of old.
    has_methods: bool,
    /// The sessions of calls that open one by its name; the method of old where it was sent in place of the option.
    asked: Asked,
}

/// How the model of a session is set.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Models {
    /// By the option of this id.
    Option(String),
    /// By the method of old: the session has `models` and no option for them.
    Method,
}

impl Translate for Legacy {
    fn read_call<'a>(&mut self, call: Call<'a>) -> Result<Passage<'a>, Error> {
        if call.method == SET_MODEL {
            return self.set_model(call);
        }
        if let Some(session) = opened_by(call) {
            self.asked.theirs.call(call.id, call.method, session);
        }
        Ok(Passage::of(call))
    }

    fn write_call<'a>(&mut self, call: Call<'a>) -> Result<Passage<'a>, Error> {
        if call.method == SET_OPTION && self.has_methods {
            return self.set_option(call);
        }
        if let Some(session) = opened_by(call) {
            self.asked.ours.call(call.id, call.method, session);
        }
        Ok(Passage::of(call))
    }

    fn read_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let fact = self.asked.ours.answer(id, method);
        if method == SET_OPTION && fact.as_deref() == Some(SET_MODEL) {
            return with_options(result);
        }
        self.learn(method, fact, result);
        Ok(Cow::Borrowed(result))
    }

    fn write_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let fact = self.asked.theirs.answer(id, method);
        self.learn(method, fact, result);
        Ok(Cow::Borrowed(result))
    }

    /// A code that the implementation chose, for a meaning that its data tell. One that they tell to be something else
    /// than "not found" is not read so by its number.
    fn read_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.asked.ours.answer(id, method);
        match error_code::of_official(&error) {
            None | Some(Meaning::ResourceNotFound | Meaning::SessionNotFound) => error,
            Some(meaning) => error_code::official(meaning, error),
        }
    }

    fn write_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.asked.theirs.answer(id, method);
        error
    }
}

/// The model of a session.
impl Legacy {
    fn set_model<'a>(&mut self, call: Call<'a>) -> Result<Passage<'a>, Error> {
        let mut params = parsed(call)?;
        let session = edit::string(&params, "sessionId").unwrap_or_default();
        let option = match self.models.get(&session) {
            Some(Models::Option(option)) => option,
            Some(Models::Method) => return Ok(Passage::of(call)),
            None => return Err(error::unusable_params(NO_OPTION)),
        };
        params.put("configId", option);
        params.rename("modelId", "value");
        Ok(passage(SET_OPTION, &params))
    }

    fn set_option<'a>(&mut self, call: Call<'a>) -> Result<Passage<'a>, Error> {
        let mut params = parsed(call)?;
        let session = edit::string(&params, "sessionId").unwrap_or_default();
        let is_model = edit::string(&params, "configId").as_deref() == Some("model");
        if !is_model || self.models.get(&session) != Some(&Models::Method) {
            return Ok(Passage::of(call));
        }
        params.take("configId");
        params.rename("value", "modelId");
        self.asked
            .ours
            .call(call.id, SET_OPTION, SET_MODEL.to_owned());
        Ok(passage(SET_MODEL, &params))
    }
}

impl Legacy {
    /// Learns what a session says when it is opened. A result that does not name it is about the one of its call.
    fn learn(&mut self, method: &str, asked: Option<String>, result: &str) {
        let session = match method {
            "session/new" | "session/fork" => edit::tag(result, "sessionId"),
            _ if OPENING.contains(&method) => asked,
            _ => None,
        };
        if let (Some(session), Ok(result)) = (session, Object::parse(result))
            && let Some(models) = models_of(&result)
        {
            self.has_methods |= models == Models::Method;
            self.models.set(&session, models);
        }
    }
}

/// The session that a call opens by its name.
fn opened_by(call: Call<'_>) -> Option<String> {
    let params = call.params.filter(|_| OPENING.contains(&call.method))?;
    edit::tag(params, "sessionId")
}

fn models_of(result: &Object<'_>) -> Option<Models> {
    let options = result.get("configOptions").unwrap_or("[]");
    let options: Vec<Raw> = json::from_str(options).unwrap_or_default();
    let option = options.iter().find_map(|option| {
        let is_model = option.string_member("category")? == "model";
        option.string_member("id").filter(|_| is_model)
    });
    match option {
        Some(option) => Some(Models::Option(option)),
        None => result.has("models").then_some(Models::Method),
    }
}

/// The result of `session/set_model` is empty, where that of the option is the list of all.
fn with_options(result: &str) -> Result<Cow<'_, str>, Error> {
    let result = if result.trim() == "null" {
        "{}"
    } else {
        result
    };
    let full = edit::object(result, |result| {
        if !result.has("configOptions") {
            result.set("configOptions", "[]");
        }
        Ok(())
    });
    full.map(Cow::Owned).map_err(edit::refusal)
}

fn parsed(call: Call<'_>) -> Result<Object<'_>, Error> {
    Object::parse(call.params.unwrap_or("{}")).map_err(edit::refusal)
}

fn passage(method: &'static str, params: &Object<'_>) -> Passage<'static> {
    Passage::Call {
        method: Cow::Borrowed(method),
        params: Some(Cow::Owned(json::to_string(params))),
    }
}

const SET_MODEL: &str = "session/set_model";
const SET_OPTION: &str = "session/set_config_option";
const NO_OPTION: &str = "modelId: this session has no option of category model";
const OPENING: [&str; 2] = ["session/load", "session/resume"];
