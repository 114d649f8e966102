//! Mentioned and attached files, as the agent receives them.

use std::fs;
use std::path::Path;

use attache::v1;
use expect_test::{Expect, expect};

use crate::chat::mentions::{PromptDraft, find_files, load_prompt};

fn prompt(cwd: &Path, capabilities: v1::PromptCapabilities) -> PromptDraft {
    PromptDraft {
        text: "look".to_owned(),
        mentions: vec![
            "a b.txt".to_owned(),
            "nobody".to_owned(),
            "raw.bin".to_owned(),
        ],
        files: Vec::new(),
        cwd: cwd.to_owned(),
        capabilities,
    }
}

fn check(cwd: &Path, prompt: &PromptDraft, expected: &Expect) {
    let loaded = match load_prompt(prompt) {
        Ok(blocks) => blocks
            .iter()
            .map(|block| format!("{}\n", attache::json::Raw::of(block).as_str()))
            .collect(),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&loaded.replace(cwd.to_str().unwrap(), "CWD"));
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("attache-chat-{name}-{}", std::process::id()));
    fs::create_dir_all(folder.join("target")).unwrap();
    fs::write(folder.join("a b.txt"), "text of it\n").unwrap();
    fs::write(folder.join("raw.bin"), [0, 159, 146, 150]).unwrap();
    fs::write(folder.join("dot.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::write(folder.join("target/out.txt"), "").unwrap();
    fs::write(folder.join(".gitignore"), "target/\n").unwrap();
    folder
}

#[test]
fn mentions_are_embedded_where_the_agent_can_and_links_otherwise() {
    let cwd = folder("mentions");
    check(
        &cwd,
        &prompt(&cwd, v1::PromptCapabilities::new()),
        &expect![[r#"
            {"type":"text","text":"look"}
            {"type":"resource_link","name":"a b.txt","uri":"file://CWD/a%20b.txt","size":11}
            {"type":"resource_link","name":"raw.bin","uri":"file://CWD/raw.bin","size":4}
        "#]],
    );
    let capabilities = v1::PromptCapabilities::new().embedded_context(true);
    check(
        &cwd,
        &prompt(&cwd, capabilities),
        &expect![[r#"
            {"type":"text","text":"look"}
            {"type":"resource","resource":{"text":"text of it\n","uri":"file://CWD/a%20b.txt"}}
            {"type":"resource_link","name":"raw.bin","uri":"file://CWD/raw.bin","size":4}
        "#]],
    );
    fs::remove_dir_all(cwd).unwrap();
}

#[test]
fn an_image_is_attached_where_the_agent_takes_images_and_a_link_otherwise() {
    let cwd = folder("images");
    let mut prompt = prompt(&cwd, v1::PromptCapabilities::new());
    prompt.mentions.clear();
    prompt.files = vec!["dot.png".into()];
    check(
        &cwd,
        &prompt,
        &expect![[r#"
            {"type":"text","text":"look"}
            {"type":"resource_link","name":"dot.png","uri":"file://CWD/dot.png","size":8}
        "#]],
    );
    prompt.capabilities = v1::PromptCapabilities::new().image(true);
    check(
        &cwd,
        &prompt,
        &expect![[r#"
            {"type":"text","text":"look"}
            {"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png","uri":"file://CWD/dot.png"}
        "#]],
    );
    prompt.files = vec!["missing.png".into()];
    check(
        &cwd,
        &prompt,
        &expect!["`CWD/missing.png` cannot be attached: No such file or directory (os error 2)"],
    );
    prompt.files = vec!["target".into()];
    prompt.capabilities = v1::PromptCapabilities::new().embedded_context(true);
    check(
        &cwd,
        &prompt,
        &expect![[r#"
        {"type":"text","text":"look"}
        {"type":"resource_link","name":"target","uri":"file://CWD/target"}
    "#]],
    );
    fs::remove_dir_all(cwd).unwrap();
}

#[test]
fn ignored_files_are_not_offered() {
    let cwd = folder("walk");
    assert_eq!(
        find_files(std::slice::from_ref(&cwd)),
        [".gitignore", "a b.txt", "dot.png", "raw.bin"]
    );
    fs::remove_dir_all(cwd).unwrap();
}
