//! Public items as lines for reviewers: short paths, one line for the traits of a type, nothing that follows from the rest.

use std::collections::BTreeSet;
use std::fmt;

use public_api::PublicItem;

/// The items of the crate that rustdoc calls `name`.
pub(super) fn write<'a>(name: &str, items: impl Iterator<Item = &'a PublicItem>) -> String {
    let items = items.map(|item| ApiItem {
        text: item.to_string(),
        id: item.id().0,
        parent: item.parent_id().map(|id| id.0),
    });
    listing(name, items.collect())
}

struct ApiItem {
    text: String,
    id: u32,
    parent: Option<u32>,
}

fn listing(name: &str, items: Vec<ApiItem>) -> String {
    let own_path = format!("{name}::");
    let texts = items.iter().map(|item| shorten(&item.text, &own_path));
    let texts: Vec<String> = texts.collect();
    let own_types: BTreeSet<&str> = texts.iter().filter_map(|text| type_name(text)).collect();

    let mut lines = Vec::new();
    let mut current_type = "";
    let mut current_impl = None;
    for (item, text) in items.iter().zip(&texts) {
        current_type = type_name(text).unwrap_or(current_type);
        match ImplHeader::parse(text) {
            Some(header) => {
                let implementor = path(header.implementor);
                // Implementations are listed below the type and below the trait.
                let is_listed = implementor == current_type || !own_types.contains(implementor);
                current_impl = Some((item.id, is_listed));
                if is_listed && !header.is_implied() {
                    header.add_to(&mut lines);
                }
            }
            None => match current_impl {
                // The trait says which functions an implementation has.
                Some((id, is_listed)) if item.parent == Some(id) => {
                    if is_listed && !text.contains("fn ") {
                        lines.push(ApiLine::Item(text));
                    }
                }
                _ if is_bare_impl(text) => {}
                _ => lines.push(ApiLine::Item(text)),
            },
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn shorten(text: &str, own_path: &str) -> String {
    let own = text.replace(own_path, "");
    STD_PATHS
        .iter()
        .fold(own, |text, (long, short)| text.replace(long, short))
}

/// `json::Object` for `pub struct json::Object<'a>`.
fn type_name(text: &str) -> Option<&str> {
    let kinds = ["pub struct ", "pub enum ", "pub union "];
    let name = kinds.iter().find_map(|kind| text.strip_prefix(kind))?;
    Some(path(name))
}

fn path(name: &str) -> &str {
    let end = name.find(['<', '(', ' ']).unwrap_or(name.len());
    name.get(..end).unwrap_or(name)
}

/// The header of functions without a trait, which follows from them unless it sets bounds.
fn is_bare_impl(text: &str) -> bool {
    (text.starts_with("impl ") || text.starts_with("impl<")) && !text.contains(": ")
}

/// `impl<generics> name for implementor`.
#[derive(Clone, Copy)]
struct ImplHeader<'t> {
    generics: &'t str,
    name: &'t str,
    implementor: &'t str,
}

impl<'t> ImplHeader<'t> {
    fn parse(text: &'t str) -> Option<ImplHeader<'t>> {
        let header = text.strip_prefix("impl")?;
        let (generics, header) = match header.strip_prefix(' ') {
            Some(header) => ("", header),
            None => header.split_at(end_of_generics(header)?),
        };
        let (name, implementor) = header.trim_start().split_once(" for ")?;
        Some(ImplHeader {
            generics,
            name,
            implementor,
        })
    }

    /// Whether nobody would miss it in the list: that a type is `Send`, say. One that isn't gets a line.
    fn is_implied(self) -> bool {
        AUTO_TRAITS.contains(&self.name)
            || UNUSED_TRAITS.iter().any(|name| self.name.ends_with(name))
    }

    fn add_to(self, lines: &mut Vec<ApiLine<'t>>) {
        let others = lines.iter_mut().rev().find_map(|line| match line {
            ApiLine::Traits(header, names) if header.is_beside(self) => Some(names),
            _ => None,
        });
        match others {
            Some(names) => names.push(self.name),
            None => lines.push(ApiLine::Traits(self, vec![self.name])),
        }
    }

    /// A trait with arguments, such as `From`, is on its own line: a type may implement many.
    fn is_beside(self, other: ImplHeader<'_>) -> bool {
        self.generics == other.generics
            && self.implementor == other.implementor
            && !self.name.contains('<')
            && !other.name.contains('<')
    }
}

fn end_of_generics(header: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, letter) in header.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
        before = letter;
    }
    None
}

enum ApiLine<'t> {
    Item(&'t str),
    Traits(ImplHeader<'t>, Vec<&'t str>),
}

impl fmt::Display for ApiLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApiLine::Item(text) => f.write_str(text),
            ApiLine::Traits(header, names) => {
                let names = names.join(" + ");
                write!(
                    f,
                    "impl{} {names} for {}",
                    header.generics, header.implementor
                )
            }
        }
    }
}

