//! Fields that seem to ask for a secret. This is a guess: words are compared, not meanings.

use attache_text::secret::{NameContext, is_secret_name};

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

/// Whether a name or a title reads like that of a secret.
pub(super) fn is_named(name: &str) -> bool {
    is_secret_name(name, NameContext::Field)
}
