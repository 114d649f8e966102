//! What a file is, told by how it begins. Names are not asked: they can say anything.

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Image(&'static str),
    Audio(&'static str),
    Text,
    Other,
}

impl Kind {
    pub(super) fn of(start: &[u8]) -> Kind {
        match start {
            [0x89, b'P', b'N', b'G', ..] => Kind::Image("image/png"),
            [0xff, 0xd8, 0xff, ..] => Kind::Image("image/jpeg"),
            [b'G', b'I', b'F', b'8', ..] => Kind::Image("image/gif"),
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
            ] => Kind::Image("image/webp"),
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
            ] => Kind::Audio("audio/wav"),
            [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => Kind::Audio("audio/mpeg"),
            [b'O', b'g', b'g', b'S', ..] => Kind::Audio("audio/ogg"),
            [b'f', b'L', b'a', b'C', ..] => Kind::Audio("audio/flac"),
            [_, _, _, _, b'f', b't', b'y', b'p', b'M', b'4', b'A', ..] => Kind::Audio("audio/mp4"),
            start if is_text(start) => Kind::Text,
            _ => Kind::Other,
        }
    }
}

/// UTF-8 without the bytes that no text has; a character may be cut at the end.
fn is_text(start: &[u8]) -> bool {
    let whole = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    whole && !start.contains(&0)
}
