//! Determines which interpreter the kernel runs for a file: the one in a script's first line, or the loader of an ELF file.
//! Both are read by the kernel's own rules.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, pread};

use super::lookup::entry;

/// How the kernel treats a file when it is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Image {
    /// A script: the interpreter and at most one argument.
    Script(Vec<OsString>),
    /// Any other file, with the loader that an ELF file names, or two if the file can be read in two ways.
    Binary(Vec<OsString>),
}

/// Inspects a regular file. Fails if this process may execute the file but not read it.
pub(super) fn of(file: &OwnedFd) -> Result<Image, Errno> {
    let opened = open(file)?;
    let mut head = [0; MOST_HEAD];
    let read = pread(&opened, &mut head, 0)?;
    let head = &head[..read];
    if head.starts_with(b"#!") {
        return Ok(interpreter_line(head).map_or(Image::Binary(Vec::new()), Image::Script));
    }
    let mut found = Vec::new();
    if head.starts_with(b"\x7fELF") {
        let file = ImageBytes {
            head,
            file: &opened,
        };
        for layout in [&ELF_64, &ELF_32] {
            found.extend(layout.interpreter(&file)?);
        }
    }
    Ok(Image::Binary(found))
}

/// Reads as much of a regular file as the kernel reads to detect its format.
pub(super) fn beginning(file: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut head = vec![0; MOST_LINE];
    let read = pread(open(file)?, &mut head, 0)?;
    head.truncate(read);
    Ok(head)
}

fn open(file: &OwnedFd) -> Result<OwnedFd, Errno> {
    // Only regular files are executed; reading others could block forever.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    rustix::fs::open(entry(file), flags, Mode::empty())
}

/// The words of a `#!` line as `binfmt_script` reads them, or `None` if the file is not a script for the kernel.
fn interpreter_line(head: &[u8]) -> Option<Vec<OsString>> {
    let mut line = [0; MOST_LINE];
    let length = head.len().min(MOST_LINE);
    line[..length].copy_from_slice(&head[..length]);
    let rest = line.strip_prefix(b"#!")?;
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let is_end = |byte: &u8| is_blank(byte) || *byte == 0;
    let newline = rest.iter().position(|byte| matches!(byte, b'\n' | 0));
    let mut line = match newline.filter(|at| rest[*at] == b'\n') {
        Some(end) => &rest[..end],
        // Without the end of the line, the name must end before the last byte.
        None => {
            let name = rest.iter().position(|byte| !is_blank(byte))?;
            rest[name..].iter().position(is_end)?;
            &rest[..rest.len() - 1]
        }
    };
    while let [before @ .., b' ' | b'\t'] = line {
        line = before;
    }
    let name = line.iter().position(|byte| !is_blank(byte))?;
    let line = &line[name..];
    let end = line.iter().position(is_end).unwrap_or(line.len());
    let (program, behind) = line.split_at(end);
    let mut words = vec![program.to_vec()];
    if behind.first().is_some_and(is_blank)
        && let Some(start) = behind.iter().position(|byte| !is_blank(byte))
    {
        let arg = behind[start..].split(|byte| *byte == 0).next();
        words.push(arg.unwrap_or_default().to_vec());
    }
    Some(words.into_iter().map(OsString::from_vec).collect())
}

/// A file whose beginning has already been read.
struct ImageBytes<'a> {
    head: &'a [u8],
    file: &'a OwnedFd,
}

impl ImageBytes<'_> {
    /// Reads this many bytes at an offset. Returns `None` if the file is shorter.
    fn at(&self, offset: u64, length: usize) -> Result<Option<Vec<u8>>, Errno> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(length);
        if let Some(bytes) = self.head.get(start..end) {
            return Ok(Some(bytes.to_vec()));
        }
        let mut bytes = vec![0; length];
        match pread(self.file, &mut bytes, offset) {
            Ok(read) if read == length => Ok(Some(bytes)),
            // The kernel rejects offsets of this size too.
            Ok(_) | Err(Errno::INVAL | Errno::OVERFLOW) => Ok(None),
            Err(errno) => Err(errno),
        }
    }
}

/// The positions of fields in an ELF file and in an entry of its segment table.
struct ElfLayout {
    table: ElfField,
    entry_size: ElfField,
    entries: ElfField,
    entry_length: usize,
    offset: ElfField,
    size: ElfField,
}

#[derive(Clone, Copy)]
struct ElfField {
    at: usize,
    length: usize,
}

impl ElfLayout {
    /// The path in the first segment that names an interpreter.
    fn interpreter(&self, file: &ImageBytes<'_>) -> Result<Option<OsString>, Errno> {
        let head = file.head;
        let (Some(table), Some(size), Some(count)) = (
            self.table.of(head),
            self.entry_size.of(head),
            self.entries.of(head),
        ) else {
            return Ok(None);
        };
        let length = usize::try_from(count).unwrap_or(0) * self.entry_length;
        if usize::try_from(size) != Ok(self.entry_length) || !(1..=MOST_TABLE).contains(&length) {
            return Ok(None);
        }
        let Some(table) = file.at(table, length)? else {
            return Ok(None);
        };
        let mut entries = table.chunks_exact(self.entry_length);
        let Some(found) = entries.find(|entry| TYPE.of(entry) == Some(INTERPRETER)) else {
            return Ok(None);
        };
        let length = self.size.of(found).and_then(|it| usize::try_from(it).ok());
        let length = length.filter(|length| (2..=MOST_PATH).contains(length));
        let (Some(offset), Some(length)) = (self.offset.of(found), length) else {
            return Ok(None);
        };
        let path = file.at(offset, length)?;
        let path = path.filter(|path| path.last() == Some(&0));
        let path = path.and_then(|path| Some(path.split(|byte| *byte == 0).next()?.to_vec()));
        Ok(path.map(OsString::from_vec))
    }
}

