//! Files that lead the kernel to another program than their names say: interpreters of scripts and ELF files, files that
//! cannot be read, and links that mean something else in another namespace or thread.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use attache_process::{ExecEvent, StopTimeouts, exec_support};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt;

use super::exec_attacks::{Stage, run};
use super::exec_roles::ROLE;
use super::trial::elsewhere_as;
use super::{lone_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    if !exec_support().is_available() {
        return Vec::new();
    }
    let user = rustix::process::geteuid().is_root().then_some(NOBODY);
    let mut trials = vec![
        trial("exec_files::links_in_another_namespace", namespaces),
        trial("exec_files::a_thread_with_other_files", threads),
        trial("exec_files::a_pipe_as_interpreter", pipe),
        trial("exec_files::descriptors_without_a_path", descriptors),
        trial("exec_files::asking_whether_a_file_could_run", checking),
        lone_trial("exec_files::few_descriptors_are_enough", few_descriptors),
        elsewhere_as(
            "exec_files::files_that_cannot_be_read",
            "ATTACHE_TEST_ORDINARY",
            user,
            unreadable,
        ),
        elsewhere_as(
            "exec_files::formats_in_a_namespace",
            "ATTACHE_TEST_FORMATS",
            user,
            formats,
        ),
    ];
    if cfg!(target_arch = "x86_64") {
        trials.push(trial("exec_files::interpreters_of_elf_files", elf));
    }
    trials
}

/// Nothing runs, so nothing is in the log. Older kernels refuse the question.
async fn checking() {
    let stage = Stage::new("checking");
    let this = std::env::current_exe().unwrap();
    let line = format!("{} {ROLE} check; echo end", this.display());
    let (text, events) = run(&stage.program(&line, "deny forbidden")).await;
    assert!(text.ends_with("end\n"), "{text}");
    let is_true =
        |event: &ExecEvent| matches!(event, ExecEvent::Ran(exec) if exec.program.ends_with("true"));
    assert!(!events.iter().any(is_true), "{events:?}");
}

/// Programs that change their arguments are looked at for longer, by descriptors that others need.
async fn few_descriptors() {
    let few = rustix::process::Rlimit {
        current: Some(128),
        maximum: Some(128),
    };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, few).unwrap();
    let stage = Stage::new("few");
    let line = "i=0; while [ $i -lt 160 ]; do perl -e '$0 = \"x\"; sleep 1' & i=$((i + 1)); done; /bin/true && echo fine; forbidden; wait";
    let (text, events) = run(&stage.program(line, "deny forbidden")).await;
    assert!(text.starts_with("fine\n"), "{text}");
    assert_eq!(stage.record(), "");
    let is_denied = |event: &&ExecEvent| matches!(event, ExecEvent::Denied { .. });
    assert_eq!(events.iter().filter(is_denied).count(), 1, "{events:?}");
}

/// Runs a line without any rule.
async fn run_freely(stage: &Stage, line: &str) -> String {
    let program = attache_process::Program::new("sh")
        .args(["-c", line])
        .env("RECORD", stage.dir.join("record"))
        .cwd(&stage.dir);
    let (child, mut stdout) = program.spawn_captured().await.unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    child.stop(StopTimeouts::default()).await;
    text
}

/// Each line runs the program, and does not if it is denied.
async fn check(stage: &Stage, lines: &[&str]) {
    let record = stage.dir.join("record");
    for line in lines {
        let text = run_freely(stage, line).await;
        assert_ne!(stage.record(), "", "{line} does not run it: {text}");
        fs::remove_file(&record).unwrap();
        let (text, events) = run(&stage.program(line, "deny forbidden")).await;
        assert_eq!(stage.record(), "", "{line}: {text}");
        let is_denied = |event: &ExecEvent| matches!(event, ExecEvent::Denied { .. });
        assert!(events.iter().any(is_denied), "{line}: {text} {events:?}");
        fs::remove_file(&record).ok();
    }
}

/// A copy of `echo` in place of the script, so that no second exec tells its name.
fn make_binary(stage: &Stage) {
    let path = stage.dir.join("forbidden");
    fs::remove_file(&path).unwrap();
    fs::copy("/bin/echo", &path).unwrap();
}

