//! Recognises secrets by their value, whatever the variable is called. URLs, names, versions, target triples and
//! options are not secrets: they occur in the output of harmless commands, and an agent that edits files based on such
//! output would write the replacement into them.

use attache_text::secret::after_key_prefix;

/// The parts of a value that look like secrets.
pub(super) fn secret_parts<'a>(name: &str, value: &'a str) -> Vec<&'a str> {
    if value.contains("-----BEGIN") || has_login(value) {
        return vec![value];
    }
    // If one part is a secret, programs print the whole value.
    let parts = value.split(|char: char| char.is_whitespace() || BETWEEN.contains(char));
    parts
        .filter(|part| looks_secret(part) && !is_digest(name, part))
        .collect()
}

/// Whether a word is a secret: it has a known prefix such as `ghp_`, or is long and random.
pub(super) fn looks_secret(part: &str) -> bool {
    let is_random = part.split("://").last().is_some_and(|part| {
        part.split('/')
            .any(|part| part.len() >= LONG && is_mixed(part))
            // Base64 includes the slash.
            || (!part.starts_with('/') && is_base64(part))
    });
    has_known_prefix(part) || (is_random && !part.starts_with("arn:"))
}

/// Whether the value is a URL with a login: `scheme://name:password@host`.
fn has_login(value: &str) -> bool {
    let rest = value.split_once("://").map(|(_, rest)| rest);
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    let login = authority.and_then(|it| it.rsplit_once('@'));
    login.is_some_and(|(login, _)| login.split_once(':').is_some_and(|(_, it)| !it.is_empty()))
}

/// Whether the part is a checksum or commit id, judging by the variable's name.
fn is_digest(name: &str, part: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let mut words = name.split('_');
    words.any(|word| DIGESTS.contains(&word)) && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn has_known_prefix(part: &str) -> bool {
    after_key_prefix(part).any(|rest| {
        let has = |is: fn(&u8) -> bool| rest.bytes().any(|byte| is(&byte));
        let is_mixed =
            has(u8::is_ascii_digit) || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase));
        rest.len() >= 12 && is_mixed && rest.bytes().all(|byte| byte.is_ascii_graphic())
    })
}

/// Whether one of the words between punctuation is unlike any word that a person would write.
fn is_mixed(part: &str) -> bool {
    let is_host = part.contains(['.', ':']);
    let words = part.split(|char: char| !char.is_ascii_alphanumeric());
    let mut words = words.map(str::as_bytes);
    words.any(|word| match word.iter().all(u8::is_ascii_digit) {
        true => !is_host && word.len() >= 10,
        false => is_random_word(word),
    })
}

fn is_random_word(word: &[u8]) -> bool {
    let changes = |kind: fn(u8) -> bool| {
        let pairs = word.windows(2);
        pairs.filter(|pair| kind(pair[0]) != kind(pair[1])).count()
    };
    let digits = changes(|byte| byte.is_ascii_digit());
    let cases = changes(|byte| byte.is_ascii_uppercase());
    (word.len() >= 8 && digits >= 3)
        || (word.len() >= 16 && digits >= 2)
        // Camel case changes case less often.
        || (word.len() >= 16 && cases * 2 > word.len())
}

/// Base64 includes the slash, so its words may be short. AWS secret keys have 40 characters.
fn is_base64(part: &str) -> bool {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        b'+' | b'/' => Some(3),
        _ => None,
    };
    let classes: Option<Vec<u8>> = part.bytes().map(class).collect();
    let classes = classes.unwrap_or_default();
    let changes = classes.windows(2).filter(|pair| pair[0] != pair[1]);
    let is_dense = changes.count() * 20 > classes.len() * 9;
    let has_all = (0..3).all(|class| classes.contains(&class));
    has_all && (classes.len() == 40 || (classes.len() >= 32 && is_dense))
}

/// The minimum length of a random word.
const LONG: usize = 20;
/// The separators in lists, options and queries.
const BETWEEN: &str = "\"'`,;=&?@()[]{}<>|";
const DIGESTS: &[&str] = &[
    "SHA", "SHA1", "SHA256", "SHA512", "MD5", "COMMIT", "REVISION", "REV", "DIGEST", "HASH",
    "CHECKSUM", "REF", "HEAD", "BASE",
];

