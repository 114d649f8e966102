//! Commands that stay after the call that started them, by their ids.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;

use super::terminal::Terminal;
use crate::tools::fault::Fault;

/// The commands of a session that run in the background. Whoever drops it has killed them.
#[derive(Debug, Default)]
pub(crate) struct Background(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    made: u32,
    terminals: BTreeMap<String, Arc<Terminal>>,
    is_closed: bool,
}

impl Background {
    pub(super) fn check_room(&self) -> Result<(), Fault> {
        self.shelf().check_room()
    }

    pub(super) fn put(&self, terminal: Terminal) -> Result<(String, Arc<Terminal>), Fault> {
        let mut shelf = self.shelf();
        shelf.check_room()?;
        shelf.made += 1;
        let id = format!("bg{}", shelf.made);
        let terminal = Arc::new(terminal);
        shelf.terminals.insert(id.clone(), Arc::clone(&terminal));
        Ok((id, terminal))
    }

    pub(super) fn get(&self, id: &str) -> Result<Arc<Terminal>, Fault> {
        let shelf = self.shelf();
        shelf
            .terminals
            .get(id)
            .cloned()
            .ok_or_else(|| shelf.unknown())
    }

    pub(super) fn take(&self, id: &str) -> Result<Arc<Terminal>, Fault> {
        let mut shelf = self.shelf();
        let taken = shelf.terminals.remove(id);
        taken.ok_or_else(|| shelf.unknown())
    }

    /// Ends all of them, and takes no more.
    pub(crate) async fn close(&self) {
        let terminals = {
            let mut shelf = self.shelf();
            shelf.is_closed = true;
            std::mem::take(&mut shelf.terminals)
        };
        let ends = terminals.values().map(|terminal| async {
            terminal.kill().await;
            terminal.release().await;
        });
        join_all(ends).await;
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    fn check_room(&self) -> Result<(), Fault> {
        if self.is_closed {
            return Err(Fault::new("closed", "the session has ended"));
        }
        match self.terminals.len() < MOST {
            true => Ok(()),
            false => {
                let sentence = format!(
                    "{MOST} commands are in the background, and may not be more; stop one of {}",
                    self.ids()
                );
                Err(Fault::new("too_many", sentence))
            }
        }
    }

    fn unknown(&self) -> Fault {
        let sentence = match self.terminals.is_empty() {
            true => "no command is in the background".to_owned(),
            false => format!(
                "there is no such command in the background, only {}",
                self.ids()
            ),
        };
        Fault::new("unknown_id", sentence)
    }

    fn ids(&self) -> String {
        let ids: Vec<String> = self.terminals.keys().map(|id| format!("`{id}`")).collect();
        ids.join(", ")
    }
}

const MOST: usize = 8;
