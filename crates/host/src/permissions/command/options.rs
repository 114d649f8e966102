//! Options between a program and its subcommand, such as `git -C dir --no-pager push`. Rules are written without them,
//! so a command is compared without them too, both before it runs and when it is executed.

use super::base_name;
use super::pattern::CommandMatch;
use super::subcommands::{PrefixWord, SubcommandNames, is_git_script, is_subcommand, spellings};

/// A word of a command, which may be unknown before the command runs.
pub(crate) trait CommandWord {
    /// The word without quotes; `None` if it is unknown.
    fn literal(&self) -> Option<&str>;
}

impl CommandWord for String {
    fn literal(&self) -> Option<&str> {
        Some(self)
    }
}

impl CommandWord for &str {
    fn literal(&self) -> Option<&str> {
        Some(self)
    }
}

/// Where the subcommands of a pattern may end among the arguments of a command.
#[derive(Debug, Default)]
pub(super) struct SubcommandEnds {
    /// The positions after the last subcommand.
    pub(super) places: Vec<usize>,
    /// Whether a word that is unknown, or that may be an alias, may be one of the subcommands.
    pub(super) is_unsure: bool,
}

/// Finds the subcommands in order, with options before and between them. An option that the pattern names itself counts
/// with and without a value.
pub(super) fn ends<W: CommandWord>(
    program: &str,
    subcommands: &[&str],
    own: &[&str],
    arguments: &[W],
) -> SubcommandEnds {
    let mut found = SubcommandEnds {
        is_unsure: has_other_git_scripts(program, subcommands, arguments),
        ..SubcommandEnds::default()
    };
    for spelling in spellings(program, subcommands) {
        let ends = ends_of(program, &spelling, own, arguments);
        found.places.extend(ends.places);
        found.is_unsure |= ends.is_unsure;
    }
    found
}

/// Whether an option makes git look for its separate programs elsewhere, where one may be missing: then its name may be an
/// alias.
fn has_other_git_scripts<W: CommandWord>(program: &str, wanted: &[&str], words: &[W]) -> bool {
    let moves = |word: &W| {
        word.literal()
            .is_some_and(|it| it.starts_with("--exec-path="))
    };
    !wanted.is_empty()
        && base_name(program) == "git"
        && words.iter().any(moves)
        && names_git_script(words)
}

/// Whether the subcommand of git may be a separate program.
pub(crate) fn names_git_script<W: CommandWord>(words: &[W]) -> bool {
    subcommands("git", words).any(|word| word.is_some_and(is_git_script))
}

fn ends_of<W: CommandWord>(
    program: &str,
    subcommands: &[&str],
    own: &[&str],
    arguments: &[W],
) -> SubcommandEnds {
    let mut ends = SubcommandEnds {
        places: vec![0],
        is_unsure: false,
    };
    let known = KnownOptions::of(program);
    for (index, subcommand) in subcommands.iter().enumerate() {
        let position = match index {
            0 => OptionPosition::Global,
            _ => OptionPosition::BehindSubcommand,
        };
        let reader = OptionReader {
            program,
            known: &known,
            own,
            position,
        };
        let mut places = Vec::new();
        for at in reader.reachable(&ends.places, arguments) {
            let found = match arguments.get(at).map(CommandWord::literal) {
                Some(Some(word)) if word == *subcommand => CommandMatch::Yes,
                // Only the first one can have other names.
                Some(Some(word))
                    if index == 0 && matches!(known.kind_of(word), OptionKind::Word) =>
                {
                    is_subcommand(program, word, subcommand)
                }
                Some(Some(_)) | None => CommandMatch::No,
                Some(None) => CommandMatch::Maybe,
            };
            match found {
                CommandMatch::Yes => places.push(at + 1),
                CommandMatch::Maybe => ends.is_unsure = true,
                CommandMatch::No => {}
            }
        }
        ends.places = places;
    }
    ends
}

/// The words that may be the subcommand of a program, for every way to read the options before it. `None` stands for an
/// unknown word.
pub(crate) fn subcommands<'a, W: CommandWord>(
    program: &str,
    arguments: &'a [W],
) -> impl Iterator<Item = Option<&'a str>> + use<'a, W> {
    let reader = OptionReader {
        program,
        known: &KnownOptions::of(program),
        own: &[],
        position: OptionPosition::Global,
    };
    let places = reader.reachable(&[0], arguments);
    let words = places.into_iter().filter_map(|at| arguments.get(at));
    words
        .map(CommandWord::literal)
        .filter(|word| !word.is_some_and(|word| word.starts_with(['-', '+'])))
}

