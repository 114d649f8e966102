//! No silent arm: a `match` on one of our own enums names every variant, so that `_ =>` can't swallow a new variant.
//! An enum that is `#[non_exhaustive]` needs an arm for what is unknown, in other crates: there `_ =>` stands alone, so
//! that clippy can say which variants are not named, and does something. Tests may use `_` as they like.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, TokenTree};
use syn::visit::{self, Visit};

use super::Violation;
use super::counted::{Site, compare};
use super::tokens::{is_ident, is_punct, walk, without_tests};
use super::tree::{File, Rust, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut sites = BTreeMap::new();
    for (file, rust) in tree.rust_files().filter(|(file, _)| !file.is_test()) {
        let found: Vec<Site> = silent_arms(file, rust);
        if !found.is_empty() {
            sites.insert(file.path.clone(), found);
        }
    }
    compare("silent arm", &sites, &tree.allow.silent_arms)
}

fn silent_arms(file: &File, rust: &Rust) -> Vec<Site> {
    let foreign = foreign_names(&rust.syntax);
    let mut found = Vec::new();
    let tokens = without_tests(rust.tokens.clone());
    walk(tokens, &mut |ahead| {
        let Some(arms) = arms(ahead) else {
            return;
        };
        let name = arms.iter().find_map(|arm| our_enum(&arm.pattern));
        let Some(name) = name.filter(|name| !foreign.contains(name)) else {
            return;
        };
        let is_open = OPEN_ENUMS.contains(&name.as_str());
        for arm in &arms {
            let Some((line, wildcard)) = wildcard(&arm.pattern) else {
                continue;
            };
            let advice = match wildcard {
                _ if !is_open => "name the variants",
                Wildcard::Last => {
                    "give `_` an arm of its own, so that clippy sees which variants are missing"
                }
                Wildcard::Alone if arm.is_silent() => {
                    "what is unknown must not disappear; handle it"
                }
                Wildcard::Alone => continue,
            };
            let message = format!("`_ =>` in a match on `{name}`; {advice}");
            found.push(Site::new(&file.path, line, message));
        }
    });
    found
}

/// An arm of a `match`.
struct Arm {
    /// The pattern, with its guard.
    pattern: Vec<TokenTree>,
    /// The beginning of the body, and all of it if it is short.
    body: Vec<TokenTree>,
}

impl Arm {
    /// Whether the body does nothing: `{}`, `()`, or only `return`, `continue` or `break`.
    fn is_silent(&self) -> bool {
        let end = self.body.iter().position(|token| is_punct(token, ','));
        match &self.body[..end.unwrap_or(self.body.len())] {
            [TokenTree::Group(group), ..] if group.delimiter() != Delimiter::Bracket => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                does_nothing(&inside)
            }
            body => does_nothing(body),
        }
    }
}

fn does_nothing(tokens: &[TokenTree]) -> bool {
    let tokens: Vec<&TokenTree> = tokens.iter().filter(|it| !is_punct(it, ';')).collect();
    match tokens.as_slice() {
        [] => true,
        [word] => ["return", "continue", "break"]
            .iter()
            .any(|it| is_ident(word, it)),
        _ => false,
    }
}

/// The arms of a `match` that starts here.
fn arms(ahead: &[TokenTree]) -> Option<Vec<Arm>> {
    let [first, rest @ ..] = ahead else {
        return None;
    };
    if !is_ident(first, "match") {
        return None;
    }
    let body = rest.iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    })?;
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut rest = tokens.as_slice();
    let mut arms = Vec::new();
    while let Some(arrow) = arrow(rest) {
        let body = &rest[arrow + 2..];
        arms.push(Arm {
            pattern: rest[..arrow].to_vec(),
            body: body[..body.len().min(LONGEST_SILENT_BODY)].to_vec(),
        });
        rest = after_body(body);
    }
    Some(arms)
}

/// The position of the next `=>`.
fn arrow(tokens: &[TokenTree]) -> Option<usize> {
    tokens
        .windows(2)
        .position(|pair| is_punct(&pair[0], '=') && is_punct(&pair[1], '>'))
}

