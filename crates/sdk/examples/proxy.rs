//! A proxy that changes what the agent says: British spelling becomes American. Put it in front of any agent's command. An
//! agent sends its text in chunks, and a word that two chunks share stays as it is: to change it, a proxy would have to hold
//! text back.

use std::error::Error;

use attache::process::{Program, guard};
use attache::proxy::{self, ProxyMessage};
use attache::v1::{ContentBlock, SessionUpdate};

fn main() -> Result<(), Box<dyn Error>> {
    guard::run_if_asked();
    run()
}

#[tokio::main(flavor = "current_thread")]
async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: proxy COMMAND [ARGUMENT…]")?;
    let mut proxy = proxy::stdio(&Program::new(name).args(arguments)).await?;
    while let Some(message) = proxy.next().await {
        match message {
            ProxyMessage::SessionNotification(update) => update.change(|params| {
                if let SessionUpdate::AgentMessageChunk(chunk) = &mut params.update
                    && let ContentBlock::Text(text) = &mut chunk.content
                {
                    text.text = text.text.replace("colour", "color");
                }
            }),
            other => other.forward(),
        }
    }
    Ok(proxy.finish().await?)
}
