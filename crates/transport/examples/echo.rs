//! Responds to every call with the call's own params, over standard input and output, and also prints to standard
//! output, as a careless program would.

use std::io::Write;

use attache_rpc::json::Raw;
use attache_rpc::{Error, SendOptions, SessionKey};
use attache_transport::{IncomingCall, Options, connect, stdio};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let (input, output) = stdio()?;
    let (link, mut inbox) = connect(input, output, Options::default());
    while let Some(incoming) = inbox.next().await {
        writeln!(std::io::stdout(), "{} was called", incoming.call().method())?;
        if let IncomingCall::Request(id, call) = incoming {
            let params = Raw::parse(call.params().unwrap_or("null"));
            let outcome = params.map_err(|fault| Error::new(Error::PARSE, fault.to_string()));
            link.respond(
                &id,
                SendOptions::of(SessionKey::CONNECTION),
                outcome.as_ref(),
            );
        }
    }
    writeln!(std::io::stdout(), "done")
}
