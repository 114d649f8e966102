//! Changes to files, as the CLI reports them: hunks of lines with a mark each.

use attache::v1;
use serde_json::Value;

use super::result::ResultDisplay;

/// One diff and one place for each hunk; a new file is one diff.
pub(super) fn result_display(result: &Value) -> ResultDisplay {
    let Some(path) = result["filePath"].as_str() else {
        return ResultDisplay::default();
    };
    let hunks = result["structuredPatch"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    if hunks.is_empty() {
        let new = result["content"].as_str();
        let content = new.map(|new| vec![v1::Diff::new(path, new).into()]);
        return ResultDisplay {
            content,
            ..ResultDisplay::default()
        };
    }
    let diffs = hunks.iter().map(|hunk| {
        let (old, new) = sides(&hunk["lines"]);
        v1::Diff::new(path, new).old_text(old).into()
    });
    let places = hunks.iter().map(|hunk| {
        let line = hunk["newStart"]
            .as_u64()
            .and_then(|line| u32::try_from(line).ok());
        v1::ToolCallLocation::new(path).line(line.unwrap_or(1))
    });
    ResultDisplay {
        content: Some(diffs.collect()),
        locations: Some(places.collect()),
        ..ResultDisplay::default()
    }
}

fn sides(lines: &Value) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    let lines = lines
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    for line in lines {
        let mut mark = line.chars();
        match (mark.next(), mark.as_str()) {
            (Some('-'), rest) => push(&mut old, rest),
            (Some('+'), rest) => push(&mut new, rest),
            // "\ No newline at end of file"
            (Some('\\'), _) => {}
            (_, rest) => {
                push(&mut old, rest);
                push(&mut new, rest);
            }
        }
    }
    (old, new)
}

fn push(side: &mut String, line: &str) {
    side.push_str(line);
    side.push('\n');
}
