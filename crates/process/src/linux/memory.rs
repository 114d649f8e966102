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

/// The memory around a path and around an array of pointers, read in one call. Most programs keep the strings of the array
/// nearby, so that no other call is needed.
pub(super) struct Prefetch([MemoryWindow; 2]);

/// Memory that was read, within one page.
#[derive(Default)]
struct MemoryWindow {
    start: u64,
    bytes: Vec<u8>,
}

impl Prefetch {
    /// Nothing is known.
    pub(super) fn none() -> Prefetch {
        Prefetch(Default::default())
    }

    /// Reads around two addresses. If that fails, nothing is known, and each part is read separately.
    pub(super) fn read(thread: i32, path: u64, array: u64) -> Prefetch {
        let ranges = [around(path), around(array)];
        let [first, second] = [ranges[0].length, ranges[1].length];
        let mut buffer = vec![0; first + second];
        if read_memory(thread, &ranges, &mut buffer) != Ok(buffer.len()) {
            return Prefetch::none();
        }
        let behind = buffer.split_off(first);
        let window = |range: MemoryRange, bytes| MemoryWindow {
            start: range.address,
            bytes,
        };
        Prefetch([window(ranges[0], buffer), window(ranges[1], behind)])
    }

    /// Returns the whole path, reading the rest if necessary.
    pub(super) fn path(&self, thread: i32, path: u64, most: usize) -> Result<Vec<u8>, StringError> {
        match self.string(path) {
            Some(string) => Ok(string.to_vec()),
            None => read_string(thread, path, most),
        }
    }

    /// The bytes at an address, as far as they were read.
    fn at(&self, address: u64) -> &[u8] {
        let bytes = |window: &'_ MemoryWindow| {
            let offset = usize::try_from(address.checked_sub(window.start)?).ok()?;
            (offset < window.bytes.len()).then_some(offset)
        };
        let mut windows = self.0.iter();
        let found = windows.find_map(|window| Some(&window.bytes[bytes(window)?..]));
        found.unwrap_or_default()
    }

    /// The string at an address, if all of it was read.
    fn string(&self, address: u64) -> Option<&[u8]> {
        let bytes = self.at(address);
        let end = bytes.iter().position(|byte| *byte == 0)?;
        Some(&bytes[..end])
    }
}

/// Reads the strings of an array that ends with a null pointer, and returns them with the number of strings that were not
/// read. Returns `None` if a string cannot be read.
pub(super) fn read_strings(
    thread: i32,
    array: u64,
    known: &Prefetch,
) -> Option<(Vec<OsString>, usize)> {
    if array == 0 {
        return Some((Vec::new(), 0));
    }
    let (pointers, mut more) = read_pointers(thread, array, known.at(array))?;
    let mut found = Vec::with_capacity(pointers.len());
    let mut room = MOST_BYTES;
    for group in pointers.chunks(MOST_RANGES) {
        for string in prefixes(thread, group, known)? {
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

/// Reads the beginnings of those strings that are not known, in one call if all of them can be read.
fn prefixes(thread: i32, addresses: &[u64], known: &Prefetch) -> Option<Vec<StringPrefix>> {
    let unknown = addresses.iter().filter(|at| known.string(**at).is_none());
    let ranges: Vec<MemoryRange> = unknown.map(|at| within_page(*at, SHORT)).collect();
    let all: usize = ranges.iter().map(|range| range.length).sum();
    let mut buffer = vec![0; all];
    if !ranges.is_empty() && read_memory(thread, &ranges, &mut buffer) != Ok(all) {
        return None;
    }
    let mut left = buffer.as_slice();
    let mut ranges = ranges.iter();
    let prefix = |address: &u64| {
        if let Some(string) = known.string(*address) {
            return Some(StringPrefix {
                bytes: string.to_vec(),
                rest: None,
            });
        }
        let range = ranges.next()?;
        let (bytes, behind) = left.split_at(range.length);
        left = behind;
        let length = u64::try_from(range.length).unwrap_or(0);
        let end = bytes.iter().position(|byte| *byte == 0);
        Some(StringPrefix {
            bytes: bytes[..end.unwrap_or(bytes.len())].to_vec(),
            rest: match end {
                Some(_) => None,
                None => Some(range.address.wrapping_add(length)),
            },
        })
    };
    addresses.iter().map(prefix).collect()
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

/// A range around an address, within its page.
fn around(address: u64) -> MemoryRange {
    let near = u64::try_from(NEAR).unwrap_or(0);
    let page = u64::try_from(PAGE).unwrap_or(1);
    let before = near.min(address % page);
    let behind = within_page(address, NEAR);
    MemoryRange {
        address: address - before,
        length: usize::try_from(before).unwrap_or(0) + behind.length,
    }
}

/// Arguments beyond this number, or this many bytes, are counted but not read.
pub(super) const MOST_WORDS: usize = 4096;
pub(super) const MOST_BYTES: usize = 256 * 1024;
const MOST_COUNTED: usize = 1 << 20;
const PAGE: usize = 4096;
const SHORT: usize = 256;
/// How far the memory around an address is read.
const NEAR: usize = 512;
const WORD: usize = size_of::<u64>();

#[cfg(test)]
mod tests {
    use super::{NEAR, PAGE, Prefetch, WORD, read_strings};

    /// The strings of an array in memory of this process, and the path, read with what is known from the first call.
    fn read(memory: &[u8], path: usize, array: usize) -> (Vec<u8>, Vec<String>) {
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        let start = u64::try_from(memory.as_ptr().expose_provenance()).unwrap();
        let address = |at: usize| start + u64::try_from(at).unwrap();
        let known = Prefetch::read(thread, address(path), address(array));
        let (strings, more) = read_strings(thread, address(array), &known).unwrap();
        assert_eq!(more, 0);
        let separately = read_strings(thread, address(array), &Prefetch::none());
        assert_eq!(separately, Some((strings.clone(), 0)));
        let path = known.path(thread, address(path), PAGE).unwrap();
        let strings = strings.into_iter().map(|it| it.into_string().unwrap());
        (path, strings.collect())
    }

    #[test]
    fn arguments_are_read_wherever_they_lie() {
        let long = "l".repeat(2 * NEAR);
        let words = ["cp", "", long.as_str(), "-a", "last"];
        let places = [
            0,
            8,
            NEAR - 8,
            NEAR,
            PAGE - 24,
            PAGE,
            PAGE + 8,
            3 * PAGE - 8,
        ];
        let mut memory = vec![b'x'; 12 * PAGE];
        let start = u64::try_from(memory.as_ptr().expose_provenance()).unwrap();
        for array in places {
            for distance in [64, NEAR - 3, NEAR, PAGE - 7, 2 * PAGE] {
                memory.fill(b'x');
                let mut put = |at: usize, bytes: &[u8]| {
                    memory[at..at + bytes.len()].copy_from_slice(bytes);
                };
                let mut at = array + distance;
                for (index, word) in words.iter().enumerate() {
                    let pointer = start + u64::try_from(at).unwrap();
                    put(array + index * WORD, &pointer.to_ne_bytes());
                    put(at, word.as_bytes());
                    put(at + word.len(), &[0]);
                    at += word.len() + 1;
                }
                put(array + words.len() * WORD, &[0; WORD]);
                let path = at + distance;
                put(path, b"/bin/cp\0");
                let (given, read) = read(&memory, path, array);
                assert_eq!(given, b"/bin/cp", "{array} {distance}");
                assert_eq!(read, words, "{array} {distance}");
            }
        }
    }
}
