//! What a server that is a process finds in its environment: the variables that every child gets, and those that its
//! configuration names. Values of other variables are taken out of what servers give back.

use attache::process::Program;
use attache::v1;
use attache_host::environment::{ChildEnvironment, WithheldValues};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The program with the environment of a server.
pub(super) fn of(
    program: Program,
    given: &[v1::EnvVariable],
    children: &ChildEnvironment,
) -> Program {
    let set =
        |program: Program, entry: &v1::EnvVariable| program.env(&entry.name, entry.value.reveal());
    given.iter().fold(children.apply(program), set)
}

/// A result without the values of withheld variables; none if it cannot be made again.
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
