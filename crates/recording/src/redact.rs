//! Redacts secrets in recorded lines. `docs/trace.md` lists what counts as a secret.
//!
//! In JSON a secret is recognised by the names around it, in other text by the text before it or by its prefix.

use std::borrow::Cow;

use attache_rpc::json::{DecodeError, Reader, ValueKind, write};
use attache_text::secret::{self, NameContext, is_secret_name, is_secret_option};

pub use secret::REDACTED;

/// Redacts a line. Returns the text and the number of secrets. JSON stays JSON: only strings are replaced.
pub fn redact(line: &str) -> (Cow<'_, str>, u64) {
    let mut redactor = JsonRedactor {
        out: String::with_capacity(line.len()),
        hidden: 0,
    };
    if !line.trim_start().starts_with(['{', '[']) {
        return secret::redact(line);
    }
    let mut reader = Reader::new(line);
    let read = redactor.value(&mut reader, SecretRule::Named);
    match (read.and_then(|()| reader.end()), redactor.hidden) {
        (Ok(()), 0) => (Cow::Borrowed(line), 0),
        (Ok(()), hidden) => (Cow::Owned(redactor.out), hidden),
        (Err(_), 0) => secret::redact(line),
        // The line is broken or cut off. The rest is dropped, because it may be part of a secret.
        (Err(_), hidden) => (Cow::Owned(redactor.out + UNREADABLE), hidden),
    }
}

/// Which strings below a value are secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SecretRule {
    /// The values of members with a secret's name, and secrets that are recognised within other strings.
    Named,
    /// All strings.
    All,
    /// The values in a list of names and values; in an object, all strings.
    Values,
}

struct JsonRedactor {
    out: String,
    hidden: u64,
}

impl JsonRedactor {
    fn value(&mut self, reader: &mut Reader<'_>, rule: SecretRule) -> Result<(), DecodeError> {
        match reader.kind()? {
            ValueKind::String => self.string(reader, rule),
            ValueKind::Array => {
                self.out.push('[');
                let mut more = reader.open_array()?;
                let mut next = rule;
                while more {
                    write::comma(&mut self.out);
                    let option = is_option(reader);
                    self.value(reader, next)?;
                    next = if option { SecretRule::All } else { rule };
                    more = reader.more_items()?;
                }
                self.out.push(']');
                Ok(())
            }
            ValueKind::Object => self.object(reader, rule),
            ValueKind::Null | ValueKind::Boolean | ValueKind::Number => {
                self.out.push_str(reader.skip()?.trim());
                Ok(())
            }
        }
    }

    fn object(&mut self, reader: &mut Reader<'_>, rule: SecretRule) -> Result<(), DecodeError> {
        self.out.push('{');
        let is_pair =
            rule == SecretRule::Values && reader.tag("name").is_ok_and(|name| name.is_some());
        let mut more = reader.open_object()?;
        while more {
            let name = reader.name()?;
            write::comma(&mut self.out);
            write::string(&mut self.out, &name);
            self.out.push(':');
            let below = match rule {
                SecretRule::Values if is_pair && name == "name" => SecretRule::Named,
                SecretRule::Values | SecretRule::All => SecretRule::All,
                SecretRule::Named => rule_for_name(&name),
            };
            self.value(reader, below)?;
            more = reader.more_members()?;
        }
        self.out.push('}');
        Ok(())
    }

    fn string(&mut self, reader: &mut Reader<'_>, rule: SecretRule) -> Result<(), DecodeError> {
        if rule == SecretRule::Named {
            let value = reader.string()?;
            let (shown, hidden) = secret::redact(&value);
            write::string(&mut self.out, &shown);
            self.hidden += hidden;
        } else {
            self.hidden += 1;
            write::string(&mut self.out, REDACTED);
            reader.skip()?;
        }
        Ok(())
    }
}

/// Whether an item is an option such as `--token`, so that the next item is a secret.
fn is_option(reader: &mut Reader<'_>) -> bool {
    let mark = reader.mark();
    let is_string = matches!(reader.kind(), Ok(ValueKind::String));
    let option = is_string && reader.string().is_ok_and(|word| is_secret_option(&word));
    reader.reset(mark);
    option
}

/// The rule for the value of a member with this name.
fn rule_for_name(name: &str) -> SecretRule {
    match name {
        "env" | "headers" => SecretRule::Values,
        // Accounts identify the user.
        "accounts" => SecretRule::All,
        _ if is_secret_name(name, NameContext::Member) => SecretRule::All,
        _ => SecretRule::Named,
    }
}

const UNREADABLE: &str = " [unreadable]";
