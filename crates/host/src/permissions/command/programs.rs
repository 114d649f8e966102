//! Known programs: which of them start others or run code, and which files the others reach.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::line::{ShellWord, SimpleCommand};
use super::options::{CommandWord as _, subcommands};

/// The reach of a program by itself, without the programs that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ProgramReach {
    /// The program starts nothing and opens no file.
    Silent,
    /// The program starts nothing and opens only the files that it names.
    Files,
    /// The program starts nothing and reaches everything below a directory.
    Tree,
    /// The reach is unknown: the program may start other programs and open any file.
    Unknown,
}

/// The reach of a simple command by itself.
pub(in super::super) fn reach_of(command: &SimpleCommand) -> ProgramReach {
    let Some(program) = command.program() else {
        return match command.words.is_empty() {
            true => ProgramReach::Silent,
            false => ProgramReach::Unknown,
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
        return ProgramReach::Unknown;
    }
    if program == "git" {
        return git(&command.words);
    }
    match REACHES.get(&*program) {
        Some(ProgramReach::Files) if is_recursive(&program, &command.words[1..]) => {
            ProgramReach::Tree
        }
        Some(reach) => *reach,
        None => ProgramReach::Unknown,
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

/// The reach of a call of git. Built-in subcommands can't be aliases, and these start no hooks. With unknown options,
/// several words may be the subcommand.
fn git(words: &[ShellWord]) -> ProgramReach {
    let is_known = |word: Option<&str>| {
        word.is_some_and(|word| GIT.split_ascii_whitespace().any(|it| it == word))
    };
    let mut found = subcommands("git", &words[1..]).peekable();
    match found.peek().is_some() && found.all(is_known) {
        true => ProgramReach::Tree,
        false => ProgramReach::Unknown,
    }
}

/// Whether the purpose of a program is to run another one, or code.
pub(super) fn runs_others(program: &str) -> bool {
    RUNS_OTHERS.contains(program) || is_interpreter(program)
}

/// Whether a word is built into shells and changes what later words mean, or runs them in a way that is not followed
/// here.
pub(super) fn changes_shell(program: &str) -> bool {
    CHANGES_SHELL.contains(program)
}

/// Whether a program makes commands or code of text that is not analysed here.
pub(super) fn reads_code(program: &str) -> bool {
    READS_CODE.contains(program) || is_interpreter(program)
}

/// Whether arguments make this program run another one, or work outside its directory.
pub(super) fn arguments_run_others(program: &str, arguments: &[String]) -> bool {
    let listed = OPTIONS_THAT_RUN.iter().filter(|(name, _)| *name == program);
    let mut options = listed.flat_map(|(_, options)| options.split(' '));
    let verb = arguments.iter().find(|word| !word.starts_with('-'));
    options.any(|option| {
        let is_verb = verb.is_some_and(|verb| verb == option);
        is_verb || arguments.iter().any(|word| is_option(option, word))
    })
}

/// Whether a word is an option. Long options can be shortened, and short ones written together or with their value.
fn is_option(option: &str, word: &str) -> bool {
    match option.as_bytes() {
        [b'-', b'-', ..] if word.starts_with("--") => {
            let name = word.split('=').next().unwrap_or(word);
            name.len() > 2 && option.starts_with(name)
        }
        [b'-', b'-', ..] => false,
        [b'-', letter] => {
            !word.starts_with("--") && word.starts_with('-') && word.as_bytes().contains(letter)
        }
        [b'-', ..] => word.starts_with(option),
        [.., b':' | b'@' | b'+'] => word.starts_with(option),
        _ => false,
    }
}

fn is_interpreter(program: &str) -> bool {
    let stem =
        program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    INTERPRETERS.contains(stem)
}

/// The reach of programs, by name, unless an option extends it.
static REACHES: LazyLock<HashMap<&str, ProgramReach>> = LazyLock::new(|| {
    let lists = [
        (SILENT, ProgramReach::Silent),
        (TREE, ProgramReach::Tree),
        (FILES, ProgramReach::Files),
    ];
    let lists = lists.into_iter();
    lists
        .flat_map(|(list, reach)| list.split_ascii_whitespace().map(move |name| (name, reach)))
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

/// Words of shells that change what later words mean.
static CHANGES_SHELL: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "eval source . alias unalias trap declare typeset local readonly unset read mapfile readarray \
     let hash enable shopt setopt unsetopt emulate autoload bind complete compgen coproc zmodload zle fc history rehash \
     disable functions limit logout login exit-trap integer float nameref vared print"
        .split_ascii_whitespace()
        .collect()
});

/// Programs that run the command in their words.
static RUNS_OTHERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "sh bash dash zsh ksh mksh ash fish csh tcsh busybox toybox cmd powershell pwsh env xargs parallel sudo doas su \
     runuser setpriv setsid nohup nice ionice timeout time stdbuf unbuffer script watch entr flock chroot unshare \
     nsenter strace ltrace gdb lldb valgrind perf exec command builtin eval source . coproc trap export unset alias \
     cd pushd popd set declare typeset local readonly ssh scp sftp rsync docker podman kubectl systemd-run at batch \
     crontab tmux screen expect make gmake ninja npx bunx pnpx uvx pipx proxychains torsocks firejail bwrap chrt \
     taskset numactl prlimit setarch linux32 linux64 fakeroot sg newgrp pkexec run-parts vi vim nvim view ex ed emacs \
     nano less more man tar bsdtar zip cpio socat nc ncat netcat telnet ftp start open xdg-open git-shell ld.so ld-linux.so \
     gosu su-exec sshpass chronic caffeinate faketime eatmydata tsocks rlwrap cgexec cpulimit systemd-inhibit \
     dbus-run-session xvfb-run hyperfine watchexec nodemon direnv mise asdf rtx rbenv pyenv nodenv nix-shell nix-env nix \
     cross-env dotenv concurrently aws-vault catchsegv rr torify"
        .split_ascii_whitespace()
        .collect()
});

/// Programs that make commands or code of text that is not analysed here.
static READS_CODE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "eval source awk gawk mawk nawk sed gsed perl ruby node nodejs deno bun lua luajit php osascript tclsh wish expect \
     python python3 python2 pypy ipython m4 bc dc gdb vim vi nvim ex ed emacs"
        .split_ascii_whitespace()
        .collect()
});

