//! Hundreds of generated turns against an oracle that knows what the user saw and allowed.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{CWD, Turn, diff, folder};

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// A permission of the user for one use.
#[derive(Debug, Clone, PartialEq)]
enum Permit {
    /// The new text, and the old text when it was shown; any text if none was shown.
    Write {
        path: String,
        content: Option<String>,
        there: Option<String>,
    },
    Run {
        args: Vec<String>,
        cwd: String,
    },
}

/// The changes that the user saw and allowed, and the files on disk.
struct Oracle {
    permits: Vec<Permit>,
    files: HashMap<String, String>,
}

impl Oracle {
    fn may_write(&mut self, path: &str, content: &str) -> bool {
        let is_it = |permit: &Permit| match permit {
            Permit::Write {
                path: shown,
                content: exactly,
                there,
            } => {
                let is_as_shown =
                    |exactly: &String| exactly == content && self.files.get(path) == there.as_ref();
                shown == path && exactly.as_ref().is_none_or(is_as_shown)
            }
            Permit::Run { .. } => false,
        };
        let found = self.permits.iter().position(is_it);
        if let Some(at) = found {
            self.permits.remove(at);
            self.files.insert(path.to_owned(), content.to_owned());
        }
        found.is_some()
    }

    fn may_run(&mut self, args: &[String], cwd: &str) -> bool {
        let run = Permit::Run {
            args: args.to_vec(),
            cwd: cwd.to_owned(),
        };
        let found = self.permits.iter().position(|permit| *permit == run);
        found.map(|at| self.permits.remove(at)).is_some()
    }
}

/// One turn of many steps.
struct Play<'a> {
    numbers: &'a mut Numbers,
    turn: Turn,
    oracle: Oracle,
    paths: Vec<String>,
}

impl Play<'_> {
    fn step(&mut self) {
        match self.numbers.below(10) {
            0..=3 => self.request_change(),
            4 | 5 => self.write(),
            6 | 7 => self.write_as_shown(),
            8 => self.request_command(),
            _ => self.run(),
        }
    }

    /// A request to change a file, which shows a whole file, a part of one, a lie, or nothing.
    fn request_change(&mut self) {
        let path = self.numbers.pick(&self.paths).clone();
        let kind = *self
            .numbers
            .pick(&["edit", "edit", "edit", "move", "other", "fetch", "delete"]);
        let there = self.oracle.files.get(&path).cloned();
        let before = there.clone();
        let new = format!("new {}\n", self.numbers.below(1000));
        // The shown old and new text, and the resulting content.
        let shown: Option<(Option<String>, String, Option<String>)> = match self.numbers.below(4) {
            0 => None,
            1 => Some((there, new.clone(), Some(new))),
            2 => {
                let lines: Vec<&str> = there.as_deref().unwrap_or_default().lines().collect();
                match lines.is_empty() {
                    true => Some((None, new.clone(), Some(new))),
                    false => {
                        let old = format!("{}\n", self.numbers.pick(&lines));
                        let there = there.unwrap_or_default();
                        // A part that occurs twice in the file is ambiguous.
                        let made =
                            (there.matches(&old).count() == 1).then(|| there.replace(&old, &new));
                        Some((Some(old), new, made))
                    }
                }
            }
            _ => Some((Some("what was never there".to_owned()), new.clone(), None)),
        };
        let is_allowed = self.numbers.below(4) > 0;
        let call = match &shown {
            None => json!({ "kind": kind, "locations": [{ "path": path }] }),
            Some((old, new, _)) => {
                json!({ "kind": kind, "content": [diff(&path, old.as_deref(), new)] })
            }
        };
        self.request(call, is_allowed);
        let can_write = matches!(kind, "edit" | "move");
        match shown {
            _ if !is_allowed || !can_write => {}
            Some((_, _, None)) => {}
            None => self.oracle.permits.push(Permit::Write {
                path,
                content: None,
                there: None,
            }),
            Some((_, _, content)) => self.oracle.permits.push(Permit::Write {
                path,
                content,
                there: before,
            }),
        }
    }

    fn request_command(&mut self) {
        let (args, cwd) = self.command();
        let is_allowed = self.numbers.below(4) > 0;
        let words: Vec<&str> = std::iter::once(PROGRAM)
            .chain(args.iter().map(String::as_str))
            .collect();
        self.request(
            json!({ "kind": "execute", "rawInput": { "command": words, "cwd": cwd } }),
            is_allowed,
        );
        if is_allowed {
            self.oracle.permits.push(Permit::Run { args, cwd });
        }
    }

    fn request(&mut self, call: Value, is_allowed: bool) {
        self.turn
            .request(call, if is_allowed { "yes" } else { "no" });
    }

    /// Writes a text that the user may not have seen.
    fn write(&mut self) {
        let path = self.numbers.pick(&self.paths).clone();
        let content = format!("new {}\n", self.numbers.below(1000));
        self.write_that(&path, &content);
    }

    /// Writes the text that the user has allowed, or almost that text.
    fn write_as_shown(&mut self) {
        let permits = self
            .oracle
            .permits
            .iter()
            .filter_map(|permit| match permit {
                Permit::Write { path, content, .. } => Some((path.clone(), content.clone()?)),
                Permit::Run { .. } => None,
            });
        let permits: Vec<(String, String)> = permits.collect();
        if permits.is_empty() {
            return self.write();
        }
        let (path, content) = self.numbers.pick(&permits).clone();
        match self.numbers.below(4) {
            0 => self.write_that(&path, &format!("{content}rm -rf /\n")),
            1 => self.write_that(&path, content.trim_end()),
            _ => self.write_that(&path, &content),
        }
    }

    fn write_that(&mut self, path: &str, content: &str) {
        let is_permitted = self.oracle.may_write(path, content);
        self.turn.write(path, content, is_permitted);
    }

    fn run(&mut self) {
        let (args, cwd) = self.command();
        let is_permitted = self.oracle.may_run(&args, &cwd);
        self.turn.run(
            &json!({ "command": PROGRAM, "args": args, "cwd": cwd }),
            is_permitted,
        );
    }

    fn command(&mut self) -> (Vec<String>, String) {
        let args = *self.numbers.pick(&["", "a", "a b", "b a"]);
        let cwd = self.numbers.pick(&[CWD, "/attache-nowhere"]).to_string();
        (args.split_whitespace().map(str::to_owned).collect(), cwd)
    }
}

#[tokio::test]
async fn attack_generated_turns_do_what_the_user_saw_and_allowed() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..300 {
        let (_folder, base) = folder();
        let mut oracle = Oracle {
            permits: Vec::new(),
            files: HashMap::new(),
        };
        let paths: Vec<String> = (0..3).map(|at| format!("{base}/{at}")).collect();
        for path in paths.iter().skip(1) {
            let text = "one\ntwo\ntwo\nthree\n";
            std::fs::write(path, text).unwrap();
            oracle.files.insert(path.clone(), text.to_owned());
        }
        let mut play = Play {
            numbers: &mut numbers,
            turn: Turn::new(),
            oracle,
            paths,
        };
        for _ in 0..12 {
            play.step();
        }
        let (turn, oracle, paths) = (play.turn, play.oracle, play.paths);
        turn.play().await;
        for path in &paths {
            let there = std::fs::read_to_string(path).ok();
            assert_eq!(there.as_ref(), oracle.files.get(path), "{path}");
        }
    }
}

const PROGRAM: &str = "attache-no-such-program";
