//! Commands that run in the background, by id.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;

use super::terminal::ToolTerminal;
use crate::tools::tool_error::ToolError;

/// The background commands of a session. Dropping this kills them.
#[derive(Debug, Default)]
pub(crate) struct BackgroundJobs(Mutex<BackgroundState>);

#[derive(Debug, Default)]
struct BackgroundState {
    made: u32,
    terminals: BTreeMap<String, Arc<ToolTerminal>>,
    is_closed: bool,
}

impl BackgroundJobs {
    pub(super) fn check_room(&self) -> Result<(), ToolError> {
        self.state().check_room()
    }

    pub(super) fn put(
        &self,
        terminal: ToolTerminal,
    ) -> Result<(String, Arc<ToolTerminal>), ToolError> {
        let mut state = self.state();
        state.check_room()?;
        state.made += 1;
        let id = format!("bg{}", state.made);
        let terminal = Arc::new(terminal);
        state.terminals.insert(id.clone(), Arc::clone(&terminal));
        Ok((id, terminal))
    }

    pub(super) fn get(&self, id: &str) -> Result<Arc<ToolTerminal>, ToolError> {
        let state = self.state();
        state
            .terminals
            .get(id)
            .cloned()
            .ok_or_else(|| state.unknown())
    }

    pub(super) fn take(&self, id: &str) -> Result<Arc<ToolTerminal>, ToolError> {
        let mut state = self.state();
        let taken = state.terminals.remove(id);
        taken.ok_or_else(|| state.unknown())
    }

    /// Ends all background commands and accepts no more.
    pub(crate) async fn close(&self) {
        let terminals = {
            let mut state = self.state();
            state.is_closed = true;
            std::mem::take(&mut state.terminals)
        };
        let ends = terminals.values().map(|terminal| async {
            terminal.kill().await;
            terminal.release().await;
        });
        join_all(ends).await;
    }

    fn state(&self) -> MutexGuard<'_, BackgroundState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BackgroundState {
    fn check_room(&self) -> Result<(), ToolError> {
        if self.is_closed {
            return Err(ToolError::new("closed", "the session has ended"));
        }
        match self.terminals.len() < MOST {
            true => Ok(()),
            false => {
                let sentence = format!(
                    "{MOST} background commands are already running; stop one of {}",
                    self.ids()
                );
                Err(ToolError::new("too_many", sentence))
            }
        }
    }

    fn unknown(&self) -> ToolError {
        let sentence = match self.terminals.is_empty() {
            true => "no background command is running".to_owned(),
            false => format!("no background command has this id; running: {}", self.ids()),
        };
        ToolError::new("unknown_id", sentence)
    }

    fn ids(&self) -> String {
        let ids: Vec<String> = self.terminals.keys().map(|id| format!("`{id}`")).collect();
        ids.join(", ")
    }
}

const MOST: usize = 8;
