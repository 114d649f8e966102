//! Turns wait in line: whoever is first holds what the turns share, and lets the next one have it when it is dropped.

use std::ops::DerefMut;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use futures_util::future::{MaybeDone, maybe_done};
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::task::coop::unconstrained;

/// A line in front of one thing.
#[derive(Debug)]
pub(crate) struct TurnQueue<T: Send + 'static> {
    /// The line is the mutex's own, which is fair.
    thing: Arc<Mutex<T>>,
    room: Arc<Semaphore>,
}

impl<T: Send + 'static> TurnQueue<T> {
    /// A line without anybody, with room for so many.
    pub(crate) fn new(thing: T, room: usize) -> TurnQueue<T> {
        TurnQueue {
            thing: Arc::new(Mutex::new(thing)),
            room: Arc::new(Semaphore::new(room)),
        }
    }

    /// Joins the line at its end; nobody overtakes. `None` if there is no room.
    pub(crate) fn enter(&self) -> Option<TurnTicket<T>> {
        let permit = Arc::clone(&self.room).try_acquire_owned().ok()?;
        Some(self.ticket(Some(permit)))
    }

    /// Joins the line though it may be full.
    pub(crate) fn enter_anyway(&self) -> TurnTicket<T> {
        self.ticket(None)
    }

    fn ticket(&self, permit: Option<OwnedSemaphorePermit>) -> TurnTicket<T> {
        let thing = Arc::clone(&self.thing);
        let mut turn: MaybeDone<TurnFuture<T>> =
            maybe_done(Box::pin(unconstrained(thing.lock_owned())));
        // The first poll is what joins the line; without the budget of a task nothing puts it off.
        let _ = Pin::new(&mut turn).poll(&mut Context::from_waker(Waker::noop()));
        TurnTicket {
            turn,
            _permit: permit,
        }
    }
}

type TurnFuture<T> = Pin<Box<dyn Future<Output = OwnedMutexGuard<T>> + Send>>;

/// A place in line, and in the room, until it is dropped; then the next in line has its turn.
pub(crate) struct TurnTicket<T: Send + 'static> {
    turn: MaybeDone<TurnFuture<T>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl<T: Send + 'static> TurnTicket<T> {
    /// Waits for its turn, and has the thing from then on.
    pub(crate) async fn turn(&mut self) -> Option<&mut T> {
        let mut turn = Pin::new(&mut self.turn);
        turn.as_mut().await;
        turn.output_mut().map(DerefMut::deref_mut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_overtakes_and_who_leaves_is_passed_over() {
        let queue = TurnQueue::new(Vec::new(), 3);
        let (mut first, second, mut third) = (
            queue.enter().unwrap(),
            queue.enter().unwrap(),
            queue.enter().unwrap(),
        );
        assert!(queue.enter().is_none());
        let later = tokio::spawn(async move {
            third.turn().await.unwrap().push("third");
        });
        let held = first.turn().await.unwrap();
        drop(second);
        held.push("first");
        drop(first);
        later.await.unwrap();
        assert_eq!(
            *queue.enter().unwrap().turn().await.unwrap(),
            ["first", "third"]
        );
    }

    #[tokio::test]
    async fn a_turn_that_fails_passes_it_on() {
        let queue = TurnQueue::new(1, 2);
        let mut ticket = queue.enter().unwrap();
        let failed = tokio::spawn(async move {
            let _held = ticket.turn().await.unwrap();
            panic!("a turn fails");
        });
        assert!(failed.await.is_err());
        assert_eq!(*queue.enter_anyway().turn().await.unwrap(), 1);
    }
}
