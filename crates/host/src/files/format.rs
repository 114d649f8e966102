//! Detects the format of a file from its first bytes. The name is ignored because it can be anything.

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// An image, with its media type.
    Image(&'static str),
    /// Audio, with its media type.
    Audio(&'static str),
    /// UTF-8 text.
    Text,
    /// Anything else.
    Other,
}

impl FileFormat {
    /// Detects the format from the beginning of a file.
    pub fn of(start: &[u8]) -> FileFormat {
        match start {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => {
                FileFormat::Image("image/png")
            }
            [0xff, 0xd8, 0xff, ..] => FileFormat::Image("image/jpeg"),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => FileFormat::Image("image/gif"),
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => FileFormat::Image("image/webp"),
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'A',
                b'V',
                b'E',
                ..,
            ] => FileFormat::Audio("audio/wav"),
            [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => {
                FileFormat::Audio("audio/mpeg")
            }
            [b'O', b'g', b'g', b'S', ..] => FileFormat::Audio("audio/ogg"),
            [b'f', b'L', b'a', b'C', ..] => FileFormat::Audio("audio/flac"),
            [_, _, _, _, b'f', b't', b'y', b'p', b'M', b'4', b'A', ..] => {
                FileFormat::Audio("audio/mp4")
            }
            start if is_text(start) => FileFormat::Text,
            _ => FileFormat::Other,
        }
    }
}

/// Whether the bytes are UTF-8 without NUL. The last character may be incomplete.
fn is_text(start: &[u8]) -> bool {
    let whole = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    whole && !start.contains(&0)
}
