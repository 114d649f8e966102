//! Tests of `fetch`, with a server on this machine.

use std::sync::Arc;

use expect_test::expect;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::super::{Loopback, ToolEnvironment, WebClient, Workplace};
use super::TestWorkplace;

/// Serves answers by path; returns the port.
async fn server(answers: Vec<(&'static str, String, Vec<u8>)>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answers = Arc::new(answers);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answers = Arc::clone(&answers);
            tokio::spawn(async move {
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                assert!(!request.to_lowercase().contains("authorization"));
                let found = answers.iter().find(|(name, ..)| *name == path);
                let (head, body) = match found {
                    Some((_, head, body)) => (head.clone(), body.clone()),
                    None => ("404 Not Found".to_owned(), b"nothing here".to_vec()),
                };
                let head = format!(
                    "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                stream.write_all(head.as_bytes()).await.ok();
                stream.write_all(&body).await.ok();
            });
        }
    });
    port
}

fn ok(kind: &str) -> String {
    format!("200 OK\r\nContent-Type: {kind}")
}

fn to(location: &str) -> String {
    format!("302 Found\r\nLocation: {location}")
}

async fn told(stage: &TestWorkplace, port: u16, path: &str) -> String {
    let input = format!(r#"{{"url":"http://127.0.0.1:{port}{path}"}}"#);
    let told = stage.for_model("fetch", &input).await;
    told.replace(&port.to_string(), "PORT")
}

#[tokio::test]
async fn pages_are_converted_to_text() {
    let page = "<html><head><title>T</title><style>b{}</style></head><body><h1>Head</h1><p>Some <b>text</b> &amp; a \
        <a href='/x'>link</a>.</p><script>evil()</script><ul><li>one<li>two</ul><pre>a  b\nc</pre></body></html>";
    let port = server(vec![
        ("/page", ok("text/html; charset=utf-8"), page.into()),
        ("/json", ok("application/json"), b"{\"a\": 1}".into()),
        (
            "/latin",
            ok("text/plain; charset=ISO-8859-1"),
            b"caf\xe9".into(),
        ),
        ("/none", "200 OK".into(), b"plain".into()),
        ("/pdf", ok("application/pdf"), b"%PDF\0\xff".into()),
        ("/bytes", ok("text/plain"), b"a\0b".into()),
    ])
    .await;
    let stage = TestWorkplace::new(&[]).await;
    for (path, expected) in [
        (
            "/page",
            expect![[r#"
            # Head

            Some **text** & a [link][1].
            * one
            * two

            a  b
            c

            [1]: /x"#]],
        ),
        ("/json", expect![[r#"{"a": 1}"#]]),
        ("/latin", expect!["café"]),
        ("/none", expect!["plain"]),
        (
            "/pdf",
            expect![
                "FAILED the page is not text: it is application/pdf; save it to a file with `run` and use a tool for its format"
            ],
        ),
        (
            "/bytes",
            expect![
                "FAILED the page is not text: it is text/plain; save it to a file with `run` and use a tool for its format"
            ],
        ),
        (
            "/missing",
            expect![[r#"
                FAILED [status 404 Not Found]
                nothing here"#]],
        ),
    ] {
        expected.assert_eq(&told(&stage, port, path).await);
    }
}

#[tokio::test]
async fn redirects_are_limited_and_checked_each_time() {
    let other = server(vec![("/end", ok("text/plain"), b"the end".into())]).await;
    let port = server(vec![
        ("/one", to("/two"), Vec::new()),
        (
            "/two",
            to(&format!("http://127.0.0.1:{other}/end")),
            Vec::new(),
        ),
        ("/away", to("http://localhost:1/end"), Vec::new()),
        ("/loop", to("/loop"), Vec::new()),
        (
            "/meta",
            to("http://169.254.169.254/latest/meta-data/"),
            Vec::new(),
        ),
        ("/file", to("file:///etc/passwd"), Vec::new()),
        ("/word", to("http://me:word@127.0.0.1/"), Vec::new()),
        ("/inside", to("http://192.168.0.1/"), Vec::new()),
    ])
    .await;
    let stage = TestWorkplace::new(&[]).await;
    let one = told(&stage, port, "/one").await;
    assert_eq!(one, format!("[from http://127.0.0.1:{other}/end]\nthe end"));
    for (path, expected) in [
        // The permission covers the pages of one host only.
        (
            "/away",
            expect![
                "FAILED not fetched: it redirects to another host; if that is what you want, fetch http://localhost:1/end"
            ],
        ),
        ("/loop", expect!["FAILED not fetched: too many redirects"]),
        (
            "/meta",
            expect![
                "FAILED not fetched: it redirects, and the address is on this machine or in a private network, which tools must not reach"
            ],
        ),
        ("/file", expect!["FAILED [status 302 Found]"]),
        (
            "/word",
            expect![
                "FAILED not fetched: it redirects, and the URL contains a user name or password; remove it"
            ],
        ),
        (
            "/inside",
            expect![
                "FAILED not fetched: it redirects, and the address is on this machine or in a private network, which tools must not reach"
            ],
        ),
    ] {
        expected.assert_eq(&told(&stage, port, path).await);
    }
}

#[tokio::test]
async fn loopback_is_rejected_unless_enabled() {
    let port = server(vec![("/", ok("text/plain"), b"mine".into())]).await;
    let stage = TestWorkplace::new(&[]).await;
    let session = stage.workplace.session().clone();
    let environment = ToolEnvironment {
        pages: WebClient::new(Loopback::Closed),
        ..ToolEnvironment::default()
    };
    let roots = stage.workplace.roots().clone();
    let closed = TestWorkplace {
        workplace: Workplace::new(session, roots, environment),
        ..stage
    };
    for host in [
        "127.0.0.1",
        "localhost",
        "x.localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
    ] {
        let told = closed
            .for_model("fetch", &format!(r#"{{"url":"http://{host}:{port}/"}}"#))
            .await;
        assert!(told.starts_with("FAILED"), "{host}: {told}");
        assert!(!told.contains("mine"));
    }
    closed
        .check("fetch", r#"{"url":"http://127.0.0.1:1/"}"#, expect!["FAILED not fetched: the address is on this machine or in a private network, which tools must not reach"])
        .await;
    closed
        .check("fetch", r#"{"url":"http://localhost:1/"}"#, expect!["FAILED not fetched: the address is on this machine or in a private network, which tools must not reach"])
        .await;
    closed
        .check(
            "fetch",
            r#"{"url":"example.com"}"#,
            expect!["FAILED `url` is not a URL: relative URL without a base; begin with https://"],
        )
        .await;
    closed
        .check(
            "fetch",
            r#"{"url":"ftp://example.com/"}"#,
            expect!["FAILED not fetched: only http and https can be fetched"],
        )
        .await;
}

#[tokio::test]
async fn large_and_deep_pages_are_bounded() {
    let port = server(vec![
        ("/large", ok("text/plain"), vec![b'x'; 3 << 20]),
        ("/deep", ok("text/html"), "<div>".repeat(300_000).into()),
        (
            "/nested",
            ok("text/html"),
            format!("{}deep", "<div>".repeat(450)).into(),
        ),
        (
            "/tables",
            ok("text/html"),
            format!("{}deep", "<table><tr><td>".repeat(450)).into(),
        ),
        (
            "/lists",
            ok("text/html"),
            format!("{}deep", "<ul><li>".repeat(450)).into(),
        ),
        (
            "/long",
            ok("text/html"),
            "<p>word <b>word</b>".repeat(20_000).into(),
        ),
    ])
    .await;
    let stage = TestWorkplace::new(&[]).await;
    for (path, note) in [
        (
            "/large",
            "[the page is larger than 2 MiB, and the rest was not fetched]",
        ),
        (
            "/deep",
            "[the page is nested too deeply to be laid out; this is its source]",
        ),
        ("/nested", "deep"),
        ("/tables", "deep"),
        ("/lists", "* * *"),
        ("/long", "[cut: "),
    ] {
        let begun = std::time::Instant::now();
        let told = told(&stage, port, path).await;
        assert!(
            told.contains(note),
            "{path}: {}",
            &told[..told.len().min(300)]
        );
        assert!(told.len() <= 50_000, "{path}");
        assert!(begun.elapsed().as_secs() < 60, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn fetching_from_a_silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let stage = TestWorkplace::new(&[]).await;
    stage
        .check(
            "fetch",
            &format!(r#"{{"url":"http://127.0.0.1:{port}/"}}"#),
            expect!["FAILED the page did not load within 30 seconds; try again later"],
        )
        .await;
}
