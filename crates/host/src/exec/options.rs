//! Options before and between subcommands. Those of programs that we know are skipped as the program does; any other
//! option counts with and without a value, so that no subcommand hides behind one.

/// Where the subcommands of a pattern end among the words of a command, in every way that options can be read; empty if
/// the words are not those of the pattern.
pub(super) fn ends(program: &str, wanted: &[String], words: &[String]) -> Vec<usize> {
    let known = known(program);
    let mut starts = vec![0];
    for subcommand in wanted {
        let mut next = Vec::new();
        for at in reachable(&starts, words, known) {
            if words.get(at).is_some_and(|word| word == subcommand) {
                next.push(at + 1);
            }
        }
        starts = next;
    }
    starts
}

/// The first words of a command that are not options, in every way that options can be read.
pub(super) fn first_words<'a>(
    program: &str,
    words: &'a [String],
) -> impl Iterator<Item = &'a str> + use<'a> {
    let places = reachable(&[0], words, known(program));
    let found = places.into_iter().filter_map(|at| words.get(at));
    found
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'))
}

/// The places that can be reached from some by skipping options.
fn reachable(starts: &[usize], words: &[String], known: Option<&Known>) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut open = starts.to_vec();
    while let Some(at) = open.pop() {
        if found.contains(&at) || found.len() > MOST_PLACES {
            continue;
        }
        found.push(at);
        let Some(word) = words.get(at) else {
            continue;
        };
        match shape(word, known) {
            Shape::Word => {}
            Shape::Alone => open.push(at + 1),
            Shape::WithValue => open.push(at + 2),
            Shape::Unknown => open.extend([at + 1, at + 2]),
        }
    }
    found
}

/// How a word counts before a subcommand.
enum Shape {
    Word,
    Alone,
    WithValue,
    Unknown,
}

fn shape(word: &str, known: Option<&Known>) -> Shape {
    if known.is_some_and(|known| known.skips_plus) && word.starts_with('+') {
        return Shape::Alone;
    }
    if !word.starts_with('-') {
        return Shape::Word;
    }
    // `--` and `-` take nothing; a value behind `=` is there already.
    if matches!(word, "-" | "--") || (word.starts_with("--") && word.contains('=')) {
        return Shape::Alone;
    }
    let is_glued = |known: &Known| {
        let short = known.with_value.iter().filter(|option| option.len() == 2);
        short
            .into_iter()
            .any(|option| word.len() > 2 && word.starts_with(option))
    };
    match known {
        Some(known) if is_glued(known) => Shape::Alone,
        Some(known) if known.with_value.contains(&word) => Shape::WithValue,
        Some(known) if known.alone.contains(&word) => Shape::Alone,
        _ => Shape::Unknown,
    }
}

/// The global options of a program.
struct Known {
    programs: &'static [&'static str],
    with_value: &'static [&'static str],
    alone: &'static [&'static str],
    /// Whether a word such as `+nightly` comes before the subcommand.
    skips_plus: bool,
}

fn known(program: &str) -> Option<&'static Known> {
    let name = program.rsplit('/').next().unwrap_or(program);
    KNOWN.iter().find(|known| known.programs.contains(&name))
}

const MOST_PLACES: usize = 4096;

