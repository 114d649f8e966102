//! Every name on the list in every spelling that some file system accepts for it, and the list against its
//! documentation.

use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::list::{
    CLOSED, CLOSED_PREFIXES, HOME, PROTECTED, PROTECTED_PATHS, PROTECTED_PREFIXES,
    PROTECTED_SUFFIXES,
};
use super::{folded_names, is_closed_name, is_listed, is_protected};

/// Names of configuration that agents, editors and tools read on their own, as their makers spell them.
const KNOWN: &[&str] = &[
    "opencode.json",
    "opencode.jsonc",
    ".opencode/agent/x.md",
    ".goose/config.yaml",
    ".goosehints",
    ".cline/x",
    ".clinerules",
    ".clinerules/a.md",
    ".copilot/mcp-config.json",
    ".github/copilot-instructions.md",
    ".vibe/config.toml",
    ".kiro/settings/mcp.json",
    ".roo/mcp.json",
    ".roorules",
    ".roorules-code",
    ".roomodes/../.roo/rules/x",
    ".continue/config.yaml",
    ".amp/settings.json",
    ".trae/rules/project_rules.md",
    ".mise.toml",
    "mise.toml",
    ".mise.local.toml",
    "mise.local.toml",
    ".mise/config.toml",
    ".tool-versions",
    "AGENTS.md",
    "AGENT.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
    ".qwen/settings.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".cursor/rules/a.mdc",
    ".cursorrules",
    ".windsurf/rules/a.md",
    ".windsurfrules",
    ".aider.conf.yml",
    ".aider.model.settings.yml",
    ".crush.json",
    ".crush/x",
    "crush.json",
    ".factory/settings.json",
    ".junie/guidelines.md",
    ".augment/rules/x",
    ".augment-guidelines",
    ".zed/tasks.json",
    ".idea/workspace.xml",
    ".vscode/tasks.json",
    "project.code-workspace",
    ".fleet/run.json",
    ".nvim.lua",
    ".exrc",
    ".vimrc",
    ".nvimrc",
    ".envrc",
    ".direnv/x",
    ".husky/pre-commit",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.toml",
    "lefthook-local.yml",
    ".gitmodules",
    ".gitattributes",
    ".git/config",
    ".git",
    ".hg/hgrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".yarn/releases/yarn.cjs",
    ".pnp.cjs",
    ".pnpmfile.cjs",
    "pip.conf",
    ".cargo/config.toml",
    ".cargo/config",
    "rust-toolchain.toml",
    "rust-toolchain",
    ".devcontainer/devcontainer.json",
    ".devcontainer.json",
    "devcontainer.json",
    ".mcp.json",
    "mcp.json",
    ".attache.json",
    ".attache",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".config/fish/config.fish",
    ".ssh/authorized_keys",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".claude/settings.local.json",
    ".claude.json",
    ".acpxrc.json",
    ".config/opencode/opencode.json",
    ".config/goose/config.yaml",
    ".rules",
    ".cursorignore",
    ".geminiignore",
    "WARP.md",
    ".agents/skills/x/SKILL.md",
];

/// The user's own work, which a remembered permission may cover.
const ORDINARY: &[&str] = &[
    "Makefile",
    "justfile",
    "Justfile",
    "package.json",
    "package-lock.json",
    "Cargo.toml",
    "Cargo.lock",
    "build.rs",
    "README.md",
    "CONTRIBUTING.md",
    "agents/main.rs",
    "docs/agents-guide.md",
    "claude.rs",
    "src/gemini.py",
    ".gitignore",
    ".github/README.md",
    ".github/ISSUE_TEMPLATE/bug.md",
    ".env",
    ".env.example",
    ".editorconfig",
    ".prettierrc",
    ".eslintrc.json",
    "tsconfig.json",
    "pyproject.toml",
    "go.mod",
    "a.git/x",
    "git/config",
    "vscode/x",
    "opencode/x",
    "mise/x",
    "rules",
    "rules.md",
    "docs/.bashrc.md",
    ".dockerignore",
    "Dockerfile",
    ".nvmrc",
    ".node-version",
    ".cargo/registry.md",
    "config/attache.json",
    "attache.json",
    "test.code",
    "goose.toml",
    "src/mcp.rs",
    "amp.js",
    "x~1",
    "git~",
    "notes~2.md",
    ".gitkeep",
    ".agentsx",
    "AGENTS.md.bak",
    "trust.json",
    "policy.json",
];

