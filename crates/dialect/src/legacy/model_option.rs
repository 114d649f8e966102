//! The `models` of a session in the older shape, as the config option that replaces them.

use attache_rpc::json::{self, Object, Raw};

use crate::{edit, option_list};

/// The options of a session, including the one that represents its models.
#[derive(Debug, Clone)]
pub(super) struct ModelOption {
    pub(super) id: String,
    pub(super) list: String,
}

impl ModelOption {
    /// Adds the option for the models after the session's own options; `None` if the models are invalid.
    pub(super) fn of(models: &Object<'_>, list: &str) -> Option<Self> {
        let current = edit::string(models, "currentModelId")?;
        let id = free_id(list);
        let mut option = Object::default();
        option.put("id", id);
        option.put("name", "Model");
        option.put("category", "model");
        option.put("type", "select");
        option.put("currentValue", &current);
        option.put("options", &choices(models, &current));
        let list = option_list::with(list, Raw::of(&option));
        let id = id.to_owned();
        Some(ModelOption { id, list })
    }

    /// The agent's list of options, with the option added.
    pub(super) fn join(&self, reported: &str) -> Option<Self> {
        let option = option_list::find(&self.list, &self.id)?;
        let list = option_list::with(reported, option);
        let id = self.id.clone();
        Some(ModelOption { id, list })
    }
}

/// The current model is a choice even if it is not among the available ones.
fn choices(models: &Object<'_>, current: &str) -> Vec<Raw> {
    let available = models.get("availableModels").unwrap_or("[]");
    let available: Vec<Raw> = json::from_str(available).unwrap_or_default();
    let has_current = available
        .iter()
        .any(|model| model.string_member("modelId").as_deref() == Some(current));
    let unnamed = (!has_current).then(|| choice(current, None, None));
    let choices = available.iter().filter_map(|model| {
        let id = model.string_member("modelId")?;
        let [name, description] = ["name", "description"].map(|name| model.string_member(name));
        Some(choice(&id, name, description))
    });
    unnamed.into_iter().chain(choices).collect()
}

fn choice(id: &str, name: Option<String>, description: Option<String>) -> Raw {
    let mut choice = Object::default();
    choice.put("value", id);
    choice.put("name", name.as_deref().unwrap_or(id));
    if let Some(description) = description {
        choice.put("description", &description);
    }
    Raw::of(&choice)
}

fn free_id(list: &str) -> &'static str {
    match option_list::find(list, MODEL) {
        None => MODEL,
        Some(_) => OTHER,
    }
}

/// The id of the option, unless the session has another option with this id.
pub(super) const MODEL: &str = "model";
const OTHER: &str = "attache.model";
