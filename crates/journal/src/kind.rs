//! Kinds of journal entries.

/// The kind of a journal entry: a number that is on disk and never changes its meaning.
///
/// The journal itself knows two kinds, the beginning and the end of a turn. The caller defines the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(u8);

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kind {
    /// A prompt was accepted: a turn begins. A fork ends before the prompt of an unfinished turn.
    pub const PROMPT: Kind = Kind(1);
    /// The turn of the last prompt has ended.
    pub const TURN_ENDED: Kind = Kind(7);

    /// The kind with this number, from 1 to 31. Another number does not compile.
    pub const fn numbered<const NUMBER: u8>() -> Kind {
        const { assert!(NUMBER > 0 && NUMBER <= LAST) };
        Kind(NUMBER)
    }

    pub(super) fn number(self) -> u8 {
        self.0
    }

    pub(super) fn from_disk(number: u8) -> Option<Kind> {
        (1..=LAST).contains(&number).then_some(Kind(number))
    }
}

impl Kinds {
    /// Every kind.
    pub const ALL: Kinds = Kinds(u32::MAX);
    pub(super) const NONE: Kinds = Kinds(0);

    /// The set of these kinds.
    pub fn of(kinds: &[Kind]) -> Kinds {
        kinds.iter().fold(Kinds::NONE, |all, kind| all.and(*kind))
    }

    /// The set with one more kind.
    #[must_use]
    pub fn and(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind.number())
    }

    /// Whether the set contains a kind.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind.number() != 0
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }
}

/// The highest kind: each kind is a bit of [`Kinds`].
const LAST: u8 = 31;
