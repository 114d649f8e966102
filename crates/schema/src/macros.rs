//! The notation in which the protocol is defined: macros that turn a table of members into a type.
//!
//! - `message!`  an object: required members, then `..`, then optional ones; `_meta` is added
//! - `fragment!` the same without `_meta`
//! - `union!`    objects distinguished by a tag; an unknown tag is kept as `Other` with its raw JSON. A payload
//!   converts into its variant, unless it is `shared` with another variant
//! - `open_enum!` a string with known values; an unknown one is kept
//! - `ids!`      opaque strings
//!
//! After a member's name comes how a value that does not fit is read, a function of `attache_rpc::json::field`:
//! `strict` (the default), `lenient`, `nullable`, `items`, `optional_items` or `patch_items`. `shown` means that an
//! optional member is written even when it is empty.

#[macro_use]
mod serde_bridge;
#[macro_use]
mod object;
#[macro_use]
mod union;
#[macro_use]
mod open_enum;
#[macro_use]
mod ids;
