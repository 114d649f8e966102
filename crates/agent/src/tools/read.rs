//! `read`: lines of a file with their numbers, or an image.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use attache::v1;
use attache_host::Roots;
use attache_host::files::{FileError, FileFormat, Files, Listing, UnexpectedKind};
use attache_model::Input;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::json;

use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::{Workplace, format, location};
use crate::ToolOutcome;

/// Reads a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The file.
    pub path: String,
    /// The first line, counted from 1.
    pub line: Option<u32>,
    /// The maximum number of lines.
    pub limit: Option<u32>,
}

/// A prepared read.
#[derive(Debug)]
pub(super) struct PreparedRead {
    path: PathBuf,
    shown: String,
    first: u32,
    limit: u32,
}

impl Read {
    pub(super) fn of(mut members: InputObject) -> Result<Read, InvalidInput> {
        Ok(Read {
            path: members.word("path")?,
            line: members.number("line")?,
            limit: members.number("limit")?.filter(|limit| *limit > 0),
        })
    }

    pub(super) fn title(&self) -> String {
        let first = self.line.unwrap_or(1).max(1);
        match (self.line, self.limit) {
            (None, None) => format!("Read {}", self.path),
            (Some(_), None) => format!("Read {} (from {first})", self.path),
            (_, Some(limit)) => {
                let last = first.saturating_add(limit - 1);
                format!("Read {} ({first} - {last})", self.path)
            }
        }
    }

    pub(super) fn locations(&self, workplace: &Workplace) -> Vec<v1::ToolCallLocation> {
        let location = location(&workplace.absolute(&self.path));
        let line = self.line.filter(|line| *line > 0);
        let with_line = |location: v1::ToolCallLocation| match line {
            Some(line) => location.line(line),
            None => location,
        };
        location.map(with_line).into_iter().collect()
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedRead, ToolError> {
        let path = match workplace.resolve_for_reading("read", &self.path).await {
            Err(fault) if fault.is_missing() => workplace.absolute(&self.path),
            path => path?,
        };
        Ok(PreparedRead {
            shown: workplace.shown(&path),
            path,
            first: self.line.unwrap_or(1).max(1),
            limit: self.limit.unwrap_or(MOST_LINES).clamp(1, MOST_LINES),
        })
    }
}

impl PreparedRead {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let path = self.path.clone();
        let seen = workplace.on_disk(move |files, roots| look(files, roots, &path));
        let (text, is_whole) = match seen.await? {
            DiskContent::Picture { kind, bytes } => return Ok(self.picture(kind, &bytes)),
            DiskContent::Directory => {
                let sentence = format!(
                    "`{}` is a directory; use `list` to see what is in it",
                    self.shown
                );
                return Err(ToolError::new("wrong_kind", sentence));
            }
            // The client may have the file open and not saved yet.
            DiskContent::Nothing if !workplace.offers().fs.read_text_file => {
                return Err(missing(workplace, &self.path).await);
            }
            DiskContent::Nothing => match workplace.old_text(&self.path).await? {
                Some(text) => (text, true),
                None => return Err(missing(workplace, &self.path).await),
            },
            DiskContent::File { size } if size <= LARGE => {
                (workplace.text(&self.path, None).await?, true)
            }
            DiskContent::File { .. } => {
                let window = (self.first, self.limit + 1);
                (workplace.text(&self.path, Some(window)).await?, false)
            }
        };
        self.lines(&text, is_whole)
    }

    /// The requested lines, from the whole text or from a text that begins with them.
    fn lines(&self, text: &str, is_whole: bool) -> Result<ToolOutcome, ToolError> {
        let skipped = if is_whole { self.first - 1 } else { 0 };
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        let most = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let mut page = NumberedLines::new(self.first);
        let mut lines = text.lines().skip(skipped);
        for line in lines.by_ref().take(most) {
            if !page.add(line) {
                break;
            }
        }
        let total = is_whole.then(|| text.lines().count());
        if page.count == 0 && (self.first > 1 || !is_whole) {
            let has = match total {
                Some(total) => format!(": it has {}", format::count(total, "line", "lines")),
                None => String::new(),
            };
            let sentence = format!("`{}` ends before line {}{has}", self.shown, self.first);
            return Err(ToolError::new("past_end", sentence));
        }
        let seen = skipped + page.count as usize;
        let has_more = text.lines().nth(seen).is_some();
        Ok(self.outcome(page, total, has_more))
    }

    fn outcome(&self, page: NumberedLines, total: Option<usize>, has_more: bool) -> ToolOutcome {
        let first = self.first;
        let last = first.saturating_add(page.count).saturating_sub(1);
        let of = total.map_or(String::new(), |total| format!(" of {total}"));
        let mut told = page.numbered;
        if page.count == 0 {
            told.push_str("[the file is empty]\n");
        }
        if has_more {
            let next = last.saturating_add(1);
            told.push_str(&format!(
                "[lines {first} - {last}{of}; read on with `line` {next}]\n"
            ));
        } else if first > 1 {
            told.push_str(&format!(
                "[lines {first} - {last}{of}; the file ends here]\n"
            ));
        }
        if page.cut > 0 {
            let lines = format::count(page.cut, "line is", "lines are");
            told.push_str(&format!(
                "[{lines} longer than {LONGEST_LINE} bytes and cut; use `run` to see all of it]\n"
            ));
        }
        let mut outcome =
            format::text_outcome(page.plain, json!({ "lines": page.count, "total": total }));
        outcome.for_model = vec![Input::Text(told)];
        let first = location(&self.path).map(|location| location.line(first));
        outcome.locations = first.into_iter().collect();
        outcome
    }

