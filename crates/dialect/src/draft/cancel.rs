//! `session/cancel`, which has an optional reason in the draft.

use attache_rpc::json::{DecodeError, Object};

use super::memory::Memory;
use crate::edit;

/// Reads a draft client's parameters.
pub(super) fn read(params: &mut Object<'_>, _memory: &mut Memory) -> Result<(), DecodeError> {
    edit::move_to_meta(params, &["reason"])
}

/// Writes the parameters for a draft agent.
pub(super) fn write(params: &mut Object<'_>, _memory: &mut Memory) -> Result<(), DecodeError> {
    edit::restore_from_meta(params)
}
