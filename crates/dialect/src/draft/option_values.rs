//! The values of a session's options. The draft reports them one by one, the protocol as a complete list.

use attache_rpc::json::{self, DecodeError, Object, Raw, Reader, ValueKind, write};

use crate::edit::{self, quoted};

/// Options and their values. If an option has two values, the later counts.
#[derive(Debug, Default, Clone)]
pub(super) struct OptionValues(Vec<(String, String)>);

impl OptionValues {
    /// The values in a draft object of options.
    pub(super) fn of_object(object: &Object<'_>) -> Self {
        let options = object.iter();
        OptionValues(
            options
                .map(|(id, json)| (id.to_owned(), json.to_owned()))
                .collect(),
        )
    }

    /// The values in an official list of options.
    pub(super) fn of_list(text: &str) -> Self {
        let items: Vec<Raw> = json::from_str(text).unwrap_or_default();
        OptionValues(items.iter().filter_map(of_option).collect())
    }

    /// An option's value.
    pub(super) fn get(&self, id: &str) -> Option<&str> {
        let mut latest = self.0.iter().rev();
        latest
            .find(|(known, _)| known == id)
            .map(|(_, json)| &**json)
    }

    /// The options, with one of them set to this value.
    #[must_use]
    pub(super) fn with(mut self, id: &str, json: &str) -> Self {
        match self.0.iter_mut().find(|(known, _)| known == id) {
            Some((_, value)) => json.clone_into(value),
            None => self.0.push((id.to_owned(), json.to_owned())),
        }
        self
    }

    /// These values, followed by the others.
    #[must_use]
    pub(super) fn then(mut self, others: OptionValues) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Adds values to those remembered for a connection, up to a limit.
    pub(super) fn remember(&mut self, others: &OptionValues) {
        for (id, json) in &others.0 {
            let known = self.0.iter().position(|(known, _)| known == id);
            match known {
                _ if json.len() + id.len() > MAX_VALUE => (),
                Some(index) => json.clone_into(&mut self.0[index].1),
                None if self.0.len() == MAX_OPTIONS => (),
                None => self.0.push((id.clone(), json.clone())),
            }
        }
    }

    /// The options whose value in `others` differs, with that value.
    pub(super) fn changes<'o>(
        &self,
        others: &'o OptionValues,
    ) -> impl Iterator<Item = (&'o str, &'o str)> {
        let others = others.0.iter();
        others
            .filter(|(id, json)| self.get(id) != Some(json))
            .map(|(id, json)| (&**id, &**json))
    }

    /// The draft's object of options.
    pub(super) fn to_object(&self) -> Result<String, DecodeError> {
        let mut out = String::from("{");
        for (id, json) in &self.0 {
            write::comma(&mut out);
            write::string(&mut out, id);
            out.push(':');
            out.push_str(json);
        }
        out.push('}');
        // A reader keeps the last of equal names.
        Ok(json::to_string(&Object::parse(&out)?))
    }

    /// The official list of options: a boolean stays a boolean, a string becomes a select with that one value, because
    /// the others are unknown. Any other value has no official form.
    pub(super) fn to_list(&self) -> String {
        let mut out = String::from("[");
        for (id, json) in &self.0 {
            if let Some(kind) = official_kind(json) {
                write::comma(&mut out);
                let name = quoted(id);
                out.push_str(&format!(
                    "{{\"id\":{name},\"name\":{name},{kind},\"currentValue\":{json}}}"
                ));
            }
        }
        out.push(']');
        out
    }
}

fn of_option(option: &Raw) -> Option<(String, String)> {
    let option = Object::parse(option.as_str()).ok()?;
    let value = option.get("currentValue")?;
    Some((edit::string(&option, "id")?, value.to_owned()))
}

fn official_kind(json: &str) -> Option<String> {
    match Reader::new(json).kind().ok()? {
        ValueKind::Boolean => Some("\"type\":\"boolean\"".to_owned()),
        ValueKind::String => Some(format!(
            "\"type\":\"select\",\"options\":[{{\"value\":{json},\"name\":{json}}}]"
        )),
        _ => None,
    }
}

const MAX_OPTIONS: usize = 128;
const MAX_VALUE: usize = 4096;
