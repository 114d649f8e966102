//! File requests: the boundary of the working directory, line ranges, and written text.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client_test::ClientTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::text;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallResult;
use crate::conformance::{Check, Need};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "files",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        let (reads, writes) = (
            test.offers("/fs/readTextFile"),
            test.offers("/fs/writeTextFile"),
        );
        if !reads {
            let answer = test
                .request("fs/read_text_file", json!({ "path": "/etc/hostname" }))
                .await;
            test.judge_error("client.fence.read", &answer, &[]);
        }
        if !writes {
            let params = json!({ "path": "/no/such/place", "content": "" });
            let answer = test.request("fs/write_text_file", params).await;
            test.judge_error("client.fence.write", &answer, &[]);
        }
        let folder = test.folder().ok_or_else(|| {
            AbortReason("the client does not work in the directory it was started in".to_owned())
        })?;
        let ground = TestFiles::prepare(&folder).map_err(|error| AbortReason(error.to_string()))?;
        if reads {
            lines(test, &folder).await;
            boundary(test, &folder, &ground).await;
        }
        if writes {
            written(test, &folder, &ground).await;
        }
        test.end_turn("end_turn").await
    })
}

/// A directory beside the client's working directory, with files that the client must not expose.
struct TestFiles {
    outside: PathBuf,
}

impl Drop for TestFiles {
    fn drop(&mut self) {
        // If this fails, the system removes the directory with its other temporary files.
        drop(fs::remove_dir_all(&self.outside));
    }
}

impl TestFiles {
    fn prepare(folder: &Path) -> std::io::Result<TestFiles> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let outside = folder.with_file_name(format!("{name}-outside"));
        fs::create_dir_all(&outside)?;
        fs::write(outside.join("secret.txt"), "secret\n")?;
        fs::write(folder.join("lines.txt"), "one\ntwo\nthree\nfour\n")?;
        fs::write(folder.join("no-end.txt"), "one\ntwo")?;
        fs::write(folder.join("empty.txt"), "")?;
        fs::write(folder.join("crlf.txt"), "one\r\ntwo\r\n")?;
        fs::write(folder.join("script.txt"), "žluť 🦀\nß\n")?;
        fs::write(folder.join("bytes.bin"), [0xff, 0xfe, 0x00, 0x80])?;
        fs::write(folder.join("old.txt"), "old\n")?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            for (name, to) in [
                ("link.txt", outside.join("secret.txt")),
                ("out", outside.clone()),
            ] {
                // An earlier conversation in the same directory may have left the file.
                drop(fs::remove_file(folder.join(name)));
                symlink(to, folder.join(name))?;
            }
        }
        Ok(TestFiles { outside })
    }
}

async fn read(test: &mut ClientTest, path: &Path, more: Value) -> CallResult {
    let mut params = json!({ "path": path.to_string_lossy() });
    if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
        params.extend(more);
    }
    test.request("fs/read_text_file", params).await
}

async fn lines(test: &mut ClientTest, folder: &Path) {
    for (id, name, range, wanted) in [
        (
            "client.fs.read",
            "lines.txt",
            json!({}),
            &["one\ntwo\nthree\nfour\n"][..],
        ),
        (
            "client.fs.read-line",
            "lines.txt",
            json!({ "line": 3 }),
            &["three\nfour\n", "three\nfour"],
        ),
        (
            "client.fs.read-limit",
            "lines.txt",
            json!({ "limit": 2 }),
            &["one\ntwo\n", "one\ntwo"],
        ),
        (
            "client.fs.read-range",
            "lines.txt",
            json!({ "line": 2, "limit": 1 }),
            &["two\n", "two"],
        ),
        (
            "client.fs.read-null-range",
            "lines.txt",
            json!({ "line": null, "limit": null }),
            &["one\ntwo\nthree\nfour\n"],
        ),
        (
            "client.fs.read-no-end",
            "no-end.txt",
            json!({}),
            &["one\ntwo"],
        ),
        ("client.fs.read-empty", "empty.txt", json!({}), &[""]),
        (
            "client.fs.read-crlf",
            "crlf.txt",
            json!({}),
            &["one\r\ntwo\r\n"],
        ),
        (
            "client.fs.read-unicode",
            "script.txt",
            json!({}),
            &["žluť 🦀\nß\n"],
        ),
    ] {
        let answer = read(test, &folder.join(name), range).await;
        let found = match answer.result().map(|it| text(it, "/content")) {
            Some(content) if wanted.contains(&content) => Ok(()),
            Some(_) => Err("the content is different".to_owned()),
            None => answer.expect_result(),
        };
        test.judge(id, found, &answer.entries());
    }
    let beyond = read(test, &folder.join("lines.txt"), json!({ "line": 100 })).await;
    let nothing = match beyond.result().map(|it| text(it, "/content")) {
        Some("") => Ok(()),
        Some(_) => Err("there is content after the end".to_owned()),
        None => beyond.expect_response(),
    };
    test.judge("client.fs.read-beyond", nothing, &beyond.entries());
}

