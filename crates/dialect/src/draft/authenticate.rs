//! `authenticate`: the draft sends credentials along and tells success in the result.

use attache_rpc::json::{DecodeError, Object};

use super::memory::Memory;
use super::shape;
use crate::edit;

/// A draft client's parameters.
pub(super) fn read_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("method", "methodId");
    edit::move_to_meta(params, &["credentials"])
}

/// The parameters for a draft agent.
pub(super) fn write_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("methodId", "method");
    edit::restore_from_meta(params)?;
    shape::fill(params, "credentials", "{}");
    Ok(())
}

/// A draft agent's result. One that tells of a failure never comes here, see [`failure`](super::failure).
pub(super) fn read_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::move_to_meta(result, &["success", "error", "expiresAt"])
}

/// The result for a draft client.
pub(super) fn write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::restore_from_meta(result)?;
    shape::fill(result, "success", "true");
    Ok(())
}
