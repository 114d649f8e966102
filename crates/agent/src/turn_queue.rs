//! A fair queue of turns: the first has exclusive access to the shared value and passes it on when it is dropped.

use std::ops::DerefMut;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{MaybeDone, maybe_done};
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::task::coop::unconstrained;

/// A fair queue for exclusive access to one value.
#[derive(Debug)]
pub(crate) struct TurnQueue<T: Send + 'static> {
    /// The queue is the mutex's own, which is fair.
    thing: Arc<Mutex<T>>,
    room: Arc<Semaphore>,
}

impl<T: Send + 'static> TurnQueue<T> {
    /// An empty queue with room for `room` turns.
    pub(crate) fn new(thing: T, room: usize) -> TurnQueue<T> {
        TurnQueue {
            thing: Arc::new(Mutex::new(thing)),
            room: Arc::new(Semaphore::new(room)),
        }
    }

    /// Joins the queue at its end. `None` if it is full.
    pub(crate) fn enter(&self) -> Option<TurnTicket<T>> {
        let permit = Arc::clone(&self.room).try_acquire_owned().ok()?;
        Some(self.ticket(Some(permit)))
    }

    /// Joins the queue even if it is full.
    pub(crate) fn enter_anyway(&self) -> TurnTicket<T> {
        self.ticket(None)
    }

    fn ticket(&self, permit: Option<OwnedSemaphorePermit>) -> TurnTicket<T> {
        let thing = Arc::clone(&self.thing);
        let mut turn: MaybeDone<TurnFuture<T>> =
            maybe_done(Box::pin(unconstrained(thing.lock_owned())));
        // The first poll joins the queue. `unconstrained` keeps tokio's task budget from postponing it.
        (&mut turn).now_or_never();
        TurnTicket {
            turn,
            _permit: permit,
        }
    }
}

type TurnFuture<T> = Pin<Box<dyn Future<Output = OwnedMutexGuard<T>> + Send>>;

/// A place in the queue. Dropping it lets the next one proceed.
pub(crate) struct TurnTicket<T: Send + 'static> {
    turn: MaybeDone<TurnFuture<T>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl<T: Send + 'static> TurnTicket<T> {
    /// Waits for access to the value, and keeps it until the ticket is dropped.
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
    async fn turns_run_in_order_and_dropped_tickets_are_skipped() {
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
    async fn a_panicking_turn_releases_the_queue() {
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
