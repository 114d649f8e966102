//! The prefixes of keys and tokens of well-known services.

/// The text behind each key prefix that the text begins with. Empty if the text does not begin like a well-known key.
pub fn after_key_prefix(text: &str) -> impl Iterator<Item = &str> {
    KEY_PREFIXES
        .iter()
        .filter_map(|start| text.strip_prefix(start.text))
}

/// The length of the key at the start of a text, or 0 if the text does not begin with a key.
pub(super) fn length(text: &str) -> usize {
    let lengths = KEY_PREFIXES.iter().map(|start| start.length(text));
    lengths.max().unwrap_or(0)
}

/// Whether any key begins with this byte.
pub(super) fn can_begin(first: u8) -> bool {
    const FIRST: [bool; 256] = {
        let mut first = [false; 256];
        let mut at = 0;
        while at < KEY_PREFIXES.len() {
            first[KEY_PREFIXES[at].text.as_bytes()[0] as usize] = true;
            at += 1;
        }
        first
    };
    FIRST[usize::from(first)]
}

struct KeyPrefix {
    text: &'static str,
    /// The minimum number of characters behind the prefix.
    least: usize,
    /// Whether ordinary identifiers also begin with this prefix; then the rest must look random.
    is_common: bool,
}

impl KeyPrefix {
    fn length(&self, text: &str) -> usize {
        let Some(rest) = text.strip_prefix(self.text) else {
            return 0;
        };
        if self.is_common {
            let run = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric());
            let run = &rest.as_bytes()[..run.unwrap_or(rest.len())];
            let has = |kind: fn(&u8) -> bool| run.iter().any(kind);
            let is_random = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
            if !is_random || run.len() < self.least {
                return 0;
            }
        }
        let is_of_key = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let count = rest.bytes().take_while(|byte| is_of_key(*byte)).count();
        match count >= self.least {
            true => self.text.len() + count,
            false => 0,
        }
    }
}

const fn distinctive(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix {
        text,
        least,
        is_common: false,
    }
}

const fn common(text: &'static str) -> KeyPrefix {
    KeyPrefix {
        text,
        least: 16,
        is_common: true,
    }
}

const KEY_PREFIXES: &[KeyPrefix] = &[
    distinctive("sk-", 16),
    distinctive("sk_live_", 16),
    distinctive("sk_test_", 16),
    distinctive("rk_live_", 16),
    distinctive("rk_test_", 16),
    common("sk_"),
    common("pk_"),
    common("rk_"),
    distinctive("ghp_", 20),
    distinctive("gho_", 20),
    distinctive("ghu_", 20),
    distinctive("ghs_", 20),
    distinctive("ghr_", 20),
    distinctive("github_pat_", 20),
    distinctive("glpat-", 16),
    distinctive("gldt-", 16),
    distinctive("glrt-", 16),
    distinctive("glsa_", 16),
    distinctive("xoxa-", 10),
    distinctive("xoxb-", 10),
    distinctive("xoxe-", 10),
    distinctive("xoxp-", 10),
    distinctive("xoxr-", 10),
    distinctive("xoxs-", 10),
    distinctive("xapp-", 10),
    distinctive("xai-", 20),
    distinctive("gsk_", 20),
    distinctive("hf_", 20),
    distinctive("npm_", 30),
    distinctive("pypi-", 30),
    distinctive("AKIA", 16),
    distinctive("ASIA", 16),
    distinctive("AIza", 30),
    distinctive("ya29.", 20),
    distinctive("eyJ", 60),
    distinctive("SG.", 30),
    distinctive("AGE-SECRET-KEY-", 20),
    distinctive("dckr_pat_", 16),
    distinctive("tskey-", 16),
    distinctive("nvapi-", 20),
    distinctive("sq0atp-", 16),
    distinctive("sq0csp-", 16),
    distinctive("shpat_", 20),
    distinctive("shpss_", 20),
    distinctive("lin_api_", 20),
    distinctive("whsec_", 20),
    common("dop_v1_"),
    common("doo_v1_"),
    common("ntn_"),
    common("secret_"),
    common("hvs."),
    common("PMAK-"),
    common("sntrys_"),
    common("sntryu_"),
    common("r8_"),
    common("pplx-"),
    common("tvly-"),
    common("dapi"),
    common("ATATT"),
    common("fo1_"),
    common("rnd_"),
    common("sbp_"),
    common("vercel_"),
    common("pul-"),
    distinctive("-----BEGIN", 8),
];

#[cfg(test)]
mod tests {
    use super::{KEY_PREFIXES, after_key_prefix, can_begin, length};

    #[test]
    fn every_key_prefix_counts_if_enough_characters_follow() {
        for start in KEY_PREFIXES {
            let rest = "aB3dE5fG7hJ9kL1m".repeat(4);
            let key = format!("{}{}", start.text, &rest[..start.least]);
            let found = length(&format!("{key}\""));
            assert_eq!(found, key.len(), "{key}");
            assert!(can_begin(key.as_bytes()[0]));
            assert!(after_key_prefix(&key).next().is_some());
            let short = format!("{}{}", start.text, &rest[..start.least - 1]);
            assert!(length(&short) < short.len(), "{short}");
        }
    }

    #[test]
    fn identifiers_are_not_keys() {
        for word in [
            "secret_manager_of_version_2",
            "rnd_generator_state_of_2",
            "sk_buff_head_init_2_of_these",
            "pul-",
        ] {
            assert_eq!(length(word), 0, "{word}");
        }
    }
}
