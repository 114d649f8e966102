//! Names that read like those of secrets. This is a guess: words are compared, not meanings.

use crate::v1::{StringFormat, StringPropertySchema};

/// Whether a text field seems to ask for a secret. A field with choices does not.
pub(super) fn is_asked_for(name: &str, field: &StringPropertySchema) -> bool {
    if field.enum_values.is_some() || field.one_of.is_some() {
        return false;
    }
    let is_password =
        matches!(&field.format, Some(StringFormat::Other(name)) if **name == *"password");
    is_password || is_named(name) || field.title.as_deref().is_some_and(is_named)
}

/// Whether a name has a word, or two words in a row, that stand for a secret.
pub(super) fn is_named(name: &str) -> bool {
    let words = words(name);
    let pairs = words.windows(2).map(|pair| pair.concat());
    words.iter().any(|word| SECRETS.contains(&word.as_str()))
        || pairs
            .into_iter()
            .any(|pair| SECRETS.contains(&pair.as_str()))
}

/// The words of `api_key`, `apiKey`, `API key` and the like, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars().take(MOST) {
        let starts = character.is_uppercase() && was_lower;
        if starts || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

const MOST: usize = 256;

const SECRETS: &[&str] = &[
    "accesskey",
    "apikey",
    "credential",
    "credentials",
    "cvc",
    "cvv",
    "otp",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "pin",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "secrets",
    "token",
];
