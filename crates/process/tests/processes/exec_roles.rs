//! Programs of this executable that watched shells start in the tests of judged programs.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;

use attache_process::{Child, ExecWatch, Program};

use super::exec_attacks::next_ask;

/// Programs of this executable that a watched shell starts.
pub(super) fn play(part: &str) -> ! {
    match part {
        "swap" => swap(),
        "hidden" => hide(),
        "thread" => thread(),
        "check" => check(),
        _ => own(),
    }
}

/// Executes `true` with arguments in memory that another thread changes all the time.
fn swap() -> ! {
    use std::os::unix::process::CommandExt;
    // The arguments of an exec are copied by std, so the race is run with the file: its name leads to the allowed
    // program when it is judged and, now and then, to the other when it runs.
    let dir = std::env::current_dir().unwrap();
    let (good, bad, name) = (dir.join("good"), dir.join("bad"), dir.join("name"));
    fs::write(&good, "#!/bin/sh\nexec sleep 2\n").unwrap();
    fs::copy("/bin/sleep", dir.join("forbidden")).unwrap();
    fs::set_permissions(&good, fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("good", dir.join("to-good")).ok();
    std::os::unix::fs::symlink("forbidden", dir.join("to-bad")).ok();
    drop(bad);
    let flip = {
        let (dir, name) = (dir.clone(), name.clone());
        move || {
            for (round, from) in ["to-good", "to-bad"].iter().cycle().enumerate() {
                let next = dir.join(format!("next-{}", round % 2));
                std::os::unix::fs::symlink(fs::read_link(dir.join(from)).unwrap(), &next).ok();
                fs::rename(&next, &name).ok();
            }
        }
    };
    std::thread::spawn(flip);
    let mut children = Vec::new();
    for _ in 0..40 {
        let started = std::process::Command::new(&name)
            .arg("1")
            .arg0("name")
            .spawn();
        children.extend(started);
    }
    for mut child in children {
        child.kill().ok();
        child.wait().ok();
    }
    std::process::exit(0)
}

/// Executes the program while its memory cannot be read.
fn hide() -> ! {
    use std::os::unix::process::CommandExt;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).unwrap();
    let error = std::process::Command::new("/bin/true").exec();
    std::process::exit(error.raw_os_error().unwrap_or(1))
}

/// Executes file 9 of its process, from a thread whose own file 9 is another.
fn thread() -> ! {
    use std::os::unix::process::CommandExt;
    let open = |path: &str| fs::File::open(path).unwrap();
    let (bad, good) = (open("forbidden"), open("/bin/true"));
    let mut nine = rustix::io::fcntl_dupfd_cloexec(&bad, 9).unwrap();
    assert_eq!(nine.as_raw_fd(), 9, "it is in use");
    let execute = move || {
        #[expect(
            deprecated,
            reason = "files that are not shared are what this is about"
        )]
        rustix::thread::unshare(rustix::thread::UnshareFlags::FILES).unwrap();
        rustix::io::dup2(&good, &mut nine).unwrap();
        let error = std::process::Command::new("/proc/self/fd/9")
            .arg("x")
            .exec();
        std::process::exit(error.raw_os_error().unwrap_or(1))
    };
    std::thread::spawn(execute).join().unwrap()
}

/// Asks the kernel whether a program could be executed, without executing it.
#[allow(unsafe_code, reason = "nothing else makes this call")]
fn check() -> ! {
    let (path, args) = (c"/bin/true", [std::ptr::null::<libc::c_char>(); 1]);
    // SAFETY: the path and the arrays end with a null, and live as long as the call.
    unsafe {
        libc::syscall(
            libc::SYS_execveat,
            libc::AT_FDCWD,
            path.as_ptr(),
            args.as_ptr(),
            args.as_ptr(),
            0x1_0000,
        )
    };
    std::process::exit(0)
}

/// Owns a tree that waits in an ask, and waits to be killed.
fn own() -> ! {
    super::runtime().block_on(async {
        let program = Program::new("sh")
            .args(["-c", "./forbidden; ./forbidden; sleep 1000"])
            .watch(ExecWatch::new(b"ask forbidden".to_vec()));
        let mut child: Child = program.spawn().await.unwrap();
        let mut execs = child.take_exec_events().unwrap();
        next_ask(&mut execs).await;
        std::io::Write::write_all(&mut std::io::stdout(), b"asked\n").unwrap();
        std::future::pending().await
    })
}

pub(super) const ROLE: &str = "--execs";
