//! `authenticate`: the draft sends credentials and reports success in the result.

use attache_rpc::json::{DecodeError, Object};

use super::memory::Memory;
use super::shape;
use crate::edit;

/// Reads a draft client's parameters.
pub(super) fn read_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("method", "methodId");
    edit::move_to_meta(params, &["credentials"])
}

/// Writes the parameters for a draft agent.
pub(super) fn write_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("methodId", "method");
    edit::restore_from_meta(params)?;
    shape::fill(params, "credentials", "{}");
    Ok(())
}

/// Reads a draft agent's result of a successful login; for failures see [`failure`](super::failure).
pub(super) fn read_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::move_to_meta(result, &["success", "error", "expiresAt"])
}

/// Writes the result for a draft client.
pub(super) fn write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::restore_from_meta(result)?;
    shape::fill(result, "success", "true");
    Ok(())
}
