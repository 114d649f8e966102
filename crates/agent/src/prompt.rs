//! Converts prompts for the model.

use std::path::{Path, PathBuf};

use attache::v1;
use attache_model::{Input, ModelInfo};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::tools::Workplace;

/// Converts a prompt for the model: links to files are read, and a note replaces what the model can't take.
pub(crate) async fn inputs(
    place: &Workplace,
    info: &ModelInfo,
    content: &[v1::ContentBlock],
) -> Vec<Input> {
    let mut inputs = Vec::new();
    for block in content {
        inputs.push(match block {
            v1::ContentBlock::Text(text) => Input::Text(text.text.clone()),
            v1::ContentBlock::Image(image) => picture(info, &image.mime_type, &image.data),
            v1::ContentBlock::Audio(audio) => sound(info, &audio.mime_type, &audio.data),
            v1::ContentBlock::ResourceLink(link) => linked(place, link).await,
            v1::ContentBlock::Resource(resource) => embedded(info, &resource.resource),
            _ => Input::Text("[content of an unknown type was attached]".to_owned()),
        });
    }
    inputs
}

/// A session title from the first words of a prompt.
pub(crate) fn title(text: &str) -> Option<String> {
    let text: String = text
        .chars()
        .filter(|letter| !letter.is_control() || letter.is_whitespace())
        .collect();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    if line.chars().count() <= MOST_TITLE {
        return Some(line.to_owned());
    }
    let cut: String = line.chars().take(MOST_TITLE - 1).collect();
    let end = cut
        .rfind(' ')
        .filter(|end| *end > MOST_TITLE / 2)
        .unwrap_or(cut.len());
    Some(format!("{}…", cut[..end].trim_end()))
}

fn picture(info: &ModelInfo, media_type: &str, data: &str) -> Input {
    match info.images {
        true => Input::Image {
            media_type: media_type.to_owned(),
            data: data.to_owned(),
        },
        false => {
            Input::Text("[an image was attached; this model does not accept images]".to_owned())
        }
    }
}

fn sound(info: &ModelInfo, media_type: &str, data: &str) -> Input {
    match info.audio {
        true => Input::Audio {
            media_type: media_type.to_owned(),
            data: data.to_owned(),
        },
        false => Input::Text("[audio was attached; this model does not accept audio]".to_owned()),
    }
}

/// A link: the file's text if it is inside the roots, otherwise only its name and address.
async fn linked(place: &Workplace, link: &v1::ResourceLink) -> Input {
    let Some(path) = file(&link.uri) else {
        return Input::Text(format!("[link: {} <{}>]", link.name, link.uri));
    };
    match place.linked_text(&path).await {
        Ok(text) => Input::Text(quoted(&path.display().to_string(), &text)),
        Err(fault) => Input::Text(format!("[{} could not be read: {fault}]", path.display())),
    }
}

fn embedded(info: &ModelInfo, resource: &v1::EmbeddedResourceResource) -> Input {
    match resource {
        v1::EmbeddedResourceResource::Text(text) => {
            Input::Text(quoted(&name(&text.uri), &text.text))
        }
        v1::EmbeddedResourceResource::Blob(blob) => {
            let kind = blob.mime_type.as_deref().unwrap_or_default();
            if kind.starts_with("image/") {
                return picture(info, kind, &blob.blob);
            }
            if kind.starts_with("audio/") {
                return sound(info, kind, &blob.blob);
            }
            let text = STANDARD
                .decode(&blob.blob)
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok());
            Input::Text(match text {
                Some(text) => quoted(&name(&blob.uri), &text),
                None => format!("[{} was attached; it is not text]", name(&blob.uri)),
            })
        }
        _ => Input::Text("[a resource of an unknown kind was attached]".to_owned()),
    }
}

fn quoted(name: &str, text: &str) -> String {
    let end = text.floor_char_boundary(MOST_ATTACHED);
    let cut = match end < text.len() {
        true => "\n[cut here; read the file for the rest]",
        false => "",
    };
    format!(
        "<file name=\"{}\">\n{}{cut}\n</file>",
        name.replace('"', "'"),
        &text[..end]
    )
}

fn name(uri: &str) -> String {
    file(uri).map_or_else(|| uri.to_owned(), |path| path.display().to_string())
}

/// The path of a `file:` URI.
fn file(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['#', '?']).next()?;
    let path = decoded(rest)?;
    Path::new(&path).is_absolute().then(|| PathBuf::from(path))
}

/// Decodes percent escapes.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let pair = [rest.next()?, rest.next()?];
            let pair = std::str::from_utf8(&pair).ok()?;
            bytes.push(u8::from_str_radix(pair, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

const MOST_TITLE: usize = 60;
const MOST_ATTACHED: usize = 200 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_short() {
        assert_eq!(
            title("\n  Fix the bug \nplease"),
            Some("Fix the bug".into())
        );
        assert_eq!(title(" \n"), None);
        assert_eq!(title("\u{1b}[2JFix"), Some("[2JFix".into()));
        let long = title(&"word ".repeat(40)).unwrap();
        assert!(
            long.chars().count() <= MOST_TITLE && long.ends_with("word…"),
            "{long}"
        );
    }

    #[test]
    fn addresses_of_files() {
        assert_eq!(
            file("file:///a/b%20c.rs#L3"),
            Some(PathBuf::from("/a/b c.rs"))
        );
        assert_eq!(file("file://localhost/a"), Some(PathBuf::from("/a")));
        for other in ["https://a/b", "file://host/a", "file:///a%2", "file:///%ff"] {
            assert_eq!(file(other), None, "{other}");
        }
    }
}
