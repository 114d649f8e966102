//! Formats of programs that the system has registered (`binfmt_misc`): for a file of such a format the kernel runs another
//! program. They are read once, as only root can change them. A container sees those of its host nowhere.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The formats that are enabled.
#[derive(Debug, Default)]
pub(super) struct RegisteredFormats(Vec<RegisteredFormat>);

#[derive(Debug, PartialEq, Eq)]
struct RegisteredFormat {
    signature: FormatSignature,
    interpreter: OsString,
}

/// What a file of a format is known by.
#[derive(Debug, PartialEq, Eq)]
enum FormatSignature {
    /// Bytes at an offset, of which only some bits may count.
    Magic {
        offset: usize,
        bytes: Vec<u8>,
        mask: Option<Vec<u8>>,
    },
    /// The end of its name, without the point.
    Extension(Vec<u8>),
}

impl RegisteredFormats {
    pub(super) fn read_system() -> RegisteredFormats {
        RegisteredFormats::in_directory(Path::new("/proc/sys/fs/binfmt_misc"))
    }

    fn in_directory(directory: &Path) -> RegisteredFormats {
        let is_enabled = |text: &[u8]| text.starts_with(b"enabled");
        let status = fs::read(directory.join("status"));
        if !status.is_ok_and(|status| is_enabled(&status)) {
            return RegisteredFormats::default();
        }
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let named = entries.filter(|entry| entry.file_name() != "status");
        let texts = named.filter_map(|entry| fs::read(entry.path()).ok());
        let enabled = texts.filter(|text| is_enabled(text));
        RegisteredFormats(
            enabled
                .filter_map(|text| RegisteredFormat::read(&text))
                .collect(),
        )
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The interpreters that the kernel may run for a file with this name and beginning.
    pub(super) fn interpreters(&self, name: &OsStr, head: &[u8]) -> Vec<OsString> {
        let fitting = self
            .0
            .iter()
            .filter(|format| format.signature.fits(name, head));
        fitting.map(|format| format.interpreter.clone()).collect()
    }
}

impl RegisteredFormat {
    /// Reads what the kernel tells of one.
    fn read(text: &[u8]) -> Option<RegisteredFormat> {
        let lines = || text.split(|byte| *byte == b'\n');
        let value = |name: &[u8]| lines().find_map(|line| line.strip_prefix(name));
        let signature = match value(b"extension .") {
            Some(extension) => FormatSignature::Extension(extension.to_vec()),
            None => FormatSignature::Magic {
                offset: str::from_utf8(value(b"offset ")?).ok()?.parse().ok()?,
                bytes: hex(value(b"magic ")?)?,
                mask: value(b"mask ")
                    .map(hex)
                    .map_or(Some(None), |mask| mask.map(Some))?,
            },
        };
        let interpreter = OsString::from_vec(value(b"interpreter ")?.to_vec());
        Some(RegisteredFormat {
            signature,
            interpreter,
        })
    }
}

impl FormatSignature {
    fn fits(&self, name: &OsStr, head: &[u8]) -> bool {
        match self {
            FormatSignature::Extension(extension) => {
                let name = name.as_bytes();
                let point = name.iter().rposition(|byte| *byte == b'.');
                point.is_some_and(|point| &name[point + 1..] == extension)
            }
            FormatSignature::Magic {
                offset,
                bytes,
                mask,
            } => {
                let bits = |at: usize| mask.as_ref().and_then(|mask| mask.get(at)).copied();
                // The kernel compares with zeros behind a short file.
                let there = |at: usize| head.get(offset + at).copied().unwrap_or(0);
                let is_same =
                    |(at, byte): (usize, &u8)| (there(at) ^ byte) & bits(at).unwrap_or(0xff) == 0;
                bytes.iter().enumerate().all(is_same)
            }
        }
    }
}

fn hex(digits: &[u8]) -> Option<Vec<u8>> {
    let pairs = digits.chunks_exact(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{RegisteredFormat, RegisteredFormats};

    const JAR: &str = "enabled\ninterpreter /usr/bin/jexec\nflags: \noffset 0\nmagic 504b0304\n";
    const ARM: &str = "enabled\ninterpreter /usr/libexec/qemu-arm\nflags: POCF\noffset 2\nmagic 7f45\nmask fff0\n";
    const WINE: &str = "enabled\ninterpreter /usr/bin/wine\nflags: \nextension .exe\n";

    #[test]
    fn a_format_applies_to_the_files_that_the_kernel_takes_for_it() {
        let formats = [JAR, ARM, WINE].map(|text| RegisteredFormat::read(text.as_bytes()).unwrap());
        let formats = RegisteredFormats(formats.into());
        for (name, head, expected) in [
            ("a/b", "PK\x03\x04more", vec!["/usr/bin/jexec"]),
            (
                "a.exe",
                "PK\x03\x04",
                vec!["/usr/bin/jexec", "/usr/bin/wine"],
            ),
            ("a.EXE", "MZ", vec![]),
            ("a.exe/b", "MZ", vec![]),
            ("b.exe", "", vec!["/usr/bin/wine"]),
            ("b", "..\x7fF", vec!["/usr/libexec/qemu-arm"]),
            ("b", "..\x7fV", vec![]),
            ("b", "PK", vec![]),
        ] {
            let found = formats.interpreters(OsStr::new(name), head.as_bytes());
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn what_is_no_format_is_left_out() {
        for text in [
            "",
            "enabled\n",
            "enabled\ninterpreter /x\nflags: \noffset 0\nmagic 5z\n",
        ] {
            assert_eq!(RegisteredFormat::read(text.as_bytes()), None, "{text}");
        }
        let nothing = std::path::Path::new("/nonexistent");
        assert!(RegisteredFormats::in_directory(nothing).is_empty());
    }
}
