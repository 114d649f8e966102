//! Builds prompts from text and files, with each file in a form that the agent accepts.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use attache::v1;
use attache_host::files::FileFormat;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Builds a prompt from a text and attached files.
///
/// # Errors
///
/// When a file cannot be attached. The error says which one and why.
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

/// A file in the form that the agent accepts: images, audio and text with their content. Anything else, and content that
/// the agent does not accept, becomes a link that the agent can read itself.
///
/// Reads the file, so this call blocks.
///
/// # Errors
///
/// When the file does not exist, cannot be read, or is an image or audio file that is too large.
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

/// The `file://` URI of a path.
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

/// Why a file cannot be attached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// The file cannot be read.
    #[error("`{}` cannot be attached: {cause}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The path is a device, a pipe or a socket.
    #[error("`{}` cannot be attached: it is neither a file nor a directory", .path.display())]
    Special {
        /// The file.
        path: PathBuf,
    },
    /// The file is too large to send.
    #[error(
        "`{}` cannot be attached: it has {} MB, the limit is {} MB; use a smaller file",
        .path.display(), .bytes.div_ceil(1_000_000), LARGEST / 1_000_000
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The file's size.
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

/// Bytes needed to detect the format of a file.
const HEAD: u64 = 8 << 10;
/// Size limit for images and audio: base64 makes them larger, and a message must fit the limit of a connection.
const LARGEST: u64 = 10_000_000;
/// Size limit for embedded text. The agent reads longer texts itself, part by part.
const LONGEST_TEXT: u64 = 256 << 10;
