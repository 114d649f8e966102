//! Spellings of a change: each adds a word to a file and keeps its content.

use super::LineBuilder;
use super::reads::respelled;

/// A line that adds the word to the file.
pub(super) fn spell(
    builder: &mut LineBuilder<'_>,
    file: &str,
    word: &str,
) -> Result<(&'static str, String), String> {
    let path = respelled(builder, file)?;
    let (family, form) = builder.random.pick(WRITERS);
    let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
    let text = form
        .replace("{new}", &builder.new_name())
        .replace("{python}", &builder.testbed.python)
        .replace("{folder}", folder)
        .replace("{name}", name)
        .replace("{f}", file)
        .replace("{p}", &path)
        .replace("{m}", word);
    Ok((family, text))
}

const WRITERS: &[(&str, &str)] = &[
    ("append", "echo {m} >> {p}"),
    ("append", "printf '%s\\n' {m} | tee -a {p} >/dev/null"),
    ("append", "exec 3>> {p}; echo {m} >&3"),
    ("append", "(exec >> {p}; echo {m})"),
    ("append", "echo {m} | cat >> {p}"),
    (
        "append",
        "echo {m} | dd of={f} oflag=append conv=notrunc 2>/dev/null",
    ),
    ("append", "awk 'BEGIN { print \"{m}\" >> \"{f}\" }'"),
    ("append", "env nice timeout 5 tee -a {p} <<< {m} >/dev/null"),
    (
        "both ways",
        "exec 3<> {p}; cat <&3 >/dev/null; echo {m} >&3",
    ),
    ("rewrite", "x=$(cat {p}); echo \"$x\" {m} > {p}"),
    ("rewrite", "sed -i 's/$/ {m}/' {p}"),
    ("rewrite", "perl -pi -e 's/$/ {m}/' {p}"),
    ("replace", "{ cat {p}; echo {m}; } > {new}; cp {new} {p}"),
    (
        "replace",
        "{ cat {p}; echo {m}; } > {new}; cp --remove-destination {new} {f}",
    ),
    ("replace", "{ cat {p}; echo {m}; } > {new}; mv -f {new} {f}"),
    ("replace", "{ cat {p}; echo {m}; } > {new}; ln -f {new} {f}"),
    (
        "replace",
        "{ cat {p}; echo {m}; } > {new}; install -m 644 {new} {f}",
    ),
    ("remove", "x=$(cat {f}); rm -f {f}; echo \"$x\" {m} > {f}"),
    ("move", "mv {f} {new}; echo {m} >> {new}; mv {new} {f}"),
    (
        "move",
        "mv {folder} {new} && { echo {m} >> {new}/{name}; mv {new} {folder}; }",
    ),
    ("hard link", "ln {f} {new}; echo {m} >> {new}"),
    (
        "symlink",
        "ln -s \"$(realpath {p})\" {new}; echo {m} >> {new}",
    ),
    ("mode", "chmod 666 {p}; echo {m} >> {p}"),
    (
        "python",
        "{python} -c 'import sys; open(sys.argv[1], \"a\").write(\" {m}\")' {p}",
    ),
    (
        "python",
        "{python} -c 'import os; f = os.open(\"{f}\", os.O_RDWR | os.O_APPEND); os.write(f, b\" {m}\")'",
    ),
    (
        "perl",
        "perl -e 'open F, \">>\", $ARGV[0]; print F \" {m}\"' {p}",
    ),
    ("make", "echo 'all:;@echo {m} >> {f}' | make -s -f -"),
    ("xargs", "echo {f} | xargs -I% bash -c 'echo {m} >> %'"),
    (
        "find",
        "find {folder} -maxdepth 1 -name '{name}' -exec sh -c 'echo {m} >> \"$1\"' _ {} \\;",
    ),
    (
        "unmount",
        "umount -l \"$(dirname {p})\" 2>/dev/null; umount -l {p} 2>/dev/null; echo {m} >> {p}",
    ),
    (
        "remount",
        "mount -o remount,rw,bind {folder} 2>/dev/null; mount -o remount,rw,bind {f} 2>/dev/null; echo {m} >> {p}",
    ),
    (
        "namespace",
        "unshare -Urm sh -c 'mount -o remount,rw,bind {f}; umount -l {f}; echo {m} >> {f}' 2>/dev/null || echo {m} >> {p}",
    ),
];
