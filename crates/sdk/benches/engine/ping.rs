//! Two processes exchange lines of the same length as a request and its response. Measures the cost of pipes and
//! runtime alone.

use std::time::Instant;

use attache_transport::{StdioInput, StdioOutput};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::task::{MODE, RoundTrips, SESSION, Task, WARM_UP, Watch};

pub(crate) async fn pong() {
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":12345,\"result\":{}}\n";
    let (mut read, mut write) = attache_transport::stdio().unwrap();
    let watch = Watch::start();
    let mut buffer = [0; 4096];
    while line(&mut read, &mut buffer).await {
        write.write_all(answer.as_bytes()).await.unwrap();
    }
    watch.stop_cpu();
}

pub(crate) async fn ping(task: Task) {
    let (mut read, mut write): (StdioInput, StdioOutput) = attache_transport::stdio().unwrap();
    let question = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":\"session/set_mode\",\
         \"params\":{{\"sessionId\":\"{SESSION}\",\"modeId\":\"{MODE}\"}}}}\n"
    );
    let mut buffer = [0; 4096];
    let n = task.n();
    let mut trips = RoundTrips::new(n);
    let mut watch = Watch::start();
    for i in 0..n + WARM_UP {
        if i == WARM_UP {
            watch = Watch::start();
        }
        let start = Instant::now();
        write.write_all(question.as_bytes()).await.unwrap();
        assert!(line(&mut read, &mut buffer).await);
        if i >= WARM_UP {
            trips.add(start);
        }
    }
    watch.stop();
    trips.report();
}

/// Reads up to the end of a line; nothing follows it. `false` at the end.
async fn line(read: &mut StdioInput, buffer: &mut [u8]) -> bool {
    loop {
        match read.read(buffer).await.unwrap() {
            0 => return false,
            n if buffer[..n].ends_with(b"\n") => return true,
            _ => {}
        }
    }
}
