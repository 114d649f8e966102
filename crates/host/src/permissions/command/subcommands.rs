//! Other names of subcommands: built-in aliases and abbreviations. Where users can define aliases, a subcommand that is
//! not built in may be any other one.

use super::base_name;
use super::pattern::CommandMatch;

/// Whether a word is this subcommand of a program: as it is, by another name, or perhaps by an alias that a user
/// defined.
pub(super) fn is_subcommand(program: &str, word: &str, wanted: &str) -> CommandMatch {
    let Some(program) = SubcommandNames::of(program) else {
        return yes_if(word == wanted);
    };
    let word = program.spelled(word);
    let wanted = program.first_name(wanted);
    let other = program.first_name(&word);
    if other == wanted {
        return CommandMatch::Yes;
    }
    if program.is_known(&word) {
        return CommandMatch::No;
    }
    let is_short = program.abbreviates
        && program
            .names_of(wanted)
            .any(|name| name.starts_with(&word) && !word.is_empty());
    match (is_short, program.has_own_aliases) {
        (true, _) => CommandMatch::Yes,
        (false, true) => CommandMatch::Maybe,
        (false, false) => CommandMatch::No,
    }
}

/// The subcommands of a pattern in each way to write them: `docker container run` is `docker run`, and `docker rmi` is
/// `docker image rm`.
pub(super) fn spellings<'a>(program: &str, subcommands: &[&'a str]) -> Vec<Vec<&'a str>> {
    let Some(program) = SubcommandNames::of(program) else {
        return vec![subcommands.to_vec()];
    };
    let synonyms = program.synonyms.split(',');
    let synonyms = synonyms.filter_map(|it| it.split_once('='));
    let synonyms = synonyms.map(|(short, long)| {
        let long: Vec<&'static str> = long.split_ascii_whitespace().collect();
        (short, long)
    });
    let synonyms: Vec<(&str, Vec<&str>)> = synonyms.collect();
    let is_it = |(short, long): &&(&str, Vec<&str>)| {
        subcommands.first() == Some(short) || subcommands.starts_with(long)
    };
    let mut all = Vec::new();
    if let Some((short, long)) = synonyms.iter().find(is_it) {
        let taken = match subcommands.starts_with(long) {
            true => long.len(),
            false => 1,
        };
        all.push([&[*short], &subcommands[taken..]].concat());
        let same = synonyms.iter().filter(|(it, _)| it == short);
        all.extend(same.map(|(_, long)| [long.as_slice(), &subcommands[taken..]].concat()));
    }
    let without_group = match subcommands {
        [group, rest @ ..] if !rest.is_empty() && has(program.groups, group) && all.is_empty() => {
            rest
        }
        all => all,
    };
    all.push(without_group.to_vec());
    all
}

/// Whether a subcommand is a separate program of git's package.
pub(super) fn is_git_script(word: &str) -> bool {
    SubcommandNames::of("git").is_some_and(|git| has(git.scripts, word))
}

/// A word behind the first one of those that run a subcommand elsewhere, such as the name in `yarn workspace NAME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrefixWord {
    Any,
    This(&'static str),
}

impl PrefixWord {
    pub(super) fn is(self, word: &str) -> bool {
        match self {
            PrefixWord::Any => true,
            PrefixWord::This(wanted) => wanted == word,
        }
    }
}

/// The names of one program's subcommands.
pub(super) struct SubcommandNames {
    names: &'static str,
    /// Subcommands that are built in and can't be made an alias of another one.
    known: &'static str,
    /// Subcommands that are separate programs of the same package. They can be made an alias only if the program looks
    /// for them elsewhere.
    scripts: &'static str,
    /// Names of the same subcommand, in groups separated by commas.
    aliases: &'static str,
    groups: &'static str,
    /// Words before a subcommand that only say where it runs, separated by commas. `?` is any word, `/` a path.
    prefixes: &'static str,
    /// One word that is the same as several, as `WORD=WORDS`, separated by commas.
    synonyms: &'static str,
    /// Whether the beginning of a name is enough.
    abbreviates: bool,
    /// Whether users, and files in a project, can define aliases.
    has_own_aliases: bool,
}

