//! Programs that are about to start: a guard asks for them, from a task of its own.

use attache_host::permissions::Action;

use super::Source;
use crate::desk::Desk;
use crate::desk::owner::Owner;
use crate::event::Exec;

/// Asks the user whether programs may start. Clones ask the same user.
#[derive(Debug, Clone)]
pub struct ExecPrompts(Owner);

impl Desk {
    /// Through this a guard of the agent's processes asks about programs that are about to start.
    pub fn exec_prompts(&self) -> ExecPrompts {
        ExecPrompts(self.owner.clone())
    }
}

impl ExecPrompts {
    /// Whether a program may start: as the rules say, or as the user answers. Dropping the future withdraws the prompt.
    /// Without a conversation nothing may start. The action's session is the one that the process works for; where it is
    /// not known, name any of the agent's.
    pub async fn ask(&self, action: Action, exec: Exec) -> bool {
        let session = action.session.clone();
        let begin = move |desk: &mut Desk| {
            let source = Source::Exec(exec, action);
            desk.request_permission(&session, source, 0)
        };
        match self.0.with(begin).await {
            Some(request) => request.decide().await.is_allowed,
            None => false,
        }
    }
}
