//! Formats JSON for people.

use attache_rpc::json::{DecodeError, Reader, ValueKind, write};

/// The text with a line for each member and item; `None` if it is not JSON.
pub fn pretty_json(text: &str) -> Option<String> {
    let mut reader = Reader::new(text);
    let mut out = String::with_capacity(text.len() * 2);
    let read = value(&mut reader, &mut out, 0);
    read.and_then(|()| reader.end()).ok().map(|()| out)
}

fn value(reader: &mut Reader<'_>, out: &mut String, depth: usize) -> Result<(), DecodeError> {
    match reader.kind()? {
        ValueKind::Object => {
            out.push('{');
            let mut more = reader.open_object()?;
            let empty = !more;
            while more {
                let name = reader.name()?;
                line(out, depth + 1);
                write::string(out, &name);
                out.push_str(": ");
                value(reader, out, depth + 1)?;
                more = reader.more_members()?;
            }
            close(out, depth, empty, '}');
        }
        ValueKind::Array => {
            out.push('[');
            let mut more = reader.open_array()?;
            let empty = !more;
            while more {
                line(out, depth + 1);
                value(reader, out, depth + 1)?;
                more = reader.more_items()?;
            }
            close(out, depth, empty, ']');
        }
        _ => out.push_str(reader.skip()?.trim()),
    }
    Ok(())
}

fn line(out: &mut String, depth: usize) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn close(out: &mut String, depth: usize, empty: bool, bracket: char) {
    if !empty {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
    out.push(bracket);
}
