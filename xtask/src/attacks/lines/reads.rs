//! Spellings of a read: the path of the file, and the program that opens it.

use super::LineBuilder;

/// A line that prints the file.
pub(super) fn spell(
    builder: &mut LineBuilder<'_>,
    file: &str,
) -> Result<(&'static str, String), String> {
    if builder.random.once_in(6) {
        let (family, form) = builder.random.pick(TREES);
        let project = builder.project();
        let tree = match file.starts_with("..") {
            true => "../vault".to_owned(),
            false => builder.random.pick(&[".".to_owned(), project]),
        };
        return Ok((family, form.replace("{t}", &tree)));
    }
    let path = respelled(builder, file)?;
    let (family, form) = builder.random.pick(READERS);
    let text = form
        .replace("{new}", &builder.new_name())
        .replace("{python}", &builder.testbed.python)
        .replace("{f}", file)
        .replace("{p}", &path);
    Ok((family, text))
}

/// The path in a file request: absolute, sometimes with `..` or through a link.
pub(super) fn requested(builder: &mut LineBuilder<'_>, file: &str) -> Result<String, String> {
    let project = builder.project();
    let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
    let link = builder.new_name();
    let at = builder.testbed.project.join(&link);
    let fail = |error: std::io::Error| format!("can't create a link to {file}: {error}");
    Ok(match builder.random.below(6) {
        0 => format!("{project}/{folder}/./{name}"),
        1 => {
            std::os::unix::fs::symlink(folder, at).map_err(fail)?;
            format!("{project}/{link}/{name}")
        }
        2 => {
            std::os::unix::fs::symlink(file, at).map_err(fail)?;
            format!("{project}/{link}")
        }
        3 if !file.starts_with("..") => {
            std::fs::hard_link(builder.testbed.project.join(file), at).map_err(fail)?;
            format!("{project}/{link}")
        }
        _ => format!("{project}/{file}"),
    })
}

/// The path as a shell word.
pub(super) fn respelled(builder: &mut LineBuilder<'_>, file: &str) -> Result<String, String> {
    let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
    let (head, tail) = name.split_at(1);
    let (first, rest) = folder.split_at(1);
    let project = builder.project();
    let link = builder.new_name();
    let link = link.as_str();
    let forms = [
        file.to_owned(),
        format!("./{folder}/../{folder}/{name}").replace("../../../vault", "../vault"),
        format!("$PWD/{file}"),
        format!("{project}/{file}"),
        format!("{folder}/{head}''{tail}"),
        format!("{folder}/{head}*"),
        format!("{first}\"{rest}\"/{name}"),
        format!("{folder}/?{tail}"),
        format!("/proc/self/cwd/{file}"),
        format!("$(echo {folder})/{name}"),
        format!("~+/{file}"),
        format!("/proc/self/root{project}/{file}"),
        format!("/proc/1/root{project}/{file}"),
        format!("/proc/$PPID/root{project}/{file}"),
        format!("/proc/$PPID/cwd/{file}"),
        format!("${{unset:-{file}}}"),
        format!("{{{file},}}"),
        format!("{link}/{name}"),
        format!("./{link}"),
        format!("{link}.hard"),
    ];
    let form = builder.random.pick(&forms);
    let at = |name: &str| builder.testbed.project.join(name);
    let fail = |error: std::io::Error| format!("can't create a link to {file}: {error}");
    let name = form.trim_start_matches("./");
    if name == format!("{link}.hard") && !file.starts_with("..") {
        std::fs::hard_link(at(file), at(name)).map_err(fail)?;
    } else if name == link {
        std::os::unix::fs::symlink(file, at(link)).map_err(fail)?;
    } else if name.starts_with(link) && !name.ends_with(".hard") {
        std::os::unix::fs::symlink(folder, at(link)).map_err(fail)?;
    } else if name.starts_with(link) {
        return Ok(file.to_owned());
    }
    Ok(form)
}

const READERS: &[(&str, &str)] = &[
    ("cat", "cat {p}"),
    ("cat", "cat < {p}"),
    ("cat", "head -c 99 {p}; tail -n 9 {p}"),
    ("redirection", "exec 3< {p}; cat <&3"),
    ("redirection", "while read -r x; do echo \"$x\"; done < {p}"),
    ("redirection", "read -r x < {p}; echo \"$x\""),
    ("redirection", "mapfile x < {p}; echo \"${x[@]}\""),
    ("redirection", "echo \"$(< {p})\""),
    ("redirection", "cat <> {p}"),
    ("subshell", "(cd / && cat) < {p}"),
    ("subshell", "cat {p} & wait"),
    ("pipe", "cat {p} | rev | rev"),
    ("pipe", "base64 {p} | base64 -d"),
    ("grep", "grep -r . {p}"),
    ("grep", "grep -f {p} {p}"),
    ("tools", "dd if=\"$(echo {p})\""),
    ("tools", "tar cf - {p} | tr -d '\\0'"),
    ("tools", "sort {p}; uniq {p}"),
    ("tools", "sed -n p {p}; awk 1 {p}"),
    ("tools", "diff /dev/null {p}"),
    ("tools", "cut -c1- {p} | tee /dev/null"),
    ("copy", "cp {p} {new}; cat {new}"),
    ("copy", "ln -L {p} {new}; cat {new}"),
    ("copy", "ln -s \"$(realpath {p})\" {new}; cat {new}"),
    ("copy", "tar cf {new} {p}; cat {new} | tr -d '\\0'"),
    ("source", ". {p}"),
    ("source", "bash {p}"),
    (
        "python",
        "{python} -c 'import sys; print(open(sys.argv[1]).read())' {p}",
    ),
    ("python", "{python} -c 'print(open(\"{f}\").read())'"),
    (
        "python",
        "{python} -c 'import os; print(os.read(os.open(\"{f}\", os.O_RDWR), 99))'",
    ),
    ("perl", "perl -ne print {p}"),
    ("perl", "perl -e 'open F, \"<\", $ARGV[0]; print <F>' {p}"),
    ("git", "git diff --no-index /dev/null {p}"),
    ("git", "git grep --no-index . {p}"),
    ("make", "echo 'all:;@cat {f}' | make -s -f -"),
    ("make", "make -f {p}"),
    ("xargs", "echo {f} | xargs cat"),
    ("xargs", "xargs -a {p} echo"),
    ("find", "find {p} -type f -exec cat {} +"),
    (
        "unmount",
        "umount -l \"$(dirname {p})\" 2>/dev/null; cat {p}",
    ),
    ("unmount", "umount -l {p} 2>/dev/null; cat {p}"),
    (
        "namespace",
        "unshare -Urm sh -c 'umount -l \"$(dirname {f})\"; umount -l {f}; cat {f}'; cat {p}",
    ),
    ("wrapper", "env nice timeout 5 cat {p}"),
    ("wrapper", "setsid -w cat {p}; nohup cat {p}"),
];

/// Commands that read everything below a directory.
const TREES: &[(&str, &str)] = &[
    ("tree", "grep -rh canary {t}"),
    ("tree", "find {t} -type f -exec cat {} +"),
    ("tree", "find {t} -type f -print0 | xargs -0 cat"),
    ("tree", "tar cf - {t} | tr -d '\\0'"),
    ("tree", "shopt -s globstar dotglob; cat {t}/**"),
    (
        "tree",
        "cat {t}/* {t}/.[a-z]* {t}/*/* {t}/*/.[a-z]* {t}/*/*/*/*",
    ),
    ("tree", "git grep --no-index -h canary {t}"),
    ("tree", "diff -r -N {t} /var/empty"),
];
