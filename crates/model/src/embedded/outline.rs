//! Outlines a file: the lines that define something, found by simple patterns per language.

use super::replies::count;
use super::report::unnumbered;

/// The outline of a file as a list.
pub(super) fn outline(path: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(unnumbered).collect();
    let language = language(path);
    let mut found = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at + 1, definition(line, &language)?)));
    let shown: Vec<String> = found
        .by_ref()
        .take(MAX_LINES)
        .map(|(at, line)| format!("- {at}: `{line}`"))
        .collect();
    let more = match found.count() {
        0 => String::new(),
        more => format!("\n… and {more} more."),
    };
    let length = count(lines.len(), "line", "lines");
    match shown.len() {
        0 => format!("`{path}` has {length} and nothing in it that I can outline."),
        _ => format!("`{path}` has {length}:\n\n{}{more}", shown.join("\n")),
    }
}

/// The line without its body, if it defines something.
fn definition(line: &str, language: &Language) -> Option<String> {
    if line.len() > MAX_LINE {
        return None;
    }
    match language {
        Language::Words { before, names } => {
            let mut rest = line.trim_start();
            while let Some(after) = before.iter().find_map(|word| after_word(rest, word)) {
                rest = after;
            }
            let is_name = names.iter().any(|name| after_word(rest, name).is_some());
            is_name.then(|| without_body(line))
        }
        Language::Headings => line.starts_with('#').then(|| line.trim().to_owned()),
        Language::Sections => line.starts_with('[').then(|| line.trim().to_owned()),
        Language::Keys => {
            let is_key = line.starts_with(|c: char| c.is_alphanumeric() || c == '"');
            let (key, _) = line.split_once(':').filter(|_| is_key)?;
            Some(key.trim().to_owned())
        }
    }
}

/// The text after a keyword; `pub(crate)` counts as `pub`.
fn after_word<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let rest = line.strip_prefix(word)?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) if word == "pub" => scope.split_once(')')?.1,
        _ => rest,
    };
    rest.starts_with([' ', '<', '!']).then(|| rest.trim_start())
}

fn without_body(line: &str) -> String {
    let line = line.trim_end();
    let line = line.strip_suffix('{').unwrap_or(line).trim_end();
    let line = line
        .strip_suffix("};")
        .or(line.strip_suffix(';'))
        .unwrap_or(line);
    let line = line.strip_suffix(':').unwrap_or(line);
    line.trim().replace('`', "'")
}

enum Language {
    /// A line defines something if it starts with one of `names`, after any of `before`.
    Words {
        before: &'static [&'static str],
        names: &'static [&'static str],
    },
    Headings,
    Sections,
    Keys,
}

fn language(path: &str) -> Language {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" => Language::Headings,
        "toml" | "ini" | "cfg" => Language::Sections,
        "yaml" | "yml" | "json" => Language::Keys,
        "rs" => Language::Words {
            before: &["pub", "async", "unsafe", "const", "extern", "default"],
            names: &[
                "fn",
                "struct",
                "enum",
                "trait",
                "impl",
                "mod",
                "type",
                "union",
                "macro_rules",
            ],
        },
        "py" | "pyi" => Language::Words {
            before: &["async"],
            names: &["def", "class"],
        },
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" => Language::Words {
            before: &["export", "default", "async", "declare", "abstract"],
            names: &[
                "function",
                "function*",
                "class",
                "interface",
                "type",
                "enum",
                "namespace",
            ],
        },
        "go" => Language::Words {
            before: &[],
            names: &["func", "type", "package"],
        },
        "rb" => Language::Words {
            before: &[],
            names: &["def", "class", "module"],
        },
        _ => Language::Words {
            before: &[
                "public",
                "private",
                "protected",
                "internal",
                "static",
                "final",
                "abstract",
                "open",
                "override",
            ],
            names: &[
                "class",
                "interface",
                "enum",
                "struct",
                "record",
                "namespace",
                "func",
                "fun",
                "fn",
                "def",
                "function",
                "void",
                "trait",
                "impl",
                "type",
                "module",
                "protocol",
                "extension",
                "union",
            ],
        },
    }
}

const MAX_LINES: usize = 200;
const MAX_LINE: usize = 400;
