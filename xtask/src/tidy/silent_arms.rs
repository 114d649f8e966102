//! No silent arm: a `match` on one of our own enums names every variant, so that `_ =>` can't swallow a new variant.
//! Tests may use `_`.

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
        let Some(line) = arms.iter().find_map(|arm| silent(arm)) else {
            return;
        };
        if let Some(name) = arms.iter().find_map(|arm| our_enum(arm))
            && !foreign.contains(&name)
        {
            let message = format!("`_ =>` in a match on `{name}`; name the variants");
            found.push(Site::new(&file.path, line, message));
        }
    });
    found
}

/// The patterns of a `match` that starts here, including guards.
fn arms(ahead: &[TokenTree]) -> Option<Vec<Vec<TokenTree>>> {
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
        arms.push(rest[..arrow].to_vec());
        rest = after_body(&rest[arrow + 2..]);
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

/// The line of a pattern that is just `_`, without a guard.
fn silent(pattern: &[TokenTree]) -> Option<usize> {
    match pattern {
        [wildcard] if is_ident(wildcard, "_") => Some(wildcard.span().start().line),
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
            && OUR_ENUMS.contains(&name.to_string().as_str())
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

/// Enums that grow and whose new variants have to be handled: calls, updates, and messages between tasks. The enums of
/// `attache_schema::call` are not listed, because most code concerns only a few methods.
const OUR_ENUMS: [&str; 9] = [
    "AgentCall",
    "InboundMessage",
    "Change",
    "ClientCall",
    "Command",
    "Effect",
    "Event",
    "SessionUpdate",
    "StateUpdate",
];

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
                crates/tui/src/app.rs:9: `_ =>` in a match on `SessionUpdate`; name the variants
                crates/tui/src/app.rs:12: `_ =>` in a match on `ClientCall`; name the variants
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
