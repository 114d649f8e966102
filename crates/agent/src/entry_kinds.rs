//! The kinds of journal entries that the agent writes. Their numbers are on disk and never change their meaning.

use attache_journal::Kind;

/// A prompt was accepted.
pub(crate) const PROMPT: Kind = Kind::PROMPT;
/// An update that was sent to the client.
pub(crate) const UPDATE: Kind = Kind::numbered::<2>();
/// A message of the conversation with the model.
pub(crate) const MESSAGE: Kind = Kind::numbered::<3>();
/// The user allowed or rejected a call.
pub(crate) const DECISION: Kind = Kind::numbered::<4>();
/// A tool is about to run.
pub(crate) const TOOL_STARTED: Kind = Kind::numbered::<5>();
/// A tool has run.
pub(crate) const TOOL_ENDED: Kind = Kind::numbered::<6>();
/// The turn of the last prompt has ended.
pub(crate) const TURN_ENDED: Kind = Kind::TURN_ENDED;
/// A compaction replaced the conversation with the model.
pub(crate) const COMPACTED: Kind = Kind::numbered::<8>();