fn after_body(tokens: &[TokenTree]) -> &[TokenTree] {
    if let [TokenTree::Group(block), rest @ ..] = tokens
        && block.delimiter() == Delimiter::Brace
        && !matches!(rest, [next, ..] if is_punct(next, '.') || is_punct(next, '?'))
    {
        return match rest {
            [comma, rest @ ..] if is_punct(comma, ',') => rest,
            _ => rest,
        };
    }
    let comma = tokens.iter().position(|token| is_punct(token, ','));
    comma.map_or(&[], |comma| &tokens[comma + 1..])
}

enum Wildcard {
    /// The pattern is just `_`.
    Alone,
    /// The pattern ends with `| _`.
    Last,
}

/// The wildcard of a pattern without a guard, and its line.
fn wildcard(pattern: &[TokenTree]) -> Option<(usize, Wildcard)> {
    let is_any = |token: &TokenTree| is_ident(token, "_");
    match pattern {
        [any] if is_any(any) => Some((any.span().start().line, Wildcard::Alone)),
        [.., or, any] if is_punct(or, '|') && is_any(any) => {
            Some((any.span().start().line, Wildcard::Last))
        }
        _ => None,
    }
}

/// The name of our enum in a pattern. A tuple may use `_` for the rest.
fn our_enum(pattern: &[TokenTree]) -> Option<String> {
    if matches!(pattern.first(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
    {
        return None;
    }
    let guard = pattern.iter().position(|token| is_ident(token, "if"));
    let pattern = &pattern[..guard.unwrap_or(pattern.len())];
    let mut found = None;
    walk(pattern.iter().cloned().collect(), &mut |ahead| {
        if let [
            TokenTree::Ident(name),
            first,
            second,
            TokenTree::Ident(_),
            ..,
        ] = ahead
            && is_punct(first, ':')
            && is_punct(second, ':')
            && (OUR_ENUMS.contains(&name.to_string().as_str())
                || OPEN_ENUMS.contains(&name.to_string().as_str()))
        {
            found.get_or_insert_with(|| name.to_string());
        }
    });
    found
}

/// The names that a file imports from third-party crates.
fn foreign_names(file: &syn::File) -> Vec<String> {
    let mut imports = Imports::default();
    imports.visit_file(file);
    imports.0
}

#[derive(Default)]
struct Imports(Vec<String>);

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, node: &'ast syn::ItemUse) {
        if let syn::UseTree::Path(path) = &node.tree {
            let root = path.ident.to_string();
            let is_ours = ["crate", "self", "super"].contains(&root.as_str());
            if !is_ours && !root.starts_with("attache") {
                visit::visit_item_use(self, node);
            }
        }
    }

    fn visit_use_name(&mut self, node: &'ast syn::UseName) {
        self.0.push(node.ident.to_string());
    }
}

/// Enums that grow with the program and whose new variants have to be handled: messages, and messages between tasks.
const OUR_ENUMS: [&str; 4] = ["InboundMessage", "Command", "Effect", "Event"];

/// Enums that grow with the protocol, in versions of the library that later come between its crates: calls and updates.
/// They are `#[non_exhaustive]`. The enums of `attache_schema::call` are not listed, because most code concerns only a
/// few methods.
const OPEN_ENUMS: [&str; 5] = [
    "AgentCall",
    "Change",
    "ClientCall",
    "SessionUpdate",
    "StateUpdate",
];

