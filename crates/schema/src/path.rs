//! File paths in messages.

use std::path::{Path, PathBuf};

ids! {
    /// Path of a file on the machine where the session runs, which may be a remote one. The path MUST be absolute;
    /// [`is_absolute`](Self::is_absolute) checks that.
    FilePath
}

impl FilePath {
    /// The path, for use with the file system of this machine.
    pub fn as_path(&self) -> &Path {
        Path::new(self.as_str())
    }

    /// Whether the path is absolute on Unix (`/a`) or Windows (`C:\a`, `C:/a`, `\\host\share`), whichever system
    /// this program runs on.
    pub fn is_absolute(&self) -> bool {
        match self.as_str().as_bytes() {
            [b'/', ..] | [b'\\', b'\\', ..] => true,
            [letter, b':', b'\\' | b'/', ..] => letter.is_ascii_alphabetic(),
            _ => false,
        }
    }
}

impl AsRef<Path> for FilePath {
    fn as_ref(&self) -> &Path {
        self.as_path()
    }
}

impl TryFrom<PathBuf> for FilePath {
    type Error = PathBuf;

    /// Fails with the path itself if it is not UTF-8, which JSON cannot express.
    fn try_from(path: PathBuf) -> Result<Self, PathBuf> {
        path.into_os_string()
            .into_string()
            .map(Self::from)
            .map_err(PathBuf::from)
    }
}
