//! A generator of spellings: quotes, expansions, options, wrappers.

/// Words with quotes, escapes and expansions that leave them as they are.
fn respelled(word: &str) -> Vec<String> {
    let (head, tail) = word.split_at(1);
    let escaped: String = word.chars().map(|char| format!("\\{char}")).collect();
    let octal: String = word.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let hex: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    vec![
        word.to_owned(),
        format!("{head}''{tail}"),
        format!("{head}\"\"{tail}"),
        format!("'{word}'"),
        format!("\"{word}\""),
        format!("'{head}'\"{tail}\""),
        format!("{head}\\\n{tail}"),
        format!("\\{word}"),
        escaped,
        format!("$'{octal}'"),
        format!("$'{hex}'"),
        format!("{head}$@{tail}"),
        format!("{head}${{x}}{tail}"),
        format!("{head}$(){tail}"),
        format!("{head}``{tail}"),
        format!("$(echo {word})"),
        format!("`echo {word}`"),
        format!("${{x:-{word}}}"),
        format!("{{{word},}}"),
        format!("$(printf %s {word})"),
        format!("{head}$(echo {tail})"),
        format!("\"$(echo {word})\""),
    ]
}

/// The whole line in something that runs it.
fn wrapped(line: &str) -> Vec<String> {
    let quoted = line.replace('\'', r"'\''");
    let fill = |wrapper: &&str| wrapper.replace("{q}", &quoted).replacen("{}", line, 1);
    WRAPPERS.iter().map(fill).collect()
}

/// Options between a program and its subcommand.
fn with_options(words: &[&str]) -> Vec<String> {
    let rest = words[1..].join(" ");
    let options: &[&str] = match words[0] {
        "git" => &[
            "-C .",
            "-C.",
            "-c a.b=c",
            "-ca.b=c",
            "-P",
            "-p",
            "--no-pager",
            "--bare",
            "--git-dir=.git",
            "--git-dir .git",
            "--work-tree=. -C .",
            "--exec-path=/x",
            "--no-replace-objects",
            "--literal-pathspecs",
            "--namespace=x",
            "-c a=b -c c=d --no-pager -C x",
            "--",
            "--no-optional-locks",
            "--config-env=a.b=C",
            "--odd",
            "--odd value",
        ],
        "npm" => &[
            "--silent",
            "-s",
            "--prefix .",
            "--prefix=.",
            "-C .",
            "--loglevel error",
            "-w x",
            "--odd",
            "--odd x",
        ],
        "rm" => &["-v", "--verbose", "--one-file-system", "--", "-i"],
        "curl" => &["-s", "--silent", "-fsSL", "-K x", "--"],
        _ => &["-v"],
    };
    let mut lines: Vec<String> = options
        .iter()
        .map(|option| format!("{} {option} {rest}", words[0]))
        .collect();
    if words[0] == "rm" {
        lines.extend(
            [
                "-r -f",
                "-f -r",
                "-fr",
                "-Rf",
                "-rvf",
                "--recursive --force",
                "-r --force",
                "--recurs --forc",
            ]
            .map(|flags| format!("rm {flags} x")),
        );
        lines.extend(["rm x -rf", "rm x -r y -f", "rm -- x -rf"].map(str::to_owned));
        lines.retain(|line| !line.starts_with("rm -- "));
    }
    lines
}

fn paths(program: &str) -> Vec<String> {
    match program.starts_with('/') {
        true => vec![program.to_owned()],
        false => [
            "/usr/bin/",
            "/bin/",
            "../bin/",
            "~/bin/",
            "$HOME/bin/",
            "/usr//bin/",
            "/usr/bin/../bin/",
        ]
        .iter()
        .map(|dir| format!("{dir}{program}"))
        .chain([program.to_uppercase(), format!("{program}.exe")])
        .collect(),
    }
}

