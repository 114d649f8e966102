//! The answers to a permission request: the agent's own options in its order, then the answers that Attaché remembers.

use attache::v1;
use attache_client::command::PermissionAnswer;
use attache_client::event::PermissionPrompt;
use attache_host::permissions::{MAX_OPTIONS, Scope, option_allows, option_label};
use attache_text::plain::visible_start;

/// One answer to a permission request.
#[derive(Debug, Clone)]
pub(super) struct PermissionChoice {
    pub(super) kind: ChoiceKind,
    pub(super) source: ChoiceSource,
    /// The option id to send to the agent, if any.
    option: Option<v1::PermissionOptionId>,
}

/// The effect of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChoiceKind {
    AllowOnce,
    AllowLasting,
    RejectOnce,
    RejectLasting,
    Dismiss,
    /// An option of an unknown kind.
    Unknown,
    /// An option whose id another option has too, so the agent can't tell which one is meant.
    Duplicate,
    /// An option that allows for longer than once what needs permission each time.
    TooLasting,
    /// Options beyond the limit.
    Omitted,
}

/// Who offers an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChoiceSource {
    /// The agent, with its name for the option, safe to show.
    Agent(String),
    /// Attaché, which remembers the answer in this scope.
    Own(Scope),
    /// Neither: the request is cancelled.
    Nobody,
}

impl PermissionChoice {
    /// Whether the answer may allow anything.
    pub(super) fn grants(&self) -> bool {
        matches!(
            self.kind,
            ChoiceKind::AllowOnce
                | ChoiceKind::AllowLasting
                | ChoiceKind::Unknown
                | ChoiceKind::Duplicate
                | ChoiceKind::TooLasting
                | ChoiceKind::Omitted
        )
    }

    /// Whether the answer also applies to later requests.
    pub(super) fn lasts(&self) -> bool {
        matches!(
            self.kind,
            ChoiceKind::AllowLasting | ChoiceKind::RejectLasting
        )
    }

    /// The scope in which Attaché remembers the answer.
    pub(super) fn scope(&self) -> Option<Scope> {
        match self.source {
            ChoiceSource::Own(scope) => Some(scope),
            ChoiceSource::Agent(_) | ChoiceSource::Nobody => None,
        }
    }

    /// The answer to submit; `None` for an option that can't be chosen.
    pub(super) fn answer(&self) -> Option<PermissionAnswer> {
        let remember = self.scope().unwrap_or(Scope::Once);
        match (self.kind, self.option.clone()) {
            (
                ChoiceKind::Unknown
                | ChoiceKind::Duplicate
                | ChoiceKind::TooLasting
                | ChoiceKind::Omitted,
                _,
            ) => None,
            (ChoiceKind::Dismiss, _) => Some(PermissionAnswer::Dismiss),
            (_, Some(option)) => Some(PermissionAnswer::Choose { option, remember }),
            (ChoiceKind::RejectOnce | ChoiceKind::RejectLasting, None) => {
                Some(PermissionAnswer::Reject { remember })
            }
            (ChoiceKind::AllowOnce | ChoiceKind::AllowLasting, None) => None,
        }
    }

    /// The label in our words, and the agent's name for the option if that differs.
    pub(super) fn labels(&self) -> (String, Option<&str>) {
        match (&self.source, self.kind) {
            (ChoiceSource::Agent(name), ChoiceKind::Unknown) => {
                ("Can't be chosen (unknown kind)".to_owned(), Some(name))
            }
            (ChoiceSource::Agent(name), ChoiceKind::Duplicate) => {
                let words = "Can't be chosen (its id is not unique)";
                (words.to_owned(), Some(name))
            }
            (ChoiceSource::Agent(name), ChoiceKind::TooLasting) => {
                let words = "Can't be chosen (this can be allowed only once)";
                (words.to_owned(), Some(name))
            }
            // The text is our own.
            (ChoiceSource::Agent(name), ChoiceKind::Omitted) => {
                (format!("Can't be chosen: {name}"), None)
            }
            (ChoiceSource::Agent(name), kind) => match kind_label(kind) {
                label if name.eq_ignore_ascii_case(label) => (label.to_owned(), None),
                label => (label.to_owned(), Some(name)),
            },
            (ChoiceSource::Own(scope), ChoiceKind::RejectLasting) => {
                let words = format!("Reject, and don't ask again {}", scope_phrase(*scope));
                (words, None)
            }
            (ChoiceSource::Own(scope), _) => {
                let words = format!("Allow, and don't ask again {}", scope_phrase(*scope));
                (words, None)
            }
            (ChoiceSource::Nobody, _) => ("Dismiss (cancel the request)".to_owned(), None),
        }
    }
}

