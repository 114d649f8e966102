//! What a server that is a process finds in its environment: ours without what looks like a secret, and what it was
//! given. The keys of models are none of a server's business.

use attache::process::Program;
use attache::v1;

/// The program with the environment of a server.
pub(super) fn of(program: Program, given: &[v1::EnvVariable]) -> Program {
    let ours = std::env::vars_os().map(|(name, _)| name);
    let secret = ours.filter(|name| is_secret(&name.to_string_lossy()));
    let program = secret.fold(program, Program::env_remove);
    let set =
        |program: Program, entry: &v1::EnvVariable| program.env(&entry.name, entry.value.reveal());
    given.iter().fold(program, set)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.split('_').any(|word| WORDS.contains(&word)) || ENDS.iter().any(|end| name.ends_with(end))
}

const WORDS: [&str; 9] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "PAT",
];
const ENDS: [&str; 4] = ["APIKEY", "TOKEN", "SECRET", "PASSWORD"];

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn keys_of_models_stay_with_us() {
        let secret = [
            "ANTHROPIC_API_KEY",
            "OPENAI_APIKEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "PGPASSWORD",
        ];
        assert!(secret.into_iter().all(is_secret));
        let plain = [
            "PATH",
            "HOME",
            "SSH_AUTH_SOCK",
            "HTTPS_PROXY",
            "KEYBOARD",
            "NODE_EXTRA_CA_CERTS",
            "LANG",
        ];
        assert!(!plain.into_iter().any(is_secret));
    }
}
