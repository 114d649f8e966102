//! How long a decision lasts, as people write it: `30m`, `8h`, `7d`, `never`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// When a remembered decision expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expiry {
    /// It lasts as long as its scope.
    #[default]
    Never,
    /// After this time the user is asked again.
    After(Duration),
}

/// The text is not a length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a duration such as `30m`, `8h` or `7d`, or `never`")]
pub struct ExpiryError;

impl FromStr for Expiry {
    type Err = ExpiryError;

    fn from_str(text: &str) -> Result<Expiry, ExpiryError> {
        let text = text.trim();
        if text == "never" {
            return Ok(Expiry::Never);
        }
        let unit = text.chars().next_back().ok_or(ExpiryError)?;
        let (_, seconds) = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .ok_or(ExpiryError)?;
        let count = &text[..text.len() - unit.len_utf8()];
        let count: u32 = count.parse().map_err(|_| ExpiryError)?;
        match Duration::from_secs(u64::from(count).saturating_mul(*seconds)) {
            Duration::ZERO => Err(ExpiryError),
            time if time > MAX_DURATION => Err(ExpiryError),
            time => Ok(Expiry::After(time)),
        }
    }
}

impl fmt::Display for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expiry::After(time) = self else {
            return f.write_str("never");
        };
        let seconds = time.as_secs();
        let whole = |(_, unit): &&(char, u64)| seconds % unit == 0;
        match UNITS.iter().rev().find(whole) {
            Some((name, unit)) => write!(f, "{}{name}", seconds / unit),
            None => write!(f, "{seconds}s"),
        }
    }
}

const UNITS: [(char, u64); 4] = [('s', 1), ('m', 60), ('h', 60 * 60), ('d', 24 * 60 * 60)];
/// A hundred years: more is a typing mistake.
const MAX_DURATION: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_as_people_write_them() {
        let shown = |text: &str| match text.parse::<Expiry>() {
            Ok(expiry) => expiry.to_string(),
            Err(_) => "no".to_owned(),
        };
        for (text, expected) in [
            ("30m", "30m"),
            ("8h", "8h"),
            ("90m", "90m"),
            ("24h", "1d"),
            ("7d", "7d"),
            ("never", "never"),
            ("0h", "no"),
            ("-1h", "no"),
            ("h", "no"),
            ("", "no"),
            ("8", "no"),
            ("8 h", "no"),
            ("5é", "no"),
            ("4000000000d", "no"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
