//! Fixed replies of the embedded model.

use attache_text::plain::one_line;

pub(super) const DESCRIPTION: &str =
    "A small grammar that reads, searches, edits and runs, not a language model. Needs no key";

pub(super) fn greeting() -> String {
    format!("{INTRODUCTION} Say `help` for what I understand. {REAL_MODELS}\n")
}

pub(super) fn help() -> String {
    format!("{INTRODUCTION} I understand:\n\n{GRAMMAR}\n{JOINING}\n\n{REAL_MODELS}\n")
}

/// The reply to a prompt that the grammar does not understand, with examples that it does.
pub(super) fn not_understood(odd: Option<&str>, of: usize) -> String {
    let what = match odd {
        Some(odd) if of > 1 => format!(
            "I did nothing, because I don't understand “{}”: the embedded model is not a language model, it only knows a small grammar.",
            one_line(odd.lines().next().unwrap_or_default(), 60)
        ),
        _ => "I don't understand that: the embedded model is not a language model, it only knows a small grammar.".to_owned(),
    };
    format!(
        "{what} Try `read README.md`, `search TODO in src` or `run cargo test`, enter `help` for the rest, or use a real model: \
         set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and start again.\n"
    )
}

pub(super) fn not_offered(tool: &str) -> String {
    format!(
        "That needs the tool `{tool}`, which this mode does not offer. Switch the mode, or ask for something that only reads.\n"
    )
}

pub(super) fn planned(items: usize, done: usize) -> String {
    let left = match items - done {
        0 => return format!("The plan is done: {}.\n", count(items, "item", "items")),
        1 => "I don't understand 1 request, so it stays open".to_owned(),
        left => format!("I don't understand {left} requests, so they stay open"),
    };
    let items = count(items, "item", "items");
    format!("The plan has {items}. I carried out {done}; {left}.\n")
}

/// A number with its noun.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

const INTRODUCTION: &str = "I am Attaché's embedded model: a small grammar, not a language model.";
const REAL_MODELS: &str =
    "For a real model set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and start again.";
const JOINING: &str =
    "Join several with `then`, or put each on its own line. Quote names with spaces.";
const GRAMMAR: &str = "\
- `read FILE`, `read FILE lines 10-20`
- `outline FILE`: its functions, types and headings
- `list`, `list DIR`
- `find PATTERN`, `find PATTERN in DIR`
- `search TEXT`, `search TEXT in PATH`
- `replace A with B in FILE`
- `write FILE with TEXT`
- `delete FILE`
- `move A to B`
- `run COMMAND`
- `fetch URL`
- `plan: ITEM; ITEM; ITEM`: items that are requests are carried out
- `ask QUESTION options: A, B`
- `think TEXT`, `mode NAME`
- `help`
";
