//! Connections with a translator: messages that it forwards, messages that it sends back, and messages that bypass it.

use attache_rpc::{Message, MessageReplacement, Translation, Translator};
use attache_transport::{Delivery, Inbox, Options, PeerHandle};

use crate::support::{
    IN_TURN, Medium, Wire, call, empty, next_method, next_request, notification, request, response,
    within,
};

/// A translator that renames `hello` to "hallo" for the peer, responds to `ping` itself, turns `twice` into two
/// messages, and is finished at `open`.
struct Test;

impl Translator for Test {
    fn incoming(&mut self, message: &str) -> Translation {
        match Message::parse_str(message) {
            Ok(Message::Request { id, method, .. }) if method == "ping" => send_back(response(id)),
            Ok(Message::Notification { method, .. }) => match &*method {
                "hallo" => forward([notification("hello")]),
                "twice" => forward([notification("once"), notification("again")]),
                "open" => Translation::Finished,
                _ => Translation::Unchanged,
            },
            _ => Translation::Unchanged,
        }
    }

    fn outgoing(&mut self, message: &str) -> Translation {
        match Message::parse_str(message) {
            Ok(Message::Notification { method, .. }) if method == "hello" => {
                forward([notification("hallo")])
            }
            Ok(Message::Request { id, method, .. }) if method == "ask" => send_back(response(id)),
            _ => Translation::Unchanged,
        }
    }
}

fn forward<const N: usize>(messages: [String; N]) -> Translation {
    let forward = messages.map(|message| message.trim_end().to_owned());
    Translation::Replaced(MessageReplacement::forward(forward))
}

fn send_back(message: String) -> Translation {
    let send_back = [message.trim_end().to_owned()];
    Translation::Replaced(MessageReplacement::default().send_back(send_back))
}

fn connected() -> (PeerHandle, Inbox, Wire) {
    let options = Options::default().translator(Box::new(Test) as Box<dyn Translator>);
    Medium::Memory(64 << 10).connect(options)
}

#[tokio::test]
async fn translated_messages_keep_their_order() {
    let (link, mut inbox, mut wire) = connected();
    let methods = ["a", "twice", "hallo", "b"];
    wire.send(methods.map(notification).concat()).await;
    for method in ["a", "once", "again", "hello", "b"] {
        assert_eq!(next_method(&mut inbox).await, method);
    }
    for method in ["a", "hello", "b"] {
        link.notify(method, &empty(), IN_TURN).await.unwrap();
    }
    for method in ["a", "hallo", "b"] {
        assert_eq!(wire.line().await + "\n", notification(method));
    }
    wire.check_alive(&link, &mut inbox).await;
}

#[tokio::test]
async fn messages_sent_back_reach_their_sender() {
    let (link, mut inbox, mut wire) = connected();
    wire.send(request(7, "ping")).await;
    assert_eq!(wire.line().await + "\n", response(7));
    for delivery in [Delivery::AtOnce, Delivery::InOrder] {
        let answer = call(&link, delivery).await;
        let next = tokio::spawn(async move { (next_request(&mut inbox).await, inbox) });
        assert_eq!(within(answer).await.unwrap().unwrap(), "{}");
        wire.send(request(8, "after")).await;
        let ((id, method), rest) = within(next).await.unwrap();
        assert_eq!(method, "after");
        assert!(link.respond(&id, IN_TURN, Ok(&empty())));
        assert_eq!(wire.line().await + "\n", response(8));
        inbox = rest;
    }
}

#[tokio::test]
async fn a_finished_translator_is_dropped_for_good() {
    let (link, mut inbox, mut wire) = connected();
    wire.send(notification("open") + &notification("hallo"))
        .await;
    assert_eq!(next_method(&mut inbox).await, "open");
    assert_eq!(next_method(&mut inbox).await, "hallo");
    link.notify("hello", &empty(), IN_TURN).await.unwrap();
    assert_eq!(wire.line().await + "\n", notification("hello"));
}

#[tokio::test]
async fn a_message_cut_off_by_the_end_is_dropped_without_a_response() {
    let (link, mut inbox, mut wire) = connected();
    let whole = request(1, "cut");
    wire.send(&whole[..whole.len() - 3]).await;
    wire.close_write().await;
    assert!(within(inbox.next()).await.is_none());
    assert_eq!(link.counts().malformed, 1);
    drop((link, inbox));
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_last_message_without_a_line_break_is_translated() {
    let (_link, mut inbox, mut wire) = connected();
    wire.send(notification("hallo").trim_end()).await;
    wire.close_write().await;
    assert_eq!(next_method(&mut inbox).await, "hello");
}
