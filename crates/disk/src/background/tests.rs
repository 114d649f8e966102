use std::pin::pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use super::{BackgroundWriter, QueueLimits};

/// A writer that reports every batch, and continues when the test allows it.
fn slow(limits: QueueLimits) -> (BackgroundWriter<u32>, Receiver<Vec<u32>>, Sender<()>) {
    let (began, begun) = mpsc::channel();
    let (go, may_go) = mpsc::channel();
    let writer = BackgroundWriter::start("test", limits, move |items| {
        began.send(items).unwrap();
        // Continues if the test has ended.
        may_go.recv().ok();
    });
    (writer, begun, go)
}

fn limits(waiting: usize, together: usize) -> QueueLimits {
    QueueLimits {
        max_queued: waiting,
        max_batch: together,
        gather_for: Duration::ZERO,
    }
}

#[test]
fn items_are_written_in_order_and_in_batches() {
    let (writer, begun, go) = slow(limits(100, 10));
    writer.try_push(1, 5).unwrap();
    assert_eq!(begun.recv().unwrap(), [1]);
    for item in 2..=6 {
        writer.try_push(item, 4).unwrap();
    }
    writer.push(7, 50);
    drop(go);
    assert!(writer.close(LONG));
    let batches: Vec<Vec<u32>> = begun.iter().collect();
    assert_eq!(batches, [vec![2, 3], vec![4, 5], vec![6], vec![7]]);
}

#[test]
fn try_push_returns_the_item_if_the_queue_is_full() {
    let (writer, begun, go) = slow(limits(10, 10));
    writer.try_push(1, 6).unwrap();
    begun.recv().unwrap();
    // The item that is being written counts too.
    assert_eq!(writer.try_push(2, 5), Err(2));
    assert!(writer.fits(1));
    writer.push(3, 5);
    assert!(!writer.fits(1));
    drop(go);
    assert!(writer.flush(LONG));
    writer.try_push(4, 10).unwrap();
    assert!(writer.close(LONG));
    assert_eq!(begun.iter().collect::<Vec<_>>(), [[3], [4]]);
    assert_eq!(writer.try_push(5, 1), Err(5));
}

#[test]
fn settle_waits_only_once_for_a_hanging_writer() {
    let (writer, begun, go) = slow(limits(10, 10));
    writer.try_push(1, 1).unwrap();
    begun.recv().unwrap();
    assert!(!writer.flush(SHORT) && !writer.is_settled());
    assert!(!writer.settle(SHORT));
    // This would wait for a minute.
    assert!(writer.is_settled() && !writer.settle(LONG));
    drop(go);
    assert!(writer.flush(LONG));
    writer.try_push(2, 1).unwrap();
    assert!(writer.settle(LONG));
    assert_eq!(begun.recv().unwrap(), [2]);
}

#[test]
fn waiting_items_are_written_when_the_last_clone_is_dropped() {
    let (writer, begun, go) = slow(limits(10, 1));
    let clone = writer.clone();
    writer.try_push(1, 1).unwrap();
    writer.try_push(2, 1).unwrap();
    drop(writer);
    drop(go);
    assert_eq!([begun.recv().unwrap(), begun.recv().unwrap()], [[1], [2]]);
    clone.try_push(3, 1).unwrap();
    drop(clone);
    // The thread has ended, or this would wait for ever.
    assert_eq!(begun.iter().collect::<Vec<_>>(), [[3]]);
}

#[test]
fn close_returns_after_the_write_function_is_dropped() {
    struct Closed(Arc<Mutex<bool>>);
    impl Drop for Closed {
        fn drop(&mut self) {
            thread::sleep(SHORT);
            *self.0.lock().unwrap() = true;
        }
    }
    let closed = Arc::new(Mutex::new(false));
    let file = Closed(Arc::clone(&closed));
    let writer = BackgroundWriter::start("test", limits(1, 1), move |_: Vec<u32>| {
        let _file = &file;
    });
    assert!(writer.close(LONG));
    assert!(*closed.lock().unwrap());
}

#[test]
fn a_spawned_writer_runs_only_while_items_wait() {
    let spawned = Arc::new(Mutex::new(0));
    let count = Arc::clone(&spawned);
    let spawn = move |work: Box<dyn FnOnce() + Send>| {
        *count.lock().unwrap() += 1;
        thread::spawn(work);
    };
    let (done, written) = mpsc::channel();
    let write = move |items: Vec<u32>| {
        assert_ne!(items, [2], "this one is lost");
        done.send(items).unwrap();
    };
    let writer = BackgroundWriter::with_spawner(spawn, limits(10, 1), write);
    for item in 1..=3 {
        writer.try_push(item, 1).unwrap();
        assert!(writer.flush(LONG));
        // The write function must be returned before the next item, or the next push may find it in use.
        while writer.0.0.lock().write.is_none() {
            thread::yield_now();
        }
    }
    assert!(writer.close(LONG));
    assert_eq!(written.iter().collect::<Vec<_>>(), [[1], [3]]);
    assert_eq!(*spawned.lock().unwrap(), 3);
}

#[test]
fn a_task_can_wait_for_room_and_until_items_are_written() {
    let (writer, begun, go) = slow(limits(10, 1));
    writer.push(1, 5);
    writer.push(2, 5);
    begun.recv().unwrap();
    let waker = Waker::from(Arc::new(UnparkWaker(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut room = pin!(writer.wait_for_room());
    let mut written = pin!(writer.wait_until_written());
    assert!(room.as_mut().poll(&mut context).is_pending());
    assert!(written.as_mut().poll(&mut context).is_pending());
    go.send(()).unwrap();
    while room.as_mut().poll(&mut context).is_pending() {
        thread::park();
    }
    assert!(written.as_mut().poll(&mut context).is_pending());
    go.send(()).unwrap();
    while written.as_mut().poll(&mut context) == Poll::Pending {
        thread::park();
    }
}

struct UnparkWaker(thread::Thread);

impl Wake for UnparkWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

const SHORT: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_secs(60);
