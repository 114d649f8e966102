//! Whether a list of options is complete, or only holds what has changed.

use std::collections::HashMap;

use crate::rules::{Context, Findings, Level, MessagePath, Rule};
use crate::v1::{SessionConfigId, SessionConfigOption, SessionConfigOptionCategory, SessionId};

/// The list that answers a choice: the option that was set is in it, and the others are too.
pub(in crate::rules) fn set_response(
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
pub(in crate::rules) fn announced(
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