async fn boundary(test: &mut ClientTest, folder: &Path, ground: &TestFiles) {
    let secret = ground.outside.join("secret.txt");
    let name = ground
        .outside
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    for (id, path) in [
        ("client.fs.missing", folder.join("no-such-file.txt")),
        ("client.fs.directory", folder.to_owned()),
        ("client.fs.relative", Path::new("lines.txt").to_owned()),
        ("client.fs.outside", secret),
        (
            "client.fs.dots",
            folder.join("..").join(name).join("secret.txt"),
        ),
        ("client.fs.link", folder.join("link.txt")),
        (
            "client.fs.link-directory",
            folder.join("out").join("secret.txt"),
        ),
        ("client.fs.bytes", folder.join("bytes.bin")),
        ("client.fs.empty-path", Path::new("").to_owned()),
    ] {
        let answer = read(test, &path, json!({})).await;
        test.judge_error(id, &answer, &[]);
    }
    let params = json!({ "sessionId": "no-such-session", "path": folder.join("lines.txt").to_string_lossy() });
    let answer = test.call("fs/read_text_file", params).await;
    test.judge_error("client.fs.unknown-session", &answer, &[]);
}

async fn write(test: &mut ClientTest, path: &Path, content: &str) -> CallResult {
    let params = json!({ "path": path.to_string_lossy(), "content": content });
    test.request("fs/write_text_file", params).await
}

async fn written(test: &mut ClientTest, folder: &Path, ground: &TestFiles) {
    let (new, old) = (folder.join("new.txt"), folder.join("old.txt"));
    drop(fs::remove_file(&new));
    for (id, path) in [("client.fs.write-new", new), ("client.fs.write-old", old)] {
        let answer = write(test, &path, "written ž\n").await;
        if answer.expect_error(&[]).is_ok() && id == "client.fs.write-old" {
            continue;
        }
        let there = fs::read_to_string(&path).is_ok_and(|text| text == "written ž\n");
        let there = there
            .then_some(())
            .ok_or("the file does not have what was written".to_owned());
        test.judge(id, answer.expect_result().and(there), &answer.entries());
    }
    let outside = ground.outside.join("planted.txt");
    for (id, path, target) in [
        ("client.fs.write-outside", outside.clone(), outside.clone()),
        (
            "client.fs.write-link",
            folder.join("out").join("planted.txt"),
            outside,
        ),
        (
            "client.fs.write-over-link",
            folder.join("link.txt"),
            ground.outside.join("secret.txt"),
        ),
    ] {
        let before = fs::read_to_string(&target).ok();
        let answer = write(test, &path, "planted\n").await;
        let same = (fs::read_to_string(&target).ok() == before).then_some(());
        let same = same.ok_or("a file outside was written".to_owned());
        test.judge(id, same.and(answer.expect_response()), &answer.entries());
        drop(fs::remove_file(ground.outside.join("planted.txt")));
    }
    let relative = write(test, Path::new("relative.txt"), "x").await;
    test.judge_error("client.fs.write-relative", &relative, &[]);
}

const READ: Need = Need::Capability("fs.readTextFile");
const WRITE: Need = Need::Capability("fs.writeTextFile");

