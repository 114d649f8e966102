//! Rules, and finding the one that a question falls under without looking at all of them.

use std::collections::HashMap;

use attache_schema::v1;

use super::command::{self, CommandPattern, Reading};
use super::facts::{Facts, Place};
use super::glob::{Index, PathPattern};

/// What must hold for a rule to count: everything that it names. What it does not name can be anything.
#[derive(Debug, Clone, Default)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) reason: Option<String>,
    pub(super) agents: Vec<String>,
    pub(super) kinds: Vec<v1::ToolKind>,
    /// Names; a `*` at the end stands for the rest.
    pub(super) tools: Vec<String>,
    pub(super) commands: Vec<CommandPattern>,
    pub(super) paths: Vec<PathPattern>,
    /// A tool kind or a tool's name, in small letters.
    pub(super) words: Vec<String>,
}

impl Rule {
    pub(super) fn named(id: String) -> Rule {
        Rule {
            id,
            ..Rule::default()
        }
    }

    /// Whether all of what is asked is covered, and all of it is understood.
    fn allows(&self, facts: &Facts<'_>) -> bool {
        let action = facts.action;
        let command = action.command.as_deref();
        self.is_for(&action.agent)
            && self.is_about(facts, &facts.kind())
            && (self.words.is_empty()
                || self
                    .words
                    .iter()
                    .any(|word| facts.is_kind_or_tool(word, &facts.kind())))
            && self.covers_command(command, facts.reading)
            && self.covers_paths(facts)
            && (!action.is_protected() || self.spells_out(facts))
    }

    /// Whether some of what is asked falls under it.
    fn catches(&self, facts: &Facts<'_>) -> bool {
        let action = facts.action;
        let mut kinds = [action.kind.clone(), facts.kind()].into_iter();
        action.agent_names().any(|name| self.is_for(name))
            && kinds.any(|kind| self.is_about(facts, &kind))
            && (self.words.is_empty() || self.words.iter().any(|word| facts.is_named(word)))
            && (self.commands.is_empty() || self.commands.iter().any(|pattern| facts.runs(pattern)))
            && (self.paths.is_empty() || self.paths.iter().any(|pattern| facts.touches(pattern)))
    }

    fn is_for(&self, agent: &str) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|it| it == agent)
    }

    fn is_about(&self, facts: &Facts<'_>, kind: &v1::ToolKind) -> bool {
        let action = facts.action;
        let is_tool = |pattern: &String| match (pattern.strip_suffix('*'), &action.tool) {
            (_, None) => false,
            (Some(start), Some(tool)) => tool.starts_with(start),
            (None, Some(tool)) => tool == pattern,
        };
        (self.kinds.is_empty() || self.kinds.contains(kind))
            && (self.tools.is_empty() || self.tools.iter().any(is_tool))
    }

    /// A rule on files says nothing about what a command does.
    fn covers_command(&self, command: Option<&[String]>, reading: Reading) -> bool {
        match command {
            Some(words) if !self.commands.is_empty() => self
                .commands
                .iter()
                .any(|pattern| pattern.allows(words, reading)),
            Some(_) => self.paths.is_empty(),
            None => self.commands.is_empty(),
        }
    }

    fn covers_paths(&self, facts: &Facts<'_>) -> bool {
        if facts.is_cut() {
            return false;
        }
        if self.paths.is_empty() {
            return facts.is_inside();
        }
        let names_tool =
            !self.kinds.is_empty() || !self.tools.is_empty() || !self.commands.is_empty();
        let is_about_files = matches!(
            facts.kind(),
            v1::ToolKind::Read
                | v1::ToolKind::Edit
                | v1::ToolKind::Delete
                | v1::ToolKind::Move
                | v1::ToolKind::Search
        );
        let covers = |place: &Place| {
            self.paths
                .iter()
                .any(|pattern| place.is_allowed_by(pattern))
        };
        (names_tool || is_about_files)
            && !facts.places.is_empty()
            && facts.places.iter().all(covers)
    }

    /// Whether every protected file stands in it letter by letter: a wildcard is not meant for those.
    fn spells_out(&self, facts: &Facts<'_>) -> bool {
        let literal = |place: &Place| {
            let mut patterns = self.paths.iter().filter(|pattern| pattern.is_literal());
            patterns.any(|pattern| place.is_allowed_by(pattern))
        };
        facts.places.iter().all(literal)
    }
}

