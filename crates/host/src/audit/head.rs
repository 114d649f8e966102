//! The head of the chain, in a file of its own with a keyed digest: without it a log that was cut off at its end would
//! look whole.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use blake3::Hash;

use super::chain::Link;
use attache_disk::private::Key;

/// Where the chain stood when it was last written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) link: Link,
    /// Which file the last line is in, and how long that file was.
    pub(super) file: u64,
    pub(super) size: u64,
}

/// What the head's file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    Forged,
    Head(Head),
}

impl Head {
    pub(super) fn read(mut file: &File, key: &Key) -> std::io::Result<Found> {
        let mut bytes = [0; LENGTH];
        file.seek(SeekFrom::Start(0))?;
        let read = file.read(&mut bytes)?;
        Ok(match std::str::from_utf8(&bytes[..read]) {
            Ok("") => Found::Nothing,
            Ok(text) => Head::parse(text, key).map_or(Found::Forged, Found::Head),
            Err(_) => Found::Forged,
        })
    }

    pub(super) fn write(&self, mut file: &File, key: &Key) -> std::io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(self.text(key).as_bytes())
    }

    /// As long every time, so that nothing of the one before is left behind it.
    pub(super) fn text(&self, key: &Key) -> String {
        let said = self.said();
        let mac = blake3::keyed_hash(key, said.as_bytes()).to_hex();
        let text = format!("{said} {mac}");
        format!("{text:<width$}\n", width = LENGTH - 1)
    }

    fn parse(text: &str, key: &Key) -> Option<Head> {
        let (said, mac) = text.trim_end().rsplit_once(' ')?;
        let mac: Hash = mac.parse().ok()?;
        let mut parts = said.split(' ');
        let mut number = || parts.next()?.parse().ok();
        let (seq, file, size) = (number()?, number()?, number()?);
        let hash = parts.next()?.parse().ok()?;
        let link = Link { seq, hash };
        (mac == blake3::keyed_hash(key, said.as_bytes())).then_some(Head { link, file, size })
    }

    fn said(&self) -> String {
        let Head { link, file, size } = self;
        format!("{} {file} {size} {}", link.seq, link.hash.to_hex())
    }
}

/// Three numbers of at most 20 digits, two digests of 64 letters, what is between them and the end of the line.
const LENGTH: usize = 3 * 21 + 64 + 1 + 64 + 1;
