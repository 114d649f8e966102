//! A stored session, told to the client before it is open.

use std::path::Path;

use attache::agent::ClientSession;
use attache::schema::error;
use attache::{Error, v1};
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use crate::mapping::Shows;
use crate::replay::Replay;

pub(super) async fn replay(
    session: &ClientSession,
    transcript: &Path,
    shows: Shows,
) -> Result<(), Error> {
    let unreadable = |failed: std::io::Error| {
        error::internal(&format!("the transcript cannot be read: {failed}"))
    };
    let file = File::open(transcript).await.map_err(unreadable)?;
    let mut reader = BufReader::new(file);
    let mut replay = Replay::new(shows);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = (&mut reader).take(LONGEST);
        let count = bounded
            .read_until(b'\n', &mut line)
            .await
            .map_err(unreadable)?;
        if count == 0 {
            break;
        }
        tell(session, replay.line(&line)).await?;
    }
    tell(session, replay.end()).await
}

async fn tell(session: &ClientSession, updates: Vec<v1::SessionUpdate>) -> Result<(), Error> {
    for update in updates {
        session.update(update).await.map_err(Error::from)?;
    }
    Ok(())
}

const LONGEST: u64 = 64 * 1024 * 1024;
