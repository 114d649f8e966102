//! Official lists of config options, as a translator remembers and changes them.

use attache_rpc::json::{self, Object, Raw};

use super::edit;

/// The list, if it is short enough to be remembered.
pub(super) fn to_remember(list: &str) -> Option<String> {
    Some(list.to_owned()).filter(|list| list.len() <= MAX_LIST)
}

/// The id of the option that chooses the model.
pub(super) fn model(list: &str) -> Option<String> {
    items(list).iter().find_map(|option| {
        let is_model = option.string_member("category")? == "model";
        option.string_member("id").filter(|_| is_model)
    })
}

/// The option with this id.
pub(super) fn find(list: &str, id: &str) -> Option<Raw> {
    let mut options = items(list).into_iter();
    options.find(|option| option.string_member("id").as_deref() == Some(id))
}

/// The list with one more option.
pub(super) fn with(list: &str, option: Raw) -> String {
    let mut options = items(list);
    options.push(option);
    json::to_string(&options)
}

/// The list with another value for one of its options.
pub(super) fn with_value(list: &str, id: &str, value: &str) -> String {
    let options: Vec<Raw> = items(list)
        .into_iter()
        .map(|option| set_value(&option, id, value).unwrap_or(option))
        .collect();
    json::to_string(&options)
}

fn set_value(option: &Raw, id: &str, value: &str) -> Option<Raw> {
    let mut option = Object::parse(option.as_str()).ok()?;
    if edit::string(&option, "id")? != id {
        return None;
    }
    option.set("currentValue", value);
    option.to_raw().ok()
}

fn items(list: &str) -> Vec<Raw> {
    json::from_str(list).unwrap_or_default()
}

const MAX_LIST: usize = 64 * 1024;
