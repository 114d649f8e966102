//! Login and logout: by request, or on the user's terminal with the agent's own program and extra arguments.

use attache::process::{self, ExitStatus, Program};
use attache::schema::Secret;
use attache::v1;
use attache_host::audit;

use super::{Conversation, failure};
use crate::event::Event;

/// The command of a login on the terminal, to show to the user before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct LoginCommand {
    /// The agent's login method.
    pub method: v1::AuthMethodId,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The directory in which the command runs.
    pub directory: String,
    /// Environment variables that the login method adds.
    pub variables: Vec<(String, Secret)>,
}

impl Conversation {
    /// The command of a login on the terminal: the agent's own program with extra arguments. `None` for other methods.
    pub fn terminal_login(&self, method: &v1::AuthMethodId) -> Option<LoginCommand> {
        let (program, offered) = self.login_program(method)?;
        let variables = offered.env.clone().into_iter().collect();
        let directory = std::path::absolute(program.working_directory());
        Some(LoginCommand {
            method: method.clone(),
            words: program
                .words()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            directory: directory.unwrap_or_default().display().to_string(),
            variables,
        })
    }

    /// Runs a login on the user's terminal, as it was shown. The login is guarded like the agent itself, and denied paths
    /// are hidden from it. A program that a rule asks about is denied, because the user cannot answer while the login has
    /// the terminal. Submit [`Command::Restart`](crate::Command::Restart) after the login exits with 0.
    ///
    /// # Errors
    ///
    /// When the login has changed since it was shown, or could not run.
    pub async fn run_login(&mut self, shown: &LoginCommand) -> Result<ExitStatus, String> {
        if self.terminal_login(&shown.method).as_ref() != Some(shown) {
            return Err(
                "the agent has changed its login command since it was shown; try again".to_owned(),
            );
        }
        let Some((program, _)) = self.login_program(&shown.method) else {
            return Err("this login method has no program".to_owned());
        };
        let ended = self.run_attached(program).await;
        let (outcome, ended) = match ended {
            Ok(status) => (status.to_string(), Ok(status)),
            Err(error) => (error.to_string(), Err(error.to_string())),
        };
        let names: Vec<String> = shown
            .variables
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        self.setup.host.log.append(&audit::Event::LoggedIn {
            agent: &self.setup.agent,
            command: &shown.words,
            variables: &names,
            outcome: &outcome,
        });
        ended
    }

    /// Logs in by request, then sends queued prompts.
    pub(super) fn login(&mut self, method: v1::AuthMethodId) {
        let what = "authenticate";
        let methods = self
            .initialized
            .as_ref()
            .map(|initialized| &*initialized.auth_methods);
        let offered = methods
            .unwrap_or_default()
            .iter()
            .find(|it| method_id(it) == Some(&method));
        match offered {
            None => {
                let why = format!("the agent has no login method `{method}`");
                return self.fail(failure::not_offered(what, &why));
            }
            Some(v1::AuthMethod::Terminal(_)) => {
                let why = "this login method runs in a terminal and cannot be requested";
                return self.fail(failure::not_offered(what, why));
            }
            Some(_) => {}
        }
        let time = self.setup.times.login;
        let request = v1::AuthenticateRequest::new(method.clone());
        self.request_within(time, what, request, move |conversation, _| {
            conversation.emit(Event::LoggedIn(method));
            for session in conversation.sessions.ids() {
                conversation.start_next_turn(&session);
            }
        });
    }

    pub(super) fn logout(&mut self) {
        let initialized = self.initialized.as_ref();
        if initialized
            .is_none_or(|initialized| initialized.agent_capabilities.auth.logout.is_none())
        {
            let why = "the agent cannot log out; log out with the agent's own program";
            return self.fail(failure::not_offered("logout", why));
        }
        self.request("logout", v1::LogoutRequest::new(), |conversation, _| {
            conversation.emit(Event::LoggedOut);
        });
    }

    async fn run_attached(&mut self, program: Program) -> Result<ExitStatus, process::Error> {
        let program = self.with_watcher(program);
        let host = self.setup.host.clone();
        let confined = tokio::task::spawn_blocking(move || host.confine_login(program));
        let Ok((program, notices)) = confined.await else {
            return Err(process::Error::NoRuntime);
        };
        for notice in notices {
            self.emit(Event::Problem(notice));
        }
        let mut child = program.spawn_attached().await?;
        if let Some(watcher) = &self.setup.watcher {
            watcher.follow_unattended(&mut child);
        }
        Ok(child.wait().await.status)
    }

    fn login_program(
        &self,
        method: &v1::AuthMethodId,
    ) -> Option<(Program, &v1::AuthMethodTerminal)> {
        let methods = &self.initialized.as_ref()?.auth_methods;
        let offered = methods.iter().find_map(|offered| match offered {
            v1::AuthMethod::Terminal(offered) if offered.id == *method => Some(offered),
            _ => None,
        })?;
        let mut program = self.program.clone()?.args(&offered.args);
        for (name, value) in &offered.env {
            program = program.env(name, value.reveal());
        }
        Some((program, offered))
    }
}

fn method_id(method: &v1::AuthMethod) -> Option<&v1::AuthMethodId> {
    match method {
        v1::AuthMethod::Terminal(method) => Some(&method.id),
        v1::AuthMethod::Agent(method) => Some(&method.id),
        v1::AuthMethod::Other(_) => None,
        _ => None,
    }
}