#[test]
fn a_known_name_is_protected_in_every_spelling_and_place() {
    let listed = [CLOSED, CLOSED_PREFIXES, PROTECTED, PROTECTED_PATHS, HOME].concat();
    let begun = PROTECTED_PREFIXES.iter().map(|it| format!("{it}x"));
    let ended = PROTECTED_SUFFIXES.iter().map(|it| format!("x{it}"));
    let listed = listed
        .into_iter()
        .map(str::to_owned)
        .chain(begun)
        .chain(ended);
    let mut count = 0;
    for name in listed.chain(KNOWN.iter().map(|it| (*it).to_owned())) {
        for spelling in spellings(&name) {
            for path in [
                spelling.clone(),
                format!("/home/ann/work/{spelling}"),
                format!("deep/er/{spelling}"),
                format!("./{spelling}/below/it"),
            ] {
                assert!(is_protected(Path::new(&path)), "{path:?} ({name})");
                count += 1;
            }
        }
    }
    assert!(count > 5_000, "{count}");
}

#[test]
fn a_closed_name_is_closed_in_every_spelling() {
    for name in CLOSED.iter().chain(CLOSED_PREFIXES) {
        for spelling in spellings(name) {
            assert!(is_closed_name(spelling.as_ref()), "{spelling:?}");
        }
    }
}

#[test]
fn instructions_and_tool_settings_are_protected_but_not_closed() {
    for name in PROTECTED {
        assert!(!is_closed_name(name.as_ref()), "{name}");
    }
    for name in [
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
        ".cursorrules",
        "mise.toml",
        "rust-toolchain.toml",
    ] {
        assert!(!is_closed_name(name.as_ref()), "{name}");
    }
}

#[test]
fn ordinary_work_is_not_protected() {
    for name in ORDINARY {
        for path in [
            (*name).to_owned(),
            format!("/home/ann/work/{name}"),
            format!("sub/{name}"),
        ] {
            assert!(!is_protected(Path::new(&path)), "{path}");
        }
    }
}

/// The lookup in the index finds what a comparison with each name finds.
#[test]
fn the_index_of_names_has_every_name() {
    let lists = [
        CLOSED,
        CLOSED_PREFIXES,
        PROTECTED,
        PROTECTED_PREFIXES,
        PROTECTED_SUFFIXES,
        HOME,
        PROTECTED_PATHS,
    ];
    let mut found = 0;
    for name in lists.into_iter().flatten() {
        let (first, last) = name.split_once('/').unwrap_or((name, name));
        let changed = [
            format!("{name}x"),
            format!("x{name}"),
            format!("{name}/x"),
            format!("x/{name}/y"),
            format!("{first}/x/{last}"),
            format!("{last}/{first}"),
            format!("{first}/{first}/{last}"),
            name.replace('/', "x/"),
            name.replace('/', ""),
            name.chars().skip(1).collect(),
            name.chars().take(name.len() - 1).collect(),
        ];
        for path in spellings(name).into_iter().chain(changed) {
            let path = Path::new(&path);
            let is_found = is_listed(&folded_names(path));
            assert_eq!(is_protected(path), is_found, "{}", path.display());
            found += usize::from(is_found);
        }
    }
    assert!(found > 2000, "{found}");
}

