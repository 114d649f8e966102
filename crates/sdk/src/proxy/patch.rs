//! Applies a change of a typed value to the JSON text that the value was decoded from, so that members which the type does
//! not know survive.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};

use attache_rpc::json::{self, DecodeError, Reader, ValueKind, write};

/// Returns `raw` with the difference between `before` and `after` applied. `before` is the encoding of the value that was
/// decoded from `raw`, and `after` the encoding of the changed value. What did not change keeps its text.
pub(crate) fn patched(raw: &str, before: &str, after: &str) -> String {
    let mut out = String::with_capacity(raw.len() + after.len().saturating_sub(before.len()));
    patch(&mut out, raw, before, after);
    out
}

fn patch(out: &mut String, raw: &str, before: &str, after: &str) {
    if before == after {
        return out.push_str(raw);
    }
    if let (Ok(raw), Ok(before), Ok(after)) = (members(raw), members(before), members(after))
        && variant(&before) == variant(&after)
    {
        return patch_object(out, &raw, &before, &after);
    }
    if let (Ok(raw), Ok(before), Ok(after)) = (items(raw), items(before), items(after)) {
        return patch_array(out, &raw, &before, &after);
    }
    out.push_str(after);
}

type Member<'a> = (Cow<'a, str>, &'a str);

fn patch_object(out: &mut String, raw: &[Member<'_>], before: &[Member<'_>], after: &[Member<'_>]) {
    let (was, is) = (by_name(before), by_name(after));
    let given = by_name(raw);
    out.push('{');
    for (name, value) in raw {
        match (was.get(&**name), is.get(&**name)) {
            // The program has removed it.
            (Some(_), None) => {}
            (Some(was), Some(is)) => {
                write_name(out, name);
                patch(out, value, was, is);
            }
            // The type could not read the value, and the program has set another one.
            (None, Some(is)) => {
                write_name(out, name);
                out.push_str(is);
            }
            (None, None) => {
                write_name(out, name);
                out.push_str(value);
            }
        }
    }
    for (name, value) in after {
        // A default that the sender has left out stays left out.
        if !given.contains_key(&**name) && was.get(&**name) != Some(value) {
            write_name(out, name);
            out.push_str(value);
        }
    }
    out.push('}');
}

fn patch_array(out: &mut String, raw: &[&str], before: &[&str], after: &[&str]) {
    let sources = sources(raw, before);
    let pairs = pairs(before, after);
    let mut unread = unread_items(raw, before.len(), &sources, &pairs);
    out.push('[');
    let mut write_unread = |out: &mut String, behind: Option<usize>| {
        for item in unread.remove(&behind).unwrap_or_default() {
            write::comma(out);
            out.push_str(item);
        }
    };
    write_unread(out, None);
    for (item, pair) in after.iter().zip(&pairs) {
        write::comma(out);
        match pair.and_then(|index| Some((index, raw.get(sources[index]?)?))) {
            Some((index, raw)) => patch(out, raw, before[index], item),
            None => out.push_str(item),
        }
        if pair.is_some() {
            write_unread(out, *pair);
        }
    }
    out.push(']');
}

/// For each item of a decoded list, the position of the item in the text. Lists skip items that cannot be read.
fn sources(raw: &[&str], before: &[&str]) -> Vec<Option<usize>> {
    if raw.len() == before.len() {
        return (0..before.len()).map(Some).collect();
    }
    let mut at = 0;
    let position = |item: &&str| {
        let rest = raw.get(at..)?;
        let found = at + rest.iter().position(|raw| reads_as(raw, item))?;
        at = found + 1;
        Some(found)
    };
    before.iter().map(position).collect()
}

/// The items of the text that the type could not read. Each list follows an item of `before` that is still there; those of
/// `None` come first.
fn unread_items<'a>(
    raw: &[&'a str],
    count: usize,
    sources: &[Option<usize>],
    pairs: &[Option<usize>],
) -> BTreeMap<Option<usize>, Vec<&'a str>> {
    let mut read_as = vec![None; raw.len()];
    for (index, source) in sources.iter().enumerate() {
        if let Some(source) = source {
            read_as[*source] = Some(index);
        }
    }
    let mut is_kept = vec![false; count];
    for index in pairs.iter().flatten() {
        is_kept[*index] = true;
    }
    let mut unread: BTreeMap<Option<usize>, Vec<&str>> = BTreeMap::new();
    let mut behind = None;
    for (item, index) in raw.iter().zip(read_as) {
        match index {
            Some(index) if is_kept[index] => behind = Some(index),
            Some(_) => {}
            None => unread.entry(behind).or_default().push(*item),
        }
    }
    unread
}

