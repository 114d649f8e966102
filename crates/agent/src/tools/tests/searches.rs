//! Tests of `list`, `glob` and `search`: what they find, and what they leave out.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Instant;

use expect_test::expect;

use super::TestWorkplace;

async fn project() -> TestWorkplace {
    let stage = TestWorkplace::new(&[
        ("ws/.gitignore", "target/\n*.log\n!keep.log\n"),
        ("ws/.github/ci.yml", "run: main\n"),
        ("ws/.git/config", "main\n"),
        ("ws/Cargo.toml", "[package]\nname = \"main\"\n"),
        (
            "ws/src/main.rs",
            "fn main() {\n    helper();\n}\n\nfn helper() {\n    // MAIN\n}\n",
        ),
        ("ws/src/lib.rs", "pub fn lib() {}\n"),
        ("ws/src/.gitignore", "/gen\n"),
        ("ws/src/gen/main.rs", "fn main() {}\n"),
        ("ws/target/main.rs", "fn main() {}\n"),
        ("ws/a.log", "main\n"),
        ("ws/keep.log", "main\n"),
        ("ws/bin", "main\0main\n"),
        ("more/other.rs", "fn main() {}\n"),
        ("out/secret.rs", "fn main() {}\n"),
    ])
    .await;
    symlink(stage.path("out"), stage.path("ws/outside")).unwrap();
    symlink(stage.path("out/secret.rs"), stage.path("ws/secret.rs")).unwrap();
    symlink("..", stage.path("ws/src/loop")).unwrap();
    stage
}

