//! Slash commands: the list of them, and parsing a prompt that starts with one.

mod project;

use attache::v1;

pub(crate) use project::Project;

/// The command that a prompt starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// A built-in command with its argument.
    Builtin(BuiltinCommand, String),
    /// A prompt of an MCP server: its name and its argument.
    McpPrompt(String, String),
    /// A name that is not a command.
    Unknown(String),
}

/// A built-in command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltinCommand {
    Help,
    Plan,
    Test,
    Review,
    Compact,
    Clear,
    Init,
    Mcp,
}

impl BuiltinCommand {
    const ALL: [BuiltinCommand; 8] = [
        BuiltinCommand::Help,
        BuiltinCommand::Plan,
        BuiltinCommand::Test,
        BuiltinCommand::Review,
        BuiltinCommand::Compact,
        BuiltinCommand::Clear,
        BuiltinCommand::Init,
        BuiltinCommand::Mcp,
    ];

    fn name(self) -> &'static str {
        match self {
            BuiltinCommand::Help => "help",
            BuiltinCommand::Plan => "plan",
            BuiltinCommand::Test => "test",
            BuiltinCommand::Review => "review",
            BuiltinCommand::Compact => "compact",
            BuiltinCommand::Clear => "clear",
            BuiltinCommand::Init => "init",
            BuiltinCommand::Mcp => "mcp",
        }
    }

    fn description(self) -> &'static str {
        match self {
            BuiltinCommand::Help => "Show the commands and what you can ask",
            BuiltinCommand::Plan => "Plan the work before changing anything",
            BuiltinCommand::Test => "Run the project's tests and look at failures",
            BuiltinCommand::Review => "Review the uncommitted changes",
            BuiltinCommand::Compact => "Replace the conversation by a summary",
            BuiltinCommand::Clear => "Forget the conversation so far",
            BuiltinCommand::Init => "Write an AGENTS.md that tells agents about this project",
            BuiltinCommand::Mcp => "Show the MCP servers, or reconnect one",
        }
    }

    fn hint(self) -> Option<&'static str> {
        match self {
            BuiltinCommand::Plan => Some("what to plan"),
            BuiltinCommand::Test => Some("the command, if it is not the usual one"),
            BuiltinCommand::Review => Some("what to look at"),
            BuiltinCommand::Compact => Some("what matters most"),
            BuiltinCommand::Mcp => Some("the server to reconnect"),
            BuiltinCommand::Help | BuiltinCommand::Clear | BuiltinCommand::Init => None,
        }
    }

    fn announced(self) -> v1::AvailableCommand {
        let command = v1::AvailableCommand::new(self.name(), self.description());
        match self.hint() {
            Some(hint) => command.input(unstructured(hint)),
            None => command,
        }
    }
}

/// All commands of a session: the built-in ones and the prompts of its MCP servers.
pub(crate) fn list(foreign: Vec<v1::AvailableCommand>) -> Vec<v1::AvailableCommand> {
    let ours = BuiltinCommand::ALL
        .into_iter()
        .map(BuiltinCommand::announced);
    ours.chain(foreign).collect()
}

pub(crate) fn unstructured(hint: &str) -> v1::AvailableCommandInput {
    v1::AvailableCommandInput::Unstructured(v1::UnstructuredCommandInput::new(hint))
}

/// Parses the command that a prompt starts with. A path such as `/etc/hosts` is not a command.
pub(crate) fn parse(text: &str, foreign: &[v1::AvailableCommand]) -> Option<Command> {
    let rest = text.trim_start().strip_prefix('/')?;
    let (name, behind) = match rest.split_once(char::is_whitespace) {
        Some((name, behind)) => (name, behind.trim()),
        None => (rest.trim_end(), ""),
    };
    let is_name =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ':' | '.');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let behind = behind.to_owned();
    if let Some(ours) = BuiltinCommand::ALL
        .into_iter()
        .find(|ours| ours.name() == name)
    {
        return Some(Command::Builtin(ours, behind));
    }
    Some(match foreign.iter().any(|command| command.name == name) {
        true => Command::McpPrompt(name.to_owned(), behind),
        false => Command::Unknown(name.to_owned()),
    })
}

/// The reply to an unknown command.
pub(crate) fn unknown(name: &str, all: &[v1::AvailableCommand]) -> String {
    let nearest = all
        .iter()
        .map(|command| (strsim::damerau_levenshtein(&command.name, name), command))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= 2);
    let names: Vec<_> = all
        .iter()
        .map(|command| format!("`/{}`", command.name))
        .collect();
    let names = names.join(", ");
    match nearest {
        Some((_, command)) => format!(
            "Unknown command. Did you mean `/{}`? Available commands: {names}.",
            command.name
        ),
        None => format!("Unknown command. Available commands: {names}."),
    }
}

/// The text of `/help`. `rest` says what happens to other prompts.
pub(crate) fn help(all: &[v1::AvailableCommand], model: &str, rest: &str) -> String {
    let mut text =
        format!("You are talking to Attaché's coding agent; `{model}` answers. Commands:\n\n");
    for command in all {
        text.push_str(&format!("- `/{}`: {}\n", command.name, command.description));
    }
    text.push_str(&format!("\n{rest}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Command>) {
        let foreign = [v1::AvailableCommand::new("time:now", "Tell the time")];
        assert_eq!(parse(text, &foreign), expected, "{text}");
    }

    #[test]
    fn prompts_that_start_with_a_slash_are_parsed() {
        check(
            "/help",
            Some(Command::Builtin(BuiltinCommand::Help, String::new())),
        );
        check(
            "  /plan a house\n",
            Some(Command::Builtin(BuiltinCommand::Plan, "a house".into())),
        );
        check(
            "/time:now in Rome",
            Some(Command::McpPrompt("time:now".into(), "in Rome".into())),
        );
        check("/hlep me", Some(Command::Unknown("hlep".into())));
        check("/etc/hosts is what?", None);
        check("/ what", None);
        check("a/b", None);
    }

    #[test]
    fn an_unknown_command_suggests_the_nearest() {
        let told = unknown("hlep", &list(Vec::new()));
        assert!(told.contains("Did you mean `/help`?"), "{told}");
        assert!(!unknown("frobnicate", &list(Vec::new())).contains("mean"));
    }
}
