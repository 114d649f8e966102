//! The options of a permission request and the scopes of the draft.

use attache_rpc::json::{self, Object, Raw, write};

use super::draft_meta;
use crate::edit::{self, META_KEY, quoted};

/// The scopes of a grant, narrowest first. They are also the ids of the options that grant.
const SCOPES: [&str; 4] = ["once", "session", "workspace", "always"];

/// The options for a draft request. Each option keeps its draft response in `_meta`.
pub(super) fn options() -> String {
    let mut out = String::from("[");
    for (id, name, kind) in OPTIONS {
        let mut option = Object::default();
        option.put("optionId", id);
        option.put("name", name);
        option.put("kind", kind);
        if SCOPES.contains(&id) {
            option.set(
                "_meta",
                format!("{{\"{META_KEY}\":{{\"scope\":{}}}}}", quoted(id)),
            );
        }
        write::comma(&mut out);
        out.push_str(&json::to_string(&option));
    }
    out.push(']');
    out
}

/// The id of the option for a grant: the one with that scope, or else one that grants no more. Only `always` matches
/// `allow_always`, whose scope is unlimited.
pub(super) fn grant(options: &[Raw], scope: &str) -> Option<String> {
    let of_scope = |option: &Object<'_>| {
        let kept = draft_meta::peek(option, "scope");
        kept == Some(quoted(scope)) && (is(option, "allow_once") || is(option, "allow_always"))
    };
    let plain = |option: &Object<'_>| draft_meta::peek(option, "scope").is_none();
    let always = |option: &Object<'_>| plain(option) && is(option, "allow_always");
    find(options, of_scope)
        .or_else(|| find(options, always).filter(|_| scope == "always"))
        .or_else(|| find(options, |option| is(option, "allow_once")))
}

/// The id of the option that rejects.
pub(super) fn refusal(options: &[Raw], remember: bool) -> Option<String> {
    let mut kinds = ["reject_once", "reject_always"];
    if remember {
        kinds.reverse();
    }
    kinds
        .into_iter()
        .find_map(|kind| find(options, |option| is(option, kind)))
}

/// Whether this module created the options for a draft request.
pub(super) fn are_ours(options: &[Raw]) -> bool {
    find(options, |option| {
        draft_meta::peek(option, "scope").is_some()
    })
    .is_some()
}

/// The scope that this option grants; `None` if it rejects.
pub(super) fn scope(options: &[Raw], id: &str) -> Option<String> {
    let grants = |option: &Object<'_>| {
        let is_chosen = edit::string(option, "optionId").as_deref() == Some(id);
        let allows = is(option, "allow_once") || is(option, "allow_always");
        is_chosen && allows && draft_meta::peek(option, "scope") == Some(quoted(id))
    };
    find(options, grants)
}

/// Whether the client should remember a grant with this scope.
pub(super) fn is_lasting(scope: &str) -> bool {
    scope != SCOPES[0]
}

fn find(options: &[Raw], fits: impl Fn(&Object<'_>) -> bool) -> Option<String> {
    options.iter().find_map(|option| {
        let option = Object::parse(option.as_str()).ok()?;
        fits(&option).then(|| edit::string(&option, "optionId"))?
    })
}

fn is(option: &Object<'_>, kind: &str) -> bool {
    edit::string(option, "kind").as_deref() == Some(kind)
}

const OPTIONS: [(&str, &str, &str); 5] = [
    ("once", "Allow once", "allow_once"),
    ("session", "Allow for this session", "allow_always"),
    ("workspace", "Allow in this workspace", "allow_always"),
    ("always", "Always allow", "allow_always"),
    ("reject", "Reject", "reject_once"),
];