/// Rules with the same consequence, found by what they name.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    by_program: HashMap<String, Vec<usize>>,
    by_path: Index,
    by_tool: HashMap<String, Vec<usize>>,
    by_word: HashMap<String, Vec<usize>>,
    by_kind: HashMap<(Option<String>, Option<v1::ToolKind>), Vec<usize>>,
}

impl Rules {
    pub(super) fn add(&mut self, rule: Rule) {
        let index = self.rules.len();
        if !rule.commands.is_empty() {
            for pattern in &rule.commands {
                let program = command::base_name(pattern.program());
                self.by_program.entry(program).or_default().push(index);
            }
        } else if !rule.paths.is_empty() {
            rule.paths
                .iter()
                .for_each(|pattern| self.by_path.add(pattern, index));
        } else if !rule.tools.is_empty() {
            for tool in &rule.tools {
                self.by_tool.entry(tool.clone()).or_default().push(index);
            }
        } else if !rule.words.is_empty() {
            for word in &rule.words {
                self.by_word.entry(word.clone()).or_default().push(index);
            }
        } else {
            for key in keys(&rule) {
                self.by_kind.entry(key).or_default().push(index);
            }
        }
        self.rules.push(rule);
    }

    /// The first rule that allows all of what is asked.
    pub(super) fn allowing(&self, facts: &Facts<'_>) -> Option<&Rule> {
        self.first(facts, |rule| rule.allows(facts))
    }

    /// The first rule that some of what is asked falls under.
    pub(super) fn catching(&self, facts: &Facts<'_>) -> Option<&Rule> {
        self.first(facts, |rule| rule.catches(facts))
    }

    /// Whether a command has to be understood for these rules to be kept.
    pub(super) fn are_about_commands(&self) -> bool {
        !self.by_program.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    fn first(&self, facts: &Facts<'_>, fits: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        let mut candidates = self.candidates(facts);
        candidates.sort_unstable();
        candidates.dedup();
        candidates
            .into_iter()
            .map(|index| &self.rules[index])
            .find(|rule| fits(rule))
    }

    /// The rules that are worth a look.
    pub(super) fn candidates(&self, facts: &Facts<'_>) -> Vec<usize> {
        let action = facts.action;
        let mut found = Vec::new();
        let mut take =
            |rules: Option<&Vec<usize>>| found.extend(rules.into_iter().flatten().copied());
        let programs = match facts.reading {
            Reading::Plain => 1,
            _ => facts.tokens.len(),
        };
        for token in facts.tokens.iter().take(programs) {
            take(self.by_program.get(&command::base_name(token)));
        }
        if let Some(tool) = action.tool.as_deref() {
            take(self.by_tool.get(tool));
            for (end, _) in tool.char_indices().take(MAX_TOOL_NAME) {
                take(self.by_tool.get(&format!("{}*", &tool[..end])));
            }
            take(self.by_tool.get(&format!("{tool}*")));
            take(self.by_word.get(&tool.to_lowercase()));
        }
        facts
            .titles()
            .for_each(|title| take(self.by_word.get(&title)));
        for kind in [action.kind.clone(), facts.kind()] {
            take(self.by_word.get(kind.as_str()));
            let names = action.agent_names().map(|name| Some(name.to_owned()));
            for agent in std::iter::once(None).chain(names) {
                take(self.by_kind.get(&(agent.clone(), None)));
                take(self.by_kind.get(&(agent, Some(kind.clone()))));
            }
        }
        if !self.by_path.is_empty() {
            let places = match facts.is_cut() {
                true => &[],
                false => facts.places.as_slice(),
            };
            let given = places
                .iter()
                .flat_map(|place| [&place.inside, &place.absolute])
                .flatten();
            for path in facts.all_seen().chain(given) {
                self.by_path.find(path, &mut found);
            }
        }
        found
    }
}

fn keys(rule: &Rule) -> Vec<(Option<String>, Option<v1::ToolKind>)> {
    let agents = match rule.agents.is_empty() {
        true => vec![None],
        false => rule.agents.iter().cloned().map(Some).collect(),
    };
    let kinds = match rule.kinds.is_empty() {
        true => vec![None],
        false => rule.kinds.iter().cloned().map(Some).collect(),
    };
    let pair = |agent: &Option<String>| {
        kinds
            .iter()
            .map(|kind| (agent.clone(), kind.clone()))
            .collect::<Vec<_>>()
    };
    agents.iter().flat_map(pair).collect()
}

const MAX_TOOL_NAME: usize = 256;
