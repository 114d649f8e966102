//! Programs that run other programs: the commands that they would run, as far as their words show.

use super::line::{ShellWord, SimpleCommand};
use super::options::{CommandWord as _, subcommands};
use super::{expansion, programs, shell_call, variables, without_system_directory};

/// The commands that a simple command runs in addition to its own program.
pub(super) enum InnerCommands {
    /// Nothing that is known. The program itself may do anything.
    Nothing,
    /// These commands.
    Known(Vec<SimpleCommand>),
    /// Probably one of these commands, and maybe others.
    Guess(Vec<SimpleCommand>),
    /// A line for a shell.
    Line(String),
    /// Probably one of these lines, by a shell that may read them differently.
    Changed(Vec<String>, &'static str),
    /// Something unknown.
    Doubt(&'static str),
}

/// The commands that a simple command runs in addition to its own program.
pub(super) fn inner(command: &SimpleCommand) -> InnerCommands {
    let words = command.words.as_slice();
    let (Some(program), Some(arguments)) = (command.program(), words.get(1..)) else {
        return InnerCommands::Nothing;
    };
    if program == "command"
        && matches!(
            arguments.first().and_then(|it| it.literal()),
            Some("-v" | "-V")
        )
    {
        return InnerCommands::Nothing;
    }
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.0 == program) {
        return unwrap_command(wrapper, arguments);
    }
    if let Some(guess) = guess_commands(&program, words) {
        return InnerCommands::Guess(guess);
    }
    if let Some(inner) = shell_call::inner(&program, arguments) {
        return inner;
    }
    match &*program {
        "find" => find(arguments),
        "fd" | "fdfind" => fd(arguments),
        "busybox" | "toybox" => match arguments {
            [] => InnerCommands::Nothing,
            _ => InnerCommands::Known(vec![command_of(arguments)]),
        },
        "set" => match arguments
            .iter()
            .all(|word| word.literal().is_some_and(shell_call::is_harmless_mode))
        {
            true => InnerCommands::Nothing,
            false => InnerCommands::Doubt("it changes how the shell works"),
        },
        "export" | "read" | "getopts" | "wait" => setting(command),
        "test" | "[" if may_calculate(arguments) => {
            InnerCommands::Doubt("some shells run code to compare its words")
        }
        "printf" if variables::prints_to_variable(arguments) => {
            InnerCommands::Doubt("it changes what later words mean")
        }
        "printf" | "cd" | "pushd" | "popd" => InnerCommands::Nothing,
        "sed" if is_printing(arguments) => InnerCommands::Nothing,
        _ if programs::changes_shell(&program) => {
            InnerCommands::Doubt("it changes what later words mean")
        }
        _ if always_runs_others(&program) => {
            InnerCommands::Doubt("one of its programs runs others")
        }
        _ => {
            let given = arguments
                .iter()
                .map(|word| word.literal().unwrap_or("$").to_owned());
            match programs::arguments_run_others(&program, &given.collect::<Vec<_>>()) {
                true => InnerCommands::Doubt("an option in it can run another program"),
                false => InnerCommands::Nothing,
            }
        }
    }
}

/// Whether the purpose of a program is to run others, whatever its arguments.
pub(super) fn always_runs_others(program: &str) -> bool {
    programs::changes_shell(program)
        || programs::reads_code(program)
        || programs::runs_others(program)
}

/// The name and value of a variable as `env` takes it.
pub(super) fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

/// A program that runs its last words: its name, flags, options that take the next word, and how many words are before
/// the command.
type Wrapper = (&'static str, &'static str, &'static str, usize);

fn unwrap_command(
    (program, flags, values, before): &Wrapper,
    arguments: &[ShellWord],
) -> InnerCommands {
    let is_among = |list: &str, word: &str| list.split(' ').any(|option| option == word);
    let mut rest = arguments;
    let mut variables = Vec::new();
    let mut is_past_options = false;
    while let [first, behind @ ..] = rest {
        let Some(word) = first.literal() else {
            return InnerCommands::Guess(commands_from_each_word(arguments));
        };
        let glued = values.split(' ').any(|option| {
            let is_long = option.starts_with("--") && word.starts_with(&format!("{option}="));
            is_long || (option.len() == 2 && word.len() > 2 && word.starts_with(option))
        });
        let is_option = !is_past_options && word.starts_with('-');
        let variable = assignment(word).filter(|_| takes_variables(program) && !is_option);
        if word == "--" && is_option {
            is_past_options = true;
            rest = behind;
        } else if let Some((name, value)) = variable {
            variables.push((name, ShellWord::Literal(value)));
            rest = behind;
        } else if is_past_options {
            break;
        } else if is_among(flags, word) || glued {
            rest = behind;
        } else if is_among(values, word) {
            rest = behind.get(1..).unwrap_or_default();
        } else if is_option {
            return InnerCommands::Guess(commands_from_each_word(arguments));
        } else {
            break;
        }
    }
    let rest = rest.get(*before..).unwrap_or_default();
    if rest.is_empty() {
        return match *program {
            // They run a shell, or what they read from standard input.
            "sudo" | "doas" | "unshare" | "chroot" => InnerCommands::Doubt("it runs a shell"),
            _ => InnerCommands::Nothing,
        };
    }
    let mut command = command_of(rest);
    command.assignments = variables;
    // Only some shells have it.
    if *program == "builtin" {
        return InnerCommands::Guess(vec![command]);
    }
    if *program == "xargs" {
        command.words.push(ShellWord::Undecided("…".to_owned()));
        let takes_code = command
            .program()
            .is_none_or(|it| programs::runs_others(&it));
        if takes_code {
            return InnerCommands::Guess(vec![command]);
        }
    }
    InnerCommands::Known(vec![command])
}

/// The commands that a runner with its own syntax may run: everything from some word on.
fn guess_commands(program: &str, words: &[ShellWord]) -> Option<Vec<SimpleCommand>> {
    let is_among = |list: &str, word: &str| list.split_ascii_whitespace().any(|it| it == word);
    let verbs = RUNNERS_BY_VERB.iter().find(|(name, _)| *name == program);
    let has_verb = |verbs: &str| {
        let mut found = subcommands(program, &words[1..]).flatten();
        found.any(|word| is_among(verbs, word))
    };
    if !is_among(RUNNERS, program) && !verbs.is_some_and(|(_, verbs)| has_verb(verbs)) {
        return None;
    }
    Some(commands_from_each_word(&words[1..]))
}

/// Everything from some word on, with the variables before it.
fn commands_from_each_word(words: &[ShellWord]) -> Vec<SimpleCommand> {
    let is_start = |at: &usize| {
        let word = words[*at].literal();
        word.is_some_and(|word| !word.starts_with('-'))
    };
    let begun = |at: usize| {
        let variable = |word: &ShellWord| assignment(word.literal()?);
        let assignments: Vec<_> = words[at..].iter().map_while(variable).collect();
        let mut command = command_of(&words[at + assignments.len()..]);
        let literal = |(name, value)| (name, ShellWord::Literal(value));
        command.assignments = assignments.into_iter().map(literal).collect();
        command
    };
    let starts = (0..words.len().min(MAX_GUESSES)).filter(is_start);
    starts.map(begun).collect()
}

fn takes_variables(program: &str) -> bool {
    matches!(program, "env" | "sudo" | "doas")
}

fn command_of(words: &[ShellWord]) -> SimpleCommand {
    SimpleCommand {
        words: words.to_vec(),
        ..SimpleCommand::default()
    }
}

/// The commands after `-exec` and the like.
fn find(arguments: &[ShellWord]) -> InnerCommands {
    let mut commands = Vec::new();
    let mut rest = arguments;
    while let [first, behind @ ..] = rest {
        rest = behind;
        match first.literal() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let is_end = |word: &ShellWord| matches!(word.literal(), Some(";" | "+"));
                let end = behind.iter().position(is_end).unwrap_or(behind.len());
                let mut command = command_of(&behind[..end]);
                for word in &mut command.words {
                    if word.literal().is_some_and(|text| text.contains("{}")) {
                        *word = ShellWord::Undecided("{}".to_owned());
                    }
                }
                commands.push(command);
                rest = behind.get(end + 1..).unwrap_or_default();
            }
            Some("-delete") => return InnerCommands::Doubt("it deletes what it finds"),
            Some(word) if word.starts_with("-fprint") || word == "-fls" => {
                return InnerCommands::Doubt("it writes files that it names by an option");
            }
            Some(_) => {}
            // It may be `-exec`.
            None => return InnerCommands::Doubt("it is unknown what it runs"),
        }
    }
    match commands.is_empty() {
        true => InnerCommands::Nothing,
        false => InnerCommands::Known(commands),
    }
}

