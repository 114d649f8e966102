//! Turns wait in line: whoever is first holds what the turns share, and hands it to the next.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// A line in front of one thing.
#[derive(Debug)]
pub(crate) struct Queue<T: Send + 'static> {
    /// Where the last in line will leave it.
    last: Mutex<oneshot::Receiver<T>>,
    room: Arc<Semaphore>,
}

impl<T: Send + 'static> Queue<T> {
    /// A line without anybody, with room for so many.
    pub(crate) fn new(thing: T, room: usize) -> Queue<T> {
        let (next, last) = oneshot::channel();
        drop(next.send(thing));
        Queue {
            last: Mutex::new(last),
            room: Arc::new(Semaphore::new(room)),
        }
    }

    /// Joins the line at its end; nobody overtakes. `None` if there is no room.
    pub(crate) fn enter(&self) -> Option<Ticket<T>> {
        let permit = Arc::clone(&self.room).try_acquire_owned().ok()?;
        Some(self.ticket(Some(permit)))
    }

    /// Joins the line though it may be full.
    pub(crate) fn enter_anyway(&self) -> Ticket<T> {
        self.ticket(None)
    }

    fn ticket(&self, permit: Option<OwnedSemaphorePermit>) -> Ticket<T> {
        let (next, last) = oneshot::channel();
        let mut end = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        Ticket {
            before: Some(std::mem::replace(&mut end, last)),
            next: Some(next),
            permit,
        }
    }
}

/// A place in line. Given up, the next in line takes it.
#[derive(Debug)]
pub(crate) struct Ticket<T: Send + 'static> {
    before: Option<oneshot::Receiver<T>>,
    next: Option<oneshot::Sender<T>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl<T: Send + 'static> Ticket<T> {
    /// Waits for its turn. `None` if the thing was lost, which only the end of the runtime does.
    pub(crate) async fn turn(&mut self) -> Option<Hold<T>> {
        let thing = self.before.as_mut()?.await.ok()?;
        self.before = None;
        Some(Hold {
            thing: Some(thing),
            next: self.next.take(),
            _permit: self.permit.take(),
        })
    }
}

impl<T: Send + 'static> Drop for Ticket<T> {
    fn drop(&mut self) {
        if let (Some(before), Some(next), Ok(runtime)) =
            (self.before.take(), self.next.take(), Handle::try_current())
        {
            runtime.spawn(async move {
                if let Ok(thing) = before.await {
                    drop(next.send(thing));
                }
            });
        }
    }
}

/// The thing itself, until it is dropped.
#[derive(Debug)]
pub(crate) struct Hold<T> {
    thing: Option<T>,
    next: Option<oneshot::Sender<T>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl<T> Deref for Hold<T> {
    type Target = T;

    #[allow(clippy::expect_used, reason = "only the drop takes it out")]
    fn deref(&self) -> &T {
        self.thing.as_ref().expect("held until dropped")
    }
}

impl<T> DerefMut for Hold<T> {
    #[allow(clippy::expect_used, reason = "only the drop takes it out")]
    fn deref_mut(&mut self) -> &mut T {
        self.thing.as_mut().expect("held until dropped")
    }
}

impl<T> Drop for Hold<T> {
    fn drop(&mut self) {
        if let (Some(thing), Some(next)) = (self.thing.take(), self.next.take()) {
            // Nobody waits if the session is gone.
            drop(next.send(thing));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_overtakes_and_who_leaves_is_passed_over() {
        let queue = Queue::new(Vec::new(), 3);
        let (mut first, second, mut third) = (
            queue.enter().unwrap(),
            queue.enter().unwrap(),
            queue.enter().unwrap(),
        );
        assert!(queue.enter().is_none());
        let later = tokio::spawn(async move {
            third.turn().await.unwrap().push("third");
        });
        let mut held = first.turn().await.unwrap();
        drop(second);
        held.push("first");
        drop(held);
        later.await.unwrap();
        assert_eq!(
            *queue.enter().unwrap().turn().await.unwrap(),
            ["first", "third"]
        );
    }

    #[tokio::test]
    async fn a_turn_that_fails_passes_it_on() {
        let queue = Queue::new(1, 2);
        let mut ticket = queue.enter().unwrap();
        let failed = tokio::spawn(async move {
            let _held = ticket.turn().await.unwrap();
            panic!("a turn fails");
        });
        assert!(failed.await.is_err());
        assert_eq!(*queue.enter_anyway().turn().await.unwrap(), 1);
    }
}
