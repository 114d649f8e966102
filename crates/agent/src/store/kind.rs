//! What sorts of entries there are.

/// What an entry of a journal tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum Kind {
    /// A prompt was accepted. A fork ends before the prompt of an unfinished turn.
    Prompt = 1,
    /// What the client was shown.
    Update = 2,
    /// What the model said or was told.
    Message = 3,
    /// A permission was given or refused.
    Decision = 4,
    /// A tool is about to run.
    ToolStarted = 5,
    /// A tool has run.
    ToolEnded = 6,
    /// The turn of the last prompt is over.
    TurnEnded = 7,
    /// The conversation with the model was made shorter.
    Compacted = 8,
}

/// Some kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kind {
    /// All of them. Their numbers are on disk: none ever changes its meaning.
    pub(super) const ALL: [Kind; 8] = [
        Kind::Prompt,
        Kind::Update,
        Kind::Message,
        Kind::Decision,
        Kind::ToolStarted,
        Kind::ToolEnded,
        Kind::TurnEnded,
        Kind::Compacted,
    ];

    pub(super) fn number(self) -> u8 {
        self as u8
    }

    pub(super) fn numbered(number: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

impl Kinds {
    /// Every kind.
    pub const ALL: Kinds = Kinds(u32::MAX);
    pub(super) const NONE: Kinds = Kinds(0);

    /// These kinds.
    pub fn of(kinds: &[Kind]) -> Kinds {
        kinds.iter().fold(Kinds::NONE, |all, kind| all.and(*kind))
    }

    /// These and one more.
    #[must_use]
    pub fn and(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind.number())
    }

    /// Whether a kind is among them.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind.number() != 0
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }
}