/// Where options are in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionPosition {
    /// Before the subcommand.
    Global,
    /// Behind a subcommand, which may have options of its own under the same letters.
    BehindSubcommand,
}

/// Finds the words that a program may read as a subcommand, in every way that it may read the options before them.
struct OptionReader<'a> {
    program: &'a str,
    known: &'a KnownOptions,
    /// Options that the pattern names itself.
    own: &'a [&'a str],
    position: OptionPosition,
}

impl OptionReader<'_> {
    /// The positions that can be reached from others by skipping options, and words before the subcommand that only
    /// say where it runs. An unknown word is not skipped.
    fn reachable<W: CommandWord>(&self, starts: &[usize], arguments: &[W]) -> Vec<usize> {
        let names = match self.position {
            OptionPosition::Global => SubcommandNames::of(self.program),
            OptionPosition::BehindSubcommand => None,
        };
        let mut is_found = vec![false; arguments.len() + 1];
        let mut found = Vec::new();
        let mut open = starts.to_vec();
        while let Some(at) = open.pop() {
            match is_found.get_mut(at) {
                Some(is_found) if !*is_found => *is_found = true,
                _ => continue,
            }
            found.push(at);
            let Some(word) = arguments.get(at).and_then(CommandWord::literal) else {
                continue;
            };
            let behind = self.behind(word, at, arguments);
            if behind.is_empty()
                && let Some(names) = names
            {
                for prefix in names.prefixes_of(word) {
                    open.extend(self.behind_prefix(&prefix, at, arguments));
                }
            }
            open.extend(behind);
        }
        found
    }

    /// The positions behind the words that run a subcommand elsewhere, with options between them.
    fn behind_prefix<W: CommandWord>(
        &self,
        prefix: &[PrefixWord],
        at: usize,
        arguments: &[W],
    ) -> Vec<usize> {
        let mut places = vec![at + 1];
        for wanted in prefix {
            let mut next = Vec::new();
            let mut open = places;
            let mut seen = Vec::new();
            while let Some(at) = open.pop() {
                // Words that are far away are read from there again.
                if seen.contains(&at) || seen.len() > MAX_PREFIX_OPTIONS {
                    continue;
                }
                seen.push(at);
                match arguments.get(at).map(CommandWord::literal) {
                    Some(Some(word)) => {
                        open.extend(self.behind(word, at, arguments));
                        if wanted.is(word) {
                            next.push(at + 1);
                        }
                    }
                    Some(None) => next.push(at + 1),
                    None => {}
                }
            }
            places = next;
        }
        places
    }

    /// Where the next word may be behind an option; nowhere if the word is none.
    fn behind<W: CommandWord>(&self, word: &str, at: usize, arguments: &[W]) -> Vec<usize> {
        let next = arguments.get(at + 1).and_then(CommandWord::literal);
        let is_short = word.starts_with('-') && word.len() == 2 && word != "--";
        match self.known.kind_of(word) {
            OptionKind::Word => Vec::new(),
            _ if self.own.contains(&word) => vec![at + 1, at + 2],
            OptionKind::Flag | OptionKind::Value
                if is_short && self.position == OptionPosition::BehindSubcommand =>
            {
                vec![at + 1, at + 2]
            }
            // After a flag, `true` may be its value.
            OptionKind::Flag if next.is_some_and(|next| self.known.is_boolean(next)) => {
                vec![at + 1, at + 2]
            }
            OptionKind::Flag => vec![at + 1],
            // Some programs take no value that looks like an option.
            OptionKind::Value if next.is_some_and(|next| next.starts_with('-')) => {
                vec![at + 1, at + 2]
            }
            OptionKind::Value => vec![at + 2],
            OptionKind::Unknown => vec![at + 1, at + 2],
        }
    }
}

const MAX_PREFIX_OPTIONS: usize = 256;

/// The global options of a program: those without a value, and those that take the next word.
struct KnownOptions {
    flags: &'static str,
    values: &'static str,
    /// Words that may be the value of an option without a value.
    booleans: &'static str,
}