fn fd(arguments: &[ShellWord]) -> InnerCommands {
    let runs = |word: &ShellWord| match word.literal() {
        Some(text) => {
            text.starts_with("--ex") && !text.starts_with("--exclude") && !text.starts_with("--ext")
                || (text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X']))
        }
        None => true,
    };
    match arguments.iter().any(runs) {
        true => InnerCommands::Doubt("an option in it can run another program"),
        false => InnerCommands::Nothing,
    }
}

/// The effect of `export`, `read` and the like on the line: none if programs see none of their variables.
fn setting(command: &SimpleCommand) -> InnerCommands {
    match variables::seen_by_programs(&variables::set_by(command), false).is_empty() {
        true => InnerCommands::Nothing,
        false => InnerCommands::Doubt("it sets variables that may change what runs"),
    }
}

/// Whether `test` tests an array element, or compares words as numbers that may not be numbers: shells evaluate both.
fn may_calculate(arguments: &[ShellWord]) -> bool {
    let word = |at: usize| arguments.get(at).and_then(|word| word.literal());
    let is_odd = |text: Option<&str>| text.is_some_and(|text| !expansion::is_number(text.trim()));
    (0..arguments.len()).any(|at| match word(at) {
        Some("-v" | "-R") => word(at + 1).is_none_or(|name| name.contains('[')),
        Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => {
            is_odd(word(at + 1)) || is_odd(at.checked_sub(1).and_then(word))
        }
        _ => false,
    })
}

/// Whether the command is like `sed -n 10,20p`, which prints lines of a file and nothing else.
fn is_printing(arguments: &[ShellWord]) -> bool {
    let is_range = |script: &str| {
        let range = script.strip_suffix('p');
        range.is_some_and(|it| {
            it.chars()
                .all(|char| char.is_ascii_digit() || ",$".contains(char))
        })
    };
    match arguments {
        [first, script, files @ ..] => {
            first.literal() == Some("-n")
                && script.literal().is_some_and(is_range)
                && files
                    .iter()
                    .all(|file| file.literal().is_some_and(|it| !it.starts_with('-')))
        }
        _ => false,
    }
}

/// Whether a simple command does nothing but run another one: a rule that allows has to cover that one, and nothing
/// else.
pub(super) fn is_transparent(command: &SimpleCommand) -> bool {
    let Some(word) = command.words.first().and_then(|word| word.literal()) else {
        return false;
    };
    // A repository may contain a program with that name.
    let name = without_system_directory(word);
    TRANSPARENT.split_ascii_whitespace().any(|it| it == name)
}

const TRANSPARENT: &str =
    "sh bash dash zsh env command nohup nice ionice timeout time stdbuf unbuffer setsid";

const WRAPPERS: &[Wrapper] = &[
    // Without a variable such as `PATH`, in another directory or by another name, a program may be or do something
    // else.
    ("env", "", "", 0),
    ("command", "", "", 0),
    ("builtin", "", "", 0),
    ("exec", "", "", 0),
    ("nohup", "", "", 0),
    ("setsid", "-c -f -w --ctty --fork --wait", "", 0),
    ("nice", "", "-n --adjustment", 0),
    ("ionice", "-t --ignore", "-c --class -n --classdata", 0),
    ("chrt", "-b -f -i -o -r -a -R", "", 1),
    ("taskset", "-a --all-tasks -c --cpu-list", "", 1),
    (
        "timeout",
        "--foreground --preserve-status -v --verbose -f -p",
        "-k --kill-after -s --signal",
        1,
    ),
    // It can write text of the agent's to any file.
    ("time", "-p -v --verbose -q --quiet", "-f --format", 0),
    ("stdbuf", "", "-i --input -o --output -e --error", 0),
    ("unbuffer", "-p", "", 0),
    (
        "sudo",
        "-n -E -H -k -S -A -b --non-interactive --preserve-env --set-home --stdin --background",
        "-u --user -g --group -h --host -p --prompt -C -D --chdir -r -t -T -U",
        0,
    ),
    ("doas", "-n", "-u", 0),
    (
        "xargs",
        "-0 --null -r --no-run-if-empty -t --verbose -x --exit -p",
        "-n --max-args -P --max-procs -L --max-lines -I -i -d --delimiter -a --arg-file -s --max-chars -E",
        0,
    ),
    (
        "strace",
        "-f -ff -F -q -qq -t -tt -T -v -y -yy -c -C -r -w",
        "-e -o -s -p -E -I -O -S -P -a -X",
        0,
    ),
    ("ltrace", "-f -c -C -S -t -tt", "-e -o -s -l -x -n", 0),
    ("caffeinate", "-d -i -m -s -u", "-t -w", 0),
    ("catchsegv", "", "", 0),
    ("eatmydata", "", "", 0),
    ("chronic", "-v -e", "", 0),
    ("torsocks", "-i -q", "-a -P -u -p", 0),
    ("torify", "", "", 0),
    ("proxychains", "-q", "-f", 0),
    ("proxychains4", "-q", "-f", 0),
    ("fakeroot", "", "-i -s -l", 0),
    ("setarch", "-R", "", 1),
    ("linux32", "", "", 0),
    ("linux64", "", "", 0),
    (
        "npx",
        "-y --yes --no -q --quiet --no-install",
        "-p --package",
        0,
    ),
    ("bunx", "", "", 0),
    ("pnpx", "", "", 0),
];

/// Words before a command that a runner may have itself.
const MAX_GUESSES: usize = 8;

const RUNNERS: &str = "gosu su-exec sshpass firejail flock watch entr hyperfine direnv mise nix-shell cross-env dotenv \
    faketime cgexec cpulimit systemd-inhibit systemd-run dbus-run-session xvfb-run rlwrap script rr setpriv runuser \
    numactl prlimit nsenter unshare chroot bwrap watchexec nodemon concurrently aws-vault parallel valgrind perf \
    run-parts rtx asdf tsocks sg at-spi";

const RUNNERS_BY_VERB: &[(&str, &str)] = &[
    ("uv", "run x tool"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("conda", "run"),
    ("mamba", "run"),
    ("bundle", "exec"),
    ("npm", "exec x"),
    ("pnpm", "exec dlx"),
    ("yarn", "exec dlx"),
    ("op", "run"),
    ("volta", "run"),
    ("rustup", "run"),
    ("opam", "exec"),
    ("stack", "exec"),
    ("cabal", "exec"),
    ("mix", "cmd"),
];
