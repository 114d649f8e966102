use std::path::{Path, PathBuf};

use attache::{json, v1};
use expect_test::{Expect, expect};

use super::{AttachError, compose, mention, uri};

fn file(scratch: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = scratch.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// Shows a file as an agent that takes everything gets it, then one that takes nothing.
fn check(name: &str, content: &[u8], expected: &Expect) {
    let scratch = tempfile::tempdir().unwrap();
    let path = file(scratch.path(), name, content);
    let all = v1::PromptCapabilities::new()
        .image(true)
        .audio(true)
        .embedded_context(true);
    let mut seen = String::new();
    for offered in [all, v1::PromptCapabilities::new()] {
        seen += &json::to_string(&mention(&path, &offered).unwrap());
        seen.push('\n');
    }
    expected.assert_eq(&seen.replace(&uri(scratch.path()), "file:///scratch"));
}

#[test]
fn a_file_is_what_its_bytes_say() {
    check(
        "picture.txt",
        b"\x89PNG\r\n\x1a\n",
        &expect![[r#"
        {"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png","uri":"file:///scratch/picture.txt"}
        {"type":"resource_link","name":"picture.txt","uri":"file:///scratch/picture.txt","size":8}
    "#]],
    );
    check(
        "sound.bin",
        b"RIFF....WAVEfmt ",
        &expect![[r#"
        {"type":"audio","data":"UklGRi4uLi5XQVZFZm10IA==","mimeType":"audio/wav"}
        {"type":"resource_link","name":"sound.bin","uri":"file:///scratch/sound.bin","size":16}
    "#]],
    );
    check(
        "notes.png",
        "grüße\n".as_bytes(),
        &expect![[r#"
        {"type":"resource","resource":{"text":"grüße\n","uri":"file:///scratch/notes.png"}}
        {"type":"resource_link","name":"notes.png","uri":"file:///scratch/notes.png","size":8}
    "#]],
    );
    check(
        "object.txt",
        b"\x7fELF\0\0",
        &expect![[r#"
        {"type":"resource_link","name":"object.txt","uri":"file:///scratch/object.txt","size":6}
        {"type":"resource_link","name":"object.txt","uri":"file:///scratch/object.txt","size":6}
    "#]],
    );
    check(
        "half.txt",
        &"ß".repeat(5000).as_bytes()[..8193],
        &expect![[r#"
            {"type":"resource_link","name":"half.txt","uri":"file:///scratch/half.txt","size":8193}
            {"type":"resource_link","name":"half.txt","uri":"file:///scratch/half.txt","size":8193}
        "#]],
    );
}

#[test]
fn a_long_text_and_a_directory_are_links() {
    let scratch = tempfile::tempdir().unwrap();
    let long = file(scratch.path(), "long.txt", &[b'x'; 300 << 10]);
    let offered = v1::PromptCapabilities::new().embedded_context(true);
    for path in [long.as_path(), scratch.path()] {
        let block = mention(path, &offered).unwrap();
        assert!(
            matches!(block, v1::ContentBlock::ResourceLink(_)),
            "{block:?}"
        );
    }
}

#[test]
fn what_cannot_be_attached_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let missing = scratch.path().join("missing");
    let files = [missing.clone()];
    let error = compose("hi", &files, &v1::PromptCapabilities::new()).unwrap_err();
    assert!(
        matches!(&error, AttachError::Unreadable { path, .. } if *path == missing),
        "{error}"
    );
    let mut large = b"\x89PNG\r\n\x1a\n".to_vec();
    large.resize(10_000_001, 0);
    let large = file(scratch.path(), "large.png", &large);
    let error = mention(&large, &v1::PromptCapabilities::new().image(true)).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("it has 11 MB, the limit is 10 MB; use a smaller file")
    );
    #[cfg(unix)]
    {
        let error = mention(Path::new("/dev/null"), &v1::PromptCapabilities::new()).unwrap_err();
        assert!(matches!(error, AttachError::Special { .. }), "{error}");
    }
}

#[test]
fn an_address_has_no_odd_characters() {
    expect!["file:///a%20b/%23%25%3F/gr%C3%BC%C3%9Fe.txt"]
        .assert_eq(&uri(Path::new("/a b/#%?/grüße.txt")));
}
