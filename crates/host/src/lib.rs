//! The services an editor offers an agent: files inside a boundary, terminals, permissions that are remembered, and an
//! audit log.
//!
//! [`Host`] ties them together and answers the protocol's requests; each part can be used alone.

pub mod audit;
mod config_command;
pub mod denied;
pub mod environment;
pub mod exec;
mod field_hasher;
pub mod files;
mod host;
pub mod ownership;
mod path_facts;
pub mod permissions;
pub mod protected_files;
pub mod protected_names;
mod roots;
pub mod sandbox;
#[cfg(test)]
mod scratch;
pub mod terminals;

pub use field_hasher::FieldHasher;
pub use host::{FileOnDisk, Host, InspectedPath};
pub use roots::Roots;
