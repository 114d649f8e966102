//! Reads strace output: the programs that were started and the files that were opened by processes other than `attache`
//! itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The words before the command to watch. Each process gets its own file, so that no line is split by another process.
pub(super) fn command_words(traces: &Path) -> Vec<OsString> {
    let options = [
        "strace",
        "-f",
        "-ff",
        "-y",
        "-qq",
        "-s",
        "4096",
        "-e",
        "signal=none",
        "-e",
    ];
    let calls = "trace=open,openat,openat2,execve,execveat,clone,clone3,fork,vfork";
    let mut words: Vec<OsString> = options.iter().map(OsString::from).collect();
    words.extend([calls.into(), "-o".into(), traces.join("t").into_os_string()]);
    words
}

#[derive(Default)]
pub(super) struct ObservedCalls {
    /// The path and words of each program that was started.
    pub(super) started: Vec<(String, Vec<String>)>,
    /// Files that were opened, except with `O_PATH`.
    pub(super) opened: BTreeSet<PathBuf>,
    /// Files that were opened for writing.
    pub(super) opened_to_write: BTreeSet<PathBuf>,
    pub(super) processes: usize,
    /// The number of started processes without a trace.
    pub(super) lost: usize,
}

/// Reads the traces of one run, whose first program is ours.
pub(super) fn read_traces(traces: &Path, ours: &Path) -> io::Result<ObservedCalls> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(traces)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(pid) = name.strip_prefix("t.").and_then(|pid| pid.parse().ok()) {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
            texts.insert(pid, text);
        }
    }
    Ok(observed_calls(&texts, &ours.display().to_string()))
}

fn observed_calls(texts: &BTreeMap<u32, String>, ours: &str) -> ObservedCalls {
    let mut seen = ObservedCalls {
        processes: texts.len(),
        ..ObservedCalls::default()
    };
    let mut children = BTreeSet::new();
    for line in texts.values().flat_map(|text| text.lines()) {
        children.extend(started_child(line));
    }
    let is_lost = |pid: &&u32| !texts.contains_key(*pid);
    seen.lost = children.iter().filter(is_lost).count();
    // A process with an unknown parent is the first one or an unrelated one; its first program tells which.
    let roots = texts.keys().filter(|pid| !children.contains(*pid));
    let mut waiting: Vec<(u32, bool)> = roots.map(|pid| (*pid, false)).collect();
    while let Some((pid, was_ours)) = waiting.pop() {
        let mut is_ours = was_ours;
        for line in texts.get(&pid).into_iter().flat_map(|text| text.lines()) {
            if let Some((path, words)) = started_program(line) {
                is_ours = path == ours && words.get(1).is_none_or(|word| word != "agent");
                seen.started.push((path, words));
            } else if let Some(child) = started_child(line) {
                waiting.push((child, is_ours));
            } else if let (false, Some(path)) = (is_ours, opened_file(line)) {
                if is_for_writing(line) {
                    seen.opened_to_write.insert(path.into());
                }
                seen.opened.insert(path.into());
            }
        }
    }
    seen
}

/// The process that a line of the trace starts.
fn started_child(line: &str) -> Option<u32> {
    let calls = ["clone(", "clone3(", "fork(", "vfork("];
    let is_start = calls.iter().any(|call| line.starts_with(call));
    let (_, result) = line.rsplit_once(" = ").filter(|_| is_start)?;
    result.split('<').next()?.trim().parse().ok()
}

fn started_program(line: &str) -> Option<(String, Vec<String>)> {
    let is_start = line.starts_with("execve(") || line.starts_with("execveat(");
    let (call, result) = line.rsplit_once(" = ").filter(|_| is_start)?;
    if result.trim() != "0" {
        return None;
    }
    let mut strings = quoted_strings(call);
    let first = strings.first()?.clone();
    // `execveat` with a descriptor and an empty path.
    let path = match (first.as_str(), call.split_once('<')) {
        ("", Some((_, rest))) => rest.split('>').next().unwrap_or_default().to_owned(),
        _ => first,
    };
    strings.remove(0);
    Some((path, strings))
}

/// The texts in double quotes, with escapes resolved.
fn quoted_strings(call: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let mut letters = call.chars();
    while letters.by_ref().any(|letter| letter == '"') {
        let mut text = String::new();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => break,
                '\\' => text.extend(letters.next()),
                _ => text.push(letter),
            }
        }
        strings.push(text);
    }
    strings
}

/// The resolved path of the opened file.
fn opened_file(line: &str) -> Option<&str> {
    let is_open = line.starts_with("open");
    let (call, result) = line.rsplit_once(" = ").filter(|_| is_open)?;
    let (_, path) = result.split_once('<')?;
    let path = path.trim_end().strip_suffix('>')?;
    (!call.contains("O_PATH")).then_some(path)
}

fn is_for_writing(line: &str) -> bool {
    line.contains("O_WRONLY") || line.contains("O_RDWR")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_start_and_open_is_seen_and_what_we_open_is_not() {
        let texts = BTreeMap::from([
            (
                10,
                r#"execve("/a/attache", ["/a/attache", "run"], 0x1 /* 9 vars */) = 0
openat(AT_FDCWD</p>, "secrets", O_RDONLY|O_DIRECTORY) = 3</p/secrets>
clone(child_stack=NULL, flags=SIGCHLD) = 11
"#,
            ),
            (
                11,
                r#"openat(AT_FDCWD</p>, "secrets/key", O_RDONLY) = 4</p/secrets/key>
execve("/bin/x", ["x", "a \"b\""], 0x1 /* 9 vars */) = -1 EACCES (Permission denied)
execve("/bin/sh", ["sh", "-c", "a \"b\""], 0x1 /* 9 vars */) = 0
vfork() = 12
openat(AT_FDCWD</p>, "secrets/key", O_RDONLY|O_PATH) = 4</p/secrets/key>
openat(AT_FDCWD</p>, "way/key", O_RDONLY) = -1 ENOENT (No such file or directory)
"#,
            ),
            (
                12,
                "openat(AT_FDCWD</p>, \"way/open\", O_RDONLY) = 4</p/open>\n\
                 openat(AT_FDCWD</p>, \"new\", O_WRONLY|O_APPEND) = 4</p/new>\n\
                 openat(AT_FDCWD</p>, \"old\", O_RDWR) = -1 EROFS (Read-only file system)\n",
            ),
        ]);
        let texts = texts.into_iter();
        let texts = texts.map(|(pid, text)| (pid, text.to_owned())).collect();
        let seen = observed_calls(&texts, "/a/attache");
        let words = ["sh", "-c", "a \"b\""].map(str::to_owned).to_vec();
        assert_eq!(seen.started[1..], [("/bin/sh".to_owned(), words)]);
        let [open, new] = ["/p/open", "/p/new"].map(PathBuf::from);
        assert_eq!(seen.opened, BTreeSet::from([open, new.clone()]));
        assert_eq!(seen.opened_to_write, BTreeSet::from([new]));
        assert_eq!((seen.processes, seen.lost), (3, 0));
    }
}
