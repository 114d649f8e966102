//! Numbers for people: context usage, cost, tokens, sizes and times.

use std::time::Duration;

use attache::v1;

use attache_text::plain;

/// Context usage and cost of a session: `12.3k of 200k tokens (6%) · 0.42 USD`.
pub fn usage(usage: &v1::UsageUpdate) -> String {
    let mut text = format!("{} tokens", count(usage.used));
    if usage.size > 0 {
        let percent = u128::from(usage.used) * 100 / u128::from(usage.size);
        text = format!(
            "{} of {} tokens ({percent}%)",
            count(usage.used),
            count(usage.size)
        );
    }
    if let Some(cost) = &usage.cost {
        text += &format!(" · {}", self::cost(cost));
    }
    text
}

/// An amount of money, such as `0.42 USD`. Small amounts have more digits.
pub fn cost(cost: &v1::Cost) -> String {
    let digits = if cost.amount != 0.0 && cost.amount.abs() < 0.1 {
        4
    } else {
        2
    };
    format!("{:.digits$} {}", cost.amount, plain::line(&cost.currency))
}

/// Token usage of a turn: `1.2k in, 340 out`, with thought and cache tokens if the agent reports them.
pub fn tokens(usage: &v1::Usage) -> String {
    let mut text = format!(
        "{} in, {} out",
        count(usage.input_tokens),
        count(usage.output_tokens)
    );
    let more = [
        (usage.thought_tokens, "thought"),
        (usage.cached_read_tokens, "from cache"),
        (usage.cached_write_tokens, "to cache"),
    ];
    for (tokens, word) in more {
        if let Some(tokens) = tokens.filter(|tokens| *tokens > 0) {
            text += &format!(", {} {word}", count(tokens));
        }
    }
    text
}

/// A duration in its shortest form: `0.4s`, `12s`, `3m 05s`, `1h 02m`.
pub fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{seconds}.{}s", time.subsec_millis() / 100),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A count in its shortest form: `950`, `12.3k`, `1.2M`.
pub fn count(count: u64) -> String {
    scaled(count, &["", "k", "M", "G"])
}

/// A size in bytes: `950 B`, `12.3 kB`, `1.2 MB`.
pub fn bytes(bytes: u64) -> String {
    scaled(bytes, &[" B", " kB", " MB", " GB"])
}

/// Size of the data that a base64 text encodes, in bytes.
pub fn decoded_bytes(base64: &str) -> u64 {
    let digits = base64.trim_end_matches('=').len();
    u64::try_from(digits / 4 * 3 + digits % 4 * 3 / 4).unwrap_or(u64::MAX)
}

fn scaled(number: u64, units: &[&str]) -> String {
    let mut divisor = 1;
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    for next in units {
        if number / divisor < 1000 {
            break;
        }
        divisor *= 1000;
        unit = next;
    }
    let whole = number / divisor;
    let tenth = number % divisor * 10 / divisor;
    if whole < 100 && tenth > 0 {
        format!("{whole}.{tenth}{unit}")
    } else {
        format!("{whole}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use attache::v1;
    use expect_test::{Expect, expect};

    fn check(texts: &[String], expected: &Expect) {
        expected.assert_eq(&texts.join("\n"));
    }

    #[test]
    fn figures_are_short() {
        let counts = [0, 999, 1000, 12_345, 123_456, 1_250_000].map(super::count);
        check(
            &counts,
            &expect![[r#"
            0
            999
            1k
            12.3k
            123k
            1.2M"#]],
        );
        let times = [400, 9_990, 12_000, 185_000, 3_725_000];
        check(
            &times.map(|time| super::elapsed(Duration::from_millis(time))),
            &expect![[r#"
                0.4s
                9.9s
                12s
                3m 05s
                1h 02m"#]],
        );
        check(
            &[
                super::bytes(12_345),
                super::bytes(super::decoded_bytes("aGVsbG8=")),
            ],
            &expect![[r#"
                12.3 kB
                5 B"#]],
        );
    }

    #[test]
    fn usage_and_cost_are_one_line() {
        let usage = v1::UsageUpdate::new(12_345, 200_000).cost(v1::Cost::new(0.4231, "USD"));
        let tokens = v1::Usage::new(3000, 2400, 600).cached_read_tokens(1800);
        let small = v1::UsageUpdate::new(1, 0).cost(v1::Cost::new(0.0042, "EUR\u{1b}[31m"));
        let texts = [
            super::usage(&usage),
            super::tokens(&tokens),
            super::usage(&small),
        ];
        check(
            &texts,
            &expect![[r#"
            12.3k of 200k tokens (6%) · 0.42 USD
            2.4k in, 600 out, 1.8k from cache
            1 tokens · 0.0042 EUR"#]],
        );
    }
}
