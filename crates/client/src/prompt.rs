//! What goes into a prompt besides text: files, as the agent can take them.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use attache::v1;
use attache_host::files::FileFormat;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A text and the files that belong to it.
///
/// # Errors
///
/// When a file cannot be attached: which, and why.
pub fn compose(
    text: &str,
    files: &[PathBuf],
    offered: &v1::PromptCapabilities,
) -> Result<Vec<v1::ContentBlock>, AttachError> {
    let mut content = Vec::new();
    if !text.is_empty() {
        content.push(text.into());
    }
    for file in files {
        content.push(mention(file, offered)?);
    }
    Ok(content)
}

/// A file as the agent can take it: an image or a sound as such, a text with its contents, everything else, and what it
/// does not take, as a link that it can follow by itself.
///
/// This reads the file, so it blocks.
///
/// # Errors
///
/// When the file is not there, cannot be read, or is an image or a sound that is too large.
pub fn mention(
    path: &Path,
    offered: &v1::PromptCapabilities,
) -> Result<v1::ContentBlock, AttachError> {
    let fault = |cause| AttachError::Unreadable {
        path: path.to_owned(),
        cause,
    };
    let place = std::path::absolute(path).map_err(fault)?;
    let about = fs::metadata(&place).map_err(fault)?;
    if about.is_dir() {
        return Ok(link(&place, Size::Unknown));
    }
    if !about.is_file() {
        let path = path.to_owned();
        return Err(AttachError::Special { path });
    }
    let start = head(&place).map_err(fault)?;
    match FileFormat::of(&start) {
        FileFormat::Image(mime) if offered.image => {
            let data = encoded(path, &place, about.len())?;
            let image = v1::ImageContent::new(data, mime).uri(uri(&place));
            Ok(v1::ContentBlock::Image(image))
        }
        FileFormat::Audio(mime) if offered.audio => {
            let data = encoded(path, &place, about.len())?;
            Ok(v1::ContentBlock::Audio(v1::AudioContent::new(data, mime)))
        }
        FileFormat::Text if offered.embedded_context && about.len() <= LONGEST_TEXT => {
            match fs::read_to_string(&place) {
                Ok(text) => Ok(embedded(&place, text)),
                Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                    Ok(link(&place, Size::Known(about.len())))
                }
                Err(error) => Err(fault(error)),
            }
        }
        _ => Ok(link(&place, Size::Known(about.len()))),
    }
}

/// The address of a file.
pub fn uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(*byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Why a file is not attached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// It cannot be read.
    #[error("`{}` cannot be attached: {cause}", .path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// It is a device, a pipe or a socket.
    #[error("`{}` cannot be attached: it is neither a file nor a directory", .path.display())]
    Special {
        /// Which file.
        path: PathBuf,
    },
    /// It is too large to be sent.
    #[error(
        "`{}` cannot be attached: it has {} MB, and {} MB is the most; make it smaller",
        .path.display(), .bytes.div_ceil(1_000_000), LARGEST / 1_000_000
    )]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// How large it is.
        bytes: u64,
    },
}

enum Size {
    Unknown,
    Known(u64),
}

fn link(place: &Path, size: Size) -> v1::ContentBlock {
    let name = place.file_name().unwrap_or(place.as_os_str());
    let mut link = v1::ResourceLink::new(name.to_string_lossy(), uri(place));
    link.size = match size {
        Size::Known(bytes) => i64::try_from(bytes).ok(),
        Size::Unknown => None,
    };
    v1::ContentBlock::ResourceLink(link)
}

fn embedded(place: &Path, text: String) -> v1::ContentBlock {
    let contents = v1::TextResourceContents::new(text, uri(place));
    let contents = v1::EmbeddedResourceResource::Text(contents);
    v1::ContentBlock::Resource(v1::EmbeddedResource::new(contents))
}

fn encoded(path: &Path, place: &Path, bytes: u64) -> Result<String, AttachError> {
    let path = path.to_owned();
    if bytes > LARGEST {
        return Err(AttachError::TooLarge { path, bytes });
    }
    match fs::read(place) {
        Ok(bytes) => Ok(STANDARD.encode(bytes)),
        Err(cause) => Err(AttachError::Unreadable { path, cause }),
    }
}

fn head(place: &Path) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let file = fs::File::open(place)?;
    file.take(HEAD).read_to_end(&mut start)?;
    Ok(start)
}

/// Enough to tell what a file is.
const HEAD: u64 = 8 << 10;
/// Larger images and sounds would not fit into a message once they are written as text.
const LARGEST: u64 = 10_000_000;
/// Longer texts are better read by the agent, a part at a time.
const LONGEST_TEXT: u64 = 256 << 10;
