//! The names of secret values.

/// Where a name is used. For example, `key` is the name of a secret for a variable, but not necessarily for a member of
/// a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameContext {
    /// A member of a message, or a name before `=` or `:` in any text.
    Member,
    /// A field of a form, or the title of the field.
    Field,
    /// An option of a command, a header or an assignment in it.
    Argument,
    /// A variable of the environment.
    Variable,
}

/// Whether values with this name are secrets. Decides by the words in the name, ignoring case.
pub fn is_secret_name(name: &str, of: NameContext) -> bool {
    let words = words(name);
    let joined = words.concat();
    let fits = |(secret, part, scope): &(&str, MatchPosition, &[NameContext])| {
        scope.contains(&of)
            && match part {
                MatchPosition::Anywhere => joined.contains(secret),
                MatchPosition::End => joined.ends_with(secret),
                MatchPosition::Word => words.iter().any(|word| word == secret),
                MatchPosition::OneOfWords => {
                    words.len() > 1 && words.iter().any(|word| word == secret)
                }
            }
    };
    NAMES.iter().any(fits) || of == Argument && is_login(&joined)
}

/// Whether the name contains a form of `auth`, but not `author`.
fn is_login(joined: &str) -> bool {
    joined.contains("auth") && (!joined.contains("author") || joined.contains("authoriz"))
}