/// Tokens that are kept of a body: enough to see that it does nothing.
const LONGEST_SILENT_BODY: usize = 4;

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn a_silent_arm_is_named() {
        fixture::check(
            super::check,
            r#"
//- crates/tui/src/app.rs
fn show(event: Event) {
    match event {
        Event::Opened { id, .. } if id > 0 => open(id),
        Event::Closed => { close() }
        _ => {}
    }
    let text = match next() {
        Some(v1::SessionUpdate::Plan(plan)) => match plan { Plan::A => "a", _ => "b" }.trim(),
        _ => "",
    };
    tokio::select! {
        call = calls.next() => match call { ClientCall::Extension(..) => {}, _ => return },
    }
}
"#,
            expect![[r#"
                crates/tui/src/app.rs:5: `_ =>` in a match on `Event`; name the variants
                crates/tui/src/app.rs:12: `_ =>` in a match on `ClientCall`; what is unknown must not disappear; handle it
            "#]],
        );
    }

    #[test]
    fn an_enum_that_is_non_exhaustive_has_an_arm_that_handles_what_is_unknown() {
        fixture::check(
            super::check,
            r#"
//- crates/tui/src/app.rs
fn show(update: v1::SessionUpdate) -> Option<u8> {
    match update {
        v1::SessionUpdate::Plan(_) => one(),
        _ => unknown(update),
    }
    match call {
        ClientCall::ReadTextFile(..) => read(),
        other => other.refuse(),
    }
    match update {
        v1::SessionUpdate::Plan(_) => one(),
        v1::SessionUpdate::Other(_) | _ => unknown(update),
    }
    match update {
        v1::SessionUpdate::Plan(_) => one(),
        _ => {}
    }
    loop {
        match update { v1::SessionUpdate::Plan(_) => one(), _ => { continue; } }
        match update { v1::SessionUpdate::Plan(_) => one(), _ => () }
    }
    match update {
        v1::SessionUpdate::Plan(_) => Some(1),
        _ => None,
    }
}
"#,
            expect![[r#"
                crates/tui/src/app.rs:12: `_ =>` in a match on `SessionUpdate`; give `_` an arm of its own, so that clippy sees which variants are missing
                crates/tui/src/app.rs:16: `_ =>` in a match on `SessionUpdate`; what is unknown must not disappear; handle it
                crates/tui/src/app.rs:19: `_ =>` in a match on `SessionUpdate`; what is unknown must not disappear; handle it
                crates/tui/src/app.rs:20: `_ =>` in a match on `SessionUpdate`; what is unknown must not disappear; handle it
            "#]],
        );
    }

    #[test]
    fn tests_tuples_guards_and_foreign_enums_may_use_a_wildcard() {
        fixture::check(
            super::check,
            r#"
//- crates/tui/src/app.rs
fn show(event: Event) {
    match event {
        Event::Opened => open(),
        Event::Closed | Event::Moved => close(),
    }
    match event {
        Event::Opened => {}
        _ if done() => {}
        Event::Closed => {}
    }
    match (state, event) {
        (State::Open, Event::Closed) => {}
        _ => {}
    }
    match key.code {
        KeyCode::Esc => handle(Event::Closed),
        _ => {}
    }
}
#[cfg(test)]
fn f() { match event { Event::Opened => {} _ => {} } }
//- crates/tui/src/markdown.rs
use pulldown_cmark::{Event, Tag};
fn f() { match event { Event::Opened => {} _ => {} } }
//- crates/tui/src/tests/app.rs
fn f() { match event { Event::Opened => {} _ => {} } }
//- crates/tui/tests/all.rs
fn f() { match event { Event::Opened => {} _ => {} } }
"#,
            expect![""],
        );
    }

    #[test]
    fn a_listed_number_of_arms_passes_and_only_shrinks() {
        fixture::check(
            super::check,
            r#"
//- crates/tui/src/app.rs
fn f() { match event { Event::Opened => {} _ => {} } }
//- crates/tui/src/paint.rs
fn f() { match event { Event::Opened => {} _ => {} } }
//- xtask/tidy-allow.toml
[silent_arms]
"crates/tui/src/app.rs" = 1
"crates/tui/src/paint.rs" = 2
"crates/tui/src/gone.rs" = 1
"#,
            expect![[r#"
                xtask/tidy-allow.toml:3: crates/tui/src/paint.rs: silent arm listed with 2, 1 left; shrink the entry
                xtask/tidy-allow.toml:4: crates/tui/src/gone.rs: no silent arm left; remove the entry
            "#]],
        );
    }
}
