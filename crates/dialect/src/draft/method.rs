//! The table of methods that differ in the draft, and how each is translated.

use attache_rpc::json::{DecodeError, Object};

use super::memory::Memory;
use super::{
    authenticate, cancel, config_option, file, initialize, mcp_message, mode, permission, prompt,
    session, terminal, update,
};

/// A method and its four translations.
pub(super) struct Method {
    /// Official name.
    pub(super) name: &'static str,
    /// Name in the draft.
    pub(super) draft: &'static str,
    /// Reads a draft peer's parameters, and writes ours for a draft peer.
    pub(super) params: [EditParams; 2],
    /// Reads a draft peer's result, and writes ours for a draft peer.
    pub(super) result: [EditResult; 2],
}

/// Edits the parameters of a call.
pub(super) type EditParams = fn(&mut Object<'_>, &mut Memory) -> Result<(), DecodeError>;

/// Edits a result, with the context of the call.
pub(super) type EditResult =
    fn(&mut Object<'_>, &mut Memory, &Object<'_>) -> Result<(), DecodeError>;

/// The method with this official name.
pub(super) fn official(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

/// The method with this draft name.
pub(super) fn draft(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.draft == name)
}

const fn method(name: &'static str, params: [EditParams; 2], result: [EditResult; 2]) -> Method {
    Method {
        name,
        draft: name,
        params,
        result,
    }
}

fn same(_params: &mut Object<'_>, _memory: &mut Memory) -> Result<(), DecodeError> {
    Ok(())
}

fn no_result(
    _result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    Ok(())
}

const SAME: [EditParams; 2] = [same, same];
const NO_RESULT: [EditResult; 2] = [no_result, no_result];

static METHODS: [Method; 20] = [
    method(
        "initialize",
        [initialize::read_params, initialize::write_params],
        [initialize::read_result, initialize::write_result],
    ),
    method(
        "authenticate",
        [authenticate::read_params, authenticate::write_params],
        [authenticate::read_result, authenticate::write_result],
    ),
    method(
        "session/new",
        [session::read_new, session::write_new],
        [session::read_new_result, session::write_new_result],
    ),
    method(
        "session/load",
        [session::read_load, session::write_load],
        [session::read_load_result, session::write_load_result],
    ),
    method(
        "session/prompt",
        [prompt::read_params, prompt::write_params],
        [prompt::read_result, prompt::write_result],
    ),
    method(
        "session/set_mode",
        [mode::read_params, mode::write_params],
        [mode::read_result, mode::write_result],
    ),
    method(
        "session/set_config_option",
        [config_option::read_params, config_option::write_params],
        [config_option::read_result, config_option::write_result],
    ),
    method("session/cancel", [cancel::read, cancel::write], NO_RESULT),
    // `update::write` writes it, because one update may become several.
    method("session/update", [update::read, same], NO_RESULT),
    method(
        "session/request_permission",
        [permission::read_params, permission::write_params],
        [permission::read_result, permission::write_result],
    ),
    method(
        "fs/read_text_file",
        [file::read_read, file::write_read],
        [file::read_read_result, file::write_read_result],
    ),
    method(
        "fs/write_text_file",
        [file::read_write, file::write_write],
        [file::read_write_result, file::write_write_result],
    ),
    method(
        "terminal/create",
        [terminal::read_create, terminal::write_create],
        [terminal::read_create_result, terminal::write_create_result],
    ),
    method(
        "terminal/output",
        [terminal::read_other, terminal::write_other],
        NO_RESULT,
    ),
    method(
        "terminal/wait_for_exit",
        [terminal::read_other, terminal::write_other],
        [terminal::read_wait_result, terminal::write_wait_result],
    ),
    method(
        "terminal/kill",
        [terminal::read_other, terminal::write_other],
        [terminal::read_done, terminal::write_killed],
    ),
    method(
        "terminal/release",
        [terminal::read_other, terminal::write_other],
        [terminal::read_done, terminal::write_released],
    ),
    Method {
        draft: mcp_message::DRAFT,
        ..method(
            mcp_message::OFFICIAL,
            [mcp_message::read_params, mcp_message::write_params],
            NO_RESULT,
        )
    },
    // Not in the draft, but sessions end here.
    method("session/close", SAME, NO_RESULT),
    method("session/delete", SAME, NO_RESULT),
];
