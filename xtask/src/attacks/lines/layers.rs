//! Layers that run a line: shells, functions, scripts, interpreters, wrappers, `make`, `find`, git aliases.

use attache_text::shell::single_quoted;

use super::{LineBuilder, literal};

/// Wraps the line in one more layer, and returns the layer's name too.
pub(super) fn wrap(
    builder: &mut LineBuilder<'_>,
    line: &str,
) -> Result<(&'static str, String), String> {
    let (family, form) = builder.random.pick(LAYERS);
    let mut text = form.to_owned();
    let bash = format!("cd {}\n{line}\n", single_quoted(&builder.project()));
    let python = builder.testbed.python.clone();
    let scripts = [
        ("{sh}", "sh", format!("{line}\n")),
        // Every shell reads this script, even those that the line starts.
        ("{start}", "sh", format!("unset BASH_ENV\n{line}\n")),
        ("{script}", "sh", format!("#!/bin/bash\n{bash}")),
        ("{env}", "sh", format!("#!/usr/bin/env bash\n{bash}")),
        (
            "{py}",
            "py",
            format!(
                "#!{python}\nimport subprocess\nsubprocess.run(['bash', '-c', {}])\n",
                literal(line)
            ),
        ),
        (
            "{pl}",
            "pl",
            format!(
                "#!/usr/bin/perl\nsystem('bash', '-c', <<'END_OF_LINE');\n{line}\nEND_OF_LINE\n"
            ),
        ),
    ];
    for (mark, ending, script) in scripts {
        if text.contains(mark) {
            let name = builder.script(ending, &script)?;
            text = text.replace(mark, &name);
        }
    }
    if text.contains("{mk}") {
        let script = builder.script("sh", &bash)?;
        let makefile = format!("all: one\n\t@true\none:\n\t@bash {script}\n");
        let name = builder.script("mk", &makefile)?;
        text = text.replace("{mk}", &name);
    }
    let mark = builder.new_name().replace('-', "x");
    let text = text
        .replace("{m}", &mark)
        .replace("{dir}", &builder.project())
        .replace("{python}", &python)
        .replace("{qpy}", &single_quoted(&literal(line)))
        .replace("{qq}", &single_quoted(&single_quoted(line)))
        .replace("{q}", &single_quoted(line))
        .replace("{l}", line);
    Ok((family, text))
}

/// `{l}` is the line, `{q}` the line in single quotes, `{m}` a new word; `{sh}`, `{py}` and the like are scripts.
const LAYERS: &[(&str, &str)] = &[
    ("shell", "bash -c {q}"),
    ("shell", "bash -euc {q}"),
    ("shell", "exec bash -c {q}"),
    ("shell", "bash <<< {q}"),
    ("shell", "bash <<'{m}'\n{l}\n{m}"),
    ("shell", "printf '%s\\n' {q} | bash -s"),
    ("shell", "bash <(echo {q})"),
    ("shell", "(exec -a ls bash -c {q})"),
    ("group", "(\n{l}\n)"),
    ("group", "{\n{l}\n}"),
    ("group", "( (\n{l}\n) )"),
    ("background", "{\n{l}\n} & wait"),
    ("background", "coproc {m} {\n{l}\n} >&2; wait"),
    ("condition", "if true; then\n{l}\nfi"),
    ("condition", "false || {\n{l}\n}"),
    ("loop", "for i in 1; do\n{l}\ndone"),
    ("loop", "while true; do\n{l}\nbreak; done"),
    ("case", "case x in x)\n{l}\n;; esac"),
    ("function", "f() {\n{l}\n}\nf"),
    ("function", "function cat_ {\n{l}\n}; cat_"),
    (
        "function",
        "export -f true 2>/dev/null; g() { eval {q}; }; g",
    ),
    ("eval", "eval {q}"),
    ("eval", "x={q}; eval \"$x\""),
    ("trap", "(trap {q} EXIT; true)"),
    ("alias", "shopt -s expand_aliases\nalias a{m}={q}\na{m}"),
    ("substitution", "echo \"$(\n{l}\n)\""),
    ("substitution", "cat <(\n{l}\n)"),
    ("substitution", "echo \"${unset:-$(\n{l}\n)}\""),
    ("pipe", "{\n{l}\n} 2>&1 | cat"),
    ("pipe", "true | {\n{l}\n}"),
    ("script", ". ./{sh}"),
    ("script", "source {sh}"),
    ("script", "bash {sh}"),
    ("script", "bash < {sh}"),
    ("script", "BASH_ENV=./{start} bash -c true"),
    ("#!", "./{script}"),
    ("#!", "./{env}"),
    ("#!", "{dir}/{script}"),
    ("#!", "./{py}"),
    ("#!", "./{pl}"),
    ("python", "{python} {py}"),
    (
        "python",
        "{python} -c 'import os, sys; os.execvp(\"bash\", [\"bash\", \"-c\", sys.argv[1]])' {q}",
    ),
    ("perl", "perl {pl}"),
    ("perl", "perl -e 'exec @ARGV' bash -c {q}"),
    ("awk", "awk 'BEGIN { system(\"bash {script}\") }'"),
    ("sed", "echo x | sed '1e bash {script}'"),
    ("wrapper", "env A=b bash -c {q}"),
    ("wrapper", "nice bash -c {q}"),
    ("wrapper", "timeout 9 bash -c {q}"),
    ("wrapper", "nohup bash -c {q}"),
    ("wrapper", "setsid -w bash -c {q}"),
    ("wrapper", "env -S 'bash {script}'"),
    ("wrapper", "flock {m} bash -c {q}"),
    ("xargs", "echo x | xargs bash -c {q}"),
    ("xargs", "printf '%s\\0' {q} | xargs -0 bash -c"),
    ("xargs", "echo {script} | xargs bash"),
    ("make", "make -s -f {mk}"),
    ("make", "make -sf {mk} one"),
    ("find", "find . -maxdepth 0 -exec bash -c {q} \\;"),
    (
        "find",
        "find . -maxdepth 1 -name {script} -exec bash {} \\;",
    ),
    ("git", "git -c alias.{m}='!bash {dir}/{script}' {m}"),
    (
        "tar",
        "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='bash {script}' {script}",
    ),
];
