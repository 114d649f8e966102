//! What a command is started with, and why it is not.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use attache_schema::v1;
use expect_test::{Expect, expect};
use libtest_mimic::Trial;

use super::desk::Desk;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("starts::commands_that_cannot_run_are_refused", refused),
        trial(
            "starts::a_line_of_plain_words_is_split_and_another_is_run_by_the_shell",
            lines,
        ),
        trial("starts::arguments_arrive_as_they_are", arguments),
        trial("starts::directories_stay_inside_the_roots", directories),
        trial("starts::variables_are_set_or_refused", variables),
        trial("starts::a_program_of_the_project_runs", own_program),
    ]
}

async fn check(desk: &Desk, request: &v1::CreateTerminalRequest, expected: &Expect) {
    let shown = match desk.create(request).await {
        Ok(id) => {
            desk.wait(&id).await;
            desk.text(&id)
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
    let folder = desk.folder.display().to_string();
    expected.assert_eq(&shown.replace(&folder, "~"));
}

async fn refused() {
    let desk = Desk::new();
    let script = desk.project().join("script");
    fs::write(&script, "echo hello\n").unwrap();
    let run = |command: &str| desk.request(command, &["x"]);
    check(
        &desk,
        &run(""),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            `command` is empty: name a program"#]],
    )
    .await;
    check(
        &desk,
        &desk.request(" ", &[]),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            `command` is empty: name a program"#]],
    )
    .await;
    check(&desk, &run("no-such-program"), &expect![[r#"
        -32602 {"kind":"not_found"}
        program `no-such-program` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line"#]]).await;
    check(&desk, &run("/no/such/program"), &expect![[r#"
        -32602 {"kind":"not_found"}
        program `/no/such/program` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line"#]]).await;
    check(&desk, &run("./script"), &expect![[r#"
        -32602 {"kind":"not_executable"}
        program `./script` cannot be executed (Permission denied (os error 13)): check its permissions and format"#]]).await;
    check(&desk, &run("."), &expect![[r#"
        -32602 {"kind":"not_executable"}
        program `.` cannot be executed (Permission denied (os error 13)): check its permissions and format"#]]).await;
    check(
        &desk,
        &run("a\0b"),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            `command` holds NUL, which no program can be given"#]],
    )
    .await;
    check(
        &desk,
        &desk.request("echo", &["a\0b"]),
        &expect![[r#"
            -32602 {"kind":"unusable_command"}
            an argument holds NUL, which no program can be given"#]],
    )
    .await;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    check(&desk, &run("./script"), &expect![[r#"
        -32602 {"kind":"not_executable"}
        `./script` cannot be executed: it is a text without a `#!` line; name the program that runs it as `command`, such as `sh`"#]]).await;
    let long = "x".repeat(200_000);
    check(
        &desk,
        &desk.request("echo", &[&long]),
        &expect![[r#"
            -32602 {"kind":"too_large"}
            the arguments and variables are together larger than the system takes, or one of them is: put them into a file"#]],
    )
    .await;
    assert!(desk.terminals.view(&v1::TerminalId::from("x")).is_none());
    let shown = format!("{:?}", desk.terminals);
    assert!(shown.contains("taken: 0"), "{shown}");
}

async fn lines() {
    let desk = Desk::new();
    // The symptom: a file that is named like the line kept it from being run.
    fs::write(desk.project().join("echo here"), "x").unwrap();
    let said = desk.output_of(&desk.request("echo here", &[])).await;
    assert_eq!(said, "here\n");
    fs::remove_file(desk.project().join("echo here")).unwrap();
    // Nobody can type into an editor or page.
    let shown = "echo $GIT_EDITOR $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT";
    let said = desk.output_of(&desk.request(shown, &[])).await;
    assert_eq!(said, "true cat cat 0\n");
    let mut request = desk.request(shown, &[]);
    request.env = vec![v1::EnvVariable::new("GIT_EDITOR", "ed")];
    assert_eq!(desk.output_of(&request).await, "ed cat cat 0\n");
    check(
        &desk,
        &desk.request("echo hello", &[]),
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
        let said = desk.output_of(&desk.request(line, &[])).await;
        assert_eq!(said, expected, "{line}");
        let id = desk.create(&desk.request(line, &[])).await.unwrap();
        let view = desk.terminals.view(&id).unwrap();
        assert_eq!(view.command, [line], "{line}");
    }
    let said = desk
        .output_of(&desk.request("no-such-program --now", &[]))
        .await;
    assert!(said.contains("no-such-program: not found"), "{said}");
    let spaced = desk.project().join("echo hello");
    fs::write(&spaced, "#!/bin/sh\necho spaced\n").unwrap();
    fs::set_permissions(&spaced, fs::Permissions::from_mode(0o755)).unwrap();
    check(
        &desk,
        &desk.request("./echo hello", &[]),
        &expect![[r#"
        spaced
    "#]],
    )
    .await;
}

async fn arguments() {
    let desk = Desk::new();
    let request = desk.request(
        "printf",
        &["%s|", "a b", "", "$HOME", "*", ";", "ü", "`x`", "\n"],
    );
    check(
        &desk,
        &request,
        &expect![[r#"
        a b||$HOME|*|;|ü|`x`|
        |"#]],
    )
    .await;
}

async fn directories() {
    let desk = Desk::new();
    fs::create_dir_all(desk.project().join("inner")).unwrap();
    fs::create_dir_all(desk.folder.join("project-other")).unwrap();
    fs::write(desk.project().join("file"), "").unwrap();
    symlink(
        desk.folder.join("project-other"),
        desk.project().join("link"),
    )
    .unwrap();
    let run_in = |path: std::path::PathBuf| {
        let path = path.to_str().unwrap();
        desk.request("sh", &["-c", "pwd; echo $PWD"]).cwd(path)
    };
    check(
        &desk,
        &desk.request("pwd", &[]),
        &expect![[r#"
        ~/project
    "#]],
    )
    .await;
    check(
        &desk,
        &run_in(desk.project().join("inner")),
        &expect![[r#"
        ~/project/inner
        ~/project/inner
    "#]],
    )
    .await;
    check(
        &desk,
        &run_in(desk.project().join("missing")),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `~/project/missing`: there is no file `~/project/missing`"#]],
    )
    .await;
    check(
        &desk,
        &run_in(desk.project().join("file")),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `~/project/file`: `~/project/file` is not a directory; name a directory"#]],
    )
    .await;
    check(&desk, &run_in(desk.project().join("..")), &expect![[r#"
        -32602 {"kind":"directory"}
        the command cannot run in `~/project/..`: `~/project/..` lies outside the directories of this session; add its directory to the session"#]]).await;
    check(&desk, &run_in(desk.project().join("link")), &expect![[r#"
        -32602 {"kind":"directory"}
        the command cannot run in `~/project/link`: `~/project/link` lies outside the directories of this session; add its directory to the session"#]]).await;
    check(
        &desk,
        &run_in(desk.folder.join("project-other")),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `~/project-other`: `~/project-other` lies outside the directories of this session; add its directory to the session"#]],
    )
    .await;
    check(
        &desk,
        &run_in("inner".into()),
        &expect![[r#"
            -32602 {"kind":"directory"}
            the command cannot run in `inner`: `inner` is not an absolute path; name it from the top"#]],
    )
    .await;
}

async fn variables() {
    let desk = Desk::new();
    let run = |name: &str, value: &str| {
        let request = desk.request("sh", &["-c", "echo \"$GIVEN ${PATH:+path}\""]);
        request.env(vec![v1::EnvVariable::new(name, value)])
    };
    check(
        &desk,
        &run("GIVEN", "a b"),
        &expect![[r#"
        a b path
    "#]],
    )
    .await;
    check(
        &desk,
        &run("A=B", "s3cret"),
        &expect![[r#"
            -32602 {"kind":"variable"}
            environment variable `A=B` is refused: a name cannot be empty, nor hold `=` or NUL"#]],
    )
    .await;
}

async fn own_program() {
    let desk = Desk::new();
    let script = desk.project().join("inner/run");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(&script, "#!/bin/sh\necho \"$0 $1\"\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let inner = desk.project().join("inner");
    let request = desk.request("./run", &["now"]).cwd(inner.to_str().unwrap());
    check(
        &desk,
        &request,
        &expect![[r#"
        ./run now
    "#]],
    )
    .await;
}