async fn namespaces() {
    let stage = Stage::new("namespaces");
    make_binary(&stage);
    symlink("/proc/self/fd/9", stage.dir.join("nine")).unwrap();
    symlink("forbidden", stage.dir.join("link")).unwrap();
    symlink(
        "/proc/self/root/proc/self/cwd/link",
        stage.dir.join("around"),
    )
    .unwrap();
    let unshare = match rustix::process::geteuid().is_root() {
        true => "unshare -m",
        false => "unshare -Urm",
    };
    if run_freely(&stage, &format!("{unshare} echo works")).await != "works\n" {
        return;
    }
    let inner = [
        "./link x",
        "/proc/self/fd/9 x",
        "/dev/fd/9 x",
        "./nine x",
        "/proc/thread-self/fd/9 x",
        "/proc/$$/fd/9 x",
        "/proc/$PPID/root$PWD/link x",
        "/proc/self/root$PWD/link x",
        "/proc/self/cwd/link x",
        "./around x",
        "cd /; /proc/self/fd/8/link x",
        "exec /proc/../proc/self/task/$$/fd/9 x",
    ];
    let inside = |prefix: &str, line: &str| {
        format!("exec 9<forbidden 8<.; {prefix} sh -c '{{ {line}; }} >>\"$RECORD\"; true'; true")
    };
    let roots = [
        unshare.to_owned(),
        format!("{unshare} unshare -m"),
        format!("{unshare}pf --mount-proc"),
        format!("{unshare} chroot --skip-chdir /"),
    ];
    for prefix in &roots {
        for line in inner {
            // A shell that is the first of its namespace has no parent that it sees.
            if prefix.contains("proc") && line.contains("PPID") {
                continue;
            }
            check(&stage, &[&inside(prefix, line)]).await;
        }
    }
    // Ordinary uses of a namespace still work, and the executed programs are known.
    for line in ["/bin/echo fine", "/proc/self/exe -c \"echo fine\""] {
        let line = format!("{unshare} sh -c '{line}'");
        let (text, events) = run(&stage.program(&line, "deny forbidden")).await;
        assert_eq!(text, "fine\n", "{line}: {events:?}");
    }
}

async fn threads() {
    let stage = Stage::new("threads");
    make_binary(&stage);
    let me = std::env::current_exe().unwrap();
    let line = format!("{} {ROLE} thread >>\"$RECORD\"", me.display());
    check(&stage, &[&line]).await;
}

/// Reading a pipe would wait for a writer.
async fn pipe() {
    let stage = Stage::new("pipe");
    stage.script("piped", &format!("#!{}/fifo\n", stage.dir.display()));
    let line = "mkfifo -m 777 fifo; ./piped; ./fifo; echo done";
    let (text, _) = run(&stage.program(line, "deny forbidden")).await;
    assert!(text.ends_with("done\n"), "{text}");
}

async fn descriptors() {
    let stage = Stage::new("fds");
    make_binary(&stage);
    let perl = |flags: &str, fd: &str| {
        // execveat(fd, "", ["x"], [], AT_EMPTY_PATH)
        format!(
            "perl -MFcntl -e 'sysopen(F, \"forbidden\", {flags}) or die; my $e = \"\\0\"; my $a = \"x\\0\"; \
             my $v = pack(\"PQ\", $a, 0); my $n = pack(\"Q\", 0); open(STDOUT, \">>\", $ENV{{RECORD}}); \
             syscall({}, {fd}, $e, $v, $n, 0x1000); die $!'",
            if cfg!(target_arch = "x86_64") {
                322
            } else {
                281
            },
        )
    };
    let lines = [
        perl("O_RDONLY", "fileno(F)"),
        perl("010000000", "fileno(F)"),
    ];
    check(&stage, &[&lines[0], &lines[1]]).await;
}

/// A script that can be executed and not read: only the kernel sees its first line.
async fn unreadable() {
    let stage = Stage::new("unreadable");
    let first = format!("#!{}/forbidden\n", stage.dir.display());
    stage.script("hidden", &first);
    stage.script("outer", &format!("#!{}/hidden\n", stage.dir.display()));
    let mode = fs::Permissions::from_mode(0o111);
    fs::set_permissions(stage.dir.join("hidden"), mode).unwrap();
    check(&stage, &["./hidden", "./outer", "sh -c ./hidden"]).await;
}

/// A process in its own user namespace can register formats there, and the kernel then runs another program for their
/// files.
async fn formats() {
    let stage = Stage::new("formats");
    make_binary(&stage);
    fs::copy("/bin/true", stage.dir.join("file.evil")).unwrap();
    stage.script("data", "EVIL");
    let register = "mount -t binfmt_misc none /mnt && \
        printf \":a:M::EVIL::$PWD/forbidden:\" >/mnt/register && \
        printf \":b:E::evil::$PWD/forbidden:\" >/mnt/register";
    let inside = |line: &str| {
        format!("unshare -Urm sh -c '{{ {register}; {line}; }} >>\"$RECORD\"; true'; true")
    };
    run_freely(&stage, &inside("./data x")).await;
    if stage.record().is_empty() {
        // A kernel before 6.7, or a system that allows no such namespaces.
        return;
    }
    fs::remove_file(stage.dir.join("record")).unwrap();
    let lines = [
        "./data x",
        "./file.evil",
        "exec 7</mnt/status; umount -l /mnt; ./data x",
        "unshare -Ur ./data x",
        "unshare -m ./data x",
    ];
    let lines = lines.map(inside);
    check(&stage, &lines.each_ref().map(String::as_str)).await;
    // A namespace without any is as good as ours.
    let nested = "unshare -Urm sh -c 'mount -t tmpfs none /mnt; unshare -Ur /bin/echo fine'";
    let sandbox = "bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev sh -c 'echo fine'";
    for line in [
        nested,
        &format!("command -v bwrap >/dev/null || exec echo fine; {sandbox}"),
    ] {
        let (text, events) = run(&stage.program(line, "deny forbidden")).await;
        assert_eq!(text, "fine\n", "{line}: {events:?}");
    }
}

