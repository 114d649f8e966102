//! Numbers. An integer must have no decimal point and no exponent, as in most JSON-RPC implementations.

use super::{Decode, DecodeError, Encode, Problem, Reader};

macro_rules! integers {
    ($($type:ty: $magnitude:expr),*) => {$(
        impl Decode for $type {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let mark = reader.mark();
                let token = reader.number()?;
                token.parse().map_err(|_| {
                    reader.reset(mark);
                    let what = concat!("not an integer of type ", stringify!($type));
                    reader.error(Problem::Unfit(what))
                })
            }
        }

        impl Encode for $type {
            fn encode(&self, out: &mut String) {
                let magnitude: fn($type) -> (bool, u64) = $magnitude;
                let (negative, magnitude) = magnitude(*self);
                if negative {
                    out.push('-');
                }
                digits(out, magnitude);
            }
        }
    )*};
}

integers! {
    i32: |n| (n < 0, n.unsigned_abs().into()),
    i64: |n| (n < 0, n.unsigned_abs()),
    u16: |n| (false, n.into()),
    u32: |n| (false, n.into()),
    u64: |n| (false, n)
}

/// Appends an integer. Every message has an id, and `fmt` is five times as slow.
fn digits(out: &mut String, mut number: u64) {
    let mut text = [b'0'; 20];
    let mut start = text.len() - 1;
    loop {
        text[start] += u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
        if number == 0 {
            break;
        }
        start -= 1;
    }
    out.push_str(std::str::from_utf8(&text[start..]).unwrap_or_default());
}

impl Decode for f64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mark = reader.mark();
        match reader.number()?.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => {
                reader.reset(mark);
                Err(reader.error(Problem::Unfit("a number out of range")))
            }
        }
    }
}

impl Encode for f64 {
    /// A number that JSON cannot express is written as `null`.
    fn encode(&self, out: &mut String) {
        use std::fmt::Write as _;
        if self.is_finite() {
            // `{:?}` is the shortest text that reads back as the same number.
            write!(out, "{self:?}").unwrap_or_default();
        } else {
            out.push_str("null");
        }
    }
}