#[test]
fn names_in_ascii_are_folded_as_all_others() {
    let slowly = |name: &str| {
        let folded = super::fold_letters(name);
        let folded = folded.split(':').next().unwrap_or_default();
        folded.trim_end_matches(['.', ' ']).to_owned()
    };
    let ascii = || (1..128_u8).map(char::from);
    for (a, b) in ascii().flat_map(|a| ascii().map(move |b| (a, b))) {
        for path in [
            format!("{a}{b}"),
            format!("x{a}{b}x"),
            format!("x/{a}{b}/x"),
        ] {
            let folded: Vec<String> = path
                .split('/')
                .map(|name| super::fold(name.as_ref()))
                .collect();
            let expected: Vec<String> = path.split('/').map(slowly).collect();
            assert_eq!(folded, expected, "{path:?}");
            assert!(
                !super::is_folded(&path) || folded.join("/") == path,
                "{path:?}"
            );
        }
    }
}

#[test]
fn the_list_is_in_lower_case_and_each_name_is_there_once() {
    for list in [
        CLOSED,
        CLOSED_PREFIXES,
        PROTECTED,
        PROTECTED_PREFIXES,
        PROTECTED_PATHS,
        HOME,
    ] {
        for (at, name) in list.iter().enumerate() {
            assert_eq!(
                super::fold(name.as_ref()),
                name.trim_end_matches('.'),
                "{name}"
            );
            assert!(!list[..at].contains(name), "{name} twice");
        }
    }
}

#[test]
fn the_documentation_names_all_of_them() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/permissions.md");
    let page = std::fs::read_to_string(page)
        .expect("docs/permissions.md")
        .to_lowercase();
    let begun = [CLOSED_PREFIXES, PROTECTED_PREFIXES].concat();
    let begun = begun.iter().map(|it| format!("`{it}*`"));
    let ended = PROTECTED_SUFFIXES.iter().map(|it| format!("`*{it}`"));
    let whole = [CLOSED, PROTECTED, PROTECTED_PATHS, HOME].concat();
    let whole = whole.iter().map(|it| format!("`{it}`"));
    let missing: Vec<String> = whole
        .chain(begun)
        .chain(ended)
        .filter(|name| !page.contains(name))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/permissions.md lacks {}",
        missing.join(", ")
    );
}

/// Names that some file system treats as this one.
fn spellings(name: &str) -> Vec<String> {
    let swapped = name.chars().map(|c| match c.is_uppercase() {
        true => c.to_ascii_lowercase(),
        false => c.to_ascii_uppercase(),
    });
    let first = name.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
    let (head, tail) = name.split_at(first + 1);
    let parts = |change: &dyn Fn(&str) -> String| {
        let parts: Vec<String> = name.split('/').map(change).collect();
        parts.join("/")
    };
    let fullwidth = name.chars().map(|c| match c {
        'a'..='z' => char::from_u32(u32::from(c) - u32::from('a') + 0xff41).unwrap_or(c),
        c => c,
    });
    vec![
        name.to_owned(),
        name.to_uppercase(),
        swapped.collect(),
        fullwidth.collect(),
        name.nfd().collect(),
        name.nfkd().collect(),
        format!("{head}\u{200c}{tail}"),
        format!("{head}\u{200d}{tail}"),
        format!("{head}\u{fe0f}{tail}"),
        format!("{head}\u{ad}{tail}"),
        format!("{head}\u{202e}{tail}"),
        format!("\u{feff}{name}"),
        name.replace('i', "\u{131}")
            .replace('s', "\u{17f}")
            .replace('k', "\u{212a}"),
        name.replacen('.', "\u{2024}", 1),
        parts(&|part| format!("{part}.")),
        parts(&|part| format!("{part}...")),
        parts(&|part| format!("{part} ")),
        parts(&|part| format!("{part}. . ")),
        parts(&|part| format!("{part}::$DATA")),
        parts(&|part| format!("{part}:stream")),
        name.replace('/', "//"),
        name.replace('/', "/./"),
    ]
}
