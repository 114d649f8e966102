//! Permission requests: a title and a description instead of a tool call, and a response that only names an option.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};
use attache_schema::error;

use super::{Pharo, content, session_of};
use crate::edit;

impl Pharo {
    pub(super) fn read_permission(&mut self, params: &mut Object<'_>) -> Result<(), DecodeError> {
        if !params.has("toolCall") {
            let call = self.tool_call(params);
            params.set("toolCall", json::to_string(&call));
            // The rest of the description is not text.
            edit::move_to_meta(params, &["description"])?;
        }
        edit::parts(params, "options", read_option)
    }

    pub(super) fn write_permission(&mut self, params: &mut Object<'_>) -> Result<(), DecodeError> {
        let session = session_of(params);
        if edit::kind(params, "toolCall") == Some(ValueKind::Object)
            && let Some(call) = params.take("toolCall")
        {
            let call = Object::parse(&call).map_err(|error| error.within("toolCall"))?;
            edit::restore_from_meta(params)?;
            self.describe(&session, &call, params);
        }
        edit::parts(params, "options", write_option)
    }

    fn tool_call(&mut self, params: &mut Object<'_>) -> Object<'static> {
        let id = edit::string(params, "toolCallId").unwrap_or_else(|| self.new_id());
        params.take("toolCallId");
        let mut call = Object::default();
        call.put("toolCallId", &id);
        if let Some(title) = params.take("title") {
            call.set("title", title.into_owned());
        }
        if let Some(description) = edit::string(params, "description") {
            params.take("description");
            let text = content::text(&description);
            call.set(
                "content",
                format!("[{{\"type\":\"content\",\"content\":{text}}}]"),
            );
        }
        call
    }

    fn describe(&self, session: &str, call: &Object<'_>, params: &mut Object<'_>) {
        let id = edit::string(call, "toolCallId").unwrap_or_default();
        let title = edit::string(call, "title").or_else(|| self.title(session, &id));
        if !Pharo::is_own(&id) {
            params.put("toolCallId", &id);
            params.put("title", &title.unwrap_or_else(|| format!("Tool call {id}")));
        } else if let Some(title) = title {
            params.put("title", &title);
        }
        if let Some(text) = first_text(call) {
            params.put("description", &text);
        }
    }
}

/// Our response to a request whose first reject option is `reject`. The shape has no cancelled outcome, so that option
/// is selected; without one the request fails, so that nothing is granted.
pub(super) fn write_permission_result(
    reject: Option<String>,
    result: &str,
) -> Result<String, attache_rpc::Error> {
    let mut result = Object::parse(result).map_err(edit::refusal)?;
    let outcome = result.take("outcome").unwrap_or_default();
    let option = if edit::tag(&outcome, "outcome").as_deref() == Some("selected") {
        edit::tag(&outcome, "optionId")
    } else {
        None
    };
    let option = option.or(reject).ok_or_else(error::cancelled)?;
    result.put("selectedOptionId", &option);
    Ok(json::to_string(&result))
}

/// The first option of a request that rejects, in the peer's shape.
pub(super) fn first_reject(params: &Object<'_>) -> Option<String> {
    let options: Vec<Raw> = json::from_str(params.get("options")?).ok()?;
    options.iter().find_map(|option| {
        let option = Object::parse(option.as_str()).ok()?;
        match edit::string(&option, "kind")?.as_str() {
            "reject_once" | "reject_always" | "deny" => edit::string(&option, "optionId"),
            _ => None,
        }
    })
}

pub(super) fn read_permission_result(result: &mut Object<'_>) -> Result<(), DecodeError> {
    if result.has("outcome") || !result.has("selectedOptionId") {
        return Ok(());
    }
    let mut outcome = Object::default();
    match result.take("selectedOptionId") {
        Some(option) if option != "null" => {
            outcome.put("outcome", "selected");
            outcome.set("optionId", option);
        }
        _ => outcome.put("outcome", "cancelled"),
    }
    result.set("outcome", json::to_string(&outcome));
    Ok(())
}

/// The document has the official kinds; its own implementation also says `allow` and `deny`.
fn read_option(option: &mut Object<'_>) -> Result<(), DecodeError> {
    option.rename("label", "name");
    if let Some(kind) = official_kind(option) {
        edit::move_to_meta(option, &["kind"])?;
        option.put("kind", kind);
    }
    Ok(())
}

/// A changed kind takes precedence over the kept one.
fn write_option(option: &mut Object<'_>) -> Result<(), DecodeError> {
    option.rename("name", "label");
    let kind = option.take("kind");
    edit::restore_from_meta(option)?;
    let kept = official_kind(option).map(edit::quoted);
    if let Some(kind) = kind
        && kept.as_deref() != Some(&*kind)
    {
        option.set("kind", kind);
    }
    Ok(())
}

fn official_kind(option: &Object<'_>) -> Option<&'static str> {
    match edit::string(option, "kind").as_deref() {
        Some("allow") => Some("allow_once"),
        Some("deny") => Some("reject_once"),
        _ => None,
    }
}

fn first_text(call: &Object<'_>) -> Option<String> {
    let items: Vec<Raw> = json::from_str(call.get("content")?).ok()?;
    items.iter().find_map(|item| {
        let item = Object::parse(item.as_str()).ok()?;
        edit::tag(item.get("content")?, "text")
    })
}
