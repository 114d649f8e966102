//! Makes text of servers safe to show and removes the secrets that we gave them.

use attache::v1;
use attache_host::environment::WithheldValues;
pub(super) use attache_text::plain::one_line;
use reqwest::Url;

/// The first `limit` bytes of a text, and how many were left out.
pub(super) fn head(text: &str, limit: usize) -> (&str, usize) {
    let end = text.floor_char_boundary(limit);
    (&text[..end], text.len() - end)
}

/// An error and its causes, in one line.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.contains(&text) {
            words.push_str(": ");
            words.push_str(&text);
        }
        if words.len() > REASON * 4 {
            break;
        }
        cause = error.source();
    }
    words
}

/// The secrets that a server was given, to remove from its text.
#[derive(Clone, Default)]
pub(super) struct SecretMask {
    secrets: Vec<String>,
    values: WithheldValues,
}

impl SecretMask {
    pub(super) fn of(server: &v1::McpServer) -> SecretMask {
        let mut secrets = Vec::new();
        match server {
            v1::McpServer::Stdio(server) => {
                let values = server.env.iter().map(|entry| entry.value.reveal());
                secrets.extend(values.map(str::to_owned));
            }
            v1::McpServer::Http(server) => gather(&mut secrets, &server.url, &server.headers),
            v1::McpServer::Sse(server) => gather(&mut secrets, &server.url, &server.headers),
            _ => {}
        }
        secrets.retain(|secret| secret.len() >= SHORTEST);
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        SecretMask {
            secrets,
            values: WithheldValues::default(),
        }
    }

    /// Adds the values of withheld environment variables.
    pub(super) fn and(mut self, values: &WithheldValues) -> SecretMask {
        self.values = values.clone();
        self
    }

    /// Text of a server as one line without secrets.
    pub(super) fn reason(&self, text: &str) -> String {
        let (text, _) = head(text, REASON * 16);
        let mut text = self.values.replace(text).into_owned();
        for secret in &self.secrets {
            text = text.replace(secret.as_str(), "***");
        }
        one_line(&text, REASON)
    }
}

fn gather(secrets: &mut Vec<String>, url: &str, headers: &[v1::HttpHeader]) {
    for header in headers {
        let value = header.value.reveal();
        secrets.push(value.to_owned());
        secrets.extend(value.split_whitespace().skip(1).map(str::to_owned));
    }
    let Ok(url) = Url::parse(url) else {
        secrets.push(url.to_owned());
        return;
    };
    secrets.push(url.username().to_owned());
    secrets.extend(url.password().map(str::to_owned));
    secrets.extend(url.query().map(str::to_owned));
    secrets.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
    if url.path().len() >= PATH {
        secrets.push(url.path().to_owned());
    }
}

const REASON: usize = 400;
/// Some services put the key into the path; shorter ones are places such as `/mcp`.
const PATH: usize = 12;
/// Shorter values are words such as `1` or `on`, and would make every reason unreadable.
const SHORTEST: usize = 6;

#[cfg(test)]
mod tests {
    use attache::v1;
    use expect_test::{Expect, expect};

    use super::{SecretMask, one_line};

    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&one_line(text, 12));
    }

    #[test]
    fn a_line_is_short_and_steers_nothing() {
        check("  plain\n", &expect!["plain"]);
        check("a\nb\tc\u{1b}[31mred\u{202e}", &expect!["a b cred"]);
        check("a name that goes on", &expect!["a name that…"]);
        check(&"é".repeat(40), &expect!["éééééééééééé…"]);
    }

    #[test]
    fn a_reason_holds_none_of_the_secrets() {
        let header = v1::HttpHeader::new("Authorization", "Bearer tok-canary-1");
        let url = "https://user:pass-canary-2@host.example/path-canary-3?key=query-canary-4&x=1";
        let server = v1::McpServer::Http(v1::McpServerHttp::new("web", url, [header]));
        let said =
            "tok-canary-1 pass-canary-2 /path-canary-3 key=query-canary-4&x=1 query-canary-4 fine";
        expect!["*** *** *** *** *** fine"].assert_eq(&SecretMask::of(&server).reason(said));
    }
}