/// The answers to a request.
pub(super) fn list(prompt: &PermissionPrompt) -> Vec<PermissionChoice> {
    let options = &prompt.options;
    let is_asked_each_time = prompt.action.is_asked_each_time();
    let mut choices: Vec<PermissionChoice> = options
        .iter()
        .take(MAX_OPTIONS)
        .map(|option| PermissionChoice {
            kind: {
                let kind = kind_of(option, options);
                match is_asked_each_time && kind == ChoiceKind::AllowLasting {
                    true => ChoiceKind::TooLasting,
                    false => kind,
                }
            },
            source: ChoiceSource::Agent(shown_name(&option.name)),
            option: Some(option.option_id.clone()),
        })
        .collect();
    if let Some(more @ 1..) = options.len().checked_sub(MAX_OPTIONS) {
        choices.push(PermissionChoice {
            kind: ChoiceKind::Omitted,
            source: ChoiceSource::Agent(format!("{more} more options; the agent offers too many")),
            option: None,
        });
    }
    let once = |kind: ChoiceKind| {
        let mut offered = choices.iter().filter(|choice| choice.kind == kind);
        offered.next().and_then(|choice| choice.option.clone())
    };
    let (allow, reject) = (once(ChoiceKind::AllowOnce), once(ChoiceKind::RejectOnce));
    if !is_asked_each_time {
        let own = |kind, scope, option| PermissionChoice {
            kind,
            source: ChoiceSource::Own(scope),
            option,
        };
        if allow.is_some() {
            let scopes = [Scope::Session, Scope::Workspace, Scope::Always];
            let allowing = scopes.map(|scope| own(ChoiceKind::AllowLasting, scope, allow.clone()));
            choices.extend(allowing);
        }
        if reject.is_some() {
            choices.push(own(ChoiceKind::RejectLasting, Scope::Workspace, reject));
        }
    }
    choices.push(PermissionChoice {
        kind: ChoiceKind::Dismiss,
        source: ChoiceSource::Nobody,
        option: None,
    });
    choices
}

/// The effect of an option, judged by its kind and never by its name.
#[warn(clippy::wildcard_enum_match_arm)]
fn kind_of(option: &v1::PermissionOption, options: &[v1::PermissionOption]) -> ChoiceKind {
    use v1::PermissionOptionKind as Kind;
    let same = options.iter().filter(|it| it.option_id == option.option_id);
    if same.count() > 1 {
        return ChoiceKind::Duplicate;
    }
    if option_allows(options, &option.option_id).is_none() {
        return ChoiceKind::Unknown;
    }
    match option.kind {
        Kind::AllowOnce => ChoiceKind::AllowOnce,
        Kind::AllowAlways => ChoiceKind::AllowLasting,
        Kind::RejectOnce => ChoiceKind::RejectOnce,
        Kind::RejectAlways => ChoiceKind::RejectLasting,
        Kind::Other(_) => ChoiceKind::Unknown,
        _ => ChoiceKind::Unknown,
    }
}

fn kind_label(kind: ChoiceKind) -> &'static str {
    use v1::PermissionOptionKind as Kind;
    match kind {
        ChoiceKind::AllowOnce => option_label(&Kind::AllowOnce),
        ChoiceKind::AllowLasting => option_label(&Kind::AllowAlways),
        ChoiceKind::RejectOnce => option_label(&Kind::RejectOnce),
        ChoiceKind::RejectLasting => option_label(&Kind::RejectAlways),
        ChoiceKind::Dismiss
        | ChoiceKind::Unknown
        | ChoiceKind::Duplicate
        | ChoiceKind::TooLasting
        | ChoiceKind::Omitted => "",
    }
}

/// The agent's name of an option, shortened if it is very long.
fn shown_name(name: &str) -> String {
    match visible_start(name, NAME) {
        (name, 0) => name.into_owned(),
        (start, more) => format!("{start}… {more} more characters, Alt-D shows all"),
    }
}

fn scope_phrase(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "this time",
        Scope::Session => "in this session",
        Scope::Workspace => "in this workspace",
        Scope::Always => "with this agent, anywhere",
    }
}

/// The most characters of an option's name that are shown.
const NAME: usize = 120;
