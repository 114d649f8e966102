//! Options that stand between a program and its subcommand, such as `git -C dir --no-pager push`. Rules are written
//! without them, so a command is compared without them as well: before it runs and when it is executed.

use super::base_name;

/// A word of a command. `None` if it is not known what the word will be.
pub trait CommandWord {
    /// The word without quotes.
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

/// The ways in which a command's words can be read when the options in front of its subcommand are left out. Each is the
/// words from the subcommand on; the program itself is not among them.
///
/// An option that is not known may or may not take the next word as its value, so that there are two ways from there on.
/// The first way is always the words as they are.
pub fn normalized<W: CommandWord>(words: &[W]) -> Vec<&[W]> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let name = program.literal().map(base_name).unwrap_or_default();
    let known = PROGRAMS.iter().find(|(program, ..)| *program == name);
    let (flags, values) = known.map_or(("", ""), |(_, flags, values)| (*flags, *values));
    let mut readings = vec![arguments];
    let mut at = 0;
    let mut may_be_a_value = false;
    loop {
        let word = arguments.get(at).and_then(CommandWord::literal);
        // A word that nobody knows may be an option, its value or the subcommand.
        let Some(text) = word.filter(|_| readings.len() < MAX_READINGS) else {
            push(&mut readings, arguments.get(at..).unwrap_or_default());
            break;
        };
        at += 1;
        match kind_of(text, flags, values) {
            Kind::End => {
                push(&mut readings, &arguments[at..]);
                break;
            }
            Kind::Word => {
                push(&mut readings, &arguments[at - 1..]);
                if !may_be_a_value {
                    break;
                }
                may_be_a_value = false;
            }
            Kind::Flag => may_be_a_value = false,
            Kind::Value => {
                at += 1;
                may_be_a_value = false;
            }
            Kind::Unknown => may_be_a_value = true,
        }
    }
    readings
}

fn push<'a, W>(readings: &mut Vec<&'a [W]>, reading: &'a [W]) {
    if readings.iter().all(|known| known.len() != reading.len()) {
        readings.push(reading);
    }
}

enum Kind {
    /// It is not an option.
    Word,
    /// No options follow.
    End,
    /// It stands alone, or has its value with it.
    Flag,
    /// The next word is its value.
    Value,
    Unknown,
}

fn kind_of(word: &str, flags: &str, values: &str) -> Kind {
    let is_among = |list: &str| list.split(' ').any(|option| option == word);
    let is_glued = |option: &str| {
        option.len() == 2 && word.len() > 2 && word.starts_with(option) && !word.starts_with("--")
    };
    match word {
        "--" => Kind::End,
        // Cargo and rustup take a toolchain as `+nightly`.
        _ if !word.starts_with(['-', '+']) || word.len() < 2 => Kind::Word,
        _ if is_among(flags) => Kind::Flag,
        _ if is_among(values) => Kind::Value,
        _ if word.starts_with('+') || word.contains('=') => Kind::Flag,
        _ if values.split(' ').any(is_glued) => Kind::Flag,
        _ => Kind::Unknown,
    }
}

/// A command with more options in front than this is only compared as far as this.
const MAX_READINGS: usize = 64;

/// Programs with subcommands: options that stand alone, and options that take the next word.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "git",
        "-p -P --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs \
         --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --html-path --man-path \
         --info-path -v --version -h --help",
        "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --shallow-file",
    ),
    (
        "cargo",
        "-v -vv --verbose -q --quiet --frozen --locked --offline -V --version --list -h --help",
        "-C -Z --color --config --explain --manifest-path --target-dir",
    ),
    (
        "npm",
        "-g --global -s --silent -q --quiet -d -dd -ddd --verbose -y --yes -f --force -l --long --json --offline \
         --prefer-offline --dry-run --ignore-scripts --no-color --workspaces --no-audit --no-fund -ws",
        "-C --prefix --cache --registry --userconfig --globalconfig --loglevel -w --workspace --script-shell --tag \
         --access --otp --node-options",
    ),
    (
        "pnpm",
        "-r --recursive -s --silent -w --workspace-root --color --no-color --offline",
        "-C --dir -F --filter --filter-prod --loglevel --reporter --store-dir",
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
        "--user --system --no-pager -q --quiet --no-ask-password --now --force -f -a --all -l --full",
        "-H --host -M --machine -t --type --state -p --property -n --lines -o --output",
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
    ("apt", "-y --yes -q -qq --quiet", "-o -c -t"),
    ("apt-get", "-y --yes -q -qq --quiet", "-o -c -t"),
    ("brew", "-v -q -d --verbose --quiet --debug", ""),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split(' ').collect();
        normalized(&words)
            .iter()
            .map(|words| words.join(" "))
            .collect()
    }

    #[test]
    fn options_in_front_of_a_subcommand_are_left_out() {
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
            assert!(readings(line).contains(&"push origin".to_owned()), "{line}");
        }
    }

    #[test]
    fn a_subcommand_is_not_looked_for_among_its_arguments() {
        for line in [
            "git status push origin",
            "git log -C push origin",
            "git -C push status",
        ] {
            let found = readings(line);
            assert!(!found.contains(&"push origin".to_owned()), "{line}");
        }
        assert_eq!(readings("git -C push status"), ["-C push status", "status"]);
    }
}