enum OptionKind {
    /// The word is not an option.
    Word,
    /// The option has no value, or contains its value.
    Flag,
    /// The next word is its value.
    Value,
    /// The option may take the next word.
    Unknown,
}

impl KnownOptions {
    fn of(program: &str) -> KnownOptions {
        let name = base_name(program);
        let is_it = |names: &str| names.split(' ').any(|it| it == name);
        let known = PROGRAMS.iter().find(|(names, ..)| is_it(names));
        let (flags, values) = known.map_or(("", ""), |(_, flags, values)| (*flags, *values));
        let booleans = BOOLEANS.iter().find(|(names, _)| is_it(names));
        KnownOptions {
            flags,
            values,
            booleans: booleans.map_or("", |(_, words)| *words),
        }
    }

    /// Whether the program may read a word as the value of a flag before it.
    fn is_boolean(&self, word: &str) -> bool {
        let word = word.trim_matches(|it: char| it.is_ascii_whitespace());
        let number = word.strip_prefix(['+', '-']).unwrap_or(word);
        let is_number = number.starts_with(|it: char| it.is_ascii_digit());
        let mut words = self.booleans.split_ascii_whitespace();
        !self.booleans.is_empty() && (is_number || words.any(|it| it.eq_ignore_ascii_case(word)))
    }

    fn kind_of(&self, word: &str) -> OptionKind {
        let is_among = |list: &str| list.split(' ').any(|option| option == word);
        let is_glued =
            |option: &str| option.len() == 2 && word.len() > 2 && word.starts_with(option);
        match word {
            "-" | "--" => OptionKind::Flag,
            _ if !word.starts_with(['-', '+']) || word.len() < 2 => OptionKind::Word,
            _ if is_among(self.flags) => OptionKind::Flag,
            _ if is_among(self.values) => OptionKind::Value,
            // Cargo and rustup take a toolchain as `+nightly`.
            _ if word.starts_with('+') => OptionKind::Flag,
            _ if word.starts_with("--") && word.contains('=') => OptionKind::Flag,
            _ if self.values.split(' ').any(is_glued) => OptionKind::Flag,
            _ => OptionKind::Unknown,
        }
    }
}

/// Programs that may take the word behind a flag as its value: their names, and these words. A number is one, too.
const BOOLEANS: &[(&str, &str)] = &[
    ("npm pnpm npx pnpx", "true false null always auto never"),
    (
        "apt apt-get apt-cache aptitude",
        "yes no true false with without on off enable disable",
    ),
];