#[cfg(test)]
mod tests {
    use super::secret_parts;

    /// The symptom: `git remote -v` printed `[GITHUB_SERVER_URL withheld]/…`.
    #[test]
    fn ordinary_values_are_not_secrets() {
        for (name, value) in [
            ("AWS_REGION", "us-east-1"),
            (
                "AWS_ROLE_ARN",
                "arn:aws:iam::123456789012:role/deploy-production",
            ),
            (
                "REGISTRY_HOST",
                "123456789012.dkr.ecr.us-east-1.amazonaws.com",
            ),
            ("GITHUB_SERVER_URL", "https://github.com"),
            ("GITHUB_REPOSITORY", "acme-corporation/shop-frontend-2"),
            ("GITHUB_SHA", "9328645f0c3b1d2a4e5f60718293a4b5c6d7e8f9"),
            (
                "GITHUB_WORKFLOW_REF",
                "acme/shop/.github/workflows/ci.yml@refs/heads/main",
            ),
            (
                "CI_JOB_URL",
                "https://gitlab.com/acme/shop/-/jobs/1234567890",
            ),
            ("GIT_AUTHOR_EMAIL", "ann.smith+git2024@mail.example.org"),
            ("CARGO_BUILD_TARGET", "x86_64-unknown-linux-gnu"),
            ("TARGET", "thumbv7em-none-eabihf"),
            (
                "NODE_OPTIONS",
                "--max-old-space-size=4096 --experimental-vm-modules",
            ),
            ("REGISTRY", "registry.acme.io:5000/team/app:1.24.3"),
            ("RELEASE", "v1.24.3-rc.1+build.20260101"),
            ("IMAGE", "mcr.microsoft.com/devcontainers/rust:1-1-bookworm"),
            (
                "LS_COLORS",
                "rs=0:di=01;34:ln=01;36:*.tar=01;31:*.tgz=01;31",
            ),
            (
                "RUSTFLAGS",
                "-C target-cpu=native -C link-arg=-fuse-ld=mold",
            ),
            ("PROXY_HOST", "ip-10-0-0-12.eu-west-1.compute.internal"),
            ("MAVEN_ARGS", "-DskipTests -Dfile.encoding=UTF-8"),
            ("TITLE", "MyVeryLongApplicationNameForTheShop"),
            ("GREETING", "hello there, how are you today"),
            ("SSH_CONNECTION", "192.168.100.200 54321 192.168.100.201 22"),
        ] {
            assert_eq!(secret_parts(name, value), Vec::<&str>::new(), "{name}");
        }
    }

    #[test]
    fn secrets_are_recognised_whatever_their_variable_is_called() {
        for (value, part) in [
            ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", ""),
            (
                "-Dx=ghp_16C7e42F292c6912E7710c838347Ae178B4a",
                "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            ),
            ("AKIAIOSFODNN7EXAMPLE", ""),
            ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""),
            ("550e8400-e29b-41d4-a716-446655440000", ""),
            ("9328645f0c3b1d2a4e5f60718293a4b5c6d7e8f9", ""),
            ("postgres://app:hunter2@db/app", ""),
            ("redis://:hunter2@cache:6379/0", ""),
            (
                "https://hooks.example.com/services/T000/B000/aB3dE5fG7hJ9kL1mN3pQ5rS7",
                "",
            ),
            (
                "https://api.example.com/?token=aB3dE5fG7hJ9kL1mN3pQ5rS7",
                "aB3dE5fG7hJ9kL1mN3pQ5rS7",
            ),
            (
                "https://ghp_16C7e42F292c6912E7710c838347Ae178B4a@github.com/a/b",
                "",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIE", ""),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", ""),
            ("canary-my_own_setting-0123456789", ""),
            ("QmFzZTY0RW5jb2RlZFNlY3JldA==", "QmFzZTY0RW5jb2RlZFNlY3JldA"),
        ] {
            let found = secret_parts("SETTING", value);
            match part {
                "" => assert!(!found.is_empty(), "{value}"),
                _ => assert_eq!(found, [part], "{value}"),
            }
        }
    }
}
