//! Statistics of a recording: calls, times, bytes and tokens, from one pass in constant memory.

use std::collections::BTreeMap;

use attache_rpc::Message;
use attache_rpc::json::{Reader, from_str};
use attache_schema::v1;
use attache_testkit::Side;
use serde_json::json;

use super::{Correlator, Loss, Record, RecordContent, RecordKind, RecordRow, RecordedStream};

/// Statistics of a recording.
#[derive(Debug, Clone, Default)]
pub struct RecordingStats {
    /// Microseconds from the first record to the last.
    pub length: u64,
    /// Lines and bytes of each stream: client, agent, standard error.
    pub streams: [(u64, u64); 3],
    /// Lines of the two sides that are not messages.
    pub noise: u64,
    /// Lines and bytes that could not be recorded.
    pub lost: Loss,
    /// Secrets that were redacted.
    pub hidden: u64,
    /// All methods, by caller and name.
    pub methods: BTreeMap<(Side, String), MethodStats>,
    /// Updates of sessions, by kind.
    pub updates: BTreeMap<String, u64>,
    /// Times from a prompt to the first text of the answer.
    pub first: Histogram,
    /// Durations of tool calls, from the first report to the end.
    pub tools: Histogram,
    /// Tokens that the agent reports: input, output, total.
    pub tokens: [u64; 3],
    correlator: Correlator,
}

/// Statistics of one method.
#[derive(Debug, Clone, Default)]
pub struct MethodStats {
    /// Calls of the method.
    pub calls: u64,
    /// Calls that failed with an error response.
    pub failed: u64,
    /// Bytes of calls and responses.
    pub bytes: u64,
    /// Times from request to response.
    pub latency: Histogram,
}

/// A distribution of times. Similar times share a bucket, so percentiles are exact to 3 %.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    counts: BTreeMap<u32, u64>,
    total: u64,
    longest: u64,
}

impl RecordingStats {
    /// Adds the next record.
    pub fn add_record(&mut self, record: &Record) {
        self.length = self.length.max(record.at);
        let row = self.correlator.correlate(record);
        match &record.content {
            RecordContent::Line(stream, said) => {
                let (lines, bytes) = &mut self.streams[*stream as usize];
                *lines += 1;
                *bytes += said.size();
                self.hidden += said.hidden;
                if let Some(side) = stream.side() {
                    self.message(side, &row, &said.bytes);
                }
            }
            RecordContent::Lost(_, loss) => self.lost.merge(*loss),
            RecordContent::Header(_) | RecordContent::Closed(_) | RecordContent::End(_) => {}
        }
        if let Some(first) = row.first {
            self.first.add(first);
        }
        if let Some(span) = row.span {
            self.tools.add(span);
        }
    }

    /// The number of messages of both sides.
    pub fn messages(&self) -> u64 {
        let said = |stream: RecordedStream| self.streams[stream as usize].0;
        said(RecordedStream::Client) + said(RecordedStream::Agent) - self.noise
    }

    /// The form that `attache trace stats --json` prints: times in microseconds, and the number of violations, which are counted
    /// by [`validate`](crate::validate).
    pub fn to_json(&self, violations: u64) -> serde_json::Value {
        let methods: Vec<_> = self
            .methods
            .iter()
            .map(|((side, name), method)| {
                json!({
                    "method": name,
                    "by": side.to_string(),
                    "calls": method.calls,
                    "failed": method.failed,
                    "bytes": method.bytes,
                    "latency": method.latency.to_json(),
                })
            })
            .collect();
        let streams: serde_json::Map<_, _> = RecordedStream::ALL
            .into_iter()
            .map(|stream| {
                let (lines, bytes) = self.streams[stream as usize];
                (
                    stream.name().to_owned(),
                    json!({ "lines": lines, "bytes": bytes }),
                )
            })
            .collect();
        let [input, output, total] = self.tokens;
        json!({
            "length": self.length,
            "messages": self.messages(),
            "streams": streams,
            "noise": self.noise,
            "lost": { "lines": self.lost.lines, "bytes": self.lost.bytes },
            "hidden": self.hidden,
            "firstWords": self.first.to_json(),
            "toolCalls": self.tools.to_json(),
            "tokens": { "input": input, "output": output, "total": total },
            "violations": violations,
            "methods": methods,
            "updates": self.updates,
        })
    }

    fn message(&mut self, from: Side, row: &RecordRow, line: &[u8]) {
        let caller = match row.kind {
            RecordKind::Request | RecordKind::Notification => from,
            RecordKind::Response | RecordKind::Failure => from.other(),
            _ => {
                self.noise += 1;
                return;
            }
        };
        let name = match row.method.as_str() {
            "" => "(responses without a request)",
            method => method,
        };
        let method = self.methods.entry((caller, name.to_owned())).or_default();
        method.bytes += row.size;
        match row.kind {
            RecordKind::Request | RecordKind::Notification => method.calls += 1,
            RecordKind::Failure => method.failed += 1,
            _ => {}
        }
        if let Some(latency) = row.latency {
            method.latency.add(latency);
        }
        if row.method == "session/update" {
            let kind = row.detail.split(' ').next().unwrap_or_default();
            *self.updates.entry(kind.to_owned()).or_default() += 1;
        }
        if row.kind == RecordKind::Response && row.method == "session/prompt" {
            self.usage(line);
        }
    }

    fn usage(&mut self, line: &[u8]) {
        let Ok(Message::Response { result, .. }) = Message::parse(line) else {
            return;
        };
        if Reader::new(result).open_object().is_err() {
            return;
        }
        if let Ok(v1::PromptResponse {
            usage: Some(usage), ..
        }) = from_str(result)
        {
            let counts = [usage.input_tokens, usage.output_tokens, usage.total_tokens];
            for (sum, more) in self.tokens.iter_mut().zip(counts) {
                *sum = sum.saturating_add(more);
            }
        }
    }
}

impl Histogram {
    /// Adds a time in microseconds.
    pub fn add(&mut self, micros: u64) {
        *self.counts.entry(bucket(micros)).or_default() += 1;
        self.total += 1;
        self.longest = self.longest.max(micros);
    }

    /// The number of times.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The longest time.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    fn to_json(&self) -> serde_json::Value {
        match self.count() {
            0 => serde_json::Value::Null,
            count => json!({
                "count": count,
                "p50": self.percentile(50),
                "p90": self.percentile(90),
                "p99": self.percentile(99),
                "max": self.longest(),
            }),
        }
    }

    /// The time that this percentage of all times does not exceed.
    pub fn percentile(&self, percent: u64) -> u64 {
        let wanted = (self.total * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (bucket, count) in &self.counts {
            seen += count;
            if seen >= wanted {
                return ceiling(*bucket).min(self.longest);
            }
        }
        self.longest
    }
}

/// The bucket of a time. Times up to 64 have a bucket each; above that, each power of two is divided into 32 buckets.
fn bucket(micros: u64) -> u32 {
    let bits = u64::BITS - micros.leading_zeros();
    let shift = bits.saturating_sub(SCALE + 1);
    let step = u32::try_from(micros >> shift).unwrap_or(u32::MAX);
    (shift << SCALE) + step
}

/// The longest time in a bucket.
fn ceiling(bucket: u32) -> u64 {
    let shift = (bucket >> SCALE).saturating_sub(1);
    let step = u64::from(bucket - (shift << SCALE));
    ((step + 1) << shift) - 1
}

const SCALE: u32 = 5;
