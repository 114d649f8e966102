//! When a failed request is sent again.

use std::time::Duration;

/// How long to wait for a provider, and how often to send a request again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum attempts.
    pub attempts: u32,
    /// Maximum time from the first attempt to the start of the last.
    pub total: Duration,
    /// Wait before the second attempt; each later wait is twice as long.
    pub first_wait: Duration,
    /// Maximum wait, unless the provider asks for a longer one.
    pub longest_wait: Duration,
    /// How long a provider may stay silent, before and during its answer.
    pub silence: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy {
            attempts: 6,
            total: Duration::from_secs(120),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            silence: Duration::from_secs(300),
        }
    }
}

impl RetryPolicy {
    /// The wait before another attempt; `None` if there is no other. Also `None` if the provider asks for more time
    /// than is left. `random_fraction` is between 0 and 1.
    pub(super) fn wait(
        &self,
        attempts: u32,
        passed: Duration,
        requested: Option<Duration>,
        random_fraction: f64,
    ) -> Option<Duration> {
        if attempts >= self.attempts {
            return None;
        }
        let doubled = 2_u32.saturating_pow(attempts.saturating_sub(1));
        let wait = self
            .first_wait
            .saturating_mul(doubled)
            .min(self.longest_wait);
        // Between half of the wait and all of it, so that clients that failed together do not retry together.
        let wait = wait.mul_f64(0.5 + random_fraction.clamp(0.0, 1.0) / 2.0);
        let wait = requested.map_or(wait, |requested| requested.max(wait));
        (passed.saturating_add(wait) <= self.total).then_some(wait)
    }
}

/// A random number between 0 and 1.
pub(super) fn random_fraction() -> f64 {
    let mut bytes = [0; 4];
    // Without randomness the wait is not varied, which is no reason to fail.
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(attempts: u32, passed: u64, requested: Option<u64>, expected: Option<u64>) {
        let passed = Duration::from_millis(passed);
        let requested = requested.map(Duration::from_millis);
        let wait = RetryPolicy::default().wait(attempts, passed, requested, 1.0);
        assert_eq!(wait, expected.map(Duration::from_millis));
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        check(1, 0, None, Some(500));
        check(2, 0, None, Some(1_000));
        check(5, 0, None, Some(8_000));
    }

    #[test]
    fn a_provider_that_asks_for_time_gets_it_if_there_is_enough() {
        check(1, 0, Some(7_000), Some(7_000));
        check(1, 0, Some(10), Some(500));
        check(1, 0, Some(120_000), Some(120_000));
        check(1, 1, Some(120_000), None);
    }

    #[test]
    fn it_ends() {
        check(6, 0, None, None);
        check(2, 119_500, None, None);
    }

    #[test]
    fn chance_takes_up_to_half_off() {
        let wait =
            |random_fraction| RetryPolicy::default().wait(1, Duration::ZERO, None, random_fraction);
        assert_eq!(wait(0.0), Some(Duration::from_millis(250)));
        assert!((0.0..=1.0).contains(&random_fraction()));
    }
}