/// Programs with subcommands: their names, options without a value, and options that take the next word.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "git",
        "-p -P --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs \
         --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --exec-path --html-path \
         --man-path --info-path -v --version -h --help",
        "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --shallow-file --list-cmds",
    ),
    (
        "cargo",
        "-v -vv --verbose -q --quiet --frozen --locked --offline -V --version --list -h --help",
        "-C -Z --color --config --explain --manifest-path --target-dir",
    ),
    (
        "npm",
        "-g --global -s --silent -q --quiet -d -dd -ddd --verbose -y --yes -f --force -l --long --json --offline \
         --prefer-offline --dry-run --if-present --ignore-scripts --no-color --workspaces --no-audit --no-fund -ws",
        "-C --prefix --cache --registry --userconfig --globalconfig --loglevel -w --workspace --script-shell --tag \
         --access --otp --node-options",
    ),
    (
        "pnpm",
        "-r --recursive -s --silent -w --workspace-root --no-color --offline --if-present --dry-run",
        "-C --dir -F --filter --filter-prod --loglevel --reporter",
    ),
    (
        "yarn",
        "-s --silent --offline --json --verbose",
        "--cwd --registry --cache-folder",
    ),
    (
        "docker",
        "-D --debug --tls --tlsverify -v --version",
        "-c --context -H --host -l --log-level --config --tlscacert --tlscert --tlskey",
    ),
    (
        "podman",
        "-r --remote --syslog -v --version",
        "-c --connection --url --log-level --root --runroot --runtime --storage-driver --storage-opt --identity",
    ),
    (
        "nerdctl",
        "--debug --debug-full -v --version",
        "-H --host -n --namespace -a --address --storage-driver",
    ),
    (
        "kubectl",
        "--insecure-skip-tls-verify --match-server-version --warnings-as-errors",
        "-n --namespace -s --server --context --cluster --user --kubeconfig --as --as-group --token --request-timeout \
         --cache-dir --certificate-authority --client-certificate --client-key -v --v",
    ),
    (
        "helm",
        "--debug",
        "-n --namespace --kube-context --kubeconfig --registry-config --repository-cache --repository-config",
    ),
    ("terraform", "-version -help", ""),
    ("gh", "--help --version", "-R --repo --hostname"),
    ("go", "", "-C"),
    (
        "pip",
        "-v -vv -vvv -q -qq --verbose --quiet --isolated --no-input --no-color --debug --require-virtualenv",
        "--python --log --proxy --retries --timeout --exists-action --trusted-host --cert --client-cert --cache-dir",
    ),
    (
        "uv",
        "-v -q --verbose --quiet --offline --native-tls --no-config -n --no-cache --no-progress",
        "--directory --project --config-file --cache-dir --python-preference --color --allow-insecure-host",
    ),
    (
        "systemctl",
        "--user --system --global --no-pager -q --quiet --no-ask-password --now --force -f -a --all -l --full \
         --no-block --no-legend",
        "-H --host -M --machine -t --type --state -p --property -P -n --lines -o --output -s --signal --root --image \
         --kill-whom",
    ),
    (
        "aws",
        "--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager",
        "--profile --region --endpoint-url --output --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout",
    ),
    (
        "gcloud",
        "-q --quiet",
        "--account --project --configuration --format --verbosity --impersonate-service-account",
    ),
    (
        "apt apt-get apt-cache aptitude",
        "-y --yes --assume-yes -q -qq --quiet -s --simulate -d --download-only -f --fix-broken -m -u -V",
        "-o --option -c --config-file -t --target-release",
    ),
    ("brew", "-v -q -d --verbose --quiet --debug", ""),
];

#[cfg(test)]
mod tests {
    use super::super::pattern::CommandPattern;
    use super::*;

    fn found(line: &str) -> Vec<&str> {
        let words: Vec<&str> = line.split(' ').collect();
        let reader = OptionReader {
            program: words[0],
            known: &KnownOptions::of(words[0]),
            own: &[],
            position: OptionPosition::Global,
        };
        let places = reader.reachable(&[0], &words[1..]);
        let words = line.split(' ').skip(1).collect::<Vec<_>>();
        places
            .into_iter()
            .filter_map(|at| words.get(at).copied())
            .collect()
    }

    #[test]
    fn options_in_front_of_a_subcommand_are_skipped() {
        for line in [
            "git push origin",
            "git -C dir push origin",
            "git -Cdir push origin",
            "git -c a.b=c push origin",
            "git -ca.b=c push origin",
            "git -P push origin",
            "git --no-pager push origin",
            "git --bare --git-dir=x push origin",
            "git --git-dir x --work-tree y push origin",
            "git --unknown push origin",
            "git --unknown value push origin",
            "git -- push origin",
            "/usr/bin/git -C dir push origin",
            "git.exe -C dir push origin",
        ] {
            assert!(found(line).contains(&"push"), "{line}");
        }
    }

    fn is_caught(pattern: &str, line: &str) -> bool {
        let words: Vec<&str> = line.split(' ').collect();
        let pattern = CommandPattern::parse(pattern).unwrap();
        pattern.catches(&words) == CommandMatch::Yes
    }

    #[test]
    fn attack_a_value_behind_a_flag_does_not_hide_the_subcommand() {
        let npm = "npm pnpm";
        for program in npm.split(' ') {
            let pattern = format!("{program} publish **");
            let known = KnownOptions::of(program);
            for flag in known.flags.split(' ') {
                for value in ["true", "false", "null", "always"] {
                    for rest in ["publish", "--json true publish", "-s publish x"] {
                        let line = format!("{program} {flag} {value} {rest}");
                        assert!(is_caught(&pattern, &line), "{line}");
                    }
                }
            }
            for value in known.values.split(' ') {
                for line in [
                    format!("{program} {value} x publish"),
                    format!("{program} {value} -s publish"),
                    format!("{program} {value} -- publish"),
                ] {
                    assert!(is_caught(&pattern, &line), "{line}");
                }
            }
        }
        let apt = KnownOptions::of("apt-get");
        for flag in apt.flags.split(' ') {
            for value in "yes no TRUE false with without on off enable disable 2 +1 0x1".split(' ')
            {
                let line = format!("apt-get {flag} {value} install x");
                assert!(is_caught("apt-get install **", &line), "{line}");
            }
        }
    }

