//! Permissions that last for one turn: what each of them covers. [`Permissions::grant`](super::Permissions::grant)
//! keeps them.

use attache_schema::v1;

use super::Action;

/// Permission that was given in a turn, for what the user was shown or for what a rule allows.
#[derive(Debug, Clone)]
pub struct Grant {
    what: Action,
    extent: Extent,
}

/// How far it reaches.
#[derive(Debug, Clone)]
enum Extent {
    /// The command as often as it is run, the files whatever is written to them.
    Subject,
    /// The command once, the files with these changes if any were shown.
    Shown(Vec<v1::Diff>),
}

impl Grant {
    /// The action that was allowed.
    pub(super) fn action(&self) -> &Action {
        &self.what
    }

    /// A rule or a remembered decision allows the action.
    pub fn of_subject(what: &Action) -> Grant {
        Grant {
            what: what.clone(),
            extent: Extent::Subject,
        }
    }

    /// The user has allowed exactly what the tool call showed.
    pub fn of_shown(what: &Action, call: &v1::ToolCall) -> Grant {
        Grant {
            what: what.clone(),
            extent: Extent::Shown(changes(&call.content).cloned().collect()),
        }
    }

    /// Whether one use ends the grant.
    pub(super) fn is_spent(&self) -> bool {
        self.what.command.is_some() && matches!(self.extent, Extent::Shown(_))
    }

    /// Whether the grant covers an action: the same command in the same directory, or files that were named.
    pub(super) fn covers(&self, action: &Action, content: &[v1::ToolCallContent]) -> bool {
        let granted = &self.what;
        match (&granted.command, &action.command) {
            (Some(shown), Some(words)) => {
                granted.paths == action.paths && is_same_command(shown, words)
            }
            (None, None) if action.paths.iter().all(|path| granted.paths.contains(path)) => {
                use v1::ToolKind::{Edit, Move, Other, Read};
                let can_write = matches!(granted.kind, Edit | Move | Other);
                action.kind == Read || (can_write && changes(content).all(|it| self.makes(it)))
            }
            _ => false,
        }
    }

    /// Whether the grant and another action are about the same command or file.
    pub(super) fn is_about(&self, other: &Action) -> bool {
        match (&self.what.command, &other.command) {
            (Some(granted), Some(words)) => granted == words || is_same_command(granted, words),
            (None, None) => other
                .paths
                .iter()
                .any(|path| self.what.paths.contains(path)),
            _ => false,
        }
    }

    /// Whether a file gets what was shown. A part may have been shown: then it has to make the whole from what is there.
    fn makes(&self, written: &v1::Diff) -> bool {
        let shown = match &self.extent {
            Extent::Shown(shown) if !shown.is_empty() => shown,
            _ => return true,
        };
        let path = written.path.as_path();
        let shown: Vec<&v1::Diff> = shown
            .iter()
            .filter(|it| it.path.as_path() == path)
            .collect();
        let before = written.old_text.as_deref().unwrap_or_default();
        let is_it = |text: Option<String>| text.is_some_and(|text| text == written.new_text);
        match shown.as_slice() {
            [only] if only.new_text == written.new_text => true,
            [] => false,
            many if many.len() > MOST_PARTS => false,
            parts => is_it(changed(before, parts, 1)) || is_it(changed(before, parts, usize::MAX)),
        }
    }
}

fn changes(content: &[v1::ToolCallContent]) -> impl Iterator<Item = &v1::Diff> {
    content.iter().filter_map(|content| match content {
        v1::ToolCallContent::Diff(diff) => Some(diff),
        _ => None,
    })
}

/// A text with its parts changed, each in so many places; nothing if one is not there.
fn changed(before: &str, parts: &[&v1::Diff], places: usize) -> Option<String> {
    let mut text = before.to_owned();
    for part in parts {
        let old = part.old_text.as_deref().filter(|old| !old.is_empty())?;
        text = text
            .contains(old)
            .then(|| text.replacen(old, &part.new_text, places))?;
    }
    Some(text)
}

