//! Options between a program and its subcommand, such as `git -C dir --no-pager push`. Rules are written without them,
//! so a command is compared without them too, both before it runs and when it is executed.

use super::base_name;
use super::pattern::CommandMatch;
use super::subcommands::{is_group, is_subcommand};

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
    let mut ends = SubcommandEnds {
        places: vec![0],
        is_unsure: false,
    };
    let known = KnownOptions::of(program);
    // `docker container run` is `docker run`.
    let subcommands = match subcommands {
        [group, rest @ ..] if !rest.is_empty() && is_group(program, group) => rest,
        all => all,
    };
    for (index, subcommand) in subcommands.iter().enumerate() {
        let mut starts = ends.places;
        if index == 0 {
            let grouped = starts
                .iter()
                .flat_map(|at| reachable(&[*at], arguments, &known, own));
            let grouped = grouped.filter(|at| {
                let word = arguments.get(*at).and_then(CommandWord::literal);
                word.is_some_and(|word| is_group(program, word))
            });
            let behind: Vec<usize> = grouped.map(|at| at + 1).collect();
            starts.extend(behind);
        }
        let mut places = Vec::new();
        for at in reachable(&starts, arguments, &known, own) {
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
    let places = reachable(&[0], arguments, &KnownOptions::of(program), &[]);
    let words = places.into_iter().filter_map(|at| arguments.get(at));
    words
        .map(CommandWord::literal)
        .filter(|word| !word.is_some_and(|word| word.starts_with(['-', '+'])))
}

/// The positions that can be reached from others by skipping options. An unknown word is not skipped.
fn reachable<W: CommandWord>(
    starts: &[usize],
    arguments: &[W],
    known: &KnownOptions,
    own: &[&str],
) -> Vec<usize> {
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
        match known.kind_of(word) {
            OptionKind::Word => {}
            _ if own.contains(&word) => open.extend([at + 1, at + 2]),
            OptionKind::Flag => open.push(at + 1),
            OptionKind::Value => open.push(at + 2),
            OptionKind::Unknown => open.extend([at + 1, at + 2]),
        }
    }
    found
}

/// The global options of a program: those without a value, and those that take the next word.
struct KnownOptions {
    flags: &'static str,
    values: &'static str,
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
        KnownOptions { flags, values }
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
        "-r --recursive -s --silent -w --workspace-root --color --no-color --offline --if-present --dry-run",
        "-C --dir -F --filter --filter-prod --loglevel --reporter --store-dir --registry",
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
    use super::*;

    fn found(line: &str) -> Vec<&str> {
        let words: Vec<&str> = line.split(' ').collect();
        let places = reachable(&[0], &words[1..], &KnownOptions::of(words[0]), &[]);
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
