//! How long a decision holds, as people write it: `30m`, `8h`, `7d`, `never`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How long a decision holds that is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Term {
    /// As long as its scope does.
    #[default]
    Endless,
    /// So long, then it is asked again.
    For(Duration),
}

/// A text that is no length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("wants a length of time such as `30m`, `8h`, `7d`, or `never`")]
pub struct TermError;

impl FromStr for Term {
    type Err = TermError;

    fn from_str(text: &str) -> Result<Term, TermError> {
        let text = text.trim();
        if text == "never" {
            return Ok(Term::Endless);
        }
        let unit = text.chars().next_back().ok_or(TermError)?;
        let (_, seconds) = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .ok_or(TermError)?;
        let count = &text[..text.len() - unit.len_utf8()];
        let count: u32 = count.parse().map_err(|_| TermError)?;
        match Duration::from_secs(u64::from(count).saturating_mul(*seconds)) {
            Duration::ZERO => Err(TermError),
            time if time > LONGEST => Err(TermError),
            time => Ok(Term::For(time)),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Term::For(time) = self else {
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
/// A hundred years: more is a slip of the pen.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_as_people_write_them() {
        let shown = |text: &str| match text.parse::<Term>() {
            Ok(term) => term.to_string(),
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