/// For each item of a changed list, the item that it was before: an equal one, one with the same identity, or the one at
/// the same position of a list whose length did not change.
fn pairs(before: &[&str], after: &[&str]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; after.len()];
    let mut is_used = vec![false; before.len()];
    let mut equal: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (index, item) in before.iter().enumerate() {
        equal.entry(item).or_default().push_back(index);
    }
    for (pair, item) in pairs.iter_mut().zip(after) {
        *pair = equal.get_mut(item).and_then(VecDeque::pop_front);
        if let Some(index) = *pair {
            is_used[index] = true;
        }
    }
    let mut named: HashMap<(&str, Cow<'_, str>), VecDeque<usize>> = HashMap::new();
    for (index, item) in before
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_used[*index])
    {
        if let Some(identity) = identity(item) {
            named.entry(identity).or_default().push_back(index);
        }
    }
    for (position, (pair, item)) in pairs.iter_mut().zip(after).enumerate() {
        if pair.is_some() {
            continue;
        }
        let same = identity(item).and_then(|identity| named.get_mut(&identity)?.pop_front());
        let in_place = || {
            let is_free = before.len() == after.len() && !is_used[position];
            is_free.then_some(position)
        };
        *pair = same.filter(|index| !is_used[*index]).or_else(in_place);
        if let Some(index) = *pair {
            is_used[index] = true;
        }
    }
    pairs
}

/// Whether a decoded value, in its encoding, may have been read from a text.
fn reads_as(raw: &str, value: &str) -> bool {
    if raw == value {
        return true;
    }
    if let (Ok(raw), Ok(value)) = (members(raw), members(value)) {
        let raw = by_name(&raw);
        let mut shared = value
            .iter()
            .filter_map(|(name, value)| Some((raw.get(&**name)?, value)));
        return value.is_empty()
            || shared.clone().next().is_some() && shared.all(|(raw, value)| reads_as(raw, value));
    }
    if let (Ok(raw), Ok(value)) = (items(raw), items(value)) {
        return value.len() <= raw.len();
    }
    match (Reader::new(raw).kind(), Reader::new(value).kind()) {
        (Ok(ValueKind::String), Ok(ValueKind::String)) => {
            json::from_str::<String>(raw).ok() == json::from_str::<String>(value).ok()
        }
        (Ok(ValueKind::Number), Ok(ValueKind::Number)) => {
            json::from_str::<f64>(raw).ok() == json::from_str::<f64>(value).ok()
        }
        _ => false,
    }
}

fn members(text: &str) -> Result<Vec<Member<'_>>, DecodeError> {
    let mut reader = Reader::new(text);
    let mut members = Vec::new();
    let mut more = reader.open_object()?;
    while more {
        members.push((reader.name()?, reader.skip()?));
        more = reader.more_members()?;
    }
    Ok(members)
}

fn items(text: &str) -> Result<Vec<&str>, DecodeError> {
    let mut reader = Reader::new(text);
    let mut items = Vec::new();
    let mut more = reader.open_array()?;
    while more {
        items.push(reader.skip()?);
        more = reader.more_items()?;
    }
    Ok(items)
}

fn by_name<'a>(members: &'a [Member<'_>]) -> HashMap<&'a str, &'a str> {
    let members = members.iter();
    members.map(|(name, value)| (&**name, *value)).collect()
}

/// The members that name the variant of a union. An object of another variant does not inherit unknown members.
fn variant<'a, 'b>(members: &'a [Member<'b>]) -> Vec<&'a Member<'b>> {
    let named = |member: &&Member<'_>| VARIANTS.contains(&&*member.0);
    members.iter().filter(named).collect()
}

/// The member that tells items of a list apart, and its value.
fn identity(item: &str) -> Option<(&'static str, Cow<'_, str>)> {
    let members = members(item).ok()?;
    let found = IDENTITIES.iter().find_map(|name| {
        let member = members.iter().find(|member| member.0 == *name)?;
        Some((*name, member.1))
    });
    found.map(|(name, value)| (name, Cow::Borrowed(value)))
}

fn write_name(out: &mut String, name: &str) {
    write::comma(out);
    write::string(out, name);
    out.push(':');
}

const VARIANTS: [&str; 5] = ["type", "sessionUpdate", "outcome", "action", "mode"];
const IDENTITIES: [&str; 12] = [
    "id",
    "toolCallId",
    "optionId",
    "terminalId",
    "sessionId",
    "planId",
    "modeId",
    "serverId",
    "value",
    "uri",
    "path",
    "name",
];
