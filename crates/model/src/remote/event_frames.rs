//! Splits the bytes of an answer into server-sent events, within limits of size and silence.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use reqwest::Response;
use sse_stream::{Sse, SseByteStream};

use crate::http::causes;
use crate::wire::AttemptError;
use crate::wire::attempt_error::one_line;

/// The events of one answer. Dropping it closes the connection.
pub(super) struct EventFrames {
    frames: Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>,
    since_frame: Arc<AtomicUsize>,
}

impl EventFrames {
    pub(super) fn of(response: Response, silence: Duration) -> EventFrames {
        let bytes = response.bytes_stream();
        EventFrames::new(
            bytes.map(|read| read.map_err(|error| StreamError::Connection(causes(&error)))),
            silence,
        )
    }

    fn new<B>(
        bytes: impl Stream<Item = ChunkResult<B>> + Send + 'static,
        silence: Duration,
    ) -> EventFrames
    where
        B: bytes::Buf + Send + 'static,
    {
        let since_frame = Arc::new(AtomicUsize::new(0));
        let limited = limited(bytes, silence, since_frame.clone());
        EventFrames {
            frames: Box::pin(SseByteStream::new(limited)),
            since_frame,
        }
    }

    /// The data of the next event that has any; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Result<Option<String>, AttemptError> {
        loop {
            let frame = match self.frames.next().await {
                None => return Ok(None),
                Some(Ok(frame)) => frame,
                Some(Err(sse_stream::Error::Body(error))) => {
                    return Err(AttemptError::temporary(one_line(&error.to_string())));
                }
                Some(Err(_)) => return Err(AttemptError::temporary("the stream is not UTF-8")),
            };
            self.since_frame.store(0, Ordering::Relaxed);
            if let Some(data) = frame.data.filter(|data| !data.trim().is_empty()) {
                return Ok(Some(data));
            }
        }
    }

    /// Briefly reads the rest: a connection read to its end can be reused.
    pub(super) async fn drain(&mut self) {
        let rest = async { while self.frames.next().await.is_some() {} };
        drop(tokio::time::timeout(DRAIN_TIMEOUT, rest).await);
    }
}

/// Passes on the bytes, and fails if they are too many or arrive too slowly.
fn limited<B: bytes::Buf + Send + 'static>(
    bytes: impl Stream<Item = ChunkResult<B>> + Send + 'static,
    silence: Duration,
    since_frame: Arc<AtomicUsize>,
) -> impl Stream<Item = ChunkResult<B>> + Send + 'static {
    let state = (Box::pin(bytes), 0_usize, since_frame);
    stream::unfold(state, move |(mut bytes, all, since_frame)| async move {
        let read = match tokio::time::timeout(silence, bytes.next()).await {
            Err(_) => Err(StreamError::Silence(silence)),
            Ok(read) => read?,
        };
        let length = read.as_ref().map_or(0, bytes::Buf::remaining);
        let all = all.saturating_add(length);
        let in_frame = since_frame.fetch_add(length, Ordering::Relaxed);
        let read = match read {
            Ok(_) if in_frame.saturating_add(length) > MAX_FRAME => Err(StreamError::Frame),
            Ok(_) if all > MAX_ANSWER => Err(StreamError::Answer),
            read => read,
        };
        Some((read, (bytes, all, since_frame)))
    })
}

type ChunkResult<B> = Result<B, StreamError>;

#[derive(Debug, thiserror::Error)]
enum StreamError {
    #[error("the connection broke: {0}")]
    Connection(String),
    #[error("nothing arrived for {} seconds", .0.as_secs_f32())]
    Silence(Duration),
    #[error("an event is longer than {MAX_FRAME} bytes")]
    Frame,
    #[error("the response is longer than {MAX_ANSWER} bytes")]
    Answer,
}

const MAX_FRAME: usize = 8 << 20;
const MAX_ANSWER: usize = 64 << 20;
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    async fn frames(chunks: Vec<Bytes>) -> Vec<String> {
        let bytes = stream::iter(chunks.into_iter().map(Ok));
        let mut frames = EventFrames::new(bytes, Duration::from_secs(1));
        let mut all = Vec::new();
        loop {
            match frames.next().await {
                Ok(Some(data)) => all.push(data),
                Ok(None) => return all,
                Err(error) => {
                    all.push(format!("{error:?}"));
                    return all;
                }
            }
        }
    }

    async fn check(text: &str, expect: Expect) {
        let all = frames(vec![Bytes::copy_from_slice(text.as_bytes())]).await;
        expect.assert_eq(&format!("{all:?}"));
    }

    #[tokio::test]
    async fn every_way_to_end_a_line() {
        check("data: a\n\ndata: b\n\n", expect![[r#"["a", "b"]"#]]).await;
        check("data: a\r\n\r\ndata: b\r\n\r\n", expect![[r#"["a", "b"]"#]]).await;
        check("data: a\r\rdata: b\r\r", expect![[r#"["a", "b"]"#]]).await;
    }

    #[tokio::test]
    async fn comments_and_other_fields_are_passed_over() {
        let text = ": PROCESSING\n\nevent: ping\nid: 7\nretry: 5\nodd\ndata: a\ndata: b\n\n: end\n";
        check(text, expect![[r#"["a\nb"]"#]]).await;
    }

    #[tokio::test]
    async fn a_frame_that_never_ends_is_refused() {
        let chunk = Bytes::from(vec![b'x'; 1 << 20]);
        let mut chunks = vec![Bytes::from_static(b"data: ")];
        chunks.extend(std::iter::repeat_n(chunk, 9));
        let all = frames(chunks).await;
        expect![[
            r#"["Temporary { reason: \"an event is longer than 8388608 bytes\", wait: None }"]"#
        ]]
        .assert_eq(&format!("{all:?}"));
    }

    #[tokio::test]
    async fn an_answer_that_never_ends_is_refused() {
        let frame = format!("data: {}\n\n", "x".repeat(1 << 20));
        let all = frames(vec![Bytes::from(frame); 65]).await;
        let last = all.last().expect("something");
        assert!(last.contains("the response is longer than"), "{last}");
    }

    #[tokio::test(start_paused = true)]
    async fn silence_has_a_deadline() {
        let mut frames = EventFrames::new(
            stream::pending::<ChunkResult<Bytes>>(),
            Duration::from_secs(300),
        );
        let error = frames.next().await;
        assert_eq!(
            error,
            Err(AttemptError::temporary("nothing arrived for 300 seconds"))
        );
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_chunks_are_cut(cuts in prop::collection::vec(0_usize..200, 0..20), ending in 0_usize..3) {
            let text = ": c\n\nevent: a\ndata: {\"é\":1}\n\ndata: x\ndata:y\n\nid: 1\ndata:  z\u{1f600}\n\n";
            let text = text.replace('\n', ["\n", "\r\n", "\r"][ending]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                chunks.push(Bytes::copy_from_slice(&text.as_bytes()[from..cut]));
                from = cut;
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
            let all = runtime.block_on(frames(chunks));
            prop_assert_eq!(all, ["{\"é\":1}", "x\ny", " z\u{1f600}"]);
        }
    }
}
