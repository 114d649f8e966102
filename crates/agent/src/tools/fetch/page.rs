//! Converts a page to text.

use crate::tools::tool_error::ToolError;
use attache_text::plain;

/// A page as text: HTML is laid out, other text is unchanged, anything else is an error.
pub(super) fn text(media_type: &str, bytes: &[u8]) -> Result<String, ToolError> {
    let (kind, parameters) = media_type.split_once(';').unwrap_or((media_type, ""));
    let kind = kind.trim();
    let looks_like_html = || {
        let head = &bytes[..bytes.len().min(512)];
        let head = String::from_utf8_lossy(head)
            .trim_start()
            .to_ascii_lowercase();
        head.starts_with("<!doctype html") || head.starts_with("<html")
    };
    match kind {
        "text/html" | "application/xhtml+xml" => Ok(html(&decoded(parameters, bytes))),
        "" | "application/octet-stream" if looks_like_html() => {
            Ok(html(&decoded(parameters, bytes)))
        }
        _ if !bytes.contains(&0) && (is_text(kind) || std::str::from_utf8(bytes).is_ok()) => {
            Ok(decoded(parameters, bytes))
        }
        _ => {
            let kind = if kind.is_empty() {
                "of no known kind"
            } else {
                kind
            };
            let sentence = format!(
                "the page is not text: it is {}; save it to a file with `run` and use a tool for its format",
                plain::one_line(kind, 60)
            );
            Err(ToolError::new("not_text", sentence))
        }
    }
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || matches!(
            kind,
            "application/json" | "application/xml" | "application/javascript"
        )
}

/// Decodes UTF-8, or Latin-1 if the page declares it. Invalid bytes are replaced.
fn decoded(parameters: &str, bytes: &[u8]) -> String {
    let is_latin = ["iso-8859-1", "latin1", "windows-1252"]
        .iter()
        .any(|name| parameters.contains(name));
    match is_latin && std::str::from_utf8(bytes).is_err() {
        true => bytes.iter().map(|byte| char::from(*byte)).collect(),
        false => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn html(source: &str) -> String {
    if depth(source) > DEEPEST {
        return format!(
            "[the page is nested too deeply to be laid out; this is its source]\n{source}"
        );
    }
    let laid_out = html2text::config::plain()
        .link_footnotes(true)
        .no_link_wrapping()
        .allow_width_overflow()
        .string_from_read(source.as_bytes(), WIDTH);
    match laid_out {
        Ok(text) => text,
        Err(_) => format!("[the page cannot be laid out; this is its source]\n{source}"),
    }
}

/// The deepest nesting of elements. The parser's time grows with depth, because it looks at all open elements for each new
/// one. Elements that close themselves do not count.
fn depth(source: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in source.split('<').skip(1) {
        let is_end = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let length = name.find(|char: char| !char.is_ascii_alphanumeric());
        let name = name[..length.unwrap_or(name.len())].to_ascii_lowercase();
        if name.is_empty() || ENDS_ITSELF.contains(&name.as_str()) {
            continue;
        }
        depth = if is_end {
            depth.saturating_sub(1)
        } else {
            depth + 1
        };
        deepest = deepest.max(depth);
    }
    deepest
}

const WIDTH: usize = 100;
const DEEPEST: usize = 500;

/// Elements that have no end, or that the next of their kind ends.
const ENDS_ITSELF: [&str; 30] = [
    "a", "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li",
    "link", "meta", "option", "optgroup", "p", "param", "path", "rp", "rt", "source", "tbody",
    "td", "tfoot", "th", "thead", "tr", "wbr",
];
