//! Compares violations with the numbers that `tidy-allow.toml` tolerates. The numbers only shrink.

use std::collections::BTreeMap;

use super::Violation;
use super::allow::{Allow, Entry};

/// A place that breaks a rule.
pub(super) struct Site(Violation);

impl Site {
    pub(super) fn new(path: &str, line: usize, message: impl Into<String>) -> Site {
        Site(Violation::new(path, line, message))
    }
}

/// Compares the places found under each key with the number listed for it.
pub(super) fn compare(
    what: &str,
    found: &BTreeMap<String, Vec<Site>>,
    listed: &BTreeMap<String, Entry<usize>>,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (key, sites) in found {
        let allowed = listed.get(key).map_or(0, |entry| entry.value);
        if sites.len() > allowed {
            let all = sites.iter().map(|Site(site)| site);
            violations.extend(all.map(|site| Violation::new(&site.path, site.line, &site.message)));
        }
    }
    for (key, entry) in listed {
        let message = match found.get(key).map_or(0, Vec::len) {
            0 => format!("{key}: no {what} left; remove the entry"),
            count if count < entry.value => {
                format!(
                    "{key}: {what} listed with {}, {count} left; shrink the entry",
                    entry.value
                )
            }
            _ => continue,
        };
        violations.push(Violation::new(Allow::PATH, entry.line, message));
    }
    violations
}