/// Every spelling of a command that we know of.
pub(super) fn spellings(words: &[&str]) -> Vec<String> {
    let plain = words.join(" ");
    let mut lines = vec![plain.clone()];
    for (at, word) in words.iter().enumerate().take(2) {
        for spelled in respelled(word) {
            let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            words[at] = spelled;
            lines.push(words.join(" "));
        }
    }
    for program in paths(words[0]) {
        lines.push([&[program.as_str()], &words[1..]].concat().join(" "));
    }
    lines.extend(with_options(words));
    lines.push(plain.replace(' ', "\t"));
    lines.push(plain.replace(' ', "   "));
    lines.push(plain.replace(' ', "${IFS}"));
    lines.push(plain.replace(' ', " \\\n"));
    let mut all = lines.clone();
    for line in [&lines[0], &lines[2], &lines[9]] {
        all.extend(wrapped(line));
    }
    for line in lines.iter().skip(1) {
        all.push(format!("ls && {line}"));
        all.push(format!("sh -c '{}'", line.replace('\'', r"'\''")));
        all.push(format!("env X=1 {line}"));
    }
    all
}

/// `{}` is the line, `{q}` the line for single quotes.
const WRAPPERS: &[&str] = &[
    "env {}",
    "env -i A=b {}",
    "/usr/bin/env {}",
    "nice -n 5 {}",
    "nohup {} &",
    "timeout 5 {}",
    "timeout -s KILL 5s {}",
    "time {}",
    "! {}",
    "command {}",
    "exec {}",
    "builtin command {}",
    "sudo {}",
    "sudo -u root {}",
    "stdbuf -oL {}",
    "setsid {}",
    "xargs {} < f",
    "echo x | xargs {}",
    "echo x | xargs -I% {}",
    "find . -exec {} \\;",
    "find . -maxdepth 1 -execdir {} +",
    "ls; {}",
    "ls && {}",
    "ls || {}",
    "ls | {}",
    "ls & {}",
    "ls |& {}",
    "ls\n{}",
    "({})",
    "( ( {} ) )",
    "{ {}; }",
    "!({})",
    "if true; then {}; fi",
    "if {}; then ls; fi",
    "while {}; do ls; done",
    "until {}; do ls; done",
    "for i in 1; do {}; done",
    "case x in x) {};; esac",
    "f() { {}; }; f",
    "function f { {}; }; f",
    "echo $({})",
    "echo \"$({})\"",
    "echo `{}`",
    "x=$({})",
    "cat <({})",
    "echo ${x:-$({})}",
    "echo $(( $({}) ))",
    "[[ -n $({}) ]]",
    "cat <<X\n$({})\nX",
    "cat <<X | sh\n{}\nX",
    "sh <<X\n{}\nX",
    "bash <<'X'\n{}\nX",
    "sh <<< '{q}'",
    "sh -c '{q}'",
    "bash -lc '{q}'",
    "bash -euxc '{q}'",
    "bash -o pipefail -c '{q}'",
    "sh -c 'sh -c \"$0\"' '{q}'",
    "eval '{q}'",
    "eval \"{}\"",
    "echo '{q}' | sh",
    "printf '%s' '{q}' | bash -s",
    "trap '{q}' EXIT",
    "alias a='{q}'; a",
    "python3 -c 'import os; os.system(\"{}\")'",
    "perl -e 'system(\"{}\")'",
    "awk 'BEGIN { system(\"{}\") }'",
    "sed '1e {}' f",
    "ssh localhost '{q}'",
    "docker run x {}",
    "busybox {}",
    "busybox sh -c '{q}'",
    "make -f x run",
    "echo 'x:; {q}' | make -f -",
    ". ./run.sh",
    "source run.sh",
    "./run.sh",
    "sh run.sh",
    "tmux new -d '{q}'",
    "at now <<< '{q}'",
    "systemd-run --user {}",
    "script -c '{q}' /dev/null",
    "watch '{q}'",
    "flock f {}",
    "parallel {} ::: x",
    "npx -c '{q}'",
    "uv run {}",
    "git -c alias.x='!{q}' x",
    "vim -c ':!{q}'",
    "tar cf x --checkpoint-action=exec='{q}' y",
    "PATH=/tmp:$PATH ls; {}",
    "IFS=,; x=a,b; $x; {}",
    "coproc {}",
    "{} # ls",
    "ls # x\n{}",
    "2>&1 {}",
    ">/dev/null {}",
    "<f {}",
    "A=b {}",
];