impl ElfField {
    fn of(self, bytes: &[u8]) -> Option<u64> {
        let bytes = bytes.get(self.at..self.at + self.length)?;
        let mut number = [0; 8];
        // Both supported machines are little-endian.
        number[..self.length].copy_from_slice(bytes);
        Some(u64::from_le_bytes(number))
    }
}

const fn field(at: usize, length: usize) -> ElfField {
    ElfField { at, length }
}

const ELF_64: ElfLayout = ElfLayout {
    table: field(32, 8),
    entry_size: field(54, 2),
    entries: field(56, 2),
    entry_length: 56,
    offset: field(8, 8),
    size: field(32, 8),
};
const ELF_32: ElfLayout = ElfLayout {
    table: field(28, 4),
    entry_size: field(42, 2),
    entries: field(44, 2),
    entry_length: 32,
    offset: field(4, 4),
    size: field(16, 4),
};
const TYPE: ElfField = field(0, 4);
const INTERPRETER: u64 = 3;

/// The number of bytes that the kernel reads of a script.
const MOST_LINE: usize = 256;
/// The segment table and the loader's path are usually within these bytes.
const MOST_HEAD: usize = 2048;
/// The kernel refuses larger tables and longer paths.
const MOST_TABLE: usize = 65536;
const MOST_PATH: usize = 4096;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    use super::interpreter_line;

    #[test]
    fn the_line_of_a_script_has_a_program_and_one_argument() {
        let words = |head: &[u8]| {
            let Some(line) = interpreter_line(head) else {
                return "none".to_owned();
            };
            let words: Vec<String> = line
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            words.join("|")
        };
        assert_eq!(words(b"#!/bin/sh\necho"), "/bin/sh");
        assert_eq!(
            words(b"#! \t/usr/bin/env -S a b \nx"),
            "/usr/bin/env|-S a b"
        );
        assert_eq!(words(b"#!/bin/sh"), "/bin/sh");
        assert_eq!(words(b"#!\n/bin/sh"), "none");
        assert_eq!(words(b"#!/bin/sh\r\n"), "/bin/sh\r");
        assert_eq!(words(b"#!/bin/sh\0x\n"), "/bin/sh");
        assert_eq!(words(b"#!/bin/sh "), "/bin/sh|");
        assert_eq!(words(b"#!\x0b/bin/sh\n"), "\x0b/bin/sh");
        let long = |count| [b"#!/".as_slice(), &b"a".repeat(count)].concat();
        assert_eq!(words(&long(300)), "none");
        assert_eq!(words(&long(252)), format!("/{}", "a".repeat(252)));
        assert_eq!(words(&long(253)), "none");
    }

    /// For hundreds of first lines, this module finds the interpreter that the kernel really runs.
    #[test]
    fn attack_script_first_lines_are_read_like_the_kernel() {
        let dir = std::env::temp_dir().join(format!("attache-lines-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let base = dir.to_str().unwrap();
        for name in ["p", "p\r", "p\x0b", "p\u{a0}"] {
            program(&dir.join(name), b"#!/bin/sh\nprintf '%s|' \"$0\" \"$@\"\n");
        }
        let mut heads = Vec::new();
        for start in ["", " ", "\t \t", "\0", "\x0c"] {
            for middle in [
                "", "\r", "\x0b", "\u{a0}", "\0", "\0x", " ", "\t", " a", "\ta\t", "  a b ", " \0",
                " a\0b", "\r a", " \r",
            ] {
                for end in ["\n", "", "\r\n", " \n", "\0\n", "\t\0", "\nrest\n"] {
                    heads.push(format!("#!{start}{base}/p{middle}{end}"));
                }
            }
        }
        // Names and arguments that end around the last byte that the kernel looks at.
        for length in 250..260 {
            let slashes = "/".repeat(length - 3 - base.len());
            for end in ["", "\n", " ", " \n", " a\n", "\0", "\t", " abcdef"] {
                heads.push(format!("#!{base}{slashes}p{end}"));
                let blanks = " ".repeat(slashes.len());
                heads.push(format!("#!{base}/p{blanks}{end}"));
                heads.push(format!("#!{blanks}{base}/p{end}"));
                heads.push(format!("#!{base}/p {}{end}", "a".repeat(slashes.len())));
            }
        }
        assert!(heads.len() > 500, "{}", heads.len());
        let script = dir.join("script");
        for head in &heads {
            program(&script, head.as_bytes());
            let ran = output_of(&script);
            let read = interpreter_line(head.as_bytes());
            let read = read.filter(|words| fs::exists(&words[0]).unwrap_or(false));
            let read = read.map(|words| {
                let words = words.iter().map(|word| word.to_str().unwrap());
                let words: String = words.map(|word| format!("{word}|")).collect();
                format!("{words}{}|", script.display())
            });
            // The program prints nothing only where the kernel runs none.
            assert_eq!(ran, read, "{head:?}");
        }
        fs::remove_dir_all(dir).unwrap();
    }

    /// The output of the script, or `None` if the kernel cannot execute it.
    fn output_of(script: &Path) -> Option<String> {
        loop {
            match Command::new(script).output() {
                // Another test has just copied this process, with the file open.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {}
                ran => return Some(String::from_utf8(ran.ok()?.stdout).unwrap()),
            }
        }
    }

    fn program(path: &Path, text: &[u8]) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}
