//! How commands start, and why they are refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use attache_schema::v1;
use expect_test::{Expect, expect};
use libtest_mimic::Trial;

use super::client::TestClient;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("starting::commands_that_cannot_run_are_refused", refused),
        trial(
            "starting::a_line_of_plain_words_is_split_and_another_is_run_by_the_shell",
            lines,
        ),
        trial("starting::arguments_arrive_as_they_are", arguments),
        trial("starting::directories_stay_inside_the_roots", directories),
        trial("starting::variables_are_set_or_refused", variables),
        trial("starting::a_program_of_the_project_runs", own_program),
    ]
}

async fn check(client: &TestClient, request: &v1::CreateTerminalRequest, expected: &Expect) {
    let shown = match client.create(request).await {
        Ok(id) => {
            client.wait(&id).await;
            client.text(&id)
        }
        Err(error) => {
            let error = attache_rpc::Error::from(error);
            let data = error.data.map(|data| data.as_str().to_owned());
            format!(
                "{} {}\n{}",
                error.code,
                data.unwrap_or_default(),
                error.message
            )
        }
    };
    let folder = client.folder.display().to_string();
    expected.assert_eq(&shown.replace(&folder, "~"));
}

async fn refused() {
    let client = TestClient::new();
    let script = client.project().join("script");
    fs::write(&script, "echo hello\n").unwrap();
    let run = |command: &str| client.request(command, &["x"]);
    check(
        &client,
        &run(""),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            `command` is empty: name a program"#]],
    )
    .await;
    check(
        &client,
        &client.request(" ", &[]),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            `command` is empty: name a program"#]],
    )
    .await;
    check(&client, &run("no-such-program"), &expect![[r#"
        -32602 {"kind":"not_found"}
        program `no-such-program` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line"#]]).await;
    check(&client, &run("/no/such/program"), &expect![[r#"
        -32602 {"kind":"not_found"}
        program `/no/such/program` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line"#]]).await;
    check(&client, &run("./script"), &expect![[r#"
        -32602 {"kind":"not_executable"}
        program `./script` cannot be executed (Permission denied (os error 13)): check its permissions and format"#]]).await;
    check(&client, &run("."), &expect![[r#"
        -32602 {"kind":"not_executable"}
        program `.` cannot be executed (Permission denied (os error 13)): check its permissions and format"#]]).await;
    check(
        &client,
        &run("a\0b"),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            `command` contains a NUL byte, which no program can receive"#]],
    )
    .await;
    check(
        &client,
        &client.request("echo", &["a\0b"]),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            an argument contains a NUL byte, which no program can receive"#]],
    )
    .await;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    check(&client, &run("./script"), &expect![[r#"
        -32602 {"kind":"not_executable"}
        `./script` cannot be executed: it is a text without a `#!` line; set `command` to the program that runs it, such as `sh`"#]]).await;
    let long = "x".repeat(200_000);
    check(
        &client,
        &client.request("echo", &[&long]),
        &expect![[r#"
            -32602 {"kind":"too_large"}
            the arguments and variables, or one of them, exceed the system's limit; pass them in a file"#]],
    )
    .await;
    assert!(client.terminals.view(&v1::TerminalId::from("x")).is_none());
    let shown = format!("{:?}", client.terminals);
    assert!(shown.contains("active: 0"), "{shown}");
}

async fn lines() {
    let client = TestClient::new();
    // The symptom: a file with the same name as the line kept the line from running.
    fs::write(client.project().join("echo here"), "x").unwrap();
    let said = client.output_of(&client.request("echo here", &[])).await;
    assert_eq!(said, "here\n");
    fs::remove_file(client.project().join("echo here")).unwrap();
    // No user can type into an editor or page.
    let shown = "echo $GIT_EDITOR $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT";
    let said = client.output_of(&client.request(shown, &[])).await;
    assert_eq!(said, "true cat cat 0\n");
    let mut request = client.request(shown, &[]);
    request.env = vec![v1::EnvVariable::new("GIT_EDITOR", "ed")];
    assert_eq!(client.output_of(&request).await, "ed cat cat 0\n");
    check(
        &client,
        &client.request("echo hello", &[]),
        &expect![[r#"
        hello
    "#]],
    )
    .await;
    let lines = [
        ("echo hello; echo again", "hello\nagain\n"),
        ("echo $((20 + 22))", "42\n"),
        ("A=b; echo \"$A\" hello", "b hello\n"),
        ("A=b env | grep ^A=", "A=b\n"),
        ("cd / && pwd", "/\n"),
        ("cd /", ""),
        ("echo one\necho two # three", "one\ntwo\n"),
        ("echo 'a  b'", "a  b\n"),
        ("printf %s\\\\n ~ | wc -l", "1\n"),
    ];
    for (line, expected) in lines {
        let said = client.output_of(&client.request(line, &[])).await;
        assert_eq!(said, expected, "{line}");
        let id = client.create(&client.request(line, &[])).await.unwrap();
        let view = client.terminals.view(&id).unwrap();
        assert_eq!(view.command, [line], "{line}");
    }
    let said = client
        .output_of(&client.request("no-such-program --now", &[]))
        .await;
    assert!(said.contains("no-such-program: not found"), "{said}");
    let spaced = client.project().join("echo hello");
    fs::write(&spaced, "#!/bin/sh\necho spaced\n").unwrap();
    fs::set_permissions(&spaced, fs::Permissions::from_mode(0o755)).unwrap();
    check(
        &client,
        &client.request("./echo hello", &[]),
        &expect![[r#"
        spaced
    "#]],
    )
    .await;
}

async fn arguments() {
    let client = TestClient::new();
    let request = client.request(
        "printf",
        &["%s|", "a b", "", "$HOME", "*", ";", "ü", "`x`", "\n"],
    );
    check(
        &client,
        &request,
        &expect![[r#"
        a b||$HOME|*|;|ü|`x`|
        |"#]],
    )
    .await;
}

async fn directories() {
    let client = TestClient::new();
    fs::create_dir_all(client.project().join("inner")).unwrap();
    fs::create_dir_all(client.folder.join("project-other")).unwrap();
    fs::write(client.project().join("file"), "").unwrap();
    symlink(
        client.folder.join("project-other"),
        client.project().join("link"),
    )
    .unwrap();
    let run_in = |path: std::path::PathBuf| {
        let path = path.to_str().unwrap();
        client.request("sh", &["-c", "pwd; echo $PWD"]).cwd(path)
    };
    check(
        &client,
        &client.request("pwd", &[]),
        &expect![[r#"
        ~/project
    "#]],
    )
    .await;
    check(
        &client,
        &run_in(client.project().join("inner")),
        &expect![[r#"
        ~/project/inner
        ~/project/inner
    "#]],
    )
    .await;
    check(
        &client,
        &run_in(client.project().join("missing")),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `~/project/missing`: there is no file `~/project/missing`"#]],
    )
    .await;
    check(
        &client,
        &run_in(client.project().join("file")),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `~/project/file`: `~/project/file` is not a directory; name a directory"#]],
    )
    .await;
    check(&client, &run_in(client.project().join("..")), &expect![[r#"
        -32602 {"kind":"directory"}
        the command cannot run in `~/project/..`: `~/project/..` lies outside the directories of this session; add its directory to the session"#]]).await;
    check(&client, &run_in(client.project().join("link")), &expect![[r#"
        -32602 {"kind":"directory"}
        the command cannot run in `~/project/link`: `~/project/link` lies outside the directories of this session; add its directory to the session"#]]).await;
    check(
        &client,
        &run_in(client.folder.join("project-other")),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `~/project-other`: `~/project-other` lies outside the directories of this session; add its directory to the session"#]],
    )
    .await;
    check(
        &client,
        &run_in("inner".into()),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `inner`: `inner` is not an absolute path; start it at the root"#]],
    )
    .await;
}

async fn variables() {
    let client = TestClient::new();
    let run = |name: &str, value: &str| {
        let request = client.request("sh", &["-c", "echo \"$GIVEN ${PATH:+path}\""]);
        request.env(vec![v1::EnvVariable::new(name, value)])
    };
    check(
        &client,
        &run("GIVEN", "a b"),
        &expect![[r#"
        a b path
    "#]],
    )
    .await;
    check(
        &client,
        &run("A=B", "s3cret"),
        &expect![[r#"
            -32602 {"kind":"variable"}
            environment variable `A=B` is refused: a name cannot be empty or contain `=` or NUL"#]],
    )
    .await;
}

async fn own_program() {
    let client = TestClient::new();
    let script = client.project().join("inner/run");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(&script, "#!/bin/sh\necho \"$0 $1\"\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let inner = client.project().join("inner");
    let request = client
        .request("./run", &["now"])
        .cwd(inner.to_str().unwrap());
    check(
        &client,
        &request,
        &expect![[r#"
        ./run now
    "#]],
    )
    .await;
}
