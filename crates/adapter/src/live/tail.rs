//! A file that grows, as text.

use std::io;
use std::path::Path;

use tokio::fs::File;
use tokio::io::AsyncReadExt;

/// The output of a command, read as it comes and in bounds.
#[derive(Debug)]
pub(crate) struct Tail {
    file: File,
    /// The beginning of a character whose rest has not come.
    cut: Vec<u8>,
    left: usize,
}

impl Tail {
    pub(crate) async fn open(path: &Path) -> io::Result<Tail> {
        let file = File::open(path).await?;
        if !file.metadata().await?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Tail {
            file,
            cut: Vec::new(),
            left: MOST,
        })
    }

    /// What has come since; empty if nothing has.
    pub(crate) async fn more(&mut self) -> String {
        let mut bytes = std::mem::take(&mut self.cut);
        let mut chunk = vec![0; CHUNK];
        while self.left > 0 && bytes.len() < CHUNK {
            match self.file.read(&mut chunk).await {
                Ok(count @ 1..) => bytes.extend_from_slice(&chunk[..count]),
                _ => break,
            }
        }
        let whole = whole(&bytes);
        self.cut = bytes.split_off(whole);
        if bytes.is_empty() {
            return String::new();
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.len() < self.left {
            self.left -= text.len();
            return text;
        }
        self.left = 0;
        text + "\n[more output is not shown here]\n"
    }
}

/// How many bytes are not the beginning of a character whose rest may still come.
fn whole(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(3)..bytes.len();
    let start = last.rev().find(|at| bytes[*at] & 0xc0 != 0x80);
    match start {
        Some(at) if bytes.len() - at < width(bytes[at]) => at,
        _ => bytes.len(),
    }
}

fn width(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

const CHUNK: usize = 64 * 1024;
/// What is shown of one command while it runs. The CLI gives the model less.
const MOST: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::Tail;

    #[tokio::test]
    async fn a_character_is_not_cut() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut tail = Tail::open(file.path()).await.expect("open");
        assert_eq!(tail.more().await, "");
        file.write_all(b"a\xe2\x82").expect("write");
        assert_eq!(tail.more().await, "a");
        assert_eq!(tail.more().await, "");
        file.write_all(b"\xac\xff!").expect("write");
        assert_eq!(tail.more().await, "\u{20ac}\u{fffd}!");
    }
}
