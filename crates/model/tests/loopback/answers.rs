use expect_test::expect;

use super::fake::End;
use super::*;

#[tokio::test]
async fn an_anthropic_answer() {
    let fake = check(
        [Reply::events(&hello())],
        anthropic,
        expect![[r#"
        Usage(Usage { input: 9, output: 1, thought: 0, cache_read: 0, cache_write: 0 })
        Text("Hé")
        Text("llo")
        Usage(Usage { input: 9, output: 3, thought: 0, cache_read: 0, cache_write: 0 })
        End(Done)
    "#]],
    )
    .await;
    let request = &fake.received()[0];
    let head = request.head.to_lowercase();
    assert!(head.starts_with("post /v1/messages http/1.1"), "{head}");
    assert!(
        head.contains(&format!("x-api-key: {KEY}"))
            && head.contains("anthropic-version: 2023-06-01"),
        "{head}"
    );
    assert!(
        request.body.contains(r#""model":"claude-sonnet-5-5""#),
        "{}",
        request.body
    );
}

#[tokio::test]
async fn an_openai_answer() {
    let fake = check(
        [Reply::events(&hello_chunks())],
        openai,
        expect![[r#"
        Text("Hé")
        Text("llo")
        Usage(Usage { input: 9, output: 3, thought: 0, cache_read: 0, cache_write: 0 })
        End(Done)
    "#]],
    )
    .await;
    let head = fake.received()[0].head.to_lowercase();
    assert!(
        head.starts_with("post /v1/chat/completions http/1.1"),
        "{head}"
    );
    assert!(
        head.contains(&format!("authorization: bearer {KEY}")),
        "{head}"
    );
}

#[tokio::test]
async fn an_answer_that_comes_byte_by_byte_with_other_line_ends_and_comments() {
    let whole = Fake::start([Reply::events(&hello())]).await;
    let expected = say(&*anthropic(&whole.url), question("Hi")).await;
    for end in ["\n", "\r\n", "\r"] {
        let frames = hello().into_iter();
        let text: String = frames
            .map(|data| format!(": ping\n\nevent: x\ndata: {data}\n\n"))
            .collect();
        let reply = Reply::text(&text.replace('\n', end)).byte_by_byte();
        let fake = Fake::start([reply]).await;
        assert_eq!(say(&*anthropic(&fake.url), question("Hi")).await, expected);
    }
}

#[tokio::test]
async fn a_server_that_closes_instead_of_saying_done() {
    let chunks = hello_chunks();
    let reply = Reply::events(&chunks[..3]).end(End::Open);
    check(
        [reply],
        openai,
        expect![[r#"
        Text("Hé")
        Text("llo")
        End(Done)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_connection_serves_the_next_question_too() {
    let fake = Fake::start([Reply::events(&hello()), Reply::events(&hello())]).await;
    let model = anthropic(&fake.url);
    for _ in 0..2 {
        say(&*model, question("Hi")).await;
    }
    assert_eq!((fake.received().len(), fake.connections()), (2, 1));
}

#[tokio::test]
async fn nothing_is_sent_before_the_answer_is_polled() {
    let fake = Fake::start([]).await;
    drop(anthropic(&fake.url).answer(question("Hi")));
    assert_eq!(fake.connections(), 0);
}

#[tokio::test]
async fn dropping_an_answer_closes_its_connection() {
    let fake = Fake::start([Reply::events(&hello()[..3]).end(End::Hanging)]).await;
    let mut answer = anthropic(&fake.url).answer(question("Hi"));
    while let Some(item) = answer.next().await {
        if matches!(item, Ok(Event::Text(_))) {
            break;
        }
    }
    drop(answer);
    fake.closed().await;
}
