//! Digests over several values, to which permissions are bound.

use serde_json::Value;

/// Hashes a sequence of values. Each value is hashed with its length, so two different sequences have different
/// digests.
#[derive(Debug, Clone)]
pub struct FieldHasher(blake3::Hasher);

impl FieldHasher {
    /// A hasher for one purpose: for another purpose the same values have another digest.
    pub fn new(purpose: &str) -> FieldHasher {
        FieldHasher(blake3::Hasher::new_derive_key(purpose))
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.update(text.as_bytes());
    }

    /// Adds a list of texts.
    pub fn texts<'t>(&mut self, texts: impl ExactSizeIterator<Item = &'t str>) {
        self.length(texts.len());
        texts.for_each(|text| self.text(text));
    }

    /// Adds the number of values that follow.
    pub fn length(&mut self, length: usize) {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        self.0.update(&length.to_le_bytes());
    }

    /// Adds the digest of other values.
    pub fn digest(&mut self, digest: &[u8; 32]) {
        self.0.update(digest);
    }

    /// Adds JSON. The order of members does not matter.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => {
                self.text("array");
                self.length(items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(members) => {
                self.text("object");
                self.length(members.len());
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                for (name, value) in members {
                    self.text(name);
                    self.value(value);
                }
            }
            Value::String(text) => {
                self.text("string");
                self.text(text);
            }
            scalar => self.text(&scalar.to_string()),
        }
    }

    /// Adds JSON that may be missing, which differs from null.
    pub fn optional_value(&mut self, value: Option<&Value>) {
        match value {
            Some(value) => self.value(value),
            None => self.text("none"),
        }
    }

    /// The digest.
    pub fn end(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}
