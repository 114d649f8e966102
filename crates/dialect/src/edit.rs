//! The edits that all translations are made of. Unchanged values keep their text.

use std::borrow::Cow;

use attache_rpc::json::{self, Decode as _, DecodeError, Object, Problem, Raw, Reader, ValueKind};

/// The member of `_meta` in which a translation keeps data without an official member, so that the data can be restored
/// when the message is written in the dialect again.
pub(super) const META_KEY: &str = "attache.dialect";

/// Edits an object.
pub(super) fn object(
    text: &str,
    edit: impl FnOnce(&mut Object<'_>) -> Result<(), DecodeError>,
) -> Result<String, DecodeError> {
    let mut object = Object::parse(text)?;
    edit(&mut object)?;
    Ok(json::to_string(&object))
}

/// Edits every item of an array.
pub(super) fn each(
    text: &str,
    mut edit: impl FnMut(&str) -> Result<String, DecodeError>,
) -> Result<String, DecodeError> {
    let items: Vec<Raw> = json::from_str(text)?;
    let mut out = String::from("[");
    for (index, item) in items.iter().enumerate() {
        json::write::comma(&mut out);
        out.push_str(&edit(item.as_str()).map_err(|error| error.at(index))?);
    }
    out.push(']');
    Ok(out)
}

/// Edits a member, if it is present.
pub(super) fn member(
    object: &mut Object<'_>,
    name: &'static str,
    edit: impl FnOnce(&str) -> Result<String, DecodeError>,
) -> Result<(), DecodeError> {
    if let Some(text) = object.get(name) {
        let edited = edit(text).map_err(|error| error.within(name))?;
        object.set(name, edited);
    }
    Ok(())
}

/// Moves members without an official form to `_meta`.
pub(super) fn move_to_meta(
    object: &mut Object<'_>,
    names: &[&'static str],
) -> Result<(), DecodeError> {
    let taken: Vec<(&'static str, String)> = names
        .iter()
        .filter_map(|name| object.take(name).map(|json| (*name, json.into_owned())))
        .collect();
    if taken.is_empty() {
        return Ok(());
    }
    edit_meta(object, |kept| {
        for (name, json) in taken {
            kept.set(name, json);
        }
    })
}

/// Moves every member that is not named to `_meta`.
pub(super) fn move_others_to_meta(
    object: &mut Object<'_>,
    known: &[&str],
) -> Result<(), DecodeError> {
    let others = object.take_all(|name| name != "_meta" && !known.contains(&name));
    if others.is_empty() {
        return Ok(());
    }
    let mut others = others.into_owned();
    edit_meta(object, |kept| {
        others.fill(std::mem::take(kept));
        *kept = others;
    })
}

/// Restores the kept members and removes a `_meta` that becomes empty.
pub(super) fn restore_from_meta(object: &mut Object<'_>) -> Result<(), DecodeError> {
    if let Some(kept) = take_from_meta(object)? {
        object.fill(kept);
    }
    Ok(())
}

/// Takes the kept members out of the object's `_meta`, and removes a `_meta` that becomes empty. A value that is not an
/// object was not kept by a translation and is ignored.
pub(super) fn take_from_meta(
    object: &mut Object<'_>,
) -> Result<Option<Object<'static>>, DecodeError> {
    let meta = meta_of(object);
    let mut meta = Object::parse(&meta)?;
    let Some(kept) = meta.take(META_KEY) else {
        return Ok(None);
    };
    if meta.is_empty() {
        object.take("_meta");
    } else {
        object.put("_meta", &meta);
    }
    Ok(Some(Object::parse(&kept).unwrap_or_default().into_owned()))
}

/// Edits the kept members.
pub(super) fn edit_meta(
    object: &mut Object<'_>,
    edit: impl FnOnce(&mut Object<'static>),
) -> Result<(), DecodeError> {
    let meta = meta_of(object);
    let mut meta = Object::parse(&meta)?;
    let kept = meta.get(META_KEY).unwrap_or("{}");
    let mut kept = Object::parse(kept).unwrap_or_default().into_owned();
    edit(&mut kept);
    meta.put(META_KEY, &kept);
    object.put("_meta", &meta);
    Ok(())
}

/// Value of a string member; `None` if it is missing or not a string.
pub(super) fn string(object: &Object<'_>, name: &str) -> Option<String> {
    object.get(name).and_then(|json| json::from_str(json).ok())
}

/// Type of a member's value.
pub(super) fn kind(object: &Object<'_>, name: &str) -> Option<ValueKind> {
    object
        .get(name)
        .and_then(|json| Reader::new(json).kind().ok())
}

/// The text of a JSON string.
pub(super) fn quoted(text: &str) -> String {
    json::to_string(text)
}

/// Converts an object of strings to a list of `{name, value}`.
pub(super) fn map_to_list(text: &str) -> Result<String, DecodeError> {
    if Reader::new(text).kind()? != ValueKind::Object {
        return Raw::decode(&mut Reader::new(text)).map(|raw| raw.as_str().to_owned());
    }
    let mut out = String::from("[");
    for (name, value) in Object::parse(text)?.iter() {
        json::write::comma(&mut out);
        out.push_str("{\"name\":");
        json::write::string(&mut out, name);
        out.push_str(",\"value\":");
        out.push_str(value);
        out.push('}');
    }
    out.push(']');
    Ok(out)
}

/// Converts a list of `{name, value}` to an object. If a name occurs twice, the later entry counts.
pub(super) fn list_to_map(text: &str) -> Result<String, DecodeError> {
    let items: Vec<Raw> = json::from_str(text)?;
    let mut members = Vec::with_capacity(items.len());
    for item in &items {
        let mut entry = Object::parse(item.as_str())?;
        if let (Some(name), Some(value)) = (string(&entry, "name"), entry.take("value")) {
            members.push((Cow::Owned(name), value));
        }
    }
    Ok(json::to_string(&Object::from_iter(members)))
}

/// Text of the object's `_meta`, or of an empty object if it is missing or not an object.
fn meta_of(object: &Object<'_>) -> String {
    match kind(object, "_meta") {
        Some(ValueKind::Object) => object.get("_meta").unwrap_or("{}").to_owned(),
        _ => "{}".to_owned(),
    }
}

/// Whether two JSON texts have the same value, whatever the order of members and the escapes in strings.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || is_same(one, other).unwrap_or(false)
}

fn is_same(one: &str, other: &str) -> Result<bool, DecodeError> {
    match [one, other].map(|text| Reader::new(text).kind()) {
        [Ok(ValueKind::String), Ok(ValueKind::String)] => {
            Ok(json::from_str::<String>(one)? == json::from_str::<String>(other)?)
        }
        [Ok(ValueKind::Array), Ok(ValueKind::Array)] => {
            let [one, other]: [Vec<Raw>; 2] = [json::from_str(one)?, json::from_str(other)?];
            let mut pairs = one.iter().zip(&other);
            Ok(one.len() == other.len()
                && pairs.all(|(one, other)| same(one.as_str(), other.as_str())))
        }
        [Ok(ValueKind::Object), Ok(ValueKind::Object)] => {
            let [one, other] = [Object::parse(one)?, Object::parse(other)?];
            let [one, other] = [&one, &other].map(by_name);
            let mut pairs = one.iter().zip(&other);
            Ok(one.len() == other.len()
                && pairs.all(|(one, other)| one.0 == other.0 && same(one.1, other.1)))
        }
        _ => Ok(one.trim() == other.trim()),
    }
}

fn by_name<'o>(object: &'o Object<'_>) -> Vec<(&'o str, &'o str)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable();
    members
}

/// Edits a member that is an object. A member of another type stays, so that the typed decoder reports it.
pub(super) fn part(
    object: &mut Object<'_>,
    name: &'static str,
    edit: impl FnOnce(&mut Object<'_>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    match kind(object, name) {
        Some(ValueKind::Object) => member(object, name, |text| self::object(text, edit)),
        _ => Ok(()),
    }
}

/// Edits every item of a member that is an array; a member of another type stays.
pub(super) fn items(
    object: &mut Object<'_>,
    name: &'static str,
    edit: impl FnMut(&str) -> Result<String, DecodeError>,
) -> Result<(), DecodeError> {
    match kind(object, name) {
        Some(ValueKind::Array) => member(object, name, |text| each(text, edit)),
        _ => Ok(()),
    }
}

/// Edits every object in a member that is an array; items and members of other types stay.
pub(super) fn parts(
    object: &mut Object<'_>,
    name: &'static str,
    mut edit: impl FnMut(&mut Object<'_>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    items(object, name, |item| match Reader::new(item).kind()? {
        ValueKind::Object => self::object(item, &mut edit),
        _ => Ok(item.to_owned()),
    })
}

/// Adds the known directory of the session to a `session/load` without one. With an empty path an agent might use its
/// own directory.
pub(super) fn fill_directory(
    params: &mut Object<'_>,
    known: Option<&str>,
    peers_name: &'static str,
) -> Result<(), DecodeError> {
    if !matches!(params.get("cwd"), None | Some("null" | "\"\"")) {
        return Ok(());
    }
    let Some(known) = known.filter(|known| !known.is_empty()) else {
        return Err(DecodeError::new(Problem::Unfit(NO_DIRECTORY), 0).within(peers_name));
    };
    params.put("cwd", known);
    Ok(())
}

/// A string member of a text that may be an object.
pub(super) fn tag(text: &str, name: &'static str) -> Option<String> {
    let tag = Reader::new(text).tag(name);
    tag.ok().flatten().map(Cow::into_owned)
}

/// The error response to a call that cannot be translated. It names the path and the problem and does not repeat input.
pub(super) fn refusal(error: DecodeError) -> attache_rpc::Error {
    attache_schema::error::invalid_params(&error)
}

const NO_DIRECTORY: &str =
    "missing, and the session's directory is not known here; send it with the call";