/// A program made by hand that leaves a file, and files that name it as their interpreter.
async fn elf() {
    let stage = Stage::new("elf");
    let write = |name: &str, bytes: &[u8]| {
        let path = stage.dir.join(name);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    fs::remove_file(stage.dir.join("forbidden")).unwrap();
    write("forbidden", &elf_file(None, 0));
    symlink("forbidden", stage.dir.join("ld-linux-x86-64.so.2")).unwrap();
    let forbidden = stage.dir.join("forbidden");
    let linked = stage.dir.join("ld-linux-x86-64.so.2");
    write("plain", &elf_file(Some(&forbidden), 0));
    write("named", &elf_file(Some(&linked), 0));
    write("relative", &elf_file(Some(Path::new("forbidden")), 0));
    // The table of segments and the name lie far behind the beginning.
    write("far", &elf_file(Some(&forbidden), 100_000));
    stage.script("script", &format!("#!{}/far\n", stage.dir.display()));
    check(
        &stage,
        &[
            "./plain",
            "./named",
            "./relative",
            "./far",
            "./script",
            "./forbidden",
        ],
    )
    .await;
    // It is judged under the name of a loader as well.
    let (_, events) = run(&stage.program("./named", "deny ld-linux-x86-64.so.2")).await;
    let is_denied = |event: &ExecEvent| matches!(event, ExecEvent::Denied { .. });
    assert!(events.iter().any(is_denied), "{events:?}");
    // Ordinary programs are judged as usual.
    let (text, events) = run(&stage.program("/bin/echo fine", "deny forbidden")).await;
    assert_eq!(text, "fine\n");
    assert!(!events.iter().any(is_denied), "{events:?}");
}

/// An ELF file that writes a file `record` and ends, or has its interpreter do that.
fn elf_file(interpreter: Option<&Path>, gap: usize) -> Vec<u8> {
    let code: &[u8] = &[
        0x48, 0x8d, 0x3d, 41, 0, 0, 0, // lea rdi, [rip + name]
        0xbe, 0x41, 0, 0, 0, // mov esi, O_WRONLY | O_CREAT
        0xba, 0xa4, 1, 0, 0, // mov edx, 0644
        0xb8, 2, 0, 0, 0, // mov eax, open
        0x0f, 0x05, // syscall
        0x89, 0xc7, // mov edi, eax
        0x48, 0x8d, 0x35, 15, 0, 0, 0, // lea rsi, [rip + name]
        0xba, 6, 0, 0, 0, // mov edx, 6
        0xb8, 1, 0, 0, 0, // mov eax, write
        0x0f, 0x05, // syscall
        0xeb, 0, // exit:
    ];
    let exit: &[u8] = &[0x31, 0xff, 0xb8, 60, 0, 0, 0, 0x0f, 0x05];
    let name = b"record\0";
    // Distances from behind each `lea` to the name.
    let mut code = [code, exit].concat();
    let first = code.len() - 7;
    let second = code.len() - 33;
    code[3] = u8::try_from(first).unwrap();
    code[29] = u8::try_from(second).unwrap();
    code.extend(name);
    let header = 64;
    let table = header + code.len() + gap;
    let entries: usize = 1 + usize::from(interpreter.is_some());
    let path = table + entries * 56;
    let number = |number: usize| u64::try_from(number).unwrap().to_le_bytes();
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".to_vec();
    bytes.extend(number(header));
    bytes.extend(number(table));
    bytes.extend(number(0));
    bytes.extend([
        0,
        0,
        0,
        0,
        64,
        0,
        56,
        0,
        u8::try_from(entries).unwrap(),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ]);
    bytes.extend(code);
    bytes.resize(table, 0);
    let mut segment = |kind: u32, flags: u32, at: usize, length: usize| {
        bytes.extend(kind.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        for field in [at, at, at, length, length, 1] {
            bytes.extend(number(field));
        }
    };
    let text = interpreter.map(|path| path.to_str().unwrap().to_owned() + "\0");
    if let Some(text) = &text {
        segment(3, 4, path, text.len());
    }
    segment(1, 5, 0, path);
    bytes.extend(text.unwrap_or_default().as_bytes());
    bytes
}

const NOBODY: u32 = 65534;
