//! The state of a conversation that later lines of a script depend on: bound names and open requests.

use std::collections::{BTreeMap, HashMap, VecDeque};

use attache_rpc::Id;

use crate::Side;
use crate::json_value::JsonValue;

#[derive(Debug, Clone, Default)]
pub(crate) struct Bindings {
    names: BTreeMap<String, JsonValue>,
    /// The last request with each label.
    labelled: HashMap<String, Id>,
    open: HashMap<(Side, Option<String>), VecDeque<Id>>,
}

impl Bindings {
    pub(crate) fn value(&self, name: &str) -> Option<&JsonValue> {
        self.names.get(name)
    }

    pub(crate) fn bind(&mut self, name: &str, value: JsonValue) {
        self.names.insert(name.to_owned(), value);
    }

    /// A copy of the bound names, to restore later.
    pub(crate) fn names(&self) -> BTreeMap<String, JsonValue> {
        self.names.clone()
    }

    pub(crate) fn reset_names(&mut self, names: &BTreeMap<String, JsonValue>) {
        self.names.clone_from(names);
    }

    pub(crate) fn id_of(&self, label: &str) -> Option<&Id> {
        self.labelled.get(label)
    }

    pub(crate) fn add_request(&mut self, asker: Side, label: Option<&str>, id: Id) {
        if let Some(label) = label {
            self.labelled.insert(label.to_owned(), id.clone());
        }
        let key = (asker, label.map(str::to_owned));
        self.open.entry(key).or_default().push_back(id);
    }

    /// The request that a response with this label belongs to: the oldest open one.
    pub(crate) fn open_request(&self, asker: Side, label: Option<&str>) -> Option<&Id> {
        let key = (asker, label.map(str::to_owned));
        self.open.get(&key).and_then(|open| open.front())
    }

    pub(crate) fn close_request(&mut self, asker: Side, label: Option<&str>) {
        let key = (asker, label.map(str::to_owned));
        if let Some(open) = self.open.get_mut(&key) {
            open.pop_front();
        }
    }
}
