//! Permission requests for programs that are about to start. The guard sends them, from its own task.

use attache::v1;
use attache_host::exec::ExecRequest;
use attache_host::permissions::Action;

use super::RequestSource;
use crate::conversation::{Conversation, ConversationHandle};
use crate::event::ProgramStart;

/// Asks the user whether programs may start. Clones use the same conversation.
#[derive(Debug, Clone)]
pub struct ExecPrompts(ConversationHandle);

impl Conversation {
    /// For the guard of the agent's processes: asks about programs that are about to start.
    pub fn exec_prompts(&self) -> ExecPrompts {
        ExecPrompts(self.handle.clone())
    }
}

impl ExecPrompts {
    /// Whether a program may start, by an earlier decision or the user's answer. Dropping the future withdraws the prompt.
    /// Without a session nothing may start. The prompt for a program that the agent runs itself belongs to the session
    /// whose turn is running.
    pub async fn ask(&self, request: ExecRequest) -> bool {
        let begin = move |conversation: &mut Conversation| {
            let (exec, action) = conversation.described(request)?;
            let session = action.session.clone();
            Some(conversation.request_permission(&session, RequestSource::Exec(exec, action), 0))
        };
        match self.0.with(begin).await.flatten() {
            Some(request) => request.decide().await.is_allowed,
            None => false,
        }
    }
}

impl Conversation {
    /// Connects the watcher of the agent's processes to this conversation.
    pub(in crate::conversation) fn answer_watcher(&self) {
        if let Some(watcher) = &self.setup.watcher {
            let prompts = self.exec_prompts();
            watcher.ask_with(move |request| {
                let prompts = prompts.clone();
                async move { prompts.ask(request).await }
            });
        }
    }

    /// The program and the action to judge; `None` without a session.
    fn described(&self, request: ExecRequest) -> Option<(ProgramStart, Action)> {
        let ids = self.sessions.ids();
        let busy = ids.iter().find(|id| self.is_busy(id));
        let id = request.session.clone();
        let id = id.or_else(|| busy.or(ids.first()).cloned())?;
        let workspace = self.sessions.get(&id)?.cwd.clone();
        let variable = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            v1::EnvVariable::new(name, value)
        };
        let variables: Vec<v1::EnvVariable> = request.variables.iter().map(variable).collect();
        let name = request.command_word();
        let command = v1::CreateTerminalRequest::new(id, name.clone())
            .args(request.args.iter().skip(1).cloned())
            .cwd(request.cwd.to_string_lossy().into_owned())
            .env(variables.clone());
        let action = Action::from_terminal_request(&self.setup.agent, workspace, &command);
        let mut argv = request.args;
        if request.more > 0 {
            argv.push(format!(
                "… ({} more arguments, which could not be read)",
                request.more
            ));
        }
        let exec = ProgramStart {
            program: request.program,
            name,
            argv,
            cwd: request.cwd,
            parents: request.parents,
            env: variables,
            rule: request.why,
        };
        Some((exec, action))
    }
}
