//! Maps language names to syntaxes, and syntax scopes to text roles.

use syntect::parsing::{Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::paint::theme::TextRole;

/// The syntax for a name on a code fence or a file extension.
pub(super) fn syntax_for<'a>(set: &'a SyntaxSet, name: &str) -> Option<&'a SyntaxReference> {
    let name = name.to_ascii_lowercase();
    set.find_syntax_by_token(&name)
        .or_else(|| set.find_syntax_by_token(nearest_syntax(&name)?))
}

/// The most similar syntax for a language without its own.
fn nearest_syntax(name: &str) -> Option<&'static str> {
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

/// The text role of each scope.
pub(super) struct ScopeRoles {
    table: Vec<(Scope, TextRole)>,
}

impl ScopeRoles {
    pub(super) fn new() -> Self {
        let read = |(name, role): &(&str, TextRole)| Some((Scope::new(name).ok()?, *role));
        let table = TABLE.iter().filter_map(read).collect();
        ScopeRoles { table }
    }

    /// The role of text in these scopes: the innermost known scope decides.
    pub(super) fn role_of(&self, scopes: &ScopeStack) -> TextRole {
        let inner = scopes.as_slice().iter().rev();
        let mut roles = inner.filter_map(|scope| {
            let mut rows = self.table.iter();
            rows.find(|(prefix, _)| prefix.is_prefix_of(*scope))
                .map(|(_, role)| *role)
        });
        roles.next().unwrap_or(TextRole::Text)
    }
}

const TABLE: &[(&str, TextRole)] = &[
    ("comment", TextRole::Comment),
    ("punctuation.definition.comment", TextRole::Comment),
    ("string", TextRole::Literal),
    ("constant", TextRole::Constant),
    ("support.constant", TextRole::Constant),
    ("keyword.operator", TextRole::Text),
    ("keyword", TextRole::Keyword),
    ("storage", TextRole::Keyword),
    ("variable.language", TextRole::Keyword),
    ("entity.name.function", TextRole::Function),
    ("support.function", TextRole::Function),
    ("variable.function", TextRole::Function),
    ("entity.name.tag", TextRole::Keyword),
    ("entity.other.attribute-name", TextRole::Type),
    ("entity.name", TextRole::Type),
    ("support.type", TextRole::Type),
    ("support.class", TextRole::Type),
    ("markup.inserted", TextRole::Good),
    ("markup.deleted", TextRole::Bad),
    ("markup.heading", TextRole::Heading),
    ("meta.diff", TextRole::Dim),
];
