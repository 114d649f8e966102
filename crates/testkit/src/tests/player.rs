//! Tests of conversations that follow their script, and of the differences reported for those that do not.

use expect_test::{Expect, expect};

use super::{play, say};
use crate::{Script, ScriptPlayer, Side};

async fn check(client: &str, agent: &str, expect: Expect) {
    let (outcome, _) = say(agent, client).await;
    expect.assert_eq(&outcome);
}

const HELLO: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[1,{"c":"d"}],"e":null}}"#;

#[tokio::test(start_paused = true)]
async fn members_in_another_order_are_the_same() {
    let script = r#"-> a {"e":null, "b":[1, {"c":"d"}]}"#;
    check(HELLO, script, expect!["ok"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_value_that_differs_deep_down() {
    let script = r#"-> a {"b":[1,{"c":"x"}], ...}"#;
    check(
        HELLO,
        script,
        expect![[r#"
        line 1 of the script, played as the agent: params.b[1].c: expected "x", found "d"
          expected  -> a {"b":[1,{"c":"x"}], ...}
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_member_that_is_missing() {
    check(
        HELLO,
        r#"-> a {"x":1, ...}"#,
        expect![[r#"
        line 1 of the script, played as the agent: params.x: missing
          expected  -> a {"x":1, ...}
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_additional_member() {
    check(
        HELLO,
        r#"-> a {"b":_}"#,
        expect![[r#"
        line 1 of the script, played as the agent: params.e: not expected, found null
          expected  -> a {"b":_}
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_additional_item() {
    check(
        HELLO,
        r#"-> a {"b":[1],"e":_}"#,
        expect![[r#"
            line 1 of the script, played as the agent: params.b: the number of items: expected 1, found 2
              expected  -> a {"b":[1],"e":_}
              found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
    check(HELLO, r#"-> a {"b":[1, ...],"e":_}"#, expect!["ok"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_member_that_occurs_twice() {
    let line = r#"{"jsonrpc":"2.0","method":"a","params":{"b":1,"b":1}}"#;
    check(
        line,
        r#".> a {"b":1}"#,
        expect![[r#"
        line 1 of the script, played as the agent: params.b: the member occurs twice
          expected  .> a {"b":1}
          found     .> a {"b":1,"b":1}"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn another_method_and_another_kind() {
    check(
        HELLO,
        "-> b {...}",
        expect![[r#"
        line 1 of the script, played as the agent: expected the method b, found a
          expected  -> b {...}
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
    check(
        HELLO,
        ".> a {...}",
        expect![[r#"
        line 1 of the script, played as the agent: expected a notification, found a request
          expected  .> a {...}
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
    check(
        HELLO,
        "-> a",
        expect![[r#"
        line 1 of the script, played as the agent: params: expected none
          expected  -> a
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_envelope_with_unknown_members_is_not_a_message() {
    let line = r#"{"jsonrpc":"2.0","method":"a","extra":1}"#;
    check(line, ".> a", expect![[r#"
        line 1 of the script, played as the agent: expected a notification, found a line that is not a message
          expected  .> a
          found     ~> {"jsonrpc":"2.0","method":"a","extra":1}"#]]).await;
    check(line, &format!("~> {line}"), expect!["ok"]).await;
}

#[tokio::test(start_paused = true)]
async fn no_message_arrives() {
    let (read, _keep_open) = tokio::io::duplex(64);
    let script = Script::parse("<= {} id 1 within 2s").unwrap();
    let player = ScriptPlayer::new(script, Side::Client).unwrap();
    let start = tokio::time::Instant::now();
    let outcome = player.play(read, tokio::io::sink()).await;
    assert_eq!(start.elapsed().as_secs(), 2);
    expect![[r#"
        line 1 of the script, played as the client: nothing arrived within 2s
          expected  <= {} id 1 within 2s"#]]
    .assert_eq(&outcome.unwrap_err().to_string());
}

#[tokio::test(start_paused = true)]
async fn the_connection_ends_too_early() {
    check("", "-> a {}", expect![[r#"
        line 1 of the script, played as the agent: expected a request, found the end of the connection
          expected  -> a {}
          found     |>"#]]).await;
    check("", "|>", expect!["ok"]).await;
}

#[tokio::test(start_paused = true)]
async fn messages_after_the_end_of_the_script() {
    check(
        HELLO,
        "",
        expect![[r#"
        after the end of the script, played as the agent: expected nothing more
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
    check(HELLO, "...", expect!["ok"]).await;
    check(
        HELLO,
        "quiet 1s",
        expect![[r#"
        line 1 of the script, played as the agent: expected silence
          expected  quiet 1s
          found     -> a {"b":[1,{"c":"d"}],"e":null}"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_response_has_the_id_of_its_request() {
    let asked = "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\"}\n";
    let script = "-> a @one\n-> a\n<! {\"code\":1,\"message\":\"no\"}\n<= @one null";
    let (outcome, answers) = say(script, asked).await;
    assert_eq!(outcome, "ok");
    expect![[r#"
        {"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}
        {"jsonrpc":"2.0","id":"x","result":null}
    "#]]
    .assert_eq(&answers);
}

#[tokio::test(start_paused = true)]
async fn a_response_to_another_request() {
    let client = "-> a\n-> b\n<= {}\n<= {}";
    let agent = "-> a\n-> b @b\n<= @b {}\n<= {}";
    let difference = play(client, agent).await.unwrap_err();
    expect![[r#"
        line 3 of the script, played as the client: expected the response to request 1, found the response to request 2
          expected  <= {}
          found     <= {}"#]].assert_eq(&difference.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_name_keeps_its_value() {
    let lines = |second| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[5]}}\n{{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[{second}]}}\n"
        )
    };
    let script = ".> a [$n]\n.> a [$n]\n<. b {\"n\":$n}";
    let (outcome, answers) = say(script, &lines(5)).await;
    assert_eq!(outcome, "ok");
    expect![[r#"
        {"jsonrpc":"2.0","method":"b","params":{"n":5}}
    "#]]
    .assert_eq(&answers);
    check(
        &lines(6),
        script,
        expect![[r#"
        line 2 of the script, played as the agent: params[0]: expected 5, found 6
          expected  .> a [$n]
          found     .> a [6]"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn names_are_rebound_in_each_repetition() {
    let once = "-> new\n<= {\"id\":$id=1}\n.> use {\"id\":$id}\n";
    let client = format!("repeat 3\n{once}end");
    let agent = [1, 2, 3].map(|id| {
        once.replace("=1", &format!("={id}"))
            .replace("$id", &format!("$id{id}"))
    });
    let trace = play(&client, &agent.join("")).await.unwrap();
    expect![[r#"
        -> new
        <= {"id":1}
        .> use {"id":1}
        -> new
        <= {"id":2}
        .> use {"id":2}
        -> new
        <= {"id":3}
        .> use {"id":3}
    "#]]
    .assert_eq(&trace.to_string());
}

#[tokio::test(start_paused = true)]
async fn any_order_takes_each_line_once() {
    let client = "any order\n<. a\n<. b\n<. a\nend\n.> done";
    play(client, "<. a\n<. a\n<. b\n.> done").await.unwrap();
    let difference = play(client, "<. a\n<. b\n<. b\n.> done").await;
    expect![[r#"
        line 4 of the script, played as the client: expected the method a, found b
          expected  <. a
          found     <. b"#]]
    .assert_eq(&difference.unwrap_err().to_string());
}

#[tokio::test(start_paused = true)]
async fn any_order_keeps_the_order_of_threads() {
    let client = "any order\nin order\n<. a\n<. b\nend\n<. c\nend";
    play(client, "<. a\n<. c\n<. b").await.unwrap();
    let difference = play(client, "<. c\n<. b\n<. a").await;
    expect![[r#"
        line 3 of the script, played as the client: expected the method a, found b
          expected  <. a
          found     <. b"#]]
    .assert_eq(&difference.unwrap_err().to_string());
}

#[tokio::test(start_paused = true)]
async fn any_number_of_lines() {
    let client = "-> a\n<. b {} x*\n<= {}";
    play(client, "-> a\n<= {}").await.unwrap();
    play(client, "-> a\n<. b {} x1000\n<= {}").await.unwrap();
    let difference = play(client, "-> a\n<. b {}\n<. c {}\n<= {}").await;
    expect![[r#"
        line 3 of the script, played as the client: expected a response with a result, found a notification
          expected  <= {}
          found     <. c {}"#]].assert_eq(&difference.unwrap_err().to_string());
}

#[tokio::test(start_paused = true)]
async fn a_line_after_its_deadline() {
    let client = "-> a\n<= {} within 1s";
    let difference = play(client, "-> a\nquiet 2s\n<= {}").await;
    expect![[r#"
        line 2 of the script, played as the client: nothing arrived within 1s
          expected  <= {} within 1s"#]]
    .assert_eq(&difference.unwrap_err().to_string());
    play("within 3s\n-> a\n<= {}", "-> a\nquiet 2s\n<= {}")
        .await
        .unwrap();
}