impl SubcommandNames {
    pub(super) fn of(program: &str) -> Option<&'static SubcommandNames> {
        let name = base_name(program);
        PROGRAMS.iter().find(|program| has(program.names, &name))
    }

    /// The words that follow a first word before the subcommand, in every way to read it.
    pub(super) fn prefixes_of(&'static self, word: &str) -> impl Iterator<Item = Vec<PrefixWord>> {
        let is_group = has(self.groups, word).then(Vec::new);
        let is_first = move |first: &str| match first {
            "/" => word.contains(['/', '\\']),
            first => first == word,
        };
        let prefixes = self.prefixes.split(',').filter_map(move |prefix| {
            let mut words = prefix.split_ascii_whitespace();
            words.next().filter(|first| is_first(first))?;
            let rest = words.map(|word| match word {
                "?" => PrefixWord::Any,
                word => PrefixWord::This(word),
            });
            Some(rest.collect())
        });
        is_group.into_iter().chain(prefixes)
    }

    /// npm reads `runScript` as `run-script`.
    fn spelled(&self, word: &str) -> String {
        match self.abbreviates {
            true => word.chars().fold(String::new(), |mut text, char| {
                if char.is_ascii_uppercase() {
                    text.push('-');
                }
                text.push(char.to_ascii_lowercase());
                text
            }),
            false => word.to_owned(),
        }
    }

    /// The first of the names of a subcommand.
    fn first_name<'a>(&self, word: &'a str) -> &'a str
    where
        'static: 'a,
    {
        let group = self.aliases.split(',').find(|group| has(group, word));
        group
            .and_then(|group| group.split_ascii_whitespace().next())
            .unwrap_or(word)
    }

    fn names_of<'a>(&self, first: &'a str) -> impl Iterator<Item = &'a str> + use<'a>
    where
        'static: 'a,
    {
        let group = self.aliases.split(',').find(|group| has(group, first));
        std::iter::once(first).chain(group.unwrap_or_default().split_ascii_whitespace())
    }

    fn is_known(&self, word: &str) -> bool {
        let is_alias = || self.aliases.split(',').any(|group| has(group, word));
        // Where users can define aliases, a built-in alias is only the default.
        has(self.known, word) || has(self.scripts, word) || (!self.has_own_aliases && is_alias())
    }
}

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|it| it == word)
}

fn yes_if(is_it: bool) -> CommandMatch {
    match is_it {
        true => CommandMatch::Yes,
        false => CommandMatch::No,
    }
}