/// A text that was shown may be run by a shell or as its words, if a shell would read nothing else in it.
fn is_same_command(granted: &[String], words: &[String]) -> bool {
    let words = without_inert(words);
    if granted == words {
        return true;
    }
    match (granted, words) {
        ([text], [shell, flag, script]) if is_shell(shell, flag) => text == script,
        (shown, [shell, flag, script]) if is_shell(shell, flag) => {
            let sets_variable = shown.first().is_none_or(|first| first.contains('='));
            !sets_variable && shown.iter().all(|word| is_plain(word)) && shown.join(" ") == *script
        }
        ([text], words) => {
            text.split(' ')
                .all(|word| word.is_empty() || is_plain(word))
                && text.split_whitespace().eq(words)
        }
        _ => false,
    }
}

/// The command without variables that only keep it from asking, paging and colouring; as it is if it has others.
fn without_inert(words: &[String]) -> &[String] {
    let [env, rest @ ..] = words else {
        return words;
    };
    let inert = rest
        .iter()
        .take_while(|word| INERT.contains(&word.as_str()));
    match rest.get(inert.count()..) {
        Some(command @ [first, ..]) if env == "env" && !first.contains('=') => command,
        _ => words,
    }
}

/// One that the system brings: a repository may bring a program of that name, too.
fn is_shell(program: &str, flag: &str) -> bool {
    let name = SYSTEM
        .iter()
        .find_map(|folder| program.strip_prefix(folder))
        .unwrap_or(program);
    matches!(name, "sh" | "bash" | "zsh" | "dash") && matches!(flag, "-c" | "-lc")
}

fn is_plain(word: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-./=:,+@%".contains(char);
    !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain)
}

const SYSTEM: [&str; 4] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/opt/homebrew/bin/",
];
/// What agents set so that nothing waits for a person.
const INERT: [&str; 11] = [
    "PAGER=cat",
    "GIT_PAGER=cat",
    "MANPAGER=cat",
    "EDITOR=true",
    "GIT_EDITOR=true",
    "GIT_TERMINAL_PROMPT=0",
    "DEBIAN_FRONTEND=noninteractive",
    "TERM=dumb",
    "NO_COLOR=1",
    "CI=1",
    "CI=true",
];
/// A change in more parts is asked about when it is written.
const MOST_PARTS: usize = 64;

#[cfg(test)]
mod tests {
    use super::is_same_command;

    #[test]
    fn permission_for_one_command_does_not_cover_another() {
        let cases: [(&[&str], &[&str], bool); 17] = [
            (
                &["a | b"],
                &["env", "PAGER=cat", "TERM=dumb", "sh", "-c", "a | b"],
                true,
            ),
            (
                &["a | b"],
                &["env", "PAGER=cat", "LD_PRELOAD=x", "sh", "-c", "a | b"],
                false,
            ),
            (
                &["a | b"],
                &["env", "PAGER=less", "sh", "-c", "a | b"],
                false,
            ),
            (&["npm", "test"], &["npm", "test"], true),
            (&["npm test"], &["npm", "test"], true),
            (&["npm test"], &["bash", "-lc", "npm test"], true),
            (&["npm", "test"], &["/bin/sh", "-c", "npm test"], true),
            (&["a && b"], &["sh", "-c", "a && b"], true),
            (&["a && b"], &["a", "&&", "b"], false),
            (&["echo", "x; rm y"], &["sh", "-c", "echo x; rm y"], false),
            (&["npm test"], &["npm", "test", "--fix"], false),
            (&["npm test"], &["sh", "-c", "npm test "], false),
            (&["npm test"], &["perl", "-c", "npm test"], false),
            (&["npm test"], &["tools/bash", "-c", "npm test"], false),
            (&["npm test"], &["/tmp/sh", "-c", "npm test"], false),
            (&["echo", "a --b"], &["sh", "-c", "echo a --b"], false),
            (&["A=1", "make"], &["sh", "-c", "A=1 make"], false),
        ];
        let owned = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        for (granted, words, expected) in cases {
            let found = is_same_command(&owned(granted), &owned(words));
            assert_eq!(found, expected, "{granted:?} {words:?}");
        }
    }
}
