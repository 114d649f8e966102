//! What programs do by themselves, as far as is known: whether they start others, and which files they reach.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::line::{ShellWord, SimpleCommand};
use super::options::{CommandWord as _, subcommands};

/// What a program does by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Effect {
    /// It starts nothing and opens no file.
    Silent,
    /// It starts nothing and opens only the files that it names.
    Files,
    /// It starts nothing and reaches everything below a directory.
    Tree,
    /// Unknown: it may start other programs and open any file.
    Unknown,
}

/// What a simple command does by itself.
pub(in super::super) fn effect(command: &SimpleCommand) -> Effect {
    let Some(program) = command.program() else {
        return match command.words.is_empty() {
            true => Effect::Silent,
            false => Effect::Unknown,
        };
    };
    let path = command.words[0].literal().unwrap_or_default();
    let is_system = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"]
        .iter()
        .any(|dir| {
            path.strip_prefix(dir)
                .is_some_and(|name| !name.contains('/'))
        });
    if path.contains('/') && !is_system {
        return Effect::Unknown;
    }
    if program == "git" {
        return git(&command.words);
    }
    match EFFECTS.get(&*program) {
        Some(Effect::Files) if is_recursive(&program, &command.words[1..]) => Effect::Tree,
        Some(effect) => *effect,
        None => Effect::Unknown,
    }
}

/// Whether naming a directory means more than the directory itself.
pub(in super::super) fn enters_directories(command: &SimpleCommand) -> bool {
    let program = command.program().unwrap_or_default();
    !matches!(
        &*program,
        "ls" | "stat" | "mkdir" | "rmdir" | "touch" | "file" | "realpath" | "readlink" | "df"
    )
}

fn is_recursive(program: &str, arguments: &[ShellWord]) -> bool {
    let letters = match program {
        "ls" => "R",
        "sort" | "cut" | "head" | "tail" | "uniq" | "nl" | "tac" => "",
        "wc" | "tee" | "touch" | "mkdir" => "",
        _ => "rRa",
    };
    arguments.iter().any(|word| match word.literal() {
        Some(text) if text.starts_with("--") => ["--r", "--d", "--a", "--fil"]
            .iter()
            .any(|start| text.starts_with(start)),
        Some(text) if text.starts_with('-') => text.contains(|char| letters.contains(char)),
        Some(_) => false,
        None => true,
    })
}

/// What a call of git does. Built-in subcommands can't be aliases, and these start no hooks. With unknown options,
/// several words may be the subcommand.
fn git(words: &[ShellWord]) -> Effect {
    let is_known = |word: Option<&str>| {
        word.is_some_and(|word| GIT.split_ascii_whitespace().any(|it| it == word))
    };
    let mut found = subcommands("git", &words[1..]).peekable();
    match found.peek().is_some() && found.all(is_known) {
        true => Effect::Tree,
        false => Effect::Unknown,
    }
}

/// What programs do, by name, unless an option says more.
static EFFECTS: LazyLock<HashMap<&str, Effect>> = LazyLock::new(|| {
    let lists = [
        (SILENT, Effect::Silent),
        (TREE, Effect::Tree),
        (FILES, Effect::Files),
    ];
    let lists = lists.into_iter();
    lists
        .flat_map(|(list, effect)| {
            list.split_ascii_whitespace()
                .map(move |name| (name, effect))
        })
        .collect()
});

const SILENT: &str = "echo printf true false : pwd whoami id groups uname hostname arch nproc uptime tty logname \
    sleep seq basename dirname expr yes cal which type cd pushd popd exit return break continue wait shift umask ulimit \
    times jobs set export read getconf locale tput clear ps free printenv command";
const FILES: &str = "date cat head tail wc stat file cut sort uniq nl tac rev tr fold fmt column paste join comm expand unexpand \
    md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump xxd base32 base64 strings cmp diff \
    ls dir vdir mkdir rmdir touch readlink realpath test [ jq grep egrep fgrep sed tee cp mv rm ln chmod chown chgrp \
    truncate shred install mktemp df";
const TREE: &str = "find fd fdfind rg ag ack tree du";
pub(super) const GIT: &str = "status log diff show branch rev-parse ls-files ls-tree describe blame shortlog tag rev-list cat-file \
    name-rev reflog whatchanged merge-base symbolic-ref for-each-ref show-ref count-objects var version help grep";
