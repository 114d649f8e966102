//! Shell lines that name a file in a way that hides it: the file is covered, or the user sees that it is not.

use super::*;

fn project(line: &str) -> Project {
    let line = serde_json::Value::from(line);
    let project = Project::new(&format!(
        r#"{{"agent_servers":{{"m":{{"command":"sh","args":["-c",{line}]}}}}}}"#
    ));
    project.write("project/x.sh", "echo");
    project
}

#[test]
fn quotes_directories_and_addresses_hide_no_file() {
    for line in [
        "./x''.sh",
        r"./x\.sh",
        r#"."/x".sh"#,
        "sh './x.'sh",
        "cd tools && sh ../x.sh",
        "cd tools; cd ..; . ./x.sh",
        "cd ./tools && cd .. && cat <x''.sh",
        "env A=1 sh -c './x\"\".sh'",
        "A=x''.sh run",
        "(cd tools; exec sh ../x''.sh)",
        "while true; do ./x''.sh; done",
        "open file://ROOT/project/x%2esh",
        "open file:///x%2esh file:./x%2Esh",
    ] {
        let project = project(line);
        let text = fs::read_to_string(project.path("project/.attache.json")).unwrap();
        let root = project.path("").display().to_string();
        project.write(
            "project/.attache.json",
            &text.replace("ROOT", root.trim_end_matches('/')),
        );
        project.trust();
        project.write("project/x.sh", "evil");
        assert!(!project.is_trusted(), "{line}");
    }
}

#[test]
fn files_unknown_before_the_line_runs_are_shown_as_not_covered() {
    for (line, shown) in [
        ("$PWD/x.sh", "`$PWD/x.sh`"),
        ("sh ${PWD}/x.sh", "`${PWD}/x.sh`"),
        ("sh ./x.*", "`./x.*`"),
        ("sh ./?.sh", "`./?.sh`"),
        ("sh {x,y}.sh", "`{x,y}.sh`"),
        ("sh $(cat name)", "`$(cat name)`"),
        ("sh `cat name`", "``cat name``"),
        ("cat < $x", "`$x`"),
        ("A=$x run", "`$x`"),
        ("node .", "`.` in a shell line"),
        ("sh 'x", "a shell line (it is not a complete shell line)"),
    ] {
        let untrusted = project(line).load().untrusted.unwrap();
        assert_eq!(untrusted.fault, None, "{line}");
        assert!(
            untrusted.not_covered.iter().any(|it| it == shown),
            "{line}: {:?}",
            untrusted.not_covered
        );
    }
    for line in ["./x.sh", "cd tools && ./run.sh", ". ./x.sh; true"] {
        let untrusted = project(line).load().untrusted.unwrap();
        assert!(
            untrusted.not_covered.is_empty(),
            "{line}: {:?}",
            untrusted.not_covered
        );
    }
}
