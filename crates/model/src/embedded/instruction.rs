//! The grammar: an instruction, and the tool call that carries it out.

use serde_json::{Value, json};

use super::progress::items;
use super::words::{Word, phrase, rest, words};

/// One instruction of the grammar.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Instruction {
    Read {
        path: String,
        lines: Option<(u64, u64)>,
    },
    Outline {
        path: String,
    },
    Find {
        pattern: String,
        path: Option<String>,
    },
    Search {
        pattern: String,
        path: Option<String>,
    },
    Replace {
        old: String,
        new: String,
        path: String,
    },
    Write {
        path: String,
        content: String,
    },
    Delete {
        path: String,
    },
    Move {
        from: String,
        to: String,
    },
    List {
        path: Option<String>,
    },
    Run {
        command: String,
    },
    Fetch {
        url: String,
    },
    Think {
        thought: String,
    },
    Ask {
        question: String,
        options: Vec<String>,
    },
    Mode {
        mode: String,
    },
    Plan {
        items: Vec<String>,
    },
    Help,
    Greeting,
}

impl Instruction {
    /// Parses an instruction; `None` if the grammar does not know it.
    pub(super) fn read(text: &str) -> Option<Instruction> {
        let text = text.trim();
        if let Some(command) = text.strip_prefix("$ ") {
            let command = command.trim().to_owned();
            return Some(Instruction::Run { command });
        }
        let words = words(text);
        let (verb, after) = skip_word(&words, "please").split_first()?;
        if verb.is_quoted {
            return None;
        }
        let verb = verb.text.trim_start_matches('/').to_lowercase();
        let verb = verb.trim_end_matches([':', ',', '!', '?', '.']);
        by_verb(verb, text, after)
    }

    /// The tool to call and its input; `None` if there is nothing to call.
    pub(super) fn call(&self) -> Option<(&'static str, Value)> {
        let call = match self {
            Instruction::Read { path, lines: None } | Instruction::Outline { path } => {
                ("read", json!({ "path": path }))
            }
            Instruction::Read {
                path,
                lines: Some((first, last)),
            } => {
                let limit = last.saturating_sub(*first).saturating_add(1);
                (
                    "read",
                    json!({ "path": path, "line": first, "limit": limit }),
                )
            }
            Instruction::Find { pattern, path } => {
                ("glob", with_path(json!({ "pattern": pattern }), path))
            }
            Instruction::Search { pattern, path } => (
                "search",
                with_path(json!({ "pattern": escaped(pattern) }), path),
            ),
            Instruction::Replace { old, new, path } => {
                let edit = json!({ "old": old, "new": new, "all": true });
                ("edit", json!({ "path": path, "edits": [edit] }))
            }
            Instruction::Write { path, content } => {
                ("write", json!({ "path": path, "content": content }))
            }
            Instruction::Delete { path } => ("delete", json!({ "path": path })),
            Instruction::Move { from, to } => ("move", json!({ "from": from, "to": to })),
            Instruction::List { path } => ("list", with_path(json!({}), path)),
            Instruction::Run { command } => ("run", json!({ "command": command })),
            Instruction::Fetch { url } => ("fetch", json!({ "url": url })),
            Instruction::Think { thought } => ("think", json!({ "thought": thought })),
            Instruction::Ask { question, options } if options.is_empty() => {
                ("ask", json!({ "question": question }))
            }
            Instruction::Ask { question, options } => {
                ("ask", json!({ "question": question, "options": options }))
            }
            Instruction::Mode { mode } => ("mode", json!({ "mode": mode })),
            Instruction::Plan { .. } | Instruction::Help | Instruction::Greeting => return None,
        };
        Some(call)
    }
}

fn by_verb(verb: &str, text: &str, after: &[Word]) -> Option<Instruction> {
    let named = skip_word(after, "the");
    let path = || only_word(named);
    match verb {
        "read" | "show" | "cat" | "open" => read(text, named),
        "outline" | "explain" | "summarise" | "summarize" => {
            path().map(|path| Instruction::Outline { path })
        }
        "find" | "glob" | "files" => {
            let (pattern, path) = pattern_in_path(text, named)?;
            Some(Instruction::Find { pattern, path })
        }
        "search" | "grep" => {
            let (pattern, path) = pattern_in_path(text, skip_word(after, "for"))?;
            Some(Instruction::Search { pattern, path })
        }
        "replace" | "change" => replace(text, after),
        "write" | "create" => write(text, named),
        "delete" | "remove" | "rm" => path().map(|path| Instruction::Delete { path }),
        "move" | "rename" | "mv" => move_file(text, named),
        "list" | "ls" | "dir" => list(named),
        "run" | "execute" | "exec" => run(text, after),
        "fetch" | "get" => path()
            .filter(|url| url.contains("://"))
            .map(|url| Instruction::Fetch { url }),
        "think" => rest(text, after).map(|thought| Instruction::Think { thought }),
        "ask" => ask(text, after),
        "mode" => path().map(|mode| Instruction::Mode { mode }),
        "plan" => rest(text, after)
            .map(|text| items(&text))
            .filter(|items| !items.is_empty())
            .map(|items| Instruction::Plan { items }),
        "help" => Some(Instruction::Help),
        "hello" | "hi" | "hey" | "thanks" | "thank" | "who" if after.len() < 4 => {
            Some(Instruction::Greeting)
        }
        "what" if text.to_lowercase().contains("can you do") => Some(Instruction::Help),
        _ => None,
    }
}

