//! Repositories that change something below a directory that their project file names.

use std::fs;
use std::time::Instant;

use super::{Change, Project};

/// Project files that name the directory `tools`.
fn namings() -> Vec<String> {
    let arguments = [
        r#""command":"node","args":["./tools"]"#,
        r#""command":"node","args":["tools/"]"#,
        r#""command":"make","args":["-C","tools"]"#,
        r#""command":"make","args":["-Ctools"]"#,
        r#""command":"make","args":["--directory=tools"]"#,
        r#""command":"cc","args":["-I./tools"]"#,
        r#""command":"sh","args":["-c","make -C 'tools'"]"#,
        r#""command":"sh","args":["-c","(cd tools&&make)"]"#,
        r#""command":"sh","args":["@tools"]"#,
        r#""command":"sh","env":{"PYTHONPATH":"./tools"}"#,
        r#""command":"sh","env":{"PYTHONPATH":"/usr/lib:tools"}"#,
        r#""command":"node","args":["ROOT/project/tools"]"#,
        r#""command":"node","args":["./other/../tools"]"#,
    ];
    let agents = arguments
        .iter()
        .map(|it| format!(r#"{{"agent_servers":{{"a":{{{it}}}}}}}"#));
    let servers = arguments
        .iter()
        .map(|it| format!(r#"{{"mcp_servers":{{"m":{{{it}}}}}}}"#));
    agents.chain(servers).collect()
}

fn project(text: &str) -> Project {
    let project = Project::new(text);
    fs::create_dir_all(project.path("project/other")).unwrap();
    fs::create_dir_all(project.path("project/tools/deep/er")).unwrap();
    fs::create_dir_all(project.path("project/tools/empty")).unwrap();
    project.write("project/tools/deep/er/lib.js", "1");
    project.write("project/tools/.hidden", "2");
    project
}

#[test]
fn trust_ends_when_anything_below_a_named_directory_changes() {
    let changes: [Change; 8] = [
        ("a file deep down", |tools| {
            fs::write(tools.join("deep/er/lib.js"), "evil").unwrap();
        }),
        ("as long as before", |tools| {
            fs::write(tools.join("deep/er/lib.js"), "7").unwrap();
        }),
        ("a hidden file", |tools| {
            fs::write(tools.join(".hidden"), "evil").unwrap();
        }),
        ("a new file", |tools| {
            fs::write(tools.join("deep/index.js"), "evil").unwrap();
        }),
        ("a file gone", |tools| {
            fs::remove_file(tools.join("run.sh")).unwrap()
        }),
        ("another name", |tools| {
            fs::rename(tools.join("run.sh"), tools.join("run2.sh")).unwrap();
        }),
        ("a new directory", |tools| {
            fs::create_dir(tools.join("empty/x")).unwrap()
        }),
        ("a file in place of a directory", |tools| {
            fs::remove_dir(tools.join("empty")).unwrap();
            fs::write(tools.join("empty"), "").unwrap();
        }),
    ];
    for text in namings() {
        for (what, change) in changes {
            let project = project(&text);
            project.trust();
            project.write("project/other.txt", "changed");
            assert!(project.is_trusted(), "{text}");
            change(&project.path("project/tools"));
            let untrusted = project.load().untrusted;
            let untrusted = untrusted.unwrap_or_else(|| panic!("{text}: {what}"));
            assert!(untrusted.has_changed, "{text}: {what}");
            assert_eq!(untrusted.changed.len(), 1, "{text}: {what}");
        }
    }
}

#[test]
fn what_trust_covers_is_counted() {
    let project = project(&namings()[0]);
    let untrusted = project.load().untrusted.unwrap();
    assert_eq!(untrusted.names.len(), 1);
    assert_eq!(untrusted.below.values().copied().sum::<usize>(), 3);
}

#[cfg(unix)]
#[test]
fn links_count_by_where_they_lead() {
    use std::os::unix::fs::symlink;

    let prepare = |target: &str| {
        let project = project(&namings()[0]);
        fs::create_dir_all(project.path("outside/dir")).unwrap();
        project.write("outside/dir/a.js", "1");
        symlink(target, project.path("project/tools/link")).unwrap();
        project
    };
    let outside = prepare("../../outside/program");
    outside.trust();
    outside.write("outside/program", "evil");
    assert!(!outside.is_trusted(), "a file outside");

    let directory = prepare("../../outside/dir");
    directory.trust();
    directory.write("outside/dir/a.js", "evil");
    assert!(!directory.is_trusted(), "a file in a directory outside");
    directory.write("outside/dir/a.js", "1");
    assert!(directory.is_trusted());
    directory.write("outside/dir/b.js", "evil");
    assert!(!directory.is_trusted(), "a new file in a directory outside");

    let beside = prepare("../other.txt");
    beside.trust();
    beside.write("project/other.txt", "evil");
    assert!(!beside.is_trusted(), "a file beside the directory");

    let later = prepare("../../outside/later");
    later.trust();
    later.write("outside/later", "evil");
    assert!(!later.is_trusted(), "a target that appears");

    let turned = prepare("run.sh");
    turned.trust();
    fs::remove_file(turned.path("project/tools/link")).unwrap();
    symlink(".hidden", turned.path("project/tools/link")).unwrap();
    assert!(!turned.is_trusted(), "another target");

    // Cycles of links do not loop forever.
    let circle = prepare("deep");
    symlink("..", circle.path("project/tools/deep/up")).unwrap();
    circle.trust();
    // Two links to one directory have the same digest each time.
    let twice = prepare("../../outside/dir");
    symlink("../../outside/dir", twice.path("project/tools/again")).unwrap();
    twice.trust();
    for _ in 0..5 {
        assert!(twice.is_trusted());
    }
    // The target changes through a directory on the way to it.
    let moved = prepare("../way/program");
    symlink("../outside", moved.path("project/way")).unwrap();
    moved.trust();
    fs::create_dir(moved.path("elsewhere")).unwrap();
    moved.write("elsewhere/program", "evil");
    fs::remove_file(moved.path("project/way")).unwrap();
    symlink("../elsewhere", moved.path("project/way")).unwrap();
    assert!(!moved.is_trusted(), "a link on the way");
}

#[test]
fn a_directory_that_contains_the_project_is_refused() {
    for word in [
        ".",
        "./",
        "..",
        "tools/..",
        "ROOT",
        "ROOT/project",
        "/",
        "--root=.",
        "-C.",
    ] {
        for text in [
            format!(r#"{{"agent_servers":{{"a":{{"command":"node","args":["{word}"]}}}}}}"#),
            format!(r#"{{"mcp_servers":{{"m":{{"command":"sh","env":{{"X":"{word}"}}}}}}}}"#),
        ] {
            let fault = project(&text).load().untrusted.unwrap().fault.unwrap();
            assert!(fault.contains("contains it"), "{text}: {fault}");
            assert!(fault.contains("name a file"), "{text}: {fault}");
        }
    }
    // A dot in a shell line is a command.
    let text = r#"{"agent_servers":{"a":{"command":"sh","args":["-c",". ./tools/run.sh; x"]}}}"#;
    project(text).trust();
}

#[cfg(unix)]
#[test]
fn a_link_to_the_project_itself_is_refused() {
    let project = project(&namings()[0]);
    std::os::unix::fs::symlink("../..", project.path("project/tools/up")).unwrap();
    let fault = project.load().untrusted.unwrap().fault.unwrap();
    assert!(fault.contains("contains it"), "{fault}");
}

#[test]
fn a_directory_that_is_too_large_is_refused() {
    let many = project(&namings()[0]);
    for directory in 0..20 {
        let path = many.path(&format!("project/tools/d{directory}"));
        fs::create_dir(&path).unwrap();
        for file in 0..1001 {
            fs::write(path.join(file.to_string()), "").unwrap();
        }
    }
    let fault = many.load().untrusted.unwrap().fault.unwrap();
    assert!(fault.contains("too large for trust"), "{fault}");
    assert!(fault.contains("a smaller directory"), "{fault}");
    let deep = project(&namings()[0]);
    let path = format!("project/tools/{}", "d/".repeat(70));
    fs::create_dir_all(deep.path(&path)).unwrap();
    let fault = deep.load().untrusted.unwrap().fault.unwrap();
    assert!(fault.contains("is too deep"), "{fault}");
    let large = project(&namings()[0]);
    let file = fs::File::create(large.path("project/tools/large")).unwrap();
    file.set_len(65 * 1024 * 1024).unwrap();
    let fault = large.load().untrusted.unwrap().fault.unwrap();
    assert!(fault.contains("is larger than 64 MiB"), "{fault}");
}

/// 5,000 files are checked at every start. The limit is generous: the machine may be busy, and this is not a release build.
#[test]
fn five_thousand_files_are_read_in_no_time() {
    let project = project(&namings()[0]);
    for directory in 0..50 {
        let path = project.path(&format!("project/tools/d{directory}"));
        fs::create_dir(&path).unwrap();
        for file in 0..100 {
            fs::write(path.join(file.to_string()), vec![b'x'; 2000]).unwrap();
        }
    }
    project.trust();
    let began = Instant::now();
    assert!(project.load().untrusted.is_none());
    let took = began.elapsed();
    assert!(took.as_secs() < 5, "{took:?}");
}
