//! Spellings of a call: quotes inside words, expansions, links, other paths to the same file, programs that start
//! programs.

use attache_text::shell::single_quoted;

use super::super::random::Random;
use super::{LineBuilder, literal};

/// A line that starts the program with the word and with the path of the marker file.
pub(super) fn spell(
    builder: &mut LineBuilder<'_>,
    program: &str,
    word: &str,
) -> Result<(&'static str, String), String> {
    let ran = builder
        .testbed
        .marker_file(&builder.name)
        .display()
        .to_string();
    let path = builder.testbed.bin.join(program).display().to_string();
    let rest = match builder.random.below(4) {
        0 => format!("{} {ran}", single_quoted(word)),
        1 => format!("{} {ran}", respelled(builder.random, word)),
        _ => format!("{word} {ran}"),
    };
    if builder.random.once_in(3) {
        let name = respelled(builder.random, program);
        return Ok(("quoting", format!("{name} {rest}")));
    }
    let (family, form) = builder.random.pick(FORMS);
    let link = match family {
        "symlink" | "hard link" | "shebang" => builder.new_name(),
        _ => String::new(),
    };
    if family == "shebang" {
        builder
            .testbed
            .write_executable(&link, &format!("#!{path} {word}\n"))?;
        // The kernel passes the script's path next; the marker file is the last word.
        return Ok((family, format!("./{link} {ran}")));
    }
    let (head, tail) = program.split_at(3);
    let text = form
        .replace("{n}", program)
        .replace("{head}", head)
        .replace("{tail}", tail)
        .replace("{path}", &path)
        .replace("{bin}", &builder.testbed.bin.display().to_string())
        .replace("{dir}", &builder.project())
        .replace("{python}", &builder.testbed.python)
        .replace("{list}", &literal_list(&[program, word, &ran]))
        .replace("{w}", word)
        .replace("{ran}", &ran)
        .replace("{link}", &link)
        .replace("{rest}", &rest);
    Ok((family, text))
}

fn literal_list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| literal(word)).collect();
    format!("[{}]", words.join(","))
}

/// Spells the word with quotes, escapes and expansions that leave it unchanged.
fn respelled(random: &mut Random, word: &str) -> String {
    let (head, tail) = word.split_at(1 + random.below(word.len() - 1));
    let escaped: String = word.chars().map(|char| format!("\\{char}")).collect();
    let hex: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    let octal: String = word.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let forms = [
        format!("{head}''{tail}"),
        format!("{head}\"\"{tail}"),
        format!("'{head}'\"{tail}\""),
        format!("\\{word}"),
        escaped,
        format!("$'{hex}'"),
        format!("$'{octal}'"),
        format!("{head}$@{tail}"),
        format!("{head}${{unset}}{tail}"),
        format!("{head}$(){tail}"),
        format!("$(echo {word})"),
        format!("\"$(printf %s {head})\"{tail}"),
        format!("{head}`echo {tail}`"),
        format!("${{unset:-{word}}}"),
        format!("{head}\\\n{tail}"),
    ];
    random.pick(&forms)
}

