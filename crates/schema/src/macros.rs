//! The notation in which the protocol is written down: the macros that turn a table of members into a type.
//!
//! - `message!`  an object; required members first, then `..`, then optional ones, and `_meta` by itself
//! - `fragment!` the same without `_meta`
//! - `union!`    objects told apart by a tag; an unknown tag is kept as `Other` with its raw JSON. A variant is made
//!   from its payload, unless it is `shared` with another variant
//! - `open_enum!` a string with known values; an unknown one is kept
//! - `ids!`      opaque strings
//!
//! Behind a member's wire name stands how it is read when it does not fit, a function of `attache_rpc::json::field`:
//! `strict` (what is not said otherwise), `lenient`, `nullable`, `items`, `optional_items`, `patch_items`. `shown`
//! says that an optional member is written even when it is empty.

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