#[tokio::test]
async fn a_directory_is_shown_as_a_tree() {
    let stage = project().await;
    stage
        .check(
            "list",
            "{}",
            expect![[r#"
        ./
          .github/
            ci.yml  10 B
          .gitignore  24 B
          Cargo.toml  24 B
          bin  10 B
          keep.log  5 B
          outside  link
          secret.rs  link
          src/
            .gitignore  5 B
            lib.rs  16 B
            loop  link
            main.rs  57 B"#]],
        )
        .await;
    stage
        .check(
            "list",
            r#"{"path":"src","depth":1}"#,
            expect![[r#"
            src/
              .gitignore  5 B
              lib.rs  16 B
              loop  link
              main.rs  57 B"#]],
        )
        .await;
    stage
        .check(
            "list",
            r#"{"path":"@/more"}"#,
            expect![[r#"
            @/more/
              other.rs  13 B"#]],
        )
        .await;
    stage
        .check(
            "list",
            r#"{"path":"none"}"#,
            expect!["FAILED there is no file `@/ws/none`"],
        )
        .await;
    stage
        .check(
            "list",
            r#"{"path":"Cargo.toml"}"#,
            expect!["FAILED `@/ws/Cargo.toml` is not a directory; name a directory"],
        )
        .await;
    stage
        .check("list", r#"{"path":"outside"}"#, expect!["FAILED `@/ws/outside` lies outside the directories of this session; add its directory to the session"])
        .await;
    fs::create_dir(stage.path("ws/empty")).unwrap();
    stage
        .check(
            "list",
            r#"{"path":"empty"}"#,
            expect![[r#"
            empty/
            [nothing]"#]],
        )
        .await;
}

#[tokio::test]
async fn a_large_directory_is_shown_with_fewer_levels_then_cut() {
    let stage = TestWorkplace::new(&[]).await;
    for directory in 0..20 {
        fs::create_dir(stage.path(&format!("ws/d{directory}"))).unwrap();
        for file in 0..100 {
            fs::write(stage.path(&format!("ws/d{directory}/f{file}")), "").unwrap();
        }
    }
    let told = stage.for_model("list", r#"{"depth":5}"#).await;
    assert_eq!(told.lines().count(), 22);
    assert!(
        told.ends_with("[1 level is shown, more would be too long; list a directory below]"),
        "{told}"
    );
    for file in 0..1200 {
        fs::write(stage.path(&format!("ws/file{file}")), "").unwrap();
    }
    let told = stage.for_model("list", "{}").await;
    assert!(
        told.ends_with("[cut after 1000 entries; use `glob` with a pattern]"),
        "{told}"
    );
}

#[tokio::test]
async fn files_are_found_by_their_names() {
    let stage = project().await;
    for (input, expected) in [
        (
            r#"{"pattern":"*.rs"}"#,
            expect![[r#"
            secret.rs
            src/lib.rs
            src/main.rs"#]],
        ),
        (
            r#"{"pattern":"src/*.rs"}"#,
            expect![[r#"
            src/lib.rs
            src/main.rs"#]],
        ),
        (
            r#"{"pattern":"@/ws/src/*.rs"}"#,
            expect![[r#"
            src/lib.rs
            src/main.rs"#]],
        ),
        (r#"{"pattern":"**/*.{toml,yml}"}"#, expect!["Cargo.toml"]),
        (r#"{"pattern":".github/**"}"#, expect![".github/ci.yml"]),
        (
            r#"{"pattern":"*.rs","path":"@/more"}"#,
            expect!["@/more/other.rs"],
        ),
        (r#"{"pattern":"*.log"}"#, expect!["keep.log"]),
        (
            r#"{"pattern":"nothing"}"#,
            expect!["[no file matches; hidden files and those in `.gitignore` were skipped]"],
        ),
        (
            r#"{"pattern":"a[","path":"src"}"#,
            expect!["FAILED `pattern` is not a pattern: unclosed character class; missing ']'"],
        ),
        (
            r#"{"pattern":"../*"}"#,
            expect![
                "FAILED `pattern` must be below the directory that is looked in; name that with `path`"
            ],
        ),
        (
            r#"{"pattern":"/etc/*"}"#,
            expect![
                "FAILED `pattern` must be below the directory that is looked in; name that with `path`"
            ],
        ),
        (
            r#"{"pattern":"*","path":"@/out"}"#,
            expect![
                "FAILED `@/out` lies outside the directories of this session; add its directory to the session"
            ],
        ),
    ] {
        stage.check("glob", input, expected).await;
    }
}

#[tokio::test]
async fn lines_are_found_by_a_pattern() {
    let stage = project().await;
    for (input, expected) in [
        (
            r#"{"pattern":"main"}"#,
            expect![[r#"
            Cargo.toml
            2: name = "main"

            keep.log
            1: main

            src/main.rs
            1: fn main() {"#]],
        ),
        (
            r#"{"pattern":"main","ignore_case":true,"glob":"*.rs","context":1}"#,
            expect![[r#"
                src/main.rs
                1: fn main() {
                2-     helper();
                --
                5- fn helper() {
                6:     // MAIN
                7- }"#]],
        ),
        (
            r#"{"pattern":"fn \\w+\\(\\)","path":"src"}"#,
            expect![[r#"
            src/lib.rs
            1: pub fn lib() {}

            src/main.rs
            1: fn main() {
            5: fn helper() {"#]],
        ),
        (
            r#"{"pattern":"fn","path":"src/lib.rs"}"#,
            expect![[r#"
            src/lib.rs
            1: pub fn lib() {}"#]],
        ),
        (
            r#"{"pattern":"fn","path":"@/more"}"#,
            expect![[r#"
            @/more/other.rs
            1: fn main() {}"#]],
        ),
        (
            r#"{"pattern":"run","glob":".github/*"}"#,
            expect![[r#"
            .github/ci.yml
            1: run: main"#]],
        ),
        (
            r#"{"pattern":"nowhere"}"#,
            expect![
                "[no matches in 5 files; hidden and binary files and those in `.gitignore` were skipped]"
            ],
        ),
    ] {
        stage.check("search", input, expected).await;
    }
}

#[tokio::test]
async fn invalid_searches_are_explained() {
    let stage = project().await;
    for (input, expected) in [
        (
            r#"{"pattern":"fn main("}"#,
            expect![
                "FAILED `pattern` is not a regular expression: unclosed group; put a backslash before signs that are meant as they are"
            ],
        ),
        (
            r#"{"pattern":"a\nb"}"#,
            expect![[
                r#"FAILED `pattern` is not a regular expression: the literal "\n" is not allowed in a regex; put a backslash before signs that are meant as they are"#
            ]],
        ),
        (
            r#"{"pattern":"x","path":"none"}"#,
            expect!["FAILED there is no file `@/ws/none`"],
        ),
        (
            r#"{"pattern":"x","path":"outside"}"#,
            expect![
                "FAILED `@/ws/outside` lies outside the directories of this session; add its directory to the session"
            ],
        ),
        (
            r#"{"pattern":"x","path":"/etc"}"#,
            expect![
                "FAILED `/etc` lies outside the directories of this session; add its directory to the session"
            ],
        ),
    ] {
        stage.check("search", input, expected).await;
    }
}

#[tokio::test]
async fn long_lines_and_many_matches_are_cut() {
    let minified = format!("{}needle{}", "é".repeat(5000), "y".repeat(5000));
    let many = "needle\n".repeat(2000);
    let stage = TestWorkplace::new(&[("ws/min.js", &minified), ("ws/z/many", &many)]).await;
    let told = stage
        .for_model("search", r#"{"pattern":"needle","path":"min.js"}"#)
        .await;
    assert!(
        told.contains("needle") && told.contains("[15006 bytes]") && told.len() < 500,
        "{told}"
    );
    let told = stage.for_model("search", r#"{"pattern":"needle"}"#).await;
    assert!(
        told.ends_with("[cut after 500 matches; narrow it with `path`, `glob` or the pattern]")
    );
    let wide = format!("{}\n", "needle ".repeat(40)).repeat(400);
    fs::write(stage.path("ws/wide"), wide).unwrap();
    let told = stage
        .for_model("search", r#"{"pattern":"needle","path":"wide"}"#)
        .await;
    assert!(
        told.len() <= 50_000 && told.contains("[cut after"),
        "{}",
        told.len()
    );
}

#[tokio::test]
async fn many_files_are_searched_in_bounded_time() {
    let stage = TestWorkplace::new(&[]).await;
    for directory in 0..40 {
        let directory = stage.path(&format!("ws/d{directory}"));
        fs::create_dir(&directory).unwrap();
        for file in 0..250 {
            fs::write(directory.join(format!("f{file}")), "hay\nhay\n").unwrap();
        }
    }
    fs::write(stage.path("ws/d39/last"), "needle\n").unwrap();
    let begun = Instant::now();
    let outcome = stage.outcome("search", r#"{"pattern":"needle"}"#).await;
    assert!(stage.text(&outcome).starts_with("d39/last\n1: needle"));
    assert_eq!(outcome.raw.as_ref().unwrap()["looked_at"], 10_001);
    assert!(begun.elapsed().as_secs() < 60);
}