const FORMS: &[(&str, &str)] = &[
    ("plain", "{n} {rest}"),
    ("path", "{path} {rest}"),
    ("path", "{bin}/../bin//./{n} {rest}"),
    ("path", "cd {bin} && ./{n} {rest}"),
    ("path", "../bin/{n} {rest}"),
    ("PATH", "PATH={bin} {n} {rest}"),
    ("glob", "{bin}/{head}* {rest}"),
    ("glob", "{bin}/?{tail} {rest}; {bin}/{head}{tail} {rest}"),
    ("variable", "x={n}; $x {rest}"),
    ("variable", "x={head}; ${x}{tail} {rest}"),
    ("variable", "x='{n} {w}'; $x {ran}"),
    ("variable", "set -- {n} {w} {ran}; \"$@\""),
    ("variable", "x=({n} {w} {ran}); \"${x[@]}\""),
    ("variable", "x=y{n}; ${x#y} {rest}"),
    ("variable", "declare -n r=x; x={n}; $r {rest}"),
    ("braces", "{{n},{w},{ran}}"),
    ("substitution", "$(command -v {n}) {rest}"),
    ("substitution", "$(echo {n} | rev | rev) {rest}"),
    ("substitution", "$(printf '%s%s' {head} {tail}) {rest}"),
    ("redirection", ">/dev/null {n} {rest}"),
    ("redirection", "2>&1 <&- {n} {rest}"),
    ("assignment", "A=b {n} {rest}"),
    ("builtin", "command {n} {rest}"),
    ("builtin", "(exec {n} {rest})"),
    ("builtin", "(exec -a ls {path} {rest})"),
    ("builtin", "builtin command {n} {rest}"),
    ("builtin", "hash -p {path} other; other {rest}"),
    ("builtin", "eval {n} {w} {ran}"),
    ("builtin", "read -r x <<< {n}; $x {rest}"),
    ("symlink", "ln -s {path} {link}; ./{link} {rest}"),
    ("symlink", "ln -s {bin} {link}; {link}/{n} {rest}"),
    ("hard link", "ln {path} {link}; ./{link} {rest}"),
    ("shebang", ""),
    ("wrapper", "env {n} {rest}"),
    ("wrapper", "env -i PATH=$PATH {n} {rest}"),
    ("wrapper", "env -S '{n} {w} {ran}'"),
    ("wrapper", "nice -n 1 {n} {rest}"),
    ("wrapper", "timeout 5 {n} {rest}"),
    ("wrapper", "nohup {n} {rest}"),
    ("wrapper", "setsid -w {n} {rest}"),
    ("wrapper", "stdbuf -o0 {n} {rest}"),
    ("wrapper", "env nice timeout 5 env {n} {rest}"),
    ("xargs", "echo {w} {ran} | xargs {n}"),
    ("xargs", "echo {n} {w} {ran} | xargs env"),
    ("xargs", "printf '%s\\0' {n} {w} {ran} | xargs -0 nice"),
    ("xargs", "echo {ran} | xargs -I% {n} {w} %"),
    ("find", "find {bin} -name '{head}*' -exec {} {w} {ran} \\;"),
    ("find", "find . -maxdepth 0 -exec {n} {w} {ran} \\;"),
    ("find", "find {bin} -name {n} -execdir {} {w} {ran} \\;"),
    (
        "python",
        "{python} -c 'import os; os.execvp({list}[0], {list})'",
    ),
    (
        "python",
        "{python} -c 'import subprocess; subprocess.run({list})'",
    ),
    (
        "python",
        "{python} -c 'import os; os.system(\"{head}\" \"{tail} {w} {ran}\")'",
    ),
    (
        "python",
        "{python} -c 'import os; os.waitpid(os.posix_spawn(\"{path}\", {list}, os.environ), 0)'",
    ),
    (
        "python",
        "{python} -c 'import os; f = os.open(\"{path}\", os.O_RDONLY); os.set_inheritable(f, True); os.execve(f, {list}, os.environ)'",
    ),
    ("perl", "perl -e 'exec @ARGV' {n} {rest}"),
    (
        "perl",
        "perl -e 'system(\"{head}\" . \"{tail} {w} {ran}\")'",
    ),
    ("perl", "perl -e 'print `{n} {w} {ran}`'"),
    (
        "perl",
        "perl -e 'exec {\"{path}\"} \"ls\", \"{w}\", \"{ran}\"'",
    ),
    ("awk", "awk 'BEGIN { system(\"{n} {w} {ran}\") }'"),
    // git runs aliases at the top of the enclosing repository, where nothing may be written.
    ("git", "git -c alias.x='!cd {dir}; {n} {w} {ran}' x"),
    ("git", "git -c core.pager='{n} {w} {ran}' -p --version"),
    ("make", "printf 'all:\\n\\t{n} {w} {ran}\\n' | make -s -f -"),
    (
        "make",
        "echo 'x := $(shell {n} {w} {ran})' | make -s -f - .",
    ),
    ("shell", "sh {path} {rest}"),
    ("shell", "echo '{n} {w} {ran}' | sh"),
    ("shell", "bash -c '\"$0\" \"$@\"' {n} {rest}"),
    ("loader", "/lib64/ld-linux-x86-64.so.2 {path} {rest}"),
    ("options", "{n} -a {rest}"),
];
