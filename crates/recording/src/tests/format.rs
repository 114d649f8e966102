//! Tests of the format: lines of a stream, records and statistics.

use attache_rpc::json::to_string;
use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::super::stream_lines::StreamLines;
use super::super::{
    Correlator, Header, Histogram, Loss, Record, RecordContent, RecordedLine, RecordedStream,
    RecordingStats, copy_lines, diff, markdown, read_trace, validate,
};
use super::{TALK, conversation, read};

fn check(what: RecordContent, expected: &Expect) {
    let record = Record {
        at: 1_234,
        time: "2026-01-31T12:00:00.001234Z".to_owned(),
        content: what,
    };
    let text = to_string(&record);
    expected.assert_eq(&text);
    assert_eq!(Record::parse(&text).unwrap(), record);
}

#[test]
fn every_kind_of_line() {
    check(
        RecordContent::Header(Header {
            version: 1,
            agent: "gemini".to_owned(),
            redacted: true,
        }),
        &expect![[
            r#"{"recording":1,"at":1234,"time":"2026-01-31T12:00:00.001234Z","agent":"gemini","redacted":true}"#
        ]],
    );
    check(
        RecordContent::Line(
            RecordedStream::Client,
            RecordedLine::whole("{\"a\":\"b\"}\r"),
        ),
        &expect![[
            r#"{"dir":"out","at":1234,"time":"2026-01-31T12:00:00.001234Z","line":"{\"a\":\"b\"}\r"}"#
        ]],
    );
    check(
        RecordContent::Line(
            RecordedStream::Agent,
            RecordedLine {
                bytes: vec![0xff, 0],
                unfinished: true,
                cut: Some(20_000_000),
                hidden: 2,
            },
        ),
        &expect![[
            r#"{"dir":"in","at":1234,"time":"2026-01-31T12:00:00.001234Z","unfinished":true,"cut":20000000,"hidden":2,"base64":"/wA="}"#
        ]],
    );
    check(
        RecordContent::Closed(RecordedStream::Errors),
        &expect![[r#"{"dir":"err","at":1234,"time":"2026-01-31T12:00:00.001234Z","closed":true}"#]],
    );
    let loss = Loss {
        lines: 3,
        bytes: 99,
    };
    check(
        RecordContent::Lost(Some(RecordedStream::Agent), loss),
        &expect![[
            r#"{"dir":"in","at":1234,"time":"2026-01-31T12:00:00.001234Z","lost":{"lines":3,"bytes":99}}"#
        ]],
    );
    check(
        RecordContent::Lost(None, loss),
        &expect![[
            r#"{"at":1234,"time":"2026-01-31T12:00:00.001234Z","lost":{"lines":3,"bytes":99}}"#
        ]],
    );
    check(
        RecordContent::End("agent exited with 0".to_owned()),
        &expect![[
            r#"{"at":1234,"time":"2026-01-31T12:00:00.001234Z","end":"agent exited with 0"}"#
        ]],
    );
}

#[test]
fn format_1_lines_are_read_and_unknown_lines_are_counted() {
    let text = "{\"dir\":\"in\",\"time\":\"2026-01-31T12:00:00Z\",\"line\":\"{}\"}\nnonsense\n{\"a\":1}\n\n";
    let mut records = read(text);
    let first = records.next().unwrap().unwrap();
    assert_eq!(
        first.content,
        RecordContent::Line(RecordedStream::Agent, RecordedLine::whole("{}"))
    );
    assert!(records.next().is_none());
    assert_eq!(records.invalid(), 2);
}

proptest! {
    /// The lines of a stream do not depend on how it is cut into pieces, and together they equal the stream.
    #[test]
    fn lines_do_not_depend_on_chunk_boundaries(
        stream in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..300),
        cuts in proptest::collection::vec(0_usize..300, 0..20),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let mut lines = StreamLines::default();
        let mut whole = Vec::new();
        for pair in cuts.windows(2) {
            lines.push(&stream[pair[0]..pair[1]], |said| {
                whole.extend(said.bytes);
                whole.push(b'\n');
            });
        }
        if let Some(rest) = lines.end() {
            prop_assert!(rest.unfinished);
            whole.extend(rest.bytes);
        }
        prop_assert_eq!(whole, stream);
    }

    #[test]
    fn any_line_round_trips(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let what = RecordContent::Line(RecordedStream::Agent, RecordedLine::whole(bytes));
        let record = Record { at: 1, time: String::new(), content: what };
        prop_assert_eq!(Record::parse(&to_string(&record)).unwrap(), record);
    }
}

#[test]
fn a_line_that_is_too_long_is_truncated() {
    let mut lines = StreamLines::default();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..20 {
        lines.push(&piece, |_| panic!("no line has ended"));
    }
    let mut found = Vec::new();
    lines.push(b"y\nnext\n", |said| found.push(said));
    assert_eq!(found[0].cut, Some((20 << 20) + 1));
    assert_eq!(found[0].bytes.len(), 64 << 10);
    assert_eq!(found[1], RecordedLine::whole("next"));
}

#[test]
fn rows_correlate_requests_responses_and_tool_calls() {
    let text = conversation(TALK);
    let mut correlator = Correlator::default();
    let rows: Vec<String> = read(&text)
        .map(|record| {
            let row = correlator.correlate(&record.unwrap());
            let times = [
                ("took", row.latency),
                ("first", row.first),
                ("ran", row.span),
            ];
            let times = times
                .iter()
                .filter_map(|(name, time)| Some(format!(" {name} {}", (*time)?)));
            let (method, detail) = (&row.method, &row.detail);
            let session = row.session.as_deref().unwrap_or("-");
            format!(
                "{:?} {method} [{detail}] {session}{}\n",
                row.kind,
                times.collect::<String>()
            )
        })
        .collect();
    expect![[r#"
        Request initialize [] -
        Response initialize [] - took 1000
        Request session/new [] -
        Response session/new [] old took 1000
        Request session/prompt [hi] old
        Notification session/update [agent_message_chunk] old first 1000
        Notification session/update [tool_call Look in_progress] old
        Request session/request_permission [] old
        Response session/request_permission [] old took 1000
        Notification session/update [tool_call_update Look completed] old ran 3000
        Response session/prompt [end_turn] old took 6000
    "#]]
    .assert_eq(&rows.concat());
}

#[test]
fn statistics_of_a_conversation() {
    let text = conversation(TALK);
    let mut stats = RecordingStats::default();
    for record in read(&text) {
        stats.add_record(&record.unwrap());
    }
    assert_eq!(stats.messages(), 11);
    assert_eq!(stats.tokens, [7, 2, 9]);
    assert_eq!((stats.first.count(), stats.first.longest()), (1, 1000));
    assert_eq!((stats.tools.count(), stats.tools.longest()), (1, 3000));
    assert_eq!(stats.updates["tool_call"], 1);
    assert_eq!(stats.length, 11_000);
}

#[test]
fn statistics_and_violations_as_json() {
    let text = conversation(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}
        < {"jsonrpc":"2.0","method":"session/update","params":{}}
    "#,
    );
    let mut stats = RecordingStats::default();
    for record in read(&text) {
        stats.add_record(&record.unwrap());
    }
    let mut out = format!("{}\n", stats.to_json(2));
    validate(
        &mut read(&text),
        |found| out.push_str(&format!("{}\n", found.to_json())),
        || true,
    )
    .unwrap();
    expect![[r#"
        {"length":3000,"messages":3,"streams":{"client":{"lines":1,"bytes":77},"agent":{"lines":2,"bytes":118},"standard error":{"lines":0,"bytes":0}},"noise":0,"lost":{"lines":0,"bytes":0},"hidden":0,"firstWords":null,"toolCalls":null,"tokens":{"input":0,"output":0,"total":0},"violations":2,"methods":[{"method":"initialize","by":"client","calls":1,"failed":1,"bytes":140,"latency":{"count":1,"p50":1000,"p90":1000,"p99":1000,"max":1000}},{"method":"session/update","by":"agent","calls":1,"failed":0,"bytes":55,"latency":null}],"updates":{"":1}}
        {"line":1,"at":1000,"from":"client","rule":"26","level":"SHOULD","path":"initialize params.clientInfo","message":"is missing; send the client's name and version"}
        {"line":3,"at":3000,"from":"agent","rule":"B6","level":"SHOULD","path":"session/update","message":"Invalid params: params.sessionId: missing"}
    "#]].assert_eq(&out);
}

proptest! {
    /// Percentiles differ from those of the sorted times by at most 3 %.
    #[test]
    fn percentiles_are_approximately_right(mut times in proptest::collection::vec(0_u64..10_000_000, 1..200), percent in 1_u64..=100) {
        let mut summary = Histogram::default();
        times.iter().for_each(|time| summary.add(*time));
        times.sort_unstable();
        let place = (times.len() as u64 * percent).div_ceil(100) - 1;
        let exact = times[usize::try_from(place).unwrap()];
        let told = summary.percentile(percent);
        prop_assert!(told >= exact && told <= exact + exact / 32 + 1, "{told} for {exact}");
    }
}

#[test]
fn violations_have_the_number_of_their_record() {
    let broken =
        format!("{TALK}\n< {{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{{}}}}\n< Loading...\n");
    let mut found = Vec::new();
    let text = conversation(&broken);
    let messages = validate(&mut read(&text), |one| found.push(one), || true).unwrap();
    assert_eq!(messages, 13);
    let shown: Vec<String> = found
        .iter()
        .map(|one| format!("{}: {}\n", one.record, one.violation.violation))
        .collect();
    expect![[r#"
        11: answer id: no open request has this id; respond with the id of the request (rule 21, observed)
        12: line: the line is not a JSON-RPC message; write nothing else there (rule 1, MUST)
    "#]]
    .assert_eq(&shown.concat());
    let mut none = Vec::new();
    let text = conversation(TALK);
    validate(&mut read(&text), |one| none.push(one), || true).unwrap();
    assert_eq!(none, []);
}

#[test]
fn ids_and_times_are_ignored_in_a_diff() {
    let one = conversation(TALK);
    let other = conversation(
        &TALK
            .replace("old", "new")
            .replace("\"t1\"", "\"x9\"")
            .replace("\"id\":3", "\"id\":\"c\""),
    );
    let (one, other) = (
        read_trace(&mut read(&one)).unwrap(),
        read_trace(&mut read(&other)).unwrap(),
    );
    assert!(!diff(&one, &other).iter().any(|change| change.is_change()));
    let third = conversation(&TALK.replace("\"ho\"", "\"hum\""));
    let third = read_trace(&mut read(&third)).unwrap();
    let changes = diff(&one, &third);
    assert_eq!(
        changes.iter().filter(|change| change.is_change()).count(),
        2
    );
}

#[test]
fn exports_to_script_markdown_and_lines() {
    let text = conversation(TALK);
    let trace = read_trace(&mut read(&text)).unwrap();
    assert!(attache_testkit::Script::parse(&trace.to_script()).is_ok());
    expect![[r#"
        *A session in `/project`.*

        ## Prompt

        hi

        ### Agent

        ho

        - Look (read, in_progress)

        - asks for permission: t1

        - t1: completed
    "#]]
    .assert_eq(&markdown(&mut read(&text)).unwrap());
    let mut lines = Vec::new();
    copy_lines(&mut read(&text), RecordedStream::Client, |line| {
        lines.extend_from_slice(line);
        Ok(())
    })
    .unwrap();
    let ours = TALK
        .lines()
        .filter_map(|line| line.trim().strip_prefix("> "));
    let ours: String = ours.map(|line| format!("{line}\n")).collect();
    assert_eq!(String::from_utf8(lines).unwrap(), ours);
}