/// Traits that the compiler implements where it can.
const AUTO_TRAITS: [&str; 3] = ["Send", "Sync", "Unpin"];
/// Traits that nobody asks for, whether a type has them or not.
const UNUSED_TRAITS: [&str; 4] = ["Freeze", "StructuralPartialEq", "UnsafeUnpin", "UnwindSafe"];
/// Paths of the standard library that everybody knows, and what stands for them.
const STD_PATHS: [(&str, &str); 24] = [
    ("alloc::borrow::", ""),
    ("alloc::boxed::", ""),
    ("alloc::string::", ""),
    ("alloc::sync::", ""),
    ("alloc::vec::", ""),
    ("core::clone::", ""),
    ("core::cmp::", ""),
    ("core::convert::", ""),
    ("core::default::", ""),
    ("core::error::", ""),
    ("core::fmt::", "fmt::"),
    ("core::future::future::", ""),
    ("core::hash::", ""),
    ("core::iter::traits::collect::", ""),
    ("core::iter::traits::iterator::", ""),
    ("core::marker::", ""),
    ("core::ops::function::", ""),
    ("core::option::", ""),
    ("core::panic::unwind_safe::", ""),
    ("core::result::", ""),
    ("core::time::", ""),
    ("std::ffi::os_str::", ""),
    ("std::io::error::", "io::"),
    ("std::path::", ""),
];

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_type_is_listed_with_its_traits_once() {
        let items = [
            "pub trait sdk::Encode",
            "impl sdk::Encode for sdk::Limits",
            "  pub fn sdk::Limits::encode(&self)",
            "impl<T: sdk::Encode> sdk::Encode for alloc::vec::Vec<T>",
            "  pub fn alloc::vec::Vec<T>::encode(&self)",
            "pub struct sdk::Limits",
            "pub sdk::Limits::size: core::option::Option<usize>",
            "impl sdk::Limits",
            "pub fn sdk::Limits::new() -> core::result::Result<Self, sdk::Error>",
            "impl core::clone::Clone for sdk::Limits",
            "  pub fn sdk::Limits::clone(&self) -> sdk::Limits",
            "impl sdk::Encode for sdk::Limits",
            "  pub fn sdk::Limits::encode(&self)",
            "impl core::convert::From<u8> for sdk::Limits",
            "  pub fn sdk::Limits::from(u8) -> Self",
            "impl core::fmt::Display for sdk::Limits",
            "  pub fn sdk::Limits::fmt(&self, &mut core::fmt::Formatter<'_>) -> core::fmt::Result",
            "impl core::marker::StructuralPartialEq for sdk::Limits",
            "impl core::marker::Send for sdk::Limits",
            "impl !core::marker::Sync for sdk::Limits",
            "impl !core::panic::unwind_safe::UnwindSafe for sdk::Limits",
            "impl core::iter::traits::iterator::Iterator for sdk::Limits",
            "  pub type sdk::Limits::Item = u8",
            "  pub fn sdk::Limits::next(&mut self) -> core::option::Option<u8>",
            "pub struct sdk::Of<T>",
            "impl<T> sdk::Of<T>",
            "pub fn sdk::Of<T>::get(&self) -> T",
            "impl<T: core::clone::Clone> sdk::Of<T>",
            "pub fn sdk::Of<T>::copy(&self) -> Self",
            "impl<T: core::clone::Clone> core::clone::Clone for sdk::Of<T>",
            "  pub fn sdk::Of<T>::clone(&self) -> Self",
            "impl<T> core::marker::Send for sdk::Of<T> where T: core::marker::Send",
        ];
        let mut parent = 0;
        let items = (1..).zip(items).map(|(id, text)| {
            let inner = text.strip_prefix("  ");
            if inner.is_none() {
                parent = id;
            }
            ApiItem {
                text: inner.unwrap_or(text).to_owned(),
                id,
                parent: inner.map(|_| parent),
            }
        });
        expect![[r#"
            pub trait Encode
            impl<T: Encode> Encode for Vec<T>
            pub struct Limits
            pub Limits::size: Option<usize>
            pub fn Limits::new() -> Result<Self, Error>
            impl Clone + Encode + fmt::Display + !Sync + Iterator for Limits
            impl From<u8> for Limits
            pub type Limits::Item = u8
            pub struct Of<T>
            pub fn Of<T>::get(&self) -> T
            impl<T: Clone> Of<T>
            pub fn Of<T>::copy(&self) -> Self
            impl<T: Clone> Clone for Of<T>
        "#]]
        .assert_eq(&listing("sdk", items.collect()));
    }
}
