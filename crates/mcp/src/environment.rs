//! The environment of server processes: the variables that every child gets, and those of its configuration. The values of
//! withheld variables are removed from results.

use attache::process::Program;
use attache::v1;
use attache_host::environment::{ChildEnvironment, WithheldValues};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Sets the environment of a server process.
pub(super) fn of(
    program: Program,
    given: &[v1::EnvVariable],
    children: &ChildEnvironment,
) -> Program {
    let set =
        |program: Program, entry: &v1::EnvVariable| program.env(&entry.name, entry.value.reveal());
    given.iter().fold(children.apply(program), set)
}

/// Removes the values of withheld variables from a result; `None` if it can't be decoded afterwards.
pub(super) fn without_values<T: Serialize + DeserializeOwned>(
    values: &WithheldValues,
    result: T,
) -> Option<T> {
    if values.is_empty() {
        return Some(result);
    }
    let mut value = serde_json::to_value(result).ok()?;
    values.replace_in(&mut value);
    serde_json::from_value(value).ok()
}
