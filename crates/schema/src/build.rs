//! Conversions from what a setter takes to the member it sets.

use std::collections::BTreeMap;

use attache_rpc::json::MaybeUndefined;

pub(crate) fn plain<T>(value: impl Into<T>) -> T {
    value.into()
}

pub(crate) fn some<T>(value: impl Into<T>) -> Option<T> {
    Some(value.into())
}

pub(crate) fn value<T>(value: impl Into<T>) -> MaybeUndefined<T> {
    MaybeUndefined::Value(value.into())
}

pub(crate) fn list<T>(items: impl IntoIterator<Item = impl Into<T>>) -> Vec<T> {
    items.into_iter().map(Into::into).collect()
}

pub(crate) fn some_list<T>(items: impl IntoIterator<Item = impl Into<T>>) -> Option<Vec<T>> {
    Some(list(items))
}

pub(crate) fn value_list<T>(
    items: impl IntoIterator<Item = impl Into<T>>,
) -> MaybeUndefined<Vec<T>> {
    MaybeUndefined::Value(list(items))
}

pub(crate) fn map<T>(
    members: impl IntoIterator<Item = (impl Into<String>, impl Into<T>)>,
) -> BTreeMap<String, T> {
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}
