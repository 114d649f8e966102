//! Reads the output file of a command while it grows.

use std::io::{self, SeekFrom};
use std::path::Path;

use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

/// The growing output of a command as text, within limits.
#[derive(Debug)]
pub(crate) struct OutputTail {
    file: File,
    /// The start of a character or of a CR LF whose rest has not arrived.
    incomplete: Vec<u8>,
    /// Bytes of the file that were returned.
    bytes_read: u64,
    left: usize,
}

impl OutputTail {
    pub(crate) async fn open(path: &Path) -> io::Result<OutputTail> {
        let file = File::open(path).await?;
        if !file.metadata().await?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(OutputTail {
            file,
            incomplete: Vec::new(),
            bytes_read: 0,
            left: MAX_LIVE,
        })
    }

    /// The output since the last read; empty if there is none.
    pub(crate) async fn read_new(&mut self) -> String {
        let mut bytes = std::mem::take(&mut self.incomplete);
        let mut chunk = vec![0; CHUNK];
        while self.left > 0 && bytes.len() < CHUNK {
            match self.file.read(&mut chunk).await {
                Ok(count @ 1..) => bytes.extend_from_slice(&chunk[..count]),
                _ => break,
            }
        }
        let complete = complete_length(&bytes);
        self.incomplete = bytes.split_off(complete);
        if bytes.is_empty() {
            return String::new();
        }
        self.bytes_read += length(&bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.len() < self.left {
            self.left -= text.len();
            return text;
        }
        self.left = 0;
        text + "\n[what follows is shown when the command has ended]\n"
    }

    /// The last part of the output that was not read yet, after the command has ended. A note at the start says how
    /// much is left out.
    pub(crate) async fn read_rest(&mut self) -> io::Result<String> {
        self.read_end_from(self.bytes_read).await
    }

    /// The last part of the whole output. A note at the start says how much is left out.
    pub(crate) async fn read_end(&mut self) -> io::Result<String> {
        self.read_end_from(0).await
    }

    pub(crate) async fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata().await?.len())
    }

    async fn read_end_from(&mut self, from: u64) -> io::Result<String> {
        let start = from.max(self.size().await?.saturating_sub(MAX_END));
        self.file.seek(SeekFrom::Start(start)).await?;
        let mut bytes = Vec::new();
        // Don't wait for processes that still write to the file.
        (&mut self.file)
            .take(MAX_END)
            .read_to_end(&mut bytes)
            .await?;
        if start == from {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let line = first_line_start(&bytes);
        let text = String::from_utf8_lossy(&bytes[line..]);
        let count = start - from + length(&bytes[..line]);
        Ok(format!("[{count} bytes are not shown here]\n{text}"))
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Start of the first complete line, or of the first complete character if there is no such line.
fn first_line_start(bytes: &[u8]) -> usize {
    let line = bytes.iter().position(|byte| *byte == b'\n');
    match line.map(|at| at + 1).filter(|at| *at < bytes.len()) {
        Some(line) => line,
        None => {
            let character = bytes.iter().position(|byte| *byte & 0xc0 != 0x80);
            character.unwrap_or(0)
        }
    }
}

/// Length without a character or CR LF at the end whose rest may still arrive.
fn complete_length(bytes: &[u8]) -> usize {
    if let Some((b'\r', before)) = bytes.split_last() {
        return before.len();
    }
    let last = bytes.len().saturating_sub(3)..bytes.len();
    let start = last.rev().find(|at| bytes[*at] & 0xc0 != 0x80);
    match start {
        Some(at) if bytes.len() - at < char_width(bytes[at]) => at,
        _ => bytes.len(),
    }
}

fn char_width(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

const CHUNK: usize = 64 * 1024;
/// Maximum output of one command shown while it runs. The CLI gives the model less.
const MAX_LIVE: usize = 1024 * 1024;
/// Maximum length of the last part.
const MAX_END: u64 = 16 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{MAX_END, MAX_LIVE, OutputTail};

    #[tokio::test]
    async fn a_character_is_not_cut() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut tail = OutputTail::open(file.path()).await.expect("open");
        assert_eq!(tail.read_new().await, "");
        file.write_all(b"a\xe2\x82").expect("write");
        assert_eq!(tail.read_new().await, "a");
        assert_eq!(tail.read_new().await, "");
        file.write_all(b"\xac\xff!").expect("write");
        assert_eq!(tail.read_new().await, "\u{20ac}\u{fffd}!");
    }

    #[tokio::test]
    async fn the_end_of_a_line_is_not_cut() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut tail = OutputTail::open(file.path()).await.expect("open");
        file.write_all(b"a\r").expect("write");
        assert_eq!(tail.read_new().await, "a");
        file.write_all(b"\nb\r").expect("write");
        assert_eq!(tail.read_new().await, "\r\nb");
        assert_eq!(tail.read_new().await, "");
        assert_eq!(tail.read_rest().await.expect("the rest"), "\r");
    }

    #[tokio::test]
    async fn of_more_than_is_shown_the_last_lines_are() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut tail = OutputTail::open(file.path()).await.expect("open");
        let line = "caf\u{e9} \u{20ac}\n";
        let lines = 3 * MAX_LIVE / line.len();
        file.write_all(line.repeat(lines).as_bytes())
            .expect("write");
        file.write_all(b"END\n").expect("write");
        let mut told = String::new();
        loop {
            match tail.read_new().await {
                more if more.is_empty() => break,
                more => told += &more,
            }
        }
        let notice = "\n[what follows is shown when the command has ended]\n";
        let told = told.strip_suffix(notice).expect("a word on the rest");
        let rest = tail.read_rest().await.expect("the rest");
        let (notice, rest) = rest.split_once('\n').expect("a line");
        assert!(rest.len() <= usize::try_from(MAX_END).expect("small"));
        assert!(rest.starts_with(line) && rest.ends_with("\u{20ac}\nEND\n"));
        let left_out = lines * line.len() + 4 - told.len() - rest.len();
        assert_eq!(notice, format!("[{left_out} bytes are not shown here]"));
        let end = tail.read_end().await.expect("the end");
        assert!(end.ends_with(rest) && !end.starts_with(notice));
    }

    #[tokio::test]
    async fn a_line_without_end_is_cut_between_characters() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut tail = OutputTail::open(file.path()).await.expect("open");
        let text = format!("x{}", "\u{20ac}".repeat(20_000));
        file.write_all(text.as_bytes()).expect("write");
        let end = tail.read_end().await.expect("the end");
        let (notice, end) = end.split_once('\n').expect("a line");
        assert!(!end.contains('\u{fffd}') && text.ends_with(end));
        let left_out = text.len() - end.len();
        assert_eq!(notice, format!("[{left_out} bytes are not shown here]"));
    }
}