    fn picture(&self, kind: &'static str, bytes: &[u8]) -> ToolOutcome {
        let data = BASE64.encode(bytes);
        let note = format!("`{}` is a picture of {} bytes:", self.shown, bytes.len());
        let image = v1::ImageContent::new(data.clone(), kind);
        ToolOutcome {
            content: vec![v1::ContentBlock::Image(image).into()],
            for_model: vec![
                Input::Text(note),
                Input::Image {
                    media_type: kind.to_owned(),
                    data,
                },
            ],
            locations: location(&self.path).into_iter().collect(),
            raw: Some(json!({ "media_type": kind, "bytes": bytes.len() })),
            failed: false,
        }
    }
}

/// The requested lines, with line numbers for the model and without for the user.
struct NumberedLines {
    next: u32,
    count: u32,
    numbered: String,
    plain: String,
    /// How many lines were too long.
    cut: usize,
}

impl NumberedLines {
    fn new(first: u32) -> NumberedLines {
        NumberedLines {
            next: first,
            count: 0,
            numbered: String::new(),
            plain: String::new(),
            cut: 0,
        }
    }

    /// Adds a line if there is room for it.
    fn add(&mut self, line: &str) -> bool {
        let shown = format::head(line, LONGEST_LINE);
        let numbered = match shown.len() < line.len() {
            true => format!("{}\t{shown}…\n", self.next),
            false => format!("{}\t{shown}\n", self.next),
        };
        if self.numbered.len() + numbered.len() > format::MAX_RESULT - ROOM_FOR_NOTES {
            return false;
        }
        self.cut += usize::from(shown.len() < line.len());
        self.numbered.push_str(&numbered);
        self.plain.push_str(shown);
        self.plain.push('\n');
        self.next = self.next.saturating_add(1);
        self.count += 1;
        true
    }
}

/// What is on disk at a path.
enum DiskContent {
    Nothing,
    Directory,
    Picture { kind: &'static str, bytes: Vec<u8> },
    File { size: u64 },
}

fn look(files: &Files, roots: &Roots, path: &Path) -> Result<DiskContent, FileError> {
    let file = match files.open(roots, path) {
        Err(FileError::NotFound { .. }) => return Ok(DiskContent::Nothing),
        Err(FileError::WrongKind {
            found: UnexpectedKind::Directory,
            ..
        }) => return Ok(DiskContent::Directory),
        file => file?,
    };
    let failed = |source| FileError::Io {
        path: path.to_owned(),
        doing: "read",
        source,
    };
    let size = file.metadata().map_err(failed)?.len();
    let mut head = Vec::new();
    let mut file = file.take(HEAD);
    file.read_to_end(&mut head).map_err(failed)?;
    let FileFormat::Image(kind) = FileFormat::of(&head) else {
        return match head.contains(&0) {
            true => Err(FileError::NotText {
                path: path.to_owned(),
            }),
            false => Ok(DiskContent::File { size }),
        };
    };
    if size > LARGEST_PICTURE {
        return Err(FileError::TooLarge {
            path: path.to_owned(),
            size,
            limit: LARGEST_PICTURE,
            advice: "make the picture smaller with another tool first",
        });
    }
    file.set_limit(LARGEST_PICTURE);
    file.read_to_end(&mut head).map_err(failed)?;
    Ok(DiskContent::Picture { kind, bytes: head })
}

/// The error for a missing file, with names nearby.
pub(super) async fn missing(workplace: &Workplace, path: &Path) -> ToolError {
    let sentence = format!("file not found: `{}`", workplace.shown(path));
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return ToolError::new("not_found", sentence);
    };
    let (above, name) = (above.to_owned(), name.to_string_lossy().into_owned());
    let directory = above.clone();
    let listed = workplace
        .on_disk(move |files, roots| files.list(roots, &directory))
        .await;
    let is_there = |listed: &Listing| {
        let mut names = listed.entries.iter().map(|entry| &entry.name);
        names.any(|found| *found == *name)
    };
    let near = match listed {
        Ok(listed) if is_there(&listed) => {
            let shown = workplace.shown(path);
            let sentence =
                format!("`{shown}` is a link whose target does not exist; look with `list`");
            return ToolError::new("not_found", sentence);
        }
        Ok(listed) => nearest(
            &name,
            listed
                .entries
                .iter()
                .map(|entry| entry.name.to_string_lossy()),
        ),
        Err(_) => {
            let above = workplace.shown(&above);
            let advice =
                format!("{sentence}, and no directory `{above}`; look with `list` or `glob`");
            return ToolError::new("not_found", advice);
        }
    };
    let near: Vec<String> = near
        .into_iter()
        .map(|name| format!("`{}`", workplace.shown(&above.join(name))))
        .collect();
    let advice = match near.as_slice() {
        [] => "; look with `list` or `glob`".to_owned(),
        near => format!("; similar names: {}", near.join(", ")),
    };
    ToolError::new("not_found", sentence + &advice)
}

/// The names most like one, best first.
fn nearest<'n>(name: &str, names: impl Iterator<Item = std::borrow::Cow<'n, str>>) -> Vec<String> {
    let name = name.to_lowercase();
    let scored = names.map(|other| (strsim::jaro_winkler(&name, &other.to_lowercase()), other));
    let mut near: Vec<_> = scored.filter(|(score, _)| *score > ALIKE).collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    near.into_iter()
        .take(3)
        .map(|(_, name)| name.into_owned())
        .collect()
}

const MOST_LINES: u32 = 2000;
const LONGEST_LINE: usize = 2000;
const ROOM_FOR_NOTES: usize = 500;
/// Larger files are not read whole to show some lines.
const LARGE: u64 = 2 * 1024 * 1024;
const LARGEST_PICTURE: u64 = 4 * 1024 * 1024;
const HEAD: u64 = 8 * 1024;
const ALIKE: f64 = 0.75;
