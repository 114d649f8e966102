//! Runs slash commands at the beginning of a turn.

use attache::v1;
use attache_mcp as mcp;
use attache_model::Input;

use super::Turn;
use crate::commands::{self, BuiltinCommand, Command, Project};
use crate::failure::Failure;
use crate::{compaction, mcp_content, prompt};

/// What a prompt becomes after its slash command was handled.
pub(super) enum CommandOutcome {
    /// The command is done; the model is not asked.
    Done,
    /// The model gets this instead.
    Ask(Vec<Input>),
    /// Not a command: the model gets the prompt.
    Go,
}

/// Whether a prompt is a command that needs no MCP server and so need not wait for them.
pub(super) fn is_builtin_command(content: &[v1::ContentBlock]) -> bool {
    let text = content.first().and_then(v1::ContentBlock::as_text);
    let command = text.and_then(|text| commands::parse(text, &[]));
    matches!(
        command,
        Some(Command::Builtin(
            BuiltinCommand::Help | BuiltinCommand::Clear | BuiltinCommand::Compact,
            _
        ))
    )
}

/// Whether a prompt is a slash command, known or not.
pub(super) fn is_command(content: &[v1::ContentBlock]) -> bool {
    let text = content.first().and_then(v1::ContentBlock::as_text);
    text.is_some_and(|text| commands::parse(text, &[]).is_some())
}

impl Turn<'_> {
    pub(super) async fn command(
        &mut self,
        content: &[v1::ContentBlock],
    ) -> Result<CommandOutcome, Failure> {
        let [v1::ContentBlock::Text(text), rest @ ..] = content else {
            return Ok(CommandOutcome::Go);
        };
        let all = self.session.commands();
        match commands::parse(&text.text, &all) {
            None => Ok(CommandOutcome::Go),
            Some(Command::Unknown(name)) => {
                self.session
                    .send_message(commands::unknown(&name, &all))
                    .await?;
                Ok(CommandOutcome::Done)
            }
            Some(Command::Builtin(command, behind)) => {
                let then = self.builtin(command, &behind).await?;
                self.attach(then, rest).await
            }
            Some(Command::McpPrompt(name, behind)) => {
                match self.session.servers.prompt(&name, &behind).await {
                    Ok(content) => {
                        let inputs = mcp_content::inputs(content);
                        self.attach(CommandOutcome::Ask(inputs), rest).await
                    }
                    Err(failure) => {
                        self.session.send_message(failure.to_string()).await?;
                        Ok(CommandOutcome::Done)
                    }
                }
            }
        }
    }

    /// Adds the attachments of a command for the model.
    async fn attach(
        &self,
        then: CommandOutcome,
        attached: &[v1::ContentBlock],
    ) -> Result<CommandOutcome, Failure> {
        let CommandOutcome::Ask(mut inputs) = then else {
            return Ok(then);
        };
        let info = self.session.model()?.info().clone();
        inputs.extend(prompt::inputs(&self.session.place, &info, attached).await);
        Ok(CommandOutcome::Ask(inputs))
    }

    async fn builtin(
        &mut self,
        command: BuiltinCommand,
        behind: &str,
    ) -> Result<CommandOutcome, Failure> {
        let said = match command {
            BuiltinCommand::Help => self.help(),
            BuiltinCommand::Compact => self.compact(behind).await?,
            BuiltinCommand::Clear => {
                compaction::clear(self.session, self.history).await?;
                if let Some(info) = self.session.model_info() {
                    self.send_usage(&info).await?;
                }
                "The conversation was cleared.".to_owned()
            }
            BuiltinCommand::Mcp if behind.is_empty() => self.servers(),
            BuiltinCommand::Mcp => match self.session.servers.reconnect(behind).await {
                Ok(()) => self.servers(),
                Err(failure) => failure.to_string(),
            },
            BuiltinCommand::Plan
            | BuiltinCommand::Test
            | BuiltinCommand::Review
            | BuiltinCommand::Init => {
                let project = Project::at(self.session.cwd());
                let words = match compaction::is_embedded(self.session.model()?.info()) {
                    true => project.plain(command, behind),
                    false => project.prose(command, behind),
                };
                match words {
                    Some(words) => return Ok(CommandOutcome::Ask(vec![Input::Text(words)])),
                    None => NEEDS_MORE.to_owned(),
                }
            }
        };
        self.session.send_message(said).await?;
        Ok(CommandOutcome::Done)
    }

    async fn compact(&mut self, emphasis: &str) -> Result<String, Failure> {
        if self.history.messages().is_empty() {
            return Ok("There is nothing to compact.".to_owned());
        }
        let before = self.history.size();
        self.shorten(emphasis).await?;
        let after = self.history.size();
        Ok(format!(
            "The conversation was compacted from about {before} to {after} tokens."
        ))
    }

    fn help(&self) -> String {
        let info = self.session.model_info();
        let rest = match info.as_ref().is_some_and(compaction::is_embedded) {
            true => NO_LANGUAGE_MODEL,
            false => "Anything else goes to the model.",
        };
        let name = info.map_or_else(|| self.session.settings().model, |info| info.name);
        commands::help(&self.session.commands(), &name, rest)
    }

    /// The text of `/mcp`.
    fn servers(&self) -> String {
        let states = self.session.servers.states();
        if states.is_empty() {
            return "This session has no MCP servers.".to_owned();
        }
        let lines: Vec<_> = states.iter().map(line).collect();
        format!("MCP servers of this session:\n\n{}\n", lines.join("\n"))
    }
}

/// A server as a list item.
fn line(state: &mcp::ServerState) -> String {
    let mcp::ServerState {
        name,
        transport,
        status,
    } = state;
    match status {
        mcp::ServerStatus::Connecting => format!("- {name} ({transport}): connecting"),
        mcp::ServerStatus::Ready {
            tools,
            prompts,
            resources,
            left_out,
            version,
        } => {
            let version = version
                .as_ref()
                .map(|version| format!(" {version}"))
                .unwrap_or_default();
            let left_out = match left_out {
                0 => String::new(),
                count => format!("; {count} left out"),
            };
            format!(
                "- {name} ({transport}): ready,{version} {tools} tools, {prompts} prompts, {resources} resources{left_out}"
            )
        }
        mcp::ServerStatus::Failed(reason) => {
            format!("- {name} ({transport}): not available: {reason}")
        }
        mcp::ServerStatus::Ended(reason) => format!("- {name} ({transport}): ended: {reason}"),
    }
}

const NO_LANGUAGE_MODEL: &str = "Anything else goes to the embedded model, which is not a language model: say `help` to see what it understands. For a language model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST and restart.";
const NEEDS_MORE: &str = "Argument missing: `/plan` needs the steps, separated by semicolons; `/test` needs the command, because none was detected here.";
