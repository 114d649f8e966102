//! Rules, and an index that finds the rule for an action without trying all of them.

use std::collections::HashMap;

use attache_schema::v1;

use super::command;
use super::command::line::SimpleCommand;
use super::command::options::CommandWord as _;
use super::command::pattern::{CommandMatch, CommandPattern};
use super::facts::ActionFacts;
use super::path_pattern::{PathIndex, PathPattern};

/// A rule: everything that it names has to match. What it does not name can be anything.
#[derive(Debug, Clone, Default)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) reason: Option<String>,
    pub(super) agents: Vec<String>,
    pub(super) kinds: Vec<v1::ToolKind>,
    /// Tool names; a `*` at the end stands for the rest.
    pub(super) tools: Vec<String>,
    pub(super) commands: Vec<CommandPattern>,
    pub(super) paths: Vec<PathPattern>,
    /// Tool kinds or tool names, in lower case.
    pub(super) words: Vec<String>,
}

impl Rule {
    pub(super) fn named(id: String) -> Rule {
        Rule {
            id,
            ..Rule::default()
        }
    }

    /// Whether the rule covers the whole action, and all of the action is understood. A name, a kind or a title is the
    /// agent's word: it can only narrow what a rule covers.
    fn allows(&self, facts: &ActionFacts<'_>) -> bool {
        let action = facts.action;
        self.is_for(&action.agent)
            && self.is_about(facts, &facts.kind())
            && (self.words.is_empty()
                || self
                    .words
                    .iter()
                    .any(|word| facts.is_kind_or_tool(word, &facts.kind())))
            && self.covers(facts)
            && !action.is_ambiguous
            && !facts.may_name_protected()
            && (!facts.on_disk().has_protected_files() || self.spells_out(facts))
            && (!facts.on_disk().changes_protected_by_command() || self.spells_command(facts))
    }

    fn covers(&self, facts: &ActionFacts<'_>) -> bool {
        if facts.is_cut() {
            return false;
        }
        match &facts.action.command {
            Some(words) => self.covers_command(words, facts),
            None if !self.commands.is_empty() => false,
            None if !self.paths.is_empty() => self.covers_paths(facts),
            None if self.names_agents_word() => self.covers_unseen(facts),
            None => facts.has_nothing_outside() && facts.is_understood(),
        }
    }

    /// Whether the rule names something that the agent chooses: a kind or a tool.
    pub(super) fn names_agents_word(&self) -> bool {
        !(self.kinds.is_empty() && self.tools.is_empty() && self.words.is_empty())
    }

    /// Whether the rule covers a command: by its words, or because the rule names nothing but an agent.
    fn covers_command(&self, words: &[String], facts: &ActionFacts<'_>) -> bool {
        if !facts.is_understood() {
            return false;
        }
        if self.commands.is_empty() {
            let is_for_everything = self.paths.is_empty() && !self.names_agents_word();
            return is_for_everything && facts.has_nothing_outside();
        }
        let is_exact = self
            .commands
            .iter()
            .any(|pattern| pattern.is_exactly(words));
        let covers_parts = || {
            let mut parts = facts.line.parts.iter();
            facts.line.doubt.is_none() && parts.all(|part| self.covers_part(part))
        };
        (is_exact || covers_parts()) && self.covers_directories(facts)
    }

    /// Whether the rule covers one part of a line.
    fn covers_part(&self, part: &SimpleCommand) -> bool {
        part.is_transparent()
            || (only_discards(part) && self.commands.iter().any(|pattern| pattern.allows(part)))
    }

    /// Whether the rule covers the directory that the command runs in.
    fn covers_directories(&self, facts: &ActionFacts<'_>) -> bool {
        match self.paths.is_empty() {
            true => facts.has_nothing_outside(),
            false => self.covers_each(facts),
        }
    }

    /// Whether the rule's paths cover a tool that runs no command. That has to be a tool that says which files it
    /// touches, or one that the rule names for an agent.
    fn covers_paths(&self, facts: &ActionFacts<'_>) -> bool {
        let action = facts.action;
        let names_all = !action.runs_code && !action.names_other_files;
        let is_named = self.names_agents_word() && !self.agents.is_empty() && names_all;
        let is_clear = is_about_files(&facts.kind()) && facts.is_understood();
        (is_named || is_clear) && self.covers_each(facts)
    }