const KNOWN: &[Known] = &[
    Known {
        programs: &["git"],
        with_value: &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--config-env",
            "--super-prefix",
            "--attr-source",
            "--list-cmds",
        ],
        alone: &[
            "-p",
            "--paginate",
            "-P",
            "--no-pager",
            "--bare",
            "--no-replace-objects",
            "--no-lazy-fetch",
            "--no-optional-locks",
            "--no-advice",
            "--literal-pathspecs",
            "--glob-pathspecs",
            "--noglob-pathspecs",
            "--icase-pathspecs",
            "--exec-path",
            "--html-path",
            "--man-path",
            "--info-path",
            "-h",
            "--help",
            "-v",
            "--version",
        ],
        skips_plus: false,
    },
    Known {
        programs: &["cargo"],
        with_value: &[
            "-C",
            "-Z",
            "--config",
            "--color",
            "--manifest-path",
            "--target-dir",
        ],
        alone: &[
            "-q",
            "--quiet",
            "-v",
            "-vv",
            "--verbose",
            "--offline",
            "--locked",
            "--frozen",
            "--list",
            "-V",
            "--version",
            "-h",
            "--help",
        ],
        skips_plus: true,
    },
    Known {
        programs: &["npm", "pnpm", "yarn"],
        with_value: &[
            "--prefix",
            "-C",
            "--dir",
            "-w",
            "--workspace",
            "--registry",
            "--userconfig",
            "--globalconfig",
            "--cache",
            "--loglevel",
            "--cwd",
            "--tag",
            "--otp",
            "--filter",
            "-F",
        ],
        alone: &[
            "-g",
            "--global",
            "-s",
            "--silent",
            "-q",
            "--quiet",
            "-d",
            "-dd",
            "-ddd",
            "--verbose",
            "--yes",
            "-y",
            "--json",
            "--workspaces",
            "-ws",
            "--if-present",
            "--dry-run",
            "--force",
            "-f",
            "--offline",
            "-r",
            "--recursive",
        ],
        skips_plus: false,
    },
    Known {
        programs: &["docker", "podman", "nerdctl"],
        with_value: &[
            "-H",
            "--host",
            "-c",
            "--context",
            "--config",
            "-l",
            "--log-level",
            "--tlscacert",
            "--tlscert",
            "--tlskey",
            "--connection",
            "--url",
            "--root",
            "--runroot",
            "--storage-driver",
            "-n",
            "--namespace",
            "-a",
            "--address",
        ],
        alone: &[
            "-D",
            "--debug",
            "--tls",
            "--tlsverify",
            "-r",
            "--remote",
            "-v",
            "--version",
        ],
        skips_plus: false,
    },
    Known {
        programs: &["kubectl"],
        with_value: &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--kubeconfig",
            "-s",
            "--server",
            "--user",
            "--token",
            "--as",
            "--as-group",
            "--certificate-authority",
            "--client-certificate",
            "--client-key",
            "--request-timeout",
            "-v",
            "--v",
            "--cache-dir",
        ],
        alone: &["--insecure-skip-tls-verify", "--warnings-as-errors"],
        skips_plus: false,
    },
    Known {
        programs: &["gh"],
        with_value: &["-R", "--repo", "--hostname"],
        alone: &["--help", "--version"],
        skips_plus: false,
    },
    Known {
        programs: &["systemctl"],
        with_value: &[
            "-H",
            "--host",
            "-M",
            "--machine",
            "-t",
            "--type",
            "--state",
            "-p",
            "--property",
            "-P",
            "-n",
            "--lines",
            "-o",
            "--output",
            "-s",
            "--signal",
            "--root",
            "--image",
            "--kill-whom",
        ],
        alone: &[
            "--user",
            "--system",
            "--global",
            "-a",
            "--all",
            "-l",
            "--full",
            "-q",
            "--quiet",
            "-f",
            "--force",
            "--now",
            "--no-block",
            "--no-pager",
            "--no-legend",
            "--no-ask-password",
        ],
        skips_plus: false,
    },
    Known {
        programs: &["apt", "apt-get", "apt-cache", "aptitude"],
        with_value: &[
            "-o",
            "--option",
            "-c",
            "--config-file",
            "-t",
            "--target-release",
            "-a",
        ],
        alone: &[
            "-y",
            "--yes",
            "--assume-yes",
            "-q",
            "-qq",
            "--quiet",
            "-s",
            "--simulate",
            "-d",
            "--download-only",
            "-f",
            "--fix-broken",
            "-m",
            "-u",
            "-V",
        ],
        skips_plus: false,
    },
];
