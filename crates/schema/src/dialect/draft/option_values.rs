//! The values of a session's options. The draft reports them one by one, the protocol as a complete list.

use attache_rpc::json::{self, Kind, Object, Raw, Reader, write};

use crate::dialect::edit::{self, quoted};

/// The value of each option, in the order in which they were first heard of.
#[derive(Debug, Default, Clone)]
pub(super) struct OptionValues(Vec<(String, String)>);

impl OptionValues {
    /// The values in a draft object of options.
    pub(super) fn of_object(object: &Object<'_>) -> Self {
        let mut values = OptionValues::default();
        for (id, json) in object.iter().take(MAX_OPTIONS) {
            values.set(id, json);
        }
        values
    }

    /// The values in an official list of options.
    pub(super) fn of_list(text: &str) -> Self {
        let items: Vec<Raw> = json::from_str(text).unwrap_or_default();
        let mut values = OptionValues::default();
        for item in items.iter().take(MAX_OPTIONS) {
            let Ok(option) = Object::parse(item.as_str()) else {
                continue;
            };
            if let (Some(id), Some(value)) =
                (edit::string(&option, "id"), option.get("currentValue"))
            {
                values.set(&id, value);
            }
        }
        values
    }

    /// An option's value.
    pub(super) fn get(&self, id: &str) -> Option<&str> {
        let mut values = self.0.iter();
        values
            .find(|(known, _)| known == id)
            .map(|(_, json)| &**json)
    }

    /// Sets an option's value. What is too much to remember is not remembered.
    pub(super) fn set(&mut self, id: &str, json: &str) {
        if json.len() + id.len() > MAX_VALUE {
            return;
        }
        match self.0.iter().position(|(known, _)| known == id) {
            Some(index) => json.clone_into(&mut self.0[index].1),
            None if self.0.len() == MAX_OPTIONS => (),
            None => self.0.push((id.to_owned(), json.to_owned())),
        }
    }

    /// Sets all that others has.
    pub(super) fn set_all(&mut self, others: &OptionValues) {
        for (id, json) in &others.0 {
            self.set(id, json);
        }
    }

    /// The options whose value is another one in `others`, with it.
    pub(super) fn changes<'o>(
        &self,
        others: &'o OptionValues,
    ) -> impl Iterator<Item = (&'o str, &'o str)> {
        others
            .0
            .iter()
            .filter(|(id, json)| self.get(id) != Some(json))
            .map(|(id, json)| (&**id, &**json))
    }

    /// The draft's object of options.
    pub(super) fn to_object(&self) -> String {
        let mut object = Object::default();
        for (id, json) in &self.0 {
            object.set(&**id, &**json);
        }
        json::to_string(&object)
    }

    /// The official list of options: a boolean is a switch, a string a choice of that one value, since the others
    /// are not known. Anything else has no official form.
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

fn official_kind(json: &str) -> Option<String> {
    match Reader::new(json).kind().ok()? {
        Kind::Boolean => Some("\"type\":\"boolean\"".to_owned()),
        Kind::String => Some(format!(
            "\"type\":\"select\",\"options\":[{{\"value\":{json},\"name\":{json}}}]"
        )),
        _ => None,
    }
}

const MAX_OPTIONS: usize = 128;
const MAX_VALUE: usize = 4096;