/// `[files] [in] [DIR]`
fn list(after: &[Word]) -> Option<Instruction> {
    let path = match after {
        [] => None,
        _ => Some(only_word(skip_word(skip_word(after, "files"), "in"))?),
    };
    Some(Instruction::List { path })
}

/// A command. "run the tests" is not one, because no command is called "the".
fn run(text: &str, after: &[Word]) -> Option<Instruction> {
    if after.first()?.is("the") {
        return None;
    }
    rest(text, after).map(|command| Instruction::Run { command })
}

/// `FILE [lines A-B]`, `FILE [line A]`, `FILE:A-B`
fn read(text: &str, after: &[Word]) -> Option<Instruction> {
    let at = after
        .iter()
        .position(|word| word.is("line") || word.is("lines"));
    let (path, lines) = match at {
        Some(at) => (
            &after[..at],
            Some(line_range(&phrase(text, after.get(at + 1..)?)?)?),
        ),
        None => (after, None),
    };
    let path = only_word(path)?;
    match (lines, path.rsplit_once(':')) {
        (None, Some((file, lines))) if line_range(lines).is_some() => Some(Instruction::Read {
            path: file.to_owned(),
            lines: line_range(lines),
        }),
        (lines, _) => Some(Instruction::Read { path, lines }),
    }
}

/// `A-B`, `A to B` or `A`, one-based.
fn line_range(text: &str) -> Option<(u64, u64)> {
    let text = text.replace(" to ", "-");
    let (first, last) = text.split_once('-').unwrap_or((&text, &text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (1 <= first && first <= last).then_some((first, last))
}

/// `WHAT [in PATH]`
fn pattern_in_path(text: &str, after: &[Word]) -> Option<(String, Option<String>)> {
    match after.iter().rposition(|word| word.is("in")) {
        Some(at) if at > 0 => Some((
            phrase(text, &after[..at])?,
            Some(only_word(&after[at + 1..])?),
        )),
        _ => Some((phrase(text, after)?, None)),
    }
}

/// `A with B in FILE`, `A to B in FILE`
fn replace(text: &str, after: &[Word]) -> Option<Instruction> {
    let file = after.iter().rposition(|word| word.is("in"))?;
    let by = after[..file]
        .iter()
        .position(|word| word.is("with") || word.is("to") || word.is("by"))?;
    Some(Instruction::Replace {
        old: phrase(text, &after[..by]).filter(|old| !old.is_empty())?,
        new: phrase(text, &after[by + 1..file])?,
        path: only_word(&after[file + 1..])?,
    })
}

/// `FILE with TEXT`; without a text, an empty file
fn write(text: &str, after: &[Word]) -> Option<Instruction> {
    let after = skip_word(after, "file");
    let (path, after) = after.split_first()?;
    let path = path.text.trim_end_matches(':').to_owned();
    let content = match after {
        [] => String::new(),
        [with, content @ ..] if with.is("with") || with.is("with:") || with.is("containing") => {
            rest(text, content)?
        }
        [fence, ..] if fence.text.starts_with("```") => rest(text, after)?,
        _ => return None,
    };
    Some(Instruction::Write { path, content })
}

/// `A to B`
fn move_file(text: &str, after: &[Word]) -> Option<Instruction> {
    let to = after.iter().rposition(|word| word.is("to"))?;
    Some(Instruction::Move {
        from: phrase(text, &after[..to])?,
        to: only_word(&after[to + 1..])?,
    })
}

/// `QUESTION [options: A, B, C]`
fn ask(text: &str, after: &[Word]) -> Option<Instruction> {
    let at = after
        .iter()
        .position(|word| word.is("options:") || word.is("options"));
    let (question, options) = match at {
        Some(at) => (phrase(text, &after[..at])?, rest(text, &after[at + 1..])?),
        None => (rest(text, after)?, String::new()),
    };
    let options = options
        .split(',')
        .map(str::trim)
        .filter(|option| !option.is_empty());
    Some(Instruction::Ask {
        question,
        options: options.map(str::to_owned).collect(),
    })
}

/// The text of the only word; `None` if there are more.
fn only_word(words: &[Word]) -> Option<String> {
    match words {
        [one] if !one.text.is_empty() => Some(one.text.clone()),
        _ => None,
    }
}

/// Skips an optional leading word.
fn skip_word<'w>(words: &'w [Word], word: &str) -> &'w [Word] {
    match words {
        [first, rest @ ..] if first.is(word) && !rest.is_empty() => rest,
        all => all,
    }
}

fn with_path(mut input: Value, path: &Option<String>) -> Value {
    if let Some(path) = path {
        input["path"] = json!(path);
    }
    input
}

/// Escapes text for a tool that expects a regular expression.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
