//! The output of a tool call: one text, diff or terminal in the draft, a list in the protocol.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};

use super::draft_meta::{self, DraftMeta};
use super::{content, hunk, shape};
use crate::edit::{self, quoted};

/// Reads the draft's `output`, or the error in its place.
pub(super) fn read(update: &mut Object<'_>) -> Result<(), DecodeError> {
    let output = update.get("output").filter(|output| *output != "null");
    let Some(output) = output.map(str::to_owned) else {
        if let Some(error) = edit::string(update, "error") {
            update.set("content", format!("[{}]", text_item(&quoted(&error))));
        }
        return Ok(());
    };
    let item = match edit::kind(update, "output") {
        Some(ValueKind::Object) => read_object(&output).map_err(|error| error.within("output"))?,
        _ => None,
    };
    match item {
        Some(item) => {
            update.take("output");
            update.set("content", format!("[{item}]"));
            Ok(())
        }
        None => {
            edit::move_to_meta(update, &["output"])?;
            update.set("rawOutput", output);
            Ok(())
        }
    }
}

/// Writes the official list as one `output`: a single item in its own form, several as one text. A kept output is used
/// only if the official one is unchanged.
pub(super) fn write(update: &mut Object<'_>, kept: &mut DraftMeta) -> Result<(), DecodeError> {
    let raw = update.get("rawOutput").map(str::to_owned);
    let items: Vec<Raw> = shape::value(update, "content").unwrap_or_default();
    if let (Some(kept), Some(raw), []) = (kept.get("output"), &raw, &*items)
        && edit::same(&kept, raw)
    {
        update.take("rawOutput");
        return Ok(());
    }
    kept.drop("output");
    if edit::kind(update, "content") == Some(ValueKind::Array) {
        update.take("content");
    }
    let output = match (&*items, raw) {
        ([], None) => return Ok(()),
        ([], Some(raw)) => text_output(&json::from_str(&raw).unwrap_or(raw)),
        ([item], _) => write_item(item)?,
        (items, _) => text_output(&joined(items)),
    };
    let error = kept.string("error").map(|error| text_output(&error));
    if error.as_ref() != Some(&output) {
        update.set("output", output);
    }
    Ok(())
}

/// The official item for an output, if there is one.
fn read_object(text: &str) -> Result<Option<String>, DecodeError> {
    let mut output = Object::parse(text)?;
    let kind = edit::string(&output, "type").unwrap_or_default();
    match &*kind {
        "text" | "image" | "audio" | "resource" | "resource_link" => {
            content::read(&mut output)?;
            let block = json::to_string(&output);
            Ok(Some(format!(
                "{{\"type\":\"content\",\"content\":{block}}}"
            )))
        }
        "diff" => read_diff(text, &output).map(Some),
        "terminal" => {
            edit::move_to_meta(&mut output, &["command", "exitCode", "stdout", "stderr"])?;
            Ok(Some(json::to_string(&output)))
        }
        _ => Ok(None),
    }
}

/// Hunks become text, because old and new text cannot be derived from them without the file.
fn read_diff(text: &str, diff: &Object<'_>) -> Result<String, DecodeError> {
    let path = edit::string(diff, "path").unwrap_or_default();
    let hunks: Vec<Raw> = shape::value(diff, "hunks").unwrap_or_default();
    let text_of_diff = hunk::unified(&path, &hunks);
    edit::object(&text_item(&quoted(&text_of_diff)), |item| {
        draft_meta::put(item, "output", text)
    })
}

fn write_item(item: &Raw) -> Result<String, DecodeError> {
    let mut item = Object::parse(item.as_str()).unwrap_or_default();
    let mut kept = draft_meta::take(&mut item)?;
    if let Some(output) = kept.get("output")
        && is_of(&item, &output)
    {
        return Ok(output);
    }
    kept.drop("output");
    match &*edit::string(&item, "type").unwrap_or_default() {
        "content" => shape::object(item.get("content").unwrap_or("null"), content::write),
        "diff" => Ok(write_diff(&item)),
        _ => {
            kept.put_back(&mut item);
            Ok(json::to_string(&item))
        }
    }
}

/// Whether an item is unchanged since it was created from hunks.
fn is_of(item: &Object<'_>, output: &str) -> bool {
    let made = Object::parse(output).and_then(|diff| read_diff(output, &diff));
    let made = made.unwrap_or_default();
    let made = Object::parse(&made).unwrap_or_default();
    let contents = made.get("content").zip(item.get("content"));
    contents.is_some_and(|(made, content)| edit::same(made, content))
}

fn write_diff(diff: &Object<'_>) -> String {
    let path = diff.get("path").unwrap_or("\"\"");
    format!(
        "{{\"type\":\"diff\",\"path\":{path},\"hunks\":{}}}",
        hunks(diff)
    )
}

fn hunks(diff: &Object<'_>) -> String {
    let [old, new] =
        ["oldText", "newText"].map(|name| edit::string(diff, name).unwrap_or_default());
    hunk::of(&old, &new)
}

fn joined(items: &[Raw]) -> String {
    let items = items
        .iter()
        .filter_map(|item| Object::parse(item.as_str()).ok());
    let texts: Vec<String> = items.filter_map(|item| text_of(&item)).collect();
    texts.join("\n")
}

fn text_of(item: &Object<'_>) -> Option<String> {
    match &*edit::string(item, "type")? {
        "content" => {
            let block = Object::parse(item.get("content")?).ok()?;
            Some(content::text_of(&block))
        }
        "diff" => {
            let hunks: Vec<Raw> = json::from_str(&hunks(item)).ok()?;
            Some(hunk::unified(&edit::string(item, "path")?, &hunks))
        }
        _ => Some(format!("[terminal {}]", edit::string(item, "terminalId")?)),
    }
}

fn text_item(quoted: &str) -> String {
    format!("{{\"type\":\"content\",\"content\":{{\"type\":\"text\",\"text\":{quoted}}}}}")
}

fn text_output(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", quoted(text))
}