/// The words of a name like `api_key`, `apiKey` or `API key`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars().take(LONGEST) {
        let starts = char.is_uppercase() && was_lower;
        if starts || !char.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char.is_alphanumeric()) {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Where the name of a secret must occur in a name.
#[derive(Debug, Clone, Copy)]
enum MatchPosition {
    /// Anywhere in its letters and digits, also across words: `apikey` in `my_api-key2`.
    Anywhere,
    /// At the end of its letters and digits.
    End,
    /// As a whole word.
    Word,
    /// As a whole word together with others. `PWD` alone is a directory.
    OneOfWords,
}

use NameContext::{Argument, Field, Member, Variable};

const ALL: &[NameContext] = &[Member, Field, Argument, Variable];
/// Words that mean something else in messages.
const NAMED: &[NameContext] = &[Field, Argument, Variable];
const OF_COMMANDS: &[NameContext] = &[Argument, Variable];

/// The names of secrets, for all contexts. A row that is not for [`ALL`] has another meaning in the other contexts.
const NAMES: &[(&str, MatchPosition, &[NameContext])] = &[
    ("password", MatchPosition::Anywhere, ALL),
    ("passwd", MatchPosition::Anywhere, ALL),
    ("passphrase", MatchPosition::Anywhere, ALL),
    ("passcode", MatchPosition::Anywhere, ALL),
    ("secret", MatchPosition::Anywhere, ALL),
    ("apikey", MatchPosition::Anywhere, ALL),
    ("accesskey", MatchPosition::Anywhere, ALL),
    ("privatekey", MatchPosition::Anywhere, ALL),
    ("signingkey", MatchPosition::Anywhere, ALL),
    ("encryptionkey", MatchPosition::Anywhere, ALL),
    ("sessionkey", MatchPosition::Anywhere, ALL),
    ("authtoken", MatchPosition::Anywhere, ALL),
    ("authorization", MatchPosition::Anywhere, ALL),
    ("credential", MatchPosition::Anywhere, ALL),
    ("cookie", MatchPosition::Anywhere, ALL),
    ("token", MatchPosition::End, ALL),
    ("cred", MatchPosition::Word, ALL),
    ("creds", MatchPosition::Word, ALL),
    ("jwt", MatchPosition::Word, ALL),
    ("bearer", MatchPosition::Word, ALL),
    ("mnemonic", MatchPosition::Word, ALL),
    // Not in messages: a token there can be one of a language model, and a pin a position.
    ("token", MatchPosition::Word, NAMED),
    ("pin", MatchPosition::Word, NAMED),
    ("otp", MatchPosition::Word, NAMED),
    ("cvc", MatchPosition::Word, NAMED),
    ("cvv", MatchPosition::Word, NAMED),
    ("pwd", MatchPosition::Word, &[Field, Variable]),
    ("pwd", MatchPosition::OneOfWords, &[Argument]),
    ("token", MatchPosition::Anywhere, &[Argument]),
    ("signature", MatchPosition::Anywhere, &[Argument]),
    ("pass", MatchPosition::Word, OF_COMMANDS),
    ("pat", MatchPosition::Word, OF_COMMANDS),
    ("pw", MatchPosition::Word, OF_COMMANDS),
    ("auth", MatchPosition::Word, OF_COMMANDS),
    ("tokens", MatchPosition::Word, OF_COMMANDS),
    // Not as an argument: `sort --key=2` is not a secret.
    ("key", MatchPosition::Word, &[Variable]),
    ("keys", MatchPosition::Word, &[Variable]),
    ("dsn", MatchPosition::Word, &[Variable]),
    ("webhook", MatchPosition::Word, &[Variable]),
    ("phrase", MatchPosition::Word, &[Variable]),
    ("databaseurl", MatchPosition::End, &[Variable]),
];

const LONGEST: usize = 256;

#[cfg(test)]
mod tests {
    use super::NameContext::{Argument, Field, Member, Variable};
    use super::{ALL, MatchPosition, NAMES, NameContext, is_secret_name};

    /// A name that matches this row, and a name that contains its letters without a match.
    fn examples(secret: &str, part: MatchPosition) -> (String, Option<String>) {
        match part {
            MatchPosition::Anywhere => (format!("my_{}_{}x", &secret[..2], &secret[2..]), None),
            MatchPosition::End => (format!("x{secret}"), None),
            MatchPosition::Word => (format!("x-{secret}.y"), Some(format!("q{secret}q"))),
            MatchPosition::OneOfWords => (format!("x_{secret}"), Some(secret.to_owned())),
        }
    }

    #[test]
    fn every_name_counts_in_its_contexts() {
        for (secret, part, scope) in NAMES {
            let (name, other) = examples(secret, *part);
            for of in *scope {
                for name in [&name, &name.to_uppercase()] {
                    assert!(is_secret_name(name, *of), "{name} as {of:?}");
                }
                // Another row may match the name.
                let is_in_another = NAMES.iter().any(|row| {
                    matches!(row.1, MatchPosition::Anywhere)
                        && row.2.contains(of)
                        && secret.contains(row.0)
                });
                if let Some(other) = other.as_ref().filter(|_| !is_in_another) {
                    let has_login = *of == Argument && other.contains("auth");
                    assert!(
                        has_login || !is_secret_name(other, *of),
                        "{other} as {of:?}"
                    );
                }
            }
        }
    }

    /// Every name of the four earlier lists, in the contexts where it counted.
    #[test]
    fn no_name_was_lost() {
        let lists: [(NameContext, &str); 4] = [
            (
                Argument,
                "token secret password passwd passphrase apikey accesskey privatekey authorization credential cookie signature \
                 sessionkey xapikey auth pw pat pin",
            ),
            (
                Member,
                "apikey authorization cookie credential passphrase passwd password privatekey secret accesskey authtoken signingkey \
                 encryptionkey token accesstoken",
            ),
            (
                Variable,
                "KEY KEYS TOKEN TOKENS SECRET SECRETS PASSWORD PASSWD PASSPHRASE PASS PWD PIN CREDENTIAL CREDENTIALS PAT AUTH COOKIE \
                 DSN WEBHOOK CRED CREDS PASSCODE PHRASE MNEMONIC JWT BEARER APIKEY MYTOKEN DATABASE_URL",
            ),
            (
                Field,
                "accesskey apikey api_key credential credentials cvc cvv otp passcode passphrase passwd password pin privatekey pwd \
                 secret secretkey secrets token",
            ),
        ];
        for (of, names) in lists {
            for name in names.split_whitespace() {
                assert!(is_secret_name(name, of), "{name} as {of:?}");
            }
        }
    }

    #[test]
    fn ordinary_names_are_not_secret() {
        for name in [
            "author",
            "authMethods",
            "auth",
            "key",
            "tokens",
            "maxTokens",
            "pwd",
            "pass",
            "pin",
            "keyboard",
            "monkey",
            "signature",
            "tokenizer",
            "mapping",
        ] {
            assert!(!is_secret_name(name, Member), "{name}");
        }
        for name in ["author", "git-author", "key", "PWD", "compass", "spin"] {
            assert!(!is_secret_name(name, Argument), "{name}");
        }
        for name in ["MONKEY", "COMPASS", "TOKENIZERS_PARALLELISM", "PATH"] {
            assert!(!is_secret_name(name, Variable), "{name}");
        }
        for of in ALL {
            assert!(!is_secret_name("", *of));
        }
    }
}