    fn covers_each(&self, facts: &ActionFacts<'_>) -> bool {
        facts.are_allowed_by(self.paths.iter())
    }

    /// Whether a rule on a kind or a tool covers the action. A rule on a kind covers files inside the workspace. A rule
    /// on a tool, or on a kind that names no files, has to name the agent, and covers neither files nor commands.
    fn covers_unseen(&self, facts: &ActionFacts<'_>) -> bool {
        let is_by_tool = !self.tools.is_empty() || self.is_by_tool_word(facts);
        match is_about_files(&facts.kind()) && !is_by_tool {
            true => facts.is_inside() && facts.is_understood(),
            false => {
                let names_files = !facts.given_paths.is_empty() || facts.action.names_other_files;
                !self.agents.is_empty() && !names_files && !facts.action.runs_code
            }
        }
    }

    /// Whether the word that matches is a tool's name.
    fn is_by_tool_word(&self, facts: &ActionFacts<'_>) -> bool {
        let kind = facts.kind();
        !self.words.is_empty() && !self.words.iter().any(|word| word == kind.as_str())
    }

    /// Whether part of the action falls under the rule.
    fn catches(&self, facts: &ActionFacts<'_>) -> bool {
        let action = facts.action;
        self.is_for_any_name(&action.agent)
            && self.is_about_any(facts)
            && (self.words.is_empty() || self.words.iter().any(|word| facts.is_named(word)))
            && (self.commands.is_empty() || self.runs_any(facts, CommandMatch::Yes))
            && (self.paths.is_empty() || self.paths.iter().any(|pattern| facts.touches(pattern)))
    }

    /// Whether the action may run a command that falls under the rule.
    fn may_catch(&self, facts: &ActionFacts<'_>) -> bool {
        self.is_for_any_name(&facts.action.agent) && self.runs_any(facts, CommandMatch::Maybe)
    }

    fn runs_any(&self, facts: &ActionFacts<'_>, least: CommandMatch) -> bool {
        self.commands
            .iter()
            .any(|pattern| facts.runs(pattern) >= least)
    }

    /// Whether the rule has a pattern of exactly this command.
    fn spells_command(&self, facts: &ActionFacts<'_>) -> bool {
        let words = facts.action.command.as_deref().unwrap_or_default();
        self.commands
            .iter()
            .any(|pattern| pattern.is_exactly(words))
    }

    pub(super) fn is_for(&self, agent: &str) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|it| it == agent)
    }

    /// Whether a rule that denies is for an agent, which may have been started by its path.
    pub(super) fn is_for_any_name(&self, agent: &str) -> bool {
        super::action::names_of_agent(agent).any(|name| self.is_for(name))
    }

    fn is_about(&self, facts: &ActionFacts<'_>, kind: &v1::ToolKind) -> bool {
        let mut tool = facts.action.tool.iter();
        (self.kinds.is_empty() || self.kinds.contains(kind))
            && (self.tools.is_empty() || tool.any(|tool| self.has_tool(tool)))
    }

    /// Whether a rule that denies or asks is about one of the kinds and names of a tool.
    fn is_about_any(&self, facts: &ActionFacts<'_>) -> bool {
        let mut kinds = facts.kinds().into_iter();
        (self.kinds.is_empty() || kinds.any(|kind| self.kinds.contains(&kind)))
            && (self.tools.is_empty() || facts.action.tools().any(|tool| self.has_tool(tool)))
    }

    fn has_tool(&self, tool: &str) -> bool {
        let mut patterns = self.tools.iter();
        patterns.any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => tool.starts_with(start),
            None => tool == pattern,
        })
    }

    /// Whether the rule names every protected file letter by letter: wildcards never cover those.
    fn spells_out(&self, facts: &ActionFacts<'_>) -> bool {
        let literal = self.paths.iter().filter(|pattern| pattern.is_literal());
        facts.on_disk().can_be_spelled_out() && facts.are_allowed_by(literal)
    }
}

