//! Reads strings, of limited size, from the memory of a process that waits in an exec.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::seccomp::{MOST_RANGES, MemoryRange, read_memory};

/// Why a string was not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StringError {
    Unreadable,
    TooLong,
}

/// Reads the string at an address.
pub(super) fn read_string(thread: i32, address: u64, most: usize) -> Result<Vec<u8>, StringError> {
    let mut found = Vec::new();
    let mut at = address;
    loop {
        let mut chunk = [0; PAGE];
        let range = within_page(at, PAGE);
        let read = read_memory(thread, &[range], &mut chunk).unwrap_or(0);
        if read == 0 {
            return Err(StringError::Unreadable);
        }
        let chunk = &chunk[..read];
        match chunk.iter().position(|byte| *byte == 0) {
            Some(end) => {
                found.extend(&chunk[..end]);
                return if found.len() < most {
                    Ok(found)
                } else {
                    Err(StringError::TooLong)
                };
            }
            None => found.extend(chunk),
        }
        if found.len() >= most {
            return Err(StringError::TooLong);
        }
        at = at.wrapping_add(u64::try_from(read).unwrap_or(0));
    }
}

/// The beginnings of a path and of an array of pointers, read in one call. Most paths and arrays are no longer.
pub(super) struct Prefetch {
    path: Vec<u8>,
    pub(super) array: Vec<u8>,
}

impl Prefetch {
    /// Reads the beginnings. A part that cannot be read is empty, and is read again separately.
    pub(super) fn read(thread: i32, path: u64, array: u64) -> Prefetch {
        let ranges = [within_page(path, SHORT), within_page(array, FEW)];
        let [first, second] = [ranges[0].length, ranges[1].length];
        let mut buffer = vec![0; first + second];
        let read = read_memory(thread, &ranges, &mut buffer);
        if read != Ok(buffer.len()) {
            buffer.clear();
        }
        let array = buffer.split_off(first.min(buffer.len()));
        Prefetch {
            path: buffer,
            array,
        }
    }

    /// Returns the whole path, reading the rest if necessary.
    pub(super) fn path(&self, thread: i32, path: u64, most: usize) -> Result<Vec<u8>, StringError> {
        match self.path.iter().position(|byte| *byte == 0) {
            Some(end) => Ok(self.path[..end].to_vec()),
            None => read_string(thread, path, most),
        }
    }
}

/// Reads the strings of an array that ends with a null pointer, and returns them with the number of strings that were not
/// read. Returns `None` if a string cannot be read. `known` are the bytes of the array that were read before.
pub(super) fn read_strings(
    thread: i32,
    array: u64,
    known: &[u8],
) -> Option<(Vec<OsString>, usize)> {
    if array == 0 {
        return Some((Vec::new(), 0));
    }
    let (pointers, mut more) = read_pointers(thread, array, known)?;
    let mut found = Vec::with_capacity(pointers.len());
    let mut room = MOST_BYTES;
    for group in pointers.chunks(MOST_RANGES) {
        for string in prefixes(thread, group)? {
            match read_rest(thread, string, room) {
                Ok(string) if string.len() <= room => {
                    room -= string.len();
                    found.push(OsString::from_vec(string));
                }
                Ok(_) | Err(StringError::TooLong) => {
                    more += pointers.len() - found.len();
                    return Some((found, more));
                }
                Err(StringError::Unreadable) => return None,
            }
        }
    }
    Some((found, more))
}

/// The beginning of a string, and the address of the rest if there is more.
struct StringPrefix {
    bytes: Vec<u8>,
    rest: Option<u64>,
}

/// Reads the beginnings of some strings, in one call if all of them can be read.
fn prefixes(thread: i32, addresses: &[u64]) -> Option<Vec<StringPrefix>> {
    let ranges: Vec<MemoryRange> = addresses.iter().map(|at| within_page(*at, SHORT)).collect();
    let all: usize = ranges.iter().map(|range| range.length).sum();
    let mut buffer = vec![0; all];
    if read_memory(thread, &ranges, &mut buffer) != Ok(all) {
        return None;
    }
    let mut left = buffer.as_slice();
    let cut = ranges.iter().map(|range| {
        let (bytes, behind) = left.split_at(range.length);
        left = behind;
        let length = u64::try_from(range.length).unwrap_or(0);
        match bytes.iter().position(|byte| *byte == 0) {
            Some(end) => StringPrefix {
                bytes: bytes[..end].to_vec(),
                rest: None,
            },
            None => StringPrefix {
                bytes: bytes.to_vec(),
                rest: Some(range.address.wrapping_add(length)),
            },
        }
    });
    Some(cut.collect())
}

fn read_rest(thread: i32, prefix: StringPrefix, room: usize) -> Result<Vec<u8>, StringError> {
    let mut bytes = prefix.bytes;
    if let Some(rest) = prefix.rest {
        bytes.extend(read_string(thread, rest, room)?);
    }
    Ok(bytes)
}

/// Reads the pointers of an array up to the null, up to a limit, and returns them with the number of further pointers.
fn read_pointers(thread: i32, array: u64, known: &[u8]) -> Option<(Vec<u64>, usize)> {
    let mut found = Vec::new();
    let mut more = 0;
    let mut carry = known.to_vec();
    let mut at = array.wrapping_add(u64::try_from(known.len()).unwrap_or(0));
    loop {
        let whole = carry.len() - carry.len() % WORD;
        for bytes in carry.drain(..whole).as_slice().chunks_exact(WORD) {
            let pointer = bytes.try_into().map(u64::from_ne_bytes).ok()?;
            if pointer == 0 {
                return Some((found, more));
            }
            match found.len() < MOST_WORDS {
                true => found.push(pointer),
                false => more += 1,
            }
        }
        if more >= MOST_COUNTED {
            return Some((found, more));
        }
        let mut chunk = [0; PAGE];
        let read = read_memory(thread, &[within_page(at, PAGE)], &mut chunk);
        let read = read.ok().filter(|read| *read > 0)?;
        at = at.wrapping_add(u64::try_from(read).unwrap_or(0));
        carry.extend(&chunk[..read]);
    }
}

/// A range within one page, which can be read either completely or not at all.
fn within_page(address: u64, most: usize) -> MemoryRange {
    let page = u64::try_from(PAGE).unwrap_or(1);
    let left = usize::try_from(page - address % page).unwrap_or(PAGE);
    MemoryRange {
        address,
        length: left.min(most),
    }
}

/// Arguments beyond this number, or this many bytes, are counted but not read.
pub(super) const MOST_WORDS: usize = 4096;
pub(super) const MOST_BYTES: usize = 256 * 1024;
const MOST_COUNTED: usize = 1 << 20;
const PAGE: usize = 4096;
const SHORT: usize = 256;
/// Most commands have few arguments; longer lists are read page by page.
const FEW: usize = 16 * WORD;
const WORD: usize = size_of::<u64>();
