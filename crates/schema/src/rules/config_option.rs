//! Config options: each one by itself, a choice among them, and whether a list is complete.

use std::collections::HashMap;

use super::{Context, Findings, Level, MessagePath, Rule, gate, unique};
use crate::v1::{
    self, SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigOptionValue, SessionConfigSelectOptions, SessionConfigValueId, SessionId,
};

/// A list of options, as an agent offers it.
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

/// A choice that a client makes.
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

/// The choices of a list, with or without groups.
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
                let message = "the present value is not among the options; add it or name another";
                found.add(rule!("150"), &at.member("currentValue"), message);
            }
        }
        SessionConfigKind::Boolean(_) if !shows_switches(context) => {
            let capability = "clientCapabilities.session.configOptions.boolean";
            gate::closed(rule!("148"), capability, at, found);
        }
        SessionConfigKind::Boolean(_) | SessionConfigKind::Other(_) => {}
    }
}

fn shows_switches(context: &Context) -> bool {
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
        let message = "the name is reserved; start a category of your own with _";
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
            Some("the option is a switch; send a boolean with type boolean")
        }
        (SessionConfigKind::Boolean(_), SessionConfigOptionValue::Boolean(_))
        | (SessionConfigKind::Other(_), _) => None,
    }
}

/// The list that answers a choice: the option that was set is in it, and the others are too.
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

/// The list that an agent announces.
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

/// Options can go for good, so a loss alone proves nothing. But who sends changes only sends nothing that is as it
/// was: a list that has lost options and has kept none unchanged is taken for that.
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

/// How hard a model thinks, and how it is set, depends on the model and can vanish with it.
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
