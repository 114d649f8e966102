//! The table of methods, and the documentation page made from it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::expect_file;

use crate::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, ConductorRequest,
    ProtocolLevelNotification, ProxyNotification, ProxyRequest,
};
use crate::method::{Direction, Method, MethodKind, Stability};

#[test]
fn docs_methods_md_matches_the_table() {
    expect_file!["../../../../docs/methods.md"].assert_eq(&page());
}

#[test]
fn methods_are_unique() {
    let mut seen = BTreeSet::new();
    for method in Method::all() {
        let key = format!("{} {:?} {:?}", method.name, method.kind, method.direction);
        assert!(seen.insert(key), "{} is there twice", method.name);
    }
}

#[test]
fn every_method_of_the_table_is_dispatched() {
    for method in Method::all() {
        let unknown = |result: Result<(), attache_rpc::Error>| {
            result.is_err_and(|error| error.code == attache_rpc::Error::METHOD_NOT_FOUND)
        };
        assert!(
            !unknown(decode(method)),
            "{} is not dispatched",
            method.name
        );
    }
}

#[test]
fn a_method_of_either_side_is_found_in_both_directions() {
    for direction in [
        Direction::ToAgent,
        Direction::ToClient,
        Direction::Either,
        Direction::ToProxy,
    ] {
        let found = Method::find("$/cancel_request", MethodKind::Notification, direction);
        assert_eq!(found.is_some(), direction != Direction::ToProxy);
    }
    let found = Method::find("session/new", MethodKind::Request, Direction::Either);
    assert!(found.is_none(), "only agents are asked for a session");
}

fn decode(method: &Method) -> Result<(), attache_rpc::Error> {
    let params = Some("{}");
    match (method.direction, method.kind) {
        (Direction::ToAgent, MethodKind::Request) => {
            ClientRequest::decode(method.name, params).map(drop)
        }
        (Direction::ToAgent, MethodKind::Notification) => {
            ClientNotification::decode(method.name, params).map(drop)
        }
        (Direction::ToClient, MethodKind::Request) => {
            AgentRequest::decode(method.name, params).map(drop)
        }
        (Direction::ToClient, MethodKind::Notification) => {
            AgentNotification::decode(method.name, params).map(drop)
        }
        (Direction::ToProxy, _) => ConductorRequest::decode(method.name, params).map(drop),
        (Direction::Successor, MethodKind::Request) => {
            ProxyRequest::decode(method.name, params).map(drop)
        }
        (Direction::Successor, MethodKind::Notification) => {
            ProxyNotification::decode(method.name, params).map(drop)
        }
        (Direction::Either, _) => ProtocolLevelNotification::decode(method.name, params).map(drop),
    }
}

fn page() -> String {
    let mut out = String::from(
        "# The methods of protocol version 1\n\n\
         Generated from the table in `crates/schema/src/call.rs` by `UPDATE_EXPECT=1 cargo test -p attache-schema`. A method\n\
         in italics is unstable. The gate is the capability that must be present before the method may be called.\n",
    );
    let sections = [
        (Direction::ToAgent, "Client to agent"),
        (Direction::ToClient, "Agent to client"),
        (Direction::Either, "Either way"),
        (Direction::ToProxy, "Conductor to proxy"),
        (Direction::Successor, "Proxy and conductor, either way"),
    ];
    for (direction, title) in sections {
        write!(
            out,
            "\n## {title}\n\n| method | gate | params | result |\n|---|---|---|---|\n"
        )
        .unwrap();
        for method in Method::all().filter(|method| method.direction == direction) {
            writeln!(out, "{}", row(method)).unwrap();
        }
    }
    out
}

fn row(method: &Method) -> String {
    let name = match method.stability {
        Stability::Stable => format!("`{}`", method.name),
        Stability::Unstable => format!("*`{}`*", method.name),
    };
    let gate = method
        .requirement
        .path()
        .map_or("always".to_owned(), |path| format!("`{path}`"));
    let result = method.result.map_or("no response".to_owned(), |shape| {
        format!("`{}`", shape.name)
    });
    format!("| {name} | {gate} | `{}` | {result} |", method.params.name)
}
