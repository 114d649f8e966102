use expect_test::expect;
use tokio::net::TcpListener;

use super::fake::End;
use super::*;

#[tokio::test]
async fn a_busy_provider_is_asked_again() {
    let busy = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let replies = [
        Reply::status(529, busy),
        Reply::status(429, "").header("retry-after-ms", "5"),
        Reply::events(&hello()),
    ];
    let fake = check(
        replies,
        anthropic,
        expect![[r#"
        again after 1: Overloaded (status 529)
        again after 2: status 429
        Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
        Text("Hé")
        Text("llo")
        Usage(Usage { input: 9, output: 3, thought: 0, cache_read: 0, cache_write: 0 })
        End(Done)
    "#]],
    )
    .await;
    assert_eq!(fake.received().len(), 3);
}

#[tokio::test]
async fn a_provider_that_asks_for_time_gets_it() {
    let fake = Fake::start([
        Reply::status(429, "").header("retry-after", "0.2"),
        Reply::events(&hello()),
    ])
    .await;
    let mut answer = anthropic(&fake.url).answer(question("Hi"));
    let Some(Ok(Event::Retry { wait, .. })) = answer.next().await else {
        panic!("it should be asked again");
    };
    assert_eq!(wait, Duration::from_millis(200));
    let began = tokio::time::Instant::now();
    assert!(matches!(answer.next().await, Some(Ok(Event::Usage(_)))));
    assert!(began.elapsed() >= wait);
}

#[tokio::test]
async fn a_provider_that_asks_for_too_much_time_is_given_up() {
    let replies = [Reply::status(429, "").header("retry-after", "3600")];
    check(
        replies,
        anthropic,
        expect![[r#"
        error: anthropic: status 429; it asks to wait 3600 seconds
    "#]],
    )
    .await;
}

#[tokio::test]
async fn attempts_are_counted() {
    let replies = [500, 502, 503, 500].map(|status| Reply::status(status, "<html>oops</html>"));
    let fake = check(
        replies,
        openai,
        expect![[r#"
        again after 1: status 500
        again after 2: status 502
        error: openai: status 503, after 3 attempts
    "#]],
    )
    .await;
    assert_eq!(fake.received().len(), 3);
}

#[tokio::test]
async fn an_error_before_anything_was_said_is_tried_again() {
    let busy = [r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#];
    let replies = [
        Reply::events(&busy),
        Reply::events(&hello()[..1]).end(End::Broken),
        Reply::events(&hello()),
    ];
    check(replies, anthropic, expect![[r#"
        again after 1: Overloaded
        Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
        again after 2: the connection broke: error reading a body from connection: unexpected EOF during chunk size line
        Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
        Text("Hé")
        Text("llo")
        Usage(Usage { input: 9, output: 3, thought: 0, cache_read: 0, cache_write: 0 })
        End(Done)
    "#]]).await;
}

#[tokio::test]
async fn an_error_after_something_was_said_is_not_hidden() {
    let mut frames = hello()[..4].to_vec();
    frames.push(
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#.to_owned(),
    );
    let fake = check(
        [Reply::events(&frames)],
        anthropic,
        expect![[r#"
            Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
            Text("Hé")
            Text("llo")
            error: the response of anthropic was cut off: Overloaded
        "#]],
    )
    .await;
    assert_eq!(fake.received().len(), 1);
}

#[tokio::test]
async fn a_connection_that_breaks_after_something_was_said() {
    check(
        [Reply::events(&hello()[..3]).end(End::Broken)],
        anthropic,
        expect![[r#"
            Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
            Text("Hé")
            error: the response of anthropic was cut off: the connection broke: error reading a body from connection: unexpected EOF during chunk size line
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_stream_that_ends_before_its_answer() {
    check(
        [Reply::events(&hello()[..4])],
        anthropic,
        expect![[r#"
            Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
            Text("Hé")
            Text("llo")
            error: the response of anthropic was cut off: the stream ended in the middle of the response
        "#]],
    )
    .await;
    check(
        [Reply::events(&hello_chunks()[..2])],
        openai,
        expect![[r#"
            Text("Hé")
            Text("llo")
            error: the response of openai was cut off: the stream ended in the middle of the response
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_provider_that_falls_silent() {
    let patience = RetryPolicy {
        silence: Duration::from_millis(100),
        ..QUICK
    };
    let fake = Fake::start([Reply::events(&hello()[..3]).end(End::Hanging)]).await;
    let model = open(&fake.url, "anthropic/claude-sonnet-5-5", patience);
    let said = say(&*model, question("Hi")).await;
    expect![[r#"
        Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
        Text("Hé")
        error: the response of anthropic was cut off: nothing arrived for 0.1 seconds
    "#]]
    .assert_eq(&said);
    fake.closed().await;
}

#[tokio::test]
async fn an_event_without_end() {
    let text = format!("data: {}", "x".repeat(9 << 20));
    let replies = [Reply::text(&text), Reply::text(&text), Reply::text(&text)];
    check(
        replies,
        openai,
        expect![[r#"
        again after 1: an event is longer than 8388608 bytes
        again after 2: an event is longer than 8388608 bytes
        error: openai: an event is longer than 8388608 bytes, after 3 attempts
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_key_that_is_not_taken() {
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    let fake = check([Reply::status(401, &body)], openai, expect![[r#"
        error: openai requires a valid key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without one, or choose another model
    "#]]).await;
    assert_eq!(fake.received().len(), 1);
    check(
        [Reply::status(403, "")],
        anthropic,
        expect![[r#"
        error: anthropic requires a valid key: set ANTHROPIC_API_KEY, or choose another model
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_key_that_is_repeated_in_an_error_is_not_shown() {
    let body = format!(r#"{{"error":{{"message":"no such model for {KEY}"}}}}"#);
    check(
        [Reply::status(404, &body)],
        openai,
        expect![[r#"
        error: openai: no such model for … (status 404)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_conversation_that_is_too_long() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 > 1"}}"#;
    check(
        [Reply::status(400, body)],
        anthropic,
        expect![[r#"
        error: the conversation is too long for anthropic/claude-sonnet-5-5
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_picture_that_is_not_taken() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.1.image: Could not process image"}}"#;
    let fake = Fake::start([Reply::status(400, body), Reply::status(400, body)]).await;
    let mut request = question("Look");
    let picture = Input::Image {
        media_type: "image/png".to_owned(),
        data: "AAAA".to_owned(),
    };
    request.messages = vec![Arc::new(Message::User(vec![picture]))];
    let said = say(&*anthropic(&fake.url), request).await;
    expect![[r#"
        error: anthropic does not accept the attachment: messages.0.content.1.image: Could not process image (status 400)
    "#]]
    .assert_eq(&said);
    // A request without an attachment can't fail because of one.
    let said = say(&*anthropic(&fake.url), question("Look")).await;
    expect![[r#"
        error: anthropic: messages.0.content.1.image: Could not process image (status 400)
    "#]]
    .assert_eq(&said);
}

#[tokio::test]
async fn thoughts_that_are_not_taken_back_are_left_out() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#;
    let fake = Fake::start([
        Reply::status(400, body),
        Reply::events(&hello()),
        Reply::status(400, body),
    ])
    .await;
    let mut request = question("Hi");
    let thought = attache_model::Output::Thought {
        text: "Hm.".to_owned(),
        signature: Some("claude-sonnet-5-5 signed c2ln".to_owned()),
    };
    let said = attache_model::Output::Text("Yes?".to_owned());
    request
        .messages
        .push(Arc::new(Message::Model(vec![thought, said])));
    request.messages.extend(question("Go on").messages);
    let model = anthropic(&fake.url);
    let said = say(&*model, request).await;
    expect![[r#"
        again after 1: the provider doesn't accept thinking from earlier answers
        Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
        Text("Hé")
        Text("llo")
        Usage(Usage { input: 9, output: 3, thought: 0, cache_read: 0, cache_write: 0 })
        End(Done)
    "#]]
    .assert_eq(&said);
    let bodies: Vec<bool> = fake
        .received()
        .iter()
        .map(|one| one.body.contains("signature"))
        .collect();
    assert_eq!(bodies, [true, false]);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Fake::start([]).await;
    let reply = Reply::status(307, "").header("location", &target.url);
    check([reply], openai, expect![[r#"
        error: openai: answers with a redirect (status 307), which is not followed; set its base URL to the new address
    "#]]).await;
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn a_page_instead_of_a_stream() {
    let reply = Reply::status(200, "{}");
    check(
        [reply],
        openai,
        expect![[r#"
        error: openai: it does not respond with a stream of events; is the base URL right?
    "#]],
    )
    .await;
}

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let model = openai(&format!("http://{address}/v1"));
    let said = say(&*model, question("Hi")).await;
    let lines: Vec<&str> = said.lines().collect();
    let [first, second, last] = lines[..] else {
        panic!("{said}");
    };
    assert!(
        first.starts_with("again after 1: ") && second.starts_with("again after 2: "),
        "{said}"
    );
    let start = format!("error: openai cannot be reached at {address}: ");
    assert!(
        last.starts_with(&start) && last.ends_with(", after 3 attempts"),
        "{said}"
    );
}

#[tokio::test]
async fn a_server_that_speaks_no_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { while listener.accept().await.is_ok() {} });
    let model = openai(&format!("https://{address}/v1"));
    let said = say(&*model, question("Hi")).await;
    let last = said.lines().last().expect("an error");
    // On a machine without certificates the error names that cause instead.
    assert!(
        last.contains("cannot be reached at") || last.contains("no HTTPS on this machine"),
        "{said}"
    );
}

#[tokio::test]
async fn a_provider_that_asks_not_to_be_asked_again() {
    let reply = Reply::status(500, "").header("x-should-retry", "false");
    let fake = Fake::start([reply]).await;
    let said = say(&*openai(&fake.url), question("Hi")).await;
    assert_eq!(said, "error: openai: status 500\n");
    assert_eq!(fake.received().len(), 1);
}