/// Rules with the same effect, indexed by what they name.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    by_program: HashMap<String, Vec<usize>>,
    by_path: PathIndex,
    by_tool: HashMap<String, Vec<usize>>,
    by_word: HashMap<String, Vec<usize>>,
    by_kind: HashMap<(Option<String>, Option<v1::ToolKind>), Vec<usize>>,
    has_paths: bool,
    has_wildcards: bool,
}

impl Rules {
    pub(super) fn add(&mut self, rule: Rule) {
        let index = self.rules.len();
        self.has_paths |= !rule.paths.is_empty();
        self.has_wildcards |= rule.paths.iter().any(|path| path.tree().is_none());
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

    /// The first rule that allows the whole action. Different rules may allow the parts of a line.
    pub(super) fn allowing(&self, facts: &ActionFacts<'_>) -> Option<&Rule> {
        self.first(self.allow_candidates(facts), |rule| rule.allows(facts))
            .or_else(|| self.allowing_parts(facts))
    }

    /// The rule that allows exactly this command, word for word.
    pub(super) fn spelling_out(&self, facts: &ActionFacts<'_>) -> Option<&Rule> {
        self.first(self.command_candidates(facts), |rule| {
            rule.spells_command(facts) && rule.allows(facts)
        })
    }

    /// The rule that allows the first part of a line, if each part is allowed by some rule.
    fn allowing_parts(&self, facts: &ActionFacts<'_>) -> Option<&Rule> {
        if facts.line.doubt.is_some()
            || facts.line.parts.len() < 2
            || facts.is_cut()
            || !facts.is_understood()
            || facts.is_asked_each_time()
        {
            return None;
        }
        let rules = self.for_parts(facts);
        let mut first = None;
        for part in facts
            .line
            .parts
            .iter()
            .filter(|part| !part.is_transparent())
        {
            let rule = rules.iter().find(|rule| rule.covers_part(part))?;
            first.get_or_insert(*rule);
        }
        first
    }

    /// Whether rules allow each part of a line for which it is uncertain what it reaches or runs.
    pub(super) fn cover_doubtful_parts(&self, facts: &ActionFacts<'_>) -> bool {
        let Some(parts) = facts.doubtful_parts() else {
            return false;
        };
        let rules = self.for_parts(facts);
        let mut parts = parts.into_iter();
        parts.all(|part| rules.iter().any(|rule| rule.covers_part(part)))
    }

    /// The rules that may cover a part of a line.
    fn for_parts(&self, facts: &ActionFacts<'_>) -> Vec<&Rule> {
        let fits = |rule: &&Rule| {
            rule.is_for(&facts.action.agent)
                && rule.is_about(facts, &facts.kind())
                && rule.words.is_empty()
                && rule.covers_directories(facts)
        };
        let rules = self.command_candidates(facts).into_iter();
        rules.map(|index| &self.rules[index]).filter(fits).collect()
    }

    /// Whether a command may fall under one of these rules, though that is uncertain.
    pub(super) fn may_catch(&self, facts: &ActionFacts<'_>) -> bool {
        let is_unknown = |part: &SimpleCommand| !part.words.is_empty() && part.program().is_none();
        let has_unknown = facts.line.parts.iter().any(is_unknown);
        (has_unknown && self.are_about_commands())
            || self
                .first(self.command_candidates(facts), |rule| rule.may_catch(facts))
                .is_some()
    }

    /// Whether a command whose words are all known may fall under one of these rules, because its subcommand may be an
    /// alias.
    pub(super) fn may_be_aliased(&self, facts: &ActionFacts<'_>) -> bool {
        let may_be = |rule: &Rule| {
            rule.is_for_any_name(&facts.action.agent)
                && rule
                    .commands
                    .iter()
                    .any(|pattern| facts.may_be_alias_in(pattern))
        };
        self.first(self.command_candidates(facts), may_be).is_some()
    }

    /// Whether some rule has a pattern that later files can match.
    pub(super) fn have_wildcards(&self) -> bool {
        self.has_wildcards
    }

    /// Whether some rule names files.
    pub(super) fn are_about_paths(&self) -> bool {
        self.has_paths
    }

    /// The first rule that part of the action falls under.
    pub(super) fn catching(&self, facts: &ActionFacts<'_>) -> Option<&Rule> {
        self.first(self.catch_candidates(facts), |rule| rule.catches(facts))
    }

    /// Whether a command has to be understood to apply these rules.
    pub(super) fn are_about_commands(&self) -> bool {
        !self.by_program.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    fn first(&self, mut candidates: Vec<usize>, fits: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        candidates.sort_unstable();
        candidates.dedup();
        candidates
            .into_iter()
            .map(|index| &self.rules[index])
            .find(|rule| fits(rule))
    }

    /// The rules that may deny or ask. Those on a path count for every way that the path can be read.
    pub(super) fn catch_candidates(&self, facts: &ActionFacts<'_>) -> Vec<usize> {
        let mut found = self.command_candidates(facts);
        self.add_tool_candidates(facts, &mut found);
        if !self.by_path.is_empty() {
            self.by_path.find(facts.all_path_views(), &mut found);
        }
        found
    }

    /// The rules that may allow. Those on a path cover files as they are named, and no commands.
    pub(super) fn allow_candidates(&self, facts: &ActionFacts<'_>) -> Vec<usize> {
        let mut found = self.command_candidates(facts);
        self.add_tool_candidates(facts, &mut found);
        if !self.by_path.is_empty() && facts.action.command.is_none() && !facts.is_cut() {
            let places = facts.given_paths.iter();
            let given = places.flat_map(|place| [&place.inside, &place.absolute]);
            self.by_path.find(given.flatten(), &mut found);
        }
        found
    }

    /// The rules that name a command. They can't be found in any other way.
    fn command_candidates(&self, facts: &ActionFacts<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        if !self.by_program.is_empty() {
            let programs = facts.programs.iter();
            programs.for_each(|program| {
                found.extend(self.by_program.get(program).into_iter().flatten())
            });
        }
        found
    }

    fn add_tool_candidates(&self, facts: &ActionFacts<'_>, found: &mut Vec<usize>) {
        let action = facts.action;
        let mut add =
            |rules: Option<&Vec<usize>>| found.extend(rules.into_iter().flatten().copied());
        for tool in action.tools().filter(|_| !self.by_tool.is_empty()) {
            add(self.by_tool.get(tool));
            for (end, _) in tool.char_indices().take(MAX_TOOL_NAME) {
                add(self.by_tool.get(&format!("{}*", &tool[..end])));
            }
            add(self.by_tool.get(&format!("{tool}*")));
        }
        let kinds = facts.kinds();
        if !self.by_word.is_empty() {
            let tools = action.tools().map(str::to_lowercase);
            tools.for_each(|tool| add(self.by_word.get(&tool)));
            let titles = facts.titles.iter();
            titles.for_each(|title| add(self.by_word.get(title)));
            let kinds = kinds.iter();
            kinds.for_each(|kind| add(self.by_word.get(kind.as_str())));
        }
        if !self.by_kind.is_empty() {
            for kind in kinds {
                let names = action.agent_names().map(|name| Some(name.to_owned()));
                for agent in std::iter::once(None).chain(names) {
                    add(self.by_kind.get(&(agent.clone(), None)));
                    add(self.by_kind.get(&(agent, Some(kind.clone()))));
                }
            }
        }
    }
}

pub(super) fn is_about_files(kind: &v1::ToolKind) -> bool {
    matches!(
        kind,
        v1::ToolKind::Read
            | v1::ToolKind::Edit
            | v1::ToolKind::Delete
            | v1::ToolKind::Move
            | v1::ToolKind::Search
    )
}

/// Whether a simple command writes nowhere but to `/dev/null`.
fn only_discards(part: &SimpleCommand) -> bool {
    let mut files = part.redirections.iter();
    files.all(|file| file.target.literal() == Some("/dev/null"))
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