/// Interpreters, which may also have a version after their name.
static INTERPRETERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "python pypy ipython perl ruby node nodejs deno bun lua luajit php tclsh wish rscript r julia ghci runghc scala \
     groovy java jshell irb awk gawk mawk nawk sed gsed osascript guile racket sbcl clisp elixir iex erl escript m4 bc dc"
        .split_ascii_whitespace()
        .collect()
});

/// Options that make an otherwise harmless program run another one or take its instructions from elsewhere.
const OPTIONS_THAT_RUN: &[(&str, &str)] = &[
    (
        "git",
        "-c -C -O -u -x --config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack --exec --ext-diff \
         --textconv --open-files-in-pager --template --output ext:: difftool mergetool bisect filter-branch \
         submodule config",
    ),
    ("find", "-delete -fprint -fls -fprintf"),
    ("rg", "--pre --hostname-bin"),
    (
        "sort",
        "--compress-program -o --output -T --temporary-directory",
    ),
    (
        "npm",
        "--script-shell --prefix --node-options --userconfig --globalconfig -C exec x explore config set",
    ),
    ("pnpm", "--script-shell --dir -C exec dlx config"),
    ("yarn", "--cwd exec dlx config node"),
    (
        "cargo",
        "--config --manifest-path --target-dir -Z -C + install",
    ),
    ("go", "-exec -toolexec -overlay -C -vettool generate env"),
    ("curl", "-K -o -O --config --output --output-dir"),
    (
        "wget",
        "-e -O --use-askpass --config --execute --output-document",
    ),
    ("split", "--filter"),
    ("uv", "run tool x --project --directory --config-file"),
    ("poetry", "run -C -P --directory --project"),
    ("pipenv", "run shell"),
    ("pdm", "run"),
    ("hatch", "run shell"),
    ("rye", "run"),
    ("conda", "run"),
    ("mamba", "run"),
    ("bundle", "exec config"),
    ("op", "run"),
    ("volta", "run"),
    ("gcc", "-wrapper -fplugin -B @"),
    ("clang", "-fplugin -B @"),
];
