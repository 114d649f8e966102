//! A run: consecutive entries of one session, packed into one row of the database.
//!
//! ```text
//! run   = checksum of what follows and of the first number, u32 little-endian; entries
//! entry = kind u8, microseconds since the entry before (zigzag varint), length (varint), body
//! ```

use bytes::Bytes;

use super::entries::Entry;
use super::kind::{Kind, Kinds};
use super::time;

/// Packs runs, reusing its buffer.
#[derive(Debug, Default)]
pub(super) struct Packer {
    first: u64,
    count: u32,
    kinds: Option<Kinds>,
    at: i64,
    bytes: Vec<u8>,
}

/// A packed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run<'a> {
    pub(super) first: u64,
    pub(super) count: u32,
    pub(super) kinds: Kinds,
    pub(super) bytes: &'a [u8],
}

impl Packer {
    /// Begins a run whose first entry has this number.
    pub(super) fn begin(&mut self, first: u64) {
        self.first = first;
        self.count = 0;
        self.kinds = None;
        self.at = 0;
        self.bytes.clear();
        self.bytes.extend_from_slice(&[0; CHECKSUM]);
    }

    /// Whether this entry begins the next run: a prompt does, and the size of a run is limited.
    pub(super) fn ends_before(&self, kind: Kind, body: &[u8]) -> bool {
        self.count > 0
            && (kind == Kind::PROMPT
                || self.bytes.len() + body.len() > LENGTH
                || self.count >= COUNT)
    }

    pub(super) fn push(&mut self, kind: Kind, at: i64, body: &[u8]) {
        self.bytes.push(kind.number());
        put(&mut self.bytes, zigzag(at.wrapping_sub(self.at)));
        put(&mut self.bytes, body.len() as u64);
        self.bytes.extend_from_slice(body);
        self.at = at;
        self.count += 1;
        self.kinds = Some(self.kinds.unwrap_or(Kinds::NONE).and(kind));
    }

    /// The packed run; `None` if it is empty.
    pub(super) fn finish(&mut self) -> Option<Run<'_>> {
        let kinds = self.kinds?;
        let sum = checksum(self.first, &self.bytes[CHECKSUM..]);
        self.bytes[..CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        Some(Run {
            first: self.first,
            count: self.count,
            kinds,
            bytes: &self.bytes,
        })
    }
}

/// Whether the checksum of a run matches its bytes and its first number.
pub(super) fn is_whole(first: u64, bytes: &[u8]) -> bool {
    match bytes.split_first_chunk() {
        Some((sum, rest)) => u32::from_le_bytes(*sum) == checksum(first, rest),
        None => false,
    }
}

/// Iterates over the entries of a run, as slices of its bytes.
#[derive(Debug)]
pub(super) struct RunEntries {
    bytes: Bytes,
    place: usize,
    seq: u64,
    left: u32,
    at: i64,
}

impl RunEntries {
    /// Iterates over a run whose checksum [matches](is_whole).
    pub(super) fn new(first: u64, count: u32, bytes: Bytes) -> RunEntries {
        RunEntries {
            bytes,
            place: CHECKSUM,
            seq: first,
            left: count,
            at: 0,
        }
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the run does not contain as many entries as it says.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, Malformed> {
        if self.left == 0 {
            let is_over = self.place == self.bytes.len();
            return is_over.then_some(None).ok_or(Malformed);
        }
        let kind = *self.bytes.get(self.place).ok_or(Malformed)?;
        self.place += 1;
        let gap = self.number()?;
        let length = usize::try_from(self.number()?).map_err(|_| Malformed)?;
        let end = self.place.checked_add(length).ok_or(Malformed)?;
        if end > self.bytes.len() {
            return Err(Malformed);
        }
        self.at = self.at.wrapping_add(unzigzag(gap));
        let entry = Entry {
            seq: self.seq,
            kind: Kind::from_disk(kind).ok_or(Malformed)?,
            at: time::from_disk(self.at),
            body: self.bytes.slice(self.place..end),
        };
        self.place = end;
        self.seq += 1;
        self.left -= 1;
        Ok(Some(entry))
    }

    fn number(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.place).ok_or(Malformed)?;
            self.place += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }
}

/// A run is malformed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

fn checksum(first: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&first.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7f) as u8);
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

const CHECKSUM: usize = 4;
/// Maximum bytes of a run, because a run is read as a whole.
const LENGTH: usize = 64 * 1024;
const COUNT: u32 = 4096;

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Packs entries and unpacks them again.
    fn round(first: u64, entries: &[(Kind, i64, Vec<u8>)]) -> Vec<(u64, Kind, i64, Vec<u8>)> {
        let mut packer = Packer::default();
        let mut unpacked = Vec::new();
        let mut unpack = |run: Option<Run<'_>>| {
            let run = run.expect("not empty");
            assert!(is_whole(run.first, run.bytes));
            let mut walk = RunEntries::new(run.first, run.count, Bytes::copy_from_slice(run.bytes));
            while let Some(entry) = walk.next().expect("well-formed") {
                assert!(run.kinds.has(entry.kind));
                let at = entry.at.as_microsecond();
                unpacked.push((entry.seq, entry.kind, at, entry.body.to_vec()));
            }
            assert_eq!(
                run.first + u64::from(run.count),
                unpacked.last().unwrap().0 + 1
            );
        };
        packer.begin(first);
        for (seq, (kind, at, body)) in (first..).zip(entries) {
            if packer.ends_before(*kind, body) {
                unpack(packer.finish());
                packer.begin(seq);
            }
            packer.push(*kind, *at, body);
        }
        unpack(packer.finish());
        unpacked
    }

    fn kind() -> impl Strategy<Value = Kind> {
        (1..=31_u8).prop_map(|number| Kind::from_disk(number).expect("a kind"))
    }

    fn body() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            vec(any::<u8>(), 0..300),
            (30_000..70_000_usize).prop_map(|length| vec![7; length]),
        ]
    }

    proptest! {
        #[test]
        fn packed_entries_are_unpacked_unchanged(
            first in 1..1_u64 << 40,
            entries in vec((kind(), time::FIRST..time::LAST, body()), 1..50),
        ) {
            let expected: Vec<_> = (first..)
                .zip(&entries)
                .map(|(seq, (kind, at, body))| (seq, *kind, *at, body.clone()))
                .collect();
            prop_assert_eq!(round(first, &entries), expected);
        }

        #[test]
        fn no_bytes_make_it_panic(count in any::<u32>(), bytes in vec(any::<u8>(), 0..200)) {
            let mut walk = RunEntries::new(1, count, Bytes::from(bytes));
            for _ in 0..1000 {
                if !matches!(walk.next(), Ok(Some(_))) {
                    break;
                }
            }
        }

        #[test]
        fn every_flipped_bit_is_noticed(body in vec(any::<u8>(), 0..64), bit in any::<prop::sample::Index>()) {
            let mut packer = Packer::default();
            packer.begin(9);
            packer.push(Kind::PROMPT, 1_700_000_000_000_000, &body);
            let mut bytes = packer.finish().unwrap().bytes.to_vec();
            prop_assert!(!is_whole(10, &bytes));
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(!is_whole(9, &bytes));
        }
    }

    #[test]
    fn a_prompt_begins_a_run() {
        let mut packer = Packer::default();
        packer.begin(1);
        assert!(!packer.ends_before(Kind::PROMPT, b""));
        packer.push(Kind::TURN_ENDED, 0, b"");
        assert!(packer.ends_before(Kind::PROMPT, b""));
        assert!(!packer.ends_before(Kind::numbered::<2>(), b""));
    }
}