const PROGRAMS: &[SubcommandNames] = &[
    SubcommandNames {
        names: "git",
        known: "add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore \
            check-mailmap check-ref-format checkout checkout--worker checkout-index cherry cherry-pick clean clone column \
            commit commit-graph commit-tree config count-objects credential credential-cache credential-cache--daemon \
            credential-store describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import \
            fetch fetch-pack fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects fsmonitor--daemon gc \
            get-tar-commit-id grep hash-object help hook index-pack init init-db interpret-trailers log ls-files \
            ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-ours \
            merge-recursive merge-subtree merge-tree mktag mktree multi-pack-index mv name-rev notes pack-objects \
            pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog remote \
            remote-ext remote-fd repack replace rerere reset restore rev-list rev-parse revert rm send-pack shortlog show \
            show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule--helper switch \
            symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive \
            upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree",
        scripts: "difftool--helper filter-branch http-backend http-fetch http-push instaweb merge-octopus merge-one-file \
            merge-resolve mergetool mergetool--lib quiltimport remote-ftp remote-ftps remote-http remote-https \
            request-pull sh-i18n sh-i18n--envsubst sh-setup shell submodule web--browse",
        aliases: "add stage,init init-db,fsck fsck-objects",
        groups: "",
        prefixes: "",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: true,
    },
    SubcommandNames {
        names: "cargo",
        // The last two are separate programs, which a project's alias can hide.
        known: "add bench build check clean config doc fetch fix generate-lockfile help info init install locate-project \
            login logout metadata new owner package pkgid publish read-manifest remove report run rustc rustdoc search \
            test tree uninstall update vendor verify-project version yank clippy fmt",
        scripts: "",
        aliases: "build b,check c,doc d,run r,test t,remove rm",
        groups: "",
        prefixes: "",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: true,
    },
    SubcommandNames {
        names: "npm",
        known: "access adduser approve-scripts audit bugs cache ci completion config dedupe deny-scripts deprecate diff \
            dist-tag docs doctor edit exec explain explore find-dupes fund get help help-search init install \
            install-ci-test install-scripts install-test link ll login logout ls org outdated owner pack ping pkg prefix \
            profile prune publish query rebuild repo restart root run sbom search set shrinkwrap stage star stars start \
            stop team test token trust undeprecate uninstall unpublish unstar update version view whoami",
        scripts: "",
        aliases: "owner author,docs home,bugs issues,view info show v,search find s se,install add i in ins inst insta \
            instal isnt isnta isntal isntall,uninstall unlink remove rm r un,rebuild rb,ls list,link ln,init create innit,\
            install-test it,install-ci-test cit clean-install-test sit,update u up upgrade udpate,config c,test tst t,\
            dedupe ddp,run run-script rum urn,ci clean-install ic install-clean isntall-clean,exec x,explain why,ll la,\
            version verison,help hlep,dist-tag dist-tags,org ogr,adduser add-user",
        groups: "",
        prefixes: "",
        synonyms: "",
        abbreviates: true,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "pnpm",
        known: "",
        scripts: "",
        aliases: "install i,remove rm uninstall un uni,update up upgrade,run run-script rum urn,test t tst,list ls,link ln,\
            rebuild rb,install-test it,unlink dislink,ll la,config c,ci clean-install ic install-clean,\
            recursive multi m",
        groups: "",
        prefixes: "recursive,multi,m",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "yarn yarnpkg",
        known: "",
        scripts: "",
        aliases: "",
        groups: "",
        prefixes: "workspace ?,workspaces foreach,workspaces run,global,/",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "gcloud",
        known: "",
        scripts: "",
        aliases: "",
        groups: "",
        prefixes: "alpha,beta,preview",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "helm",
        known: "",
        scripts: "",
        aliases: "uninstall del delete un,list ls,history hist,dependency dep dependencies,show inspect,pull fetch",
        groups: "",
        prefixes: "",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "systemctl",
        known: "",
        scripts: "",
        aliases: "try-restart condrestart,try-reload-or-restart reload-or-try-restart condreload force-reload",
        groups: "",
        prefixes: "",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "brew",
        known: "",
        scripts: "",
        aliases: "uninstall remove rm,update up,install instal,link ln,info abv,doctor dr,list ls,home homepage,search -S",
        groups: "",
        prefixes: "",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "docker podman nerdctl",
        known: "",
        scripts: "",
        aliases: "rm remove,ps ls list,rmi untag",
        groups: "container image builder buildx system",
        prefixes: "",
        synonyms: "rmi=image rm,rmi=image remove,images=image ls,images=image list",
        abbreviates: false,
        has_own_aliases: false,
    },
    SubcommandNames {
        names: "gh",
        known: "agent-task alias api attestation auth browse cache codespace completion config copilot extension gist \
            gpg-key help issue label org pr preview project release repo ruleset run search secret ssh-key status \
            variable version workflow",
        scripts: "",
        aliases: "codespace cs,extension extensions ext",
        groups: "",
        prefixes: "",
        synonyms: "",
        abbreviates: false,
        has_own_aliases: true,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_of_a_subcommand() {
        for (program, word, wanted, expected) in [
            ("git", "push", "push", CommandMatch::Yes),
            ("git", "pusg", "push", CommandMatch::Maybe),
            ("git", "lfs", "push", CommandMatch::Maybe),
            ("git", "pull", "push", CommandMatch::No),
            ("git", "stage", "add", CommandMatch::Yes),
            ("cargo", "t", "test", CommandMatch::Yes),
            ("cargo", "t", "publish", CommandMatch::Maybe),
            ("cargo", "zz", "test", CommandMatch::Maybe),
            ("cargo", "build", "test", CommandMatch::No),
            ("cargo", "clippy", "publish", CommandMatch::No),
            ("npm", "i", "install", CommandMatch::Yes),
            ("npm", "install", "add", CommandMatch::Yes),
            ("npm", "inst", "install", CommandMatch::Yes),
            ("npm", "publ", "publish", CommandMatch::Yes),
            ("npm", "runScript", "run", CommandMatch::Yes),
            ("npm", "clean-inst", "ci", CommandMatch::Yes),
            ("npm", "test", "publish", CommandMatch::No),
            ("npm", "p", "test", CommandMatch::No),
            ("pnpm", "build", "publish", CommandMatch::No),
            ("gh", "co", "pr", CommandMatch::Maybe),
            ("other", "a", "b", CommandMatch::No),
            ("other", "b", "b", CommandMatch::Yes),
        ] {
            let found = is_subcommand(program, word, wanted);
            assert_eq!(found, expected, "{program} {word} / {wanted}");
        }
        assert_eq!(spellings("docker", &["container", "run"]), [["run"]]);
        assert_eq!(
            spellings("git", &["container", "run"]),
            [["container", "run"]]
        );
    }
}
