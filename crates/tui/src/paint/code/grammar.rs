//! Which syntax a name means, and what a syntax's scopes mean.

use syntect::parsing::{Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::paint::theme::Role;

/// The syntax of a name on a code fence or of a file's extension.
pub(super) fn syntax_for<'a>(set: &'a SyntaxSet, name: &str) -> Option<&'a SyntaxReference> {
    let name = name.to_ascii_lowercase();
    set.find_syntax_by_token(&name)
        .or_else(|| set.find_syntax_by_token(kin(&name)?))
}

/// The nearest syntax there is for a language without one of its own.
fn kin(name: &str) -> Option<&'static str> {
    match name {
        "ts" | "tsx" | "mts" | "cts" | "typescript" | "jsx" | "mjs" | "cjs" | "node" => Some("js"),
        "toml" | "ini" | "cfg" | "conf" | "env" | "dotenv" => Some("properties"),
        "zsh" | "shell" | "console" | "shell-session" | "shellsession" | "fish" | "dockerfile" => {
            Some("sh")
        }
        "jsonc" | "json5" | "jsonl" | "ndjson" | "ipynb" => Some("json"),
        "vue" | "svelte" | "astro" => Some("html"),
        "kt" | "kts" | "kotlin" | "dart" => Some("java"),
        "swift" | "zig" | "v" => Some("rs"),
        "proto" | "protobuf" | "hcl" | "tf" | "glsl" | "wgsl" | "cuh" | "cu" => Some("c"),
        "pyi" | "starlark" | "bzl" | "python3" => Some("py"),
        "scss" | "sass" | "less" => Some("css"),
        "golang" => Some("go"),
        "elixir" | "ex" | "exs" | "crystal" => Some("rb"),
        _ => None,
    }
}

/// What scopes mean.
pub(super) struct Roles {
    table: Vec<(Scope, Role)>,
}

impl Roles {
    pub(super) fn new() -> Self {
        let read = |(name, role): &(&str, Role)| Some((Scope::new(name).ok()?, *role));
        let table = TABLE.iter().filter_map(read).collect();
        Roles { table }
    }

    /// The role of text in these scopes: the innermost scope that means something decides.
    pub(super) fn of(&self, scopes: &ScopeStack) -> Role {
        let inner = scopes.as_slice().iter().rev();
        let mut roles = inner.filter_map(|scope| {
            let mut rows = self.table.iter();
            rows.find(|(prefix, _)| prefix.is_prefix_of(*scope))
                .map(|(_, role)| *role)
        });
        roles.next().unwrap_or(Role::Text)
    }
}

const TABLE: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("punctuation.definition.comment", Role::Comment),
    ("string", Role::Literal),
    ("constant", Role::Constant),
    ("support.constant", Role::Constant),
    ("keyword.operator", Role::Text),
    ("keyword", Role::Keyword),
    ("storage", Role::Keyword),
    ("variable.language", Role::Keyword),
    ("entity.name.function", Role::Function),
    ("support.function", Role::Function),
    ("variable.function", Role::Function),
    ("entity.name.tag", Role::Keyword),
    ("entity.other.attribute-name", Role::Type),
    ("entity.name", Role::Type),
    ("support.type", Role::Type),
    ("support.class", Role::Type),
    ("markup.inserted", Role::Good),
    ("markup.deleted", Role::Bad),
    ("markup.heading", Role::Heading),
    ("meta.diff", Role::Dim),
];