const CHECKS: &[Check] = &[
    should(
        "client.fence.read",
        "33",
        "Reading is rejected when it is not offered.",
        "Offer it, or reject it with -32601.",
    )
    .needs(Need::NoCapability("fs.readTextFile")),
    should(
        "client.fence.write",
        "33",
        "Writing is rejected when it is not offered.",
        "Offer it, or reject it with -32601.",
    )
    .needs(Need::NoCapability("fs.writeTextFile")),
    must(
        "client.fs.read",
        "131",
        "A file is read completely.",
        "The client offers fs.readTextFile.",
    )
    .needs(READ),
    must(
        "client.fs.read-line",
        "14",
        "Reading from line 3 starts with the third line.",
        "The first line is line 1.",
    )
    .needs(READ),
    must(
        "client.fs.read-limit",
        "14",
        "Reading two lines gives the first two.",
        "limit counts lines.",
    )
    .needs(READ),
    must(
        "client.fs.read-range",
        "14",
        "Reading one line from line 2 gives the second.",
        "The first line is line 1.",
    )
    .needs(READ),
    must(
        "client.fs.read-null-range",
        "",
        "line and limit that are null count as absent.",
        "Read null as absent.",
    )
    .needs(READ),
    must(
        "client.fs.read-no-end",
        "132",
        "A file without a final line feed is read as it is.",
        "Add nothing.",
    )
    .needs(READ),
    must(
        "client.fs.read-empty",
        "132",
        "An empty file is read as empty.",
        "An empty file is not an error.",
    )
    .needs(READ),
    should(
        "client.fs.read-crlf",
        "132",
        "Line ends are read as they are.",
        "Do not translate them: what is written back would differ.",
    )
    .needs(READ),
    must(
        "client.fs.read-unicode",
        "1",
        "Letters of any script are read as they are.",
        "Read files as UTF-8.",
    )
    .needs(READ),
    observed(
        "client.fs.read-beyond",
        "14",
        "Reading after the end of a file returns nothing.",
        "Respond with empty content, or reject.",
    )
    .needs(READ),
    must(
        "client.fs.missing",
        "10",
        "A missing file is rejected.",
        "Reject with -32002; empty content means that the file exists.",
    )
    .needs(READ),
    must(
        "client.fs.directory",
        "10",
        "A directory is rejected.",
        "A directory has no text.",
    )
    .needs(READ),
    must(
        "client.fs.relative",
        "13",
        "A relative path is rejected.",
        "Reject it with -32602.",
    )
    .needs(READ),
    must(
        "client.fs.outside",
        "71",
        "A file outside the session's directories is rejected.",
        "Keep the agent within the roots.",
    )
    .needs(READ),
    must(
        "client.fs.dots",
        "71",
        "`..` does not lead out.",
        "Resolve the path first.",
    )
    .needs(READ),
    must(
        "client.fs.link",
        "70",
        "A symbolic link does not lead out.",
        "Open beneath the root and follow no link out of it.",
    )
    .needs(READ),
    must(
        "client.fs.link-directory",
        "70",
        "A symbolic link to a directory does not lead out.",
        "Open beneath the root and follow no link out of it.",
    )
    .needs(READ),
    should(
        "client.fs.bytes",
        "",
        "A file that is not text is rejected.",
        "Replaced bytes would be written back.",
    )
    .needs(READ),
    must(
        "client.fs.empty-path",
        "13",
        "An empty path is rejected.",
        "Reject it with -32602.",
    )
    .needs(READ),
    should(
        "client.fs.unknown-session",
        "95",
        "A file request for an unknown session is rejected.",
        "Reject it: without a session there are no roots.",
    )
    .needs(READ),
    must(
        "client.fs.write-new",
        "133",
        "Writing a missing file creates it.",
        "Create it.",
    )
    .needs(WRITE),
    must(
        "client.fs.write-old",
        "133",
        "Writing an existing file replaces its text.",
        "Write all of it.",
    )
    .needs(WRITE),
    must(
        "client.fs.write-outside",
        "71",
        "A file outside the session's directories is not written.",
        "Keep the agent within the roots.",
    )
    .needs(WRITE),
    must(
        "client.fs.write-link",
        "70",
        "Nothing is written through a link to a directory outside.",
        "Open beneath the root and follow no link out of it.",
    )
    .needs(WRITE),
    must(
        "client.fs.write-over-link",
        "70",
        "Nothing is written through a link to a file outside.",
        "Open beneath the root and follow no link out of it.",
    )
    .needs(WRITE),
    must(
        "client.fs.write-relative",
        "13",
        "Writing to a relative path is rejected.",
        "Reject it with -32602.",
    )
    .needs(WRITE),
];
