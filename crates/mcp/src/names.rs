//! Names for the model and the user: safe, short, unique and stable.

use std::collections::{HashMap, HashSet};

/// A name of letters, digits, `_` and `-` with at most `limit` characters. A name that is cut ends in a hash of the whole, so
/// different names stay different.
pub(super) fn safe(name: &str, limit: usize) -> String {
    let mut safe: String = name.chars().map(allowed).take(limit + 1).collect();
    if safe.is_empty() {
        safe.push('_');
    }
    if safe.len() > limit {
        marked(&safe, name, limit)
    } else {
        safe
    }
}

/// Safe and unique names of servers, for use in other names.
pub(super) fn servers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    // The next number to try for each name, so that many servers of one name take linear time.
    let mut next: HashMap<String, usize> = HashMap::new();
    let unique = |name: &str| {
        let safe = safe(name, SERVER).replace("__", "_");
        if taken.insert(safe.clone()) {
            return safe;
        }
        let next = next.entry(safe.clone()).or_insert(2);
        loop {
            let numbered = format!("{safe}_{next}");
            *next += 1;
            if taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    };
    names.into_iter().map(unique).collect()
}

/// The name of a server's tool for the model; `None` if the server has used the name before.
pub(super) fn tool(server: &str, tool: &str, taken: &mut HashSet<String>) -> Option<String> {
    let room = LONGEST - PREFIX.len() - BETWEEN.len() - server.len();
    let part = safe(tool, room);
    let name = format!("{PREFIX}{server}{BETWEEN}{part}");
    if taken.insert(name.clone()) {
        return Some(name);
    }
    let name = format!("{PREFIX}{server}{BETWEEN}{}", marked(&part, tool, room));
    taken.insert(name.clone()).then_some(name)
}

fn allowed(char: char) -> char {
    match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => char,
        _ => '_',
    }
}

fn marked(safe: &str, name: &str, limit: usize) -> String {
    let mark = format!("_{:08x}", hash(name));
    let kept = safe.len().min(limit - mark.len());
    format!("{}{mark}", &safe[..kept])
}

/// FNV-1a: stable across machines and versions, unlike the standard library's hasher.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

const PREFIX: &str = "mcp__";
const BETWEEN: &str = "__";
/// Maximum length of a tool's name that all providers accept.
const LONGEST: usize = 64;
const SERVER: usize = 20;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::{servers, tool};

    #[test]
    fn servers_of_one_name_are_numbered() {
        let names = servers(["files", "files", "my files", "my.files", "", "files_2"]);
        let expected = [
            "files",
            "files_2",
            "my_files",
            "my_files_2",
            "_",
            "files_2_2",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn thousands_of_servers_of_one_name_are_named_at_once() {
        let begun = std::time::Instant::now();
        let names = servers(std::iter::repeat_n("files", 20_000));
        assert_eq!(names[19_999], "files_20000");
        assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
    }

    #[test]
    fn a_name_used_twice_by_a_server_counts_once() {
        let mut taken = HashSet::new();
        let first = tool("s", "a.b", &mut taken);
        assert_eq!(first.as_deref(), Some("mcp__s__a_b"));
        let other = tool("s", "a b", &mut taken);
        assert_eq!(other.as_deref(), Some("mcp__s__a_b_10a3f9f2"));
        assert_eq!(tool("s", "a b", &mut taken), None);
    }

    proptest! {
        #[test]
        fn every_name_is_safe_unique_and_the_same_again(
            names in prop::collection::vec(".{0,80}", 1..8),
            tools in prop::collection::hash_set(".{0,120}", 0..12),
        ) {
            let slugs = servers(names.iter().map(String::as_str));
            prop_assert_eq!(&slugs, &servers(names.iter().map(String::as_str)));
            let mut taken = HashSet::new();
            for slug in &slugs {
                for name in &tools {
                    if let Some(made) = tool(slug, name, &mut taken) {
                        prop_assert!(made.len() <= 64);
                        let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
                        prop_assert!(made.bytes().all(safe));
                    }
                }
            }
            let unique: HashSet<_> = slugs.iter().collect();
            prop_assert_eq!(unique.len(), slugs.len());
        }
    }
}