    #[test]
    fn attack_words_that_say_where_a_subcommand_runs_do_not_hide_it() {
        for (pattern, line) in [
            ("pnpm publish **", "pnpm recursive publish"),
            ("pnpm publish **", "pnpm multi publish"),
            ("pnpm publish **", "pnpm -s m --json publish"),
            ("pnpm publish **", "pnpm --recursive true publish"),
            ("pnpm publish **", "pnpm --color false publish"),
            ("pnpm recursive publish **", "pnpm m publish"),
            ("pnpm remove **", "pnpm recursive uni x"),
            ("yarn npm publish **", "yarn workspace a npm publish"),
            ("yarn npm publish **", "yarn workspace -s a npm publish"),
            (
                "yarn npm publish **",
                "yarn workspaces foreach -A npm publish",
            ),
            (
                "yarn npm publish **",
                "yarn workspaces foreach -vpi --include a --from b npm publish",
            ),
            (
                "yarn npm publish **",
                "yarn workspaces foreach -j 4 workspace a npm publish",
            ),
            ("yarn npm publish **", "yarn /path npm publish"),
            ("yarn npm publish **", "yarn ./a b/c npm publish"),
            ("yarn publish **", "yarn --cwd d workspace a publish"),
            ("yarn publish", "yarn workspaces run publish"),
            ("yarn add **", "yarn global add x"),
            ("docker push **", "docker image push x"),
            ("docker build **", "docker buildx build ."),
            ("docker build **", "docker builder --builder x build ."),
            ("docker rmi **", "docker image rm x"),
            ("docker image rm **", "docker rmi x"),
            ("docker image rm **", "docker image remove x"),
            ("docker images", "docker image ls"),
            ("docker system prune **", "docker system prune -f"),
            (
                "gcloud compute instances delete **",
                "gcloud beta compute instances delete x",
            ),
            ("helm uninstall **", "helm -n x del y"),
            ("bun publish **", "bun --filter x publish"),
            ("cargo publish **", "cargo +nightly --color always publish"),
            ("docker compose down **", "docker compose -c x down"),
        ] {
            assert!(is_caught(pattern, line), "{pattern} / {line}");
        }
    }

    #[test]
    fn a_word_that_cannot_be_the_value_of_a_flag_is_the_subcommand() {
        for (pattern, line) in [
            ("npm publish **", "npm --json run publish"),
            ("npm publish **", "npm -g install publish"),
            ("npm publish **", "npm run true publish"),
            ("pnpm publish **", "pnpm -r run publish"),
            ("pnpm publish **", "pnpm run publish"),
            ("pnpm recursive publish **", "pnpm publish"),
            ("apt-get install **", "apt-get -y remove install"),
            ("apt-get install **", "apt-get -q download install"),
            ("yarn publish **", "yarn run publish"),
            ("yarn npm publish **", "yarn workspaces list npm publish"),
            ("yarn npm publish **", "yarn workspace npm publish"),
            ("git push **", "git -C push status"),
            ("cargo publish **", "cargo --locked test publish"),
        ] {
            assert!(!is_caught(pattern, line), "{pattern} / {line}");
        }
    }

    #[test]
    fn rules_that_allow_know_only_the_words_as_they_are() {
        for line in [
            "npm --json true publish",
            "pnpm m publish",
            "yarn a/b publish",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let pattern = CommandPattern::parse(&format!("{} publish **", words[0])).unwrap();
            assert!(!pattern.allows_words(&words), "{line}");
        }
    }

    #[test]
    fn a_subcommand_is_not_looked_for_among_its_arguments() {
        for line in [
            "git status push origin",
            "git log -C push origin",
            "git -C push status",
        ] {
            assert!(!found(line).contains(&"push"), "{line}");
        }
        let words = ["-C", "push", "status"];
        assert!(subcommands("git", &words).eq([Some("status")]));
    }
}
