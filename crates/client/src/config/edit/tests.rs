//! Every key that the documentation and hints mention can be set.

use std::fs;
use std::path::Path;

use super::super::document::Document;
use super::super::layer::{KEYS, KeysBelow, Layer, keys_of};
use super::{set, unset};

/// The words of a line for the shell, as far as the documentation uses quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for char in line.chars() {
        match quote {
            Some(end) if char == end => quote = None,
            None if char == '\'' || char == '"' => quote = Some(char),
            None if char == ' ' => words.push(std::mem::take(&mut word)),
            _ => word.push(char),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn layer(file: &Path) -> Layer {
    Layer::read(&Document::open(file).unwrap().unwrap()).unwrap()
}

/// The symptom: `attache config set environment.pass '["DATABASE_URL"]'`, which the documentation shows, exited with 2.
#[test]
fn every_example_of_the_documentation_works() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.json");
    let mut count = 0;
    for page in fs::read_dir(docs).unwrap() {
        let page = page.unwrap().path();
        if page.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let text = fs::read_to_string(&page).unwrap();
        for (start, _) in text.match_indices("attache config set ") {
            let before = text[..start].chars().next_back();
            let rest = &text[start..];
            let end = if before == Some('`') { '`' } else { '\n' };
            let line = rest.split(end).next().unwrap_or(rest);
            let line = line.split(" …").next().unwrap_or(line);
            let words = words(line);
            let [_, _, _, key, value, ..] = words.as_slice() else {
                panic!("{}: {line}", page.display());
            };
            if key == "KEY" {
                continue;
            }
            count += 1;
            set(&file, key, value).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert!(layer(&file).warnings.is_empty(), "{line}");
        }
    }
    assert!(count >= 3, "{count}");
}

#[test]
fn every_known_key_below_another_can_be_set_and_unset() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.json");
    for first in KEYS {
        let KeysBelow::Known(keys) = keys_of(first) else {
            continue;
        };
        for key in keys {
            let key = format!("{first}.{key}");
            let value = match &*key {
                "permissions.preset" => "ask",
                "permissions.expiry" => "8h",
                "sandbox.mode" => "required",
                "sandbox.network" => "loopback",
                "sandbox.nested" => "allowed",
                _ if *first == "environment" => r#"["DATABASE_URL", "AWS_*"]"#,
                _ => r#"["/srv/data"]"#,
            };
            set(&file, &key, value).unwrap_or_else(|error| panic!("{key}: {error}"));
            assert!(layer(&file).warnings.is_empty(), "{key}");
        }
    }
    unset(&file, "sandbox.mode").unwrap();
    let error = set(&file, "sandbox.wirte", "[]").unwrap_err().to_string();
    assert!(error.contains("`sandbox.write`"), "{error}");
}

#[test]
fn a_mode_alone_becomes_an_object_and_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.json");
    set(&file, "sandbox", "required").unwrap();
    set(&file, "sandbox.write", r#"["/srv/data"]"#).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("required") && text.contains("/srv/data"),
        "{text}"
    );
    set(&file, "sandbox", "on").unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("\"on\"") && text.contains("/srv/data"),
        "{text}"
    );
}
