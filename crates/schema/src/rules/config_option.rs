//! Checks config options: lists of options, changes to an option, and whether a list is complete.

use std::collections::HashMap;

use super::{Context, Findings, Level, MessagePath, Rule, gate, unique};
use crate::v1::{
    self, SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigOptionValue, SessionConfigSelectOptions, SessionConfigValueId, SessionId,
};

/// Checks a list of options from the agent.
pub(super) fn list(
    options: &[SessionConfigOption],
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    unique::ids(
        options.iter().map(|option| option.id.as_str()),
        "id",
        at,
        found,
    );
    for (index, option) in options.iter().enumerate() {
        let at = at.item(index);
        kind(&option.kind, context, &at, found);
        category(option.category.as_ref(), &at.member("category"), found);
    }
}

/// Checks `session/set_config_option` against the options of the session.
pub(super) fn set(
    request: &v1::SetSessionConfigOptionRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let Some(offers) = context.sessions.get(&request.session_id) else {
        return;
    };
    let options = offers.config_options.as_deref().unwrap_or(&[]);
    let fault = match find(options, &request.config_id) {
        None => Some((
            "configId",
            "the session has no such option; choose one of its options",
        )),
        Some(option) => value_fault(&option.kind, &request.value).map(|why| ("value", why)),
    };
    if let Some((member, message)) = fault {
        found.add(rule!("B5"), &at.member(member), message);
    }
}

/// The values of a list, with or without groups.
pub(super) fn choices(
    select: &v1::SessionConfigSelect,
) -> impl Iterator<Item = &SessionConfigValueId> {
    let (flat, groups) = match &select.options {
        SessionConfigSelectOptions::Ungrouped(choices) => (&choices[..], &[][..]),
        SessionConfigSelectOptions::Grouped(groups) => (&[][..], &groups[..]),
    };
    let grouped = groups.iter().flat_map(|group| &group.options);
    flat.iter().chain(grouped).map(|choice| &choice.value)
}

fn find<'a>(
    options: &'a [SessionConfigOption],
    id: &SessionConfigId,
) -> Option<&'a SessionConfigOption> {
    options.iter().find(|option| option.id == *id)
}

fn kind(kind: &SessionConfigKind, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
    match kind {
        SessionConfigKind::Select(select) => {
            if !choices(select).any(|choice| *choice == select.current_value) {
                let message = "the current value is not among the options; add it or name another";
                found.add(rule!("150"), &at.member("currentValue"), message);
            }
        }
        SessionConfigKind::Boolean(_) if !supports_boolean(context) => {
            let capability = "clientCapabilities.session.configOptions.boolean";
            gate::closed(rule!("148"), capability, at, found);
        }
        SessionConfigKind::Boolean(_) | SessionConfigKind::Other(_) => {}
    }
}

fn supports_boolean(context: &Context) -> bool {
    let session = context.client.session.as_ref();
    let options = session.and_then(|session| session.config_options.as_ref());
    options.is_some_and(|options| options.boolean.is_some())
}

fn category(
    category: Option<&SessionConfigOptionCategory>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if category.is_some_and(|name| !name.is_known() && !name.as_str().starts_with('_')) {
        let message = "the name is reserved; start a custom category with _";
        found.add(rule!("155"), at, message);
    }
}

fn value_fault(kind: &SessionConfigKind, value: &SessionConfigOptionValue) -> Option<&'static str> {
    match (kind, value) {
        (SessionConfigKind::Select(select), SessionConfigOptionValue::ValueId(value)) => {
            let is_choice = choices(select).any(|choice| choice == value);
            (!is_choice)
                .then_some("the value is not among the option's choices; choose one of them")
        }
        (SessionConfigKind::Select(_), SessionConfigOptionValue::Boolean(_)) => {
            Some("the option is a list; send the id of one of its choices")
        }
        (SessionConfigKind::Boolean(_), SessionConfigOptionValue::ValueId(_)) => {
            Some("the option is a boolean; send a boolean with type boolean")
        }
        (SessionConfigKind::Boolean(_), SessionConfigOptionValue::Boolean(_))
        | (SessionConfigKind::Other(_), _) => None,
    }
}

/// Checks the list in the response to `session/set_config_option`: it has the option that was set, and all others.
pub(super) fn set_response(
    session: &SessionId,
    set: &SessionConfigId,
    after: &[SessionConfigOption],
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let mut before = by_id(known(session, context));
    let mut after = by_id(after);
    let was_there = before.remove(set).is_some();
    let is_there = after.remove(set).is_some();
    if was_there && !is_there {
        let message = "the option that was set is missing; send all options";
        found.add(rule!("153"), at, message);
    } else {
        whole(&before, &after, rule!("153"), at, found);
    }
}

/// Checks the list in a `config_option_update`.
pub(super) fn announced(
    session: &SessionId,
    after: &[SessionConfigOption],
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let before = by_id(known(session, context));
    whole(&before, &by_id(after), rule!("154"), at, found);
}

type Options<'a> = HashMap<&'a SessionConfigId, &'a SessionConfigOption>;

/// Reports a list that seems to have the changed options only. An agent may remove options, so a missing option alone
/// proves nothing; but a list that lacks options and has no unchanged one looks partial.
fn whole(
    before: &Options<'_>,
    after: &Options<'_>,
    rule: &'static Rule,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let is_lost =
        |option: &SessionConfigOption| !comes_and_goes(option) && !after.contains_key(&option.id);
    let is_kept = |option: &SessionConfigOption| before.get(&option.id) == Some(&option);
    if before.values().any(|option| is_lost(option))
        && !after.values().any(|option| is_kept(option))
    {
        let message = "looks like the changed options only; send all options";
        found.hint(rule, rule.level.min(Level::Should), at, message);
    }
}

/// Whether an option depends on the model, so that it may disappear when the model changes.
fn comes_and_goes(option: &SessionConfigOption) -> bool {
    use SessionConfigOptionCategory::{ModelConfig, ThoughtLevel};
    matches!(option.category, Some(ModelConfig | ThoughtLevel))
}

fn known<'a>(session: &SessionId, context: &'a Context) -> &'a [SessionConfigOption] {
    let offers = context.sessions.get(session);
    offers
        .and_then(|offers| offers.config_options.as_deref())
        .unwrap_or(&[])
}

fn by_id(options: &[SessionConfigOption]) -> Options<'_> {
    options.iter().map(|option| (&option.id, option)).collect()
}
