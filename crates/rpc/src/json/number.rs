//! Numbers. An integer is read only from a number without point or exponent, as everywhere in JSON-RPC's field.

use super::{Decode, Encode, Error, Problem, Reader};

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Decode for $type {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
                let mark = reader.mark();
                let token = reader.number()?;
                token.parse().map_err(|_| {
                    reader.reset(mark);
                    let what = concat!("a number that is no whole number of type ", stringify!($type));
                    reader.error(Problem::Unfit(what))
                })
            }
        }

        impl Encode for $type {
            fn encode(&self, out: &mut String) {
                use std::fmt::Write as _;
                // Writing to a String cannot fail.
                write!(out, "{self}").unwrap_or_default();
            }
        }
    )*};
}

integers!(i32 i64 u16 u32 u64);

impl Decode for f64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
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
