//! The kinds of entries that the agent keeps in a journal. Their numbers are on disk: none ever changes its meaning.

use attache_journal::Kind;

/// A prompt was accepted.
pub(crate) const PROMPT: Kind = Kind::PROMPT;
/// What the client was shown.
pub(crate) const UPDATE: Kind = Kind::numbered::<2>();
/// What the model said or was told.
pub(crate) const MESSAGE: Kind = Kind::numbered::<3>();
/// A permission was given or refused.
pub(crate) const DECISION: Kind = Kind::numbered::<4>();
/// A tool is about to run.
pub(crate) const TOOL_STARTED: Kind = Kind::numbered::<5>();
/// A tool has run.
pub(crate) const TOOL_ENDED: Kind = Kind::numbered::<6>();
/// The turn of the last prompt is over.
pub(crate) const TURN_ENDED: Kind = Kind::TURN_ENDED;
/// The conversation with the model was made shorter.
pub(crate) const COMPACTED: Kind = Kind::numbered::<8>();
