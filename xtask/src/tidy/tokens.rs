//! Searches tokens, including macro bodies but not strings and comments.

use proc_macro2::{Group, TokenStream, TokenTree};

/// Calls `look` for every position of every group, with the tokens from there to the end of the group.
pub(super) fn walk(tokens: TokenStream, look: &mut dyn FnMut(&[TokenTree])) {
    let level: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in level.iter().enumerate() {
        look(&level[at..]);
        if let TokenTree::Group(group) = token {
            walk(group.stream(), look);
        }
    }
}

/// The name and line of every macro call.
pub(super) fn macro_calls(tokens: TokenStream) -> Vec<(String, usize)> {
    let mut calls = Vec::new();
    walk(tokens, &mut |ahead| {
        if let [TokenTree::Ident(name), bang, TokenTree::Group(_), ..] = ahead
            && is_punct(bang, '!')
        {
            calls.push((name.to_string(), name.span().start().line));
        }
    });
    calls
}

/// The tokens without the items under `#[cfg(test)]`.
pub(super) fn without_tests(tokens: TokenStream) -> TokenStream {
    let mut kept = TokenStream::new();
    let mut rest: &[TokenTree] = &tokens.into_iter().collect::<Vec<_>>();
    loop {
        match rest {
            [] => return kept,
            [hash, TokenTree::Group(attribute), after @ ..]
                if is_punct(hash, '#') && is_cfg_test(attribute) =>
            {
                rest = after_item(after);
            }
            [hash, bang, TokenTree::Group(attribute), ..]
                if is_punct(hash, '#') && is_punct(bang, '!') && is_cfg_test(attribute) =>
            {
                return TokenStream::new();
            }
            [TokenTree::Group(group), after @ ..] => {
                let inner = without_tests(group.stream());
                let mut copy = Group::new(group.delimiter(), inner);
                copy.set_span(group.span());
                kept.extend([TokenTree::Group(copy)]);
                rest = after;
            }
            [token, after @ ..] => {
                kept.extend([token.clone()]);
                rest = after;
            }
        }
    }
}

pub(super) fn is_punct(token: &TokenTree, expected: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected)
}

pub(super) fn is_ident(token: &TokenTree, expected: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == expected)
}

fn after_item(mut rest: &[TokenTree]) -> &[TokenTree] {
    while let [token, after @ ..] = rest {
        rest = after;
        let ends = match token {
            TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
            other => is_punct(other, ';'),
        };
        if ends {
            break;
        }
    }
    rest
}

/// `cfg(test)` and `cfg(all(test, …))`, not `cfg(not(test))`.
fn is_cfg_test(attribute: &Group) -> bool {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let [cfg, TokenTree::Group(condition)] = tokens.as_slice() else {
        return false;
    };
    is_ident(cfg, "cfg") && holds_only_in_tests(condition)
}

fn holds_only_in_tests(condition: &Group) -> bool {
    let tokens: Vec<TokenTree> = condition.stream().into_iter().collect();
    match tokens.as_slice() {
        [all, TokenTree::Group(parts)] if is_ident(all, "all") => {
            let parts: Vec<TokenTree> = parts.stream().into_iter().collect();
            parts
                .split(|token| is_punct(token, ','))
                .any(|part| matches!(part, [test] if is_ident(test, "test")))
        }
        [test] => is_ident(test, "test"),
        _ => false,
    }
}
