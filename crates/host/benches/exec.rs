//! Measures what judging programs at exec costs: the guard's processor time, the wall time added to each exec, and
//! whether running programs are slower. `cargo xtask bench exec` runs it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a program that is run by hand"
)]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("programs are watched on Linux only");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use attache_host::exec::{ExecRules, WatchMode, judge};
    use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};
    use attache_process::{Program, guard};
    use tokio::io::AsyncReadExt as _;

    pub(super) fn main() {
        guard::judge_with(judge);
        guard::run_if_asked();
        let args: Vec<String> = std::env::args().skip(1).collect();
        if let [role, count] = args.as_slice()
            && let Ok(count) = count.parse()
        {
            match role.as_str() {
                "--execute" => return execute(count),
                "--work" => return work(count),
                _ => {}
            }
        }
        let execs = match args.iter().any(|arg| arg == "--quick") {
            true => 500,
            false => 3000,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(measure(execs));
    }

    /// Executes a program repeatedly, and prints the median time in nanoseconds.
    fn execute(count: usize) {
        let mut times: Vec<Duration> = (0..count)
            .map(|_| {
                let begun = Instant::now();
                Command::new("/bin/true").status().unwrap();
                begun.elapsed()
            })
            .collect();
        times.sort();
        println!("{}", times[times.len() / 2].as_nanos());
        // The guard is measured before this ends.
        std::thread::sleep(Duration::from_millis(300));
    }

    /// Makes system calls, and prints the time of one in nanoseconds.
    fn work(count: usize) {
        let begun = Instant::now();
        for _ in 0..count {
            std::hint::black_box(rustix::process::getppid());
        }
        println!(
            "{}",
            begun.elapsed().as_nanos() / u128::try_from(count).unwrap()
        );
    }

    async fn measure(execs: usize) {
        let policy = r#"{"rules": [
            {"action": "deny", "command": ["curl", "git push **", "npm publish **"]},
            {"action": "ask", "command": ["rm -rf **", "docker run **"]}
        ]}"#;
        let mut config = PermissionConfig::new(Preset::Ask);
        config.policy = Some(Policy::parse("policy.json", policy).unwrap());
        let rules = Permissions::open(config).0.exec_rules("agent");
        let rules = rules.for_mode(WatchMode::Rules).unwrap();
        let log = ExecRules::default().for_mode(WatchMode::Always).unwrap();
        println!(
            "{:<18}{:>16}{:>16}{:>16}{:>16}",
            "", "wall p50 µs", "added µs", "guard CPU µs", "system call ns"
        );
        let mut base = None;
        for (name, rules) in [
            ("not watched", None),
            ("for the log", Some(&log)),
            ("five rules", Some(&rules)),
        ] {
            let mut rounds = Vec::new();
            for _ in 0..3 {
                rounds.push(run(&["--execute", &execs.to_string()], rules).await);
            }
            rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (wall, cpu) = rounds[1];
            let (call, _) = run(&["--work", "2000000"], rules).await;
            let wall = wall / 1000.0;
            let before = *base.get_or_insert(wall);
            let cpu = cpu / 1000.0 / f64::from(u32::try_from(execs).unwrap());
            println!(
                "{name:<18}{wall:>16.0}{:>16.0}{cpu:>16.1}{call:>16.0}",
                wall - before
            );
        }
    }

    /// The output of the program, and the guard's processor time in nanoseconds.
    async fn run(args: &[&str], rules: Option<&ExecRules>) -> (f64, f64) {
        let mut program = Program::new(std::env::current_exe().unwrap()).args(args);
        if let Some(rules) = rules {
            program = program.watch(rules.watch());
        }
        let (mut child, mut stdout) = program.spawn_captured().await.unwrap();
        if let Some(mut execs) = child.take_exec_events() {
            tokio::spawn(async move { while execs.next().await.is_some() {} });
        }
        let guard = parent(child.pid());
        let before = processor_time(guard);
        let mut text = Vec::new();
        // The line is printed before the end, while the guard is still running.
        while !text.ends_with(b"\n") {
            stdout.read_buf(&mut text).await.unwrap();
        }
        let spent = processor_time(guard) - before;
        (
            String::from_utf8(text).unwrap().trim().parse().unwrap(),
            spent,
        )
    }

    fn parent(pid: u32) -> u32 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields = stat.rsplit(')').next().unwrap();
        fields.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn processor_time(pid: u32) -> f64 {
        let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
            return 0.0;
        };
        let time = |task: fs::DirEntry| {
            let stat = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let first = stat.split_whitespace().next().map(str::parse::<f64>);
            first.and_then(Result::ok).unwrap_or(0.0)
        };
        tasks.flatten().map(time).sum()
    }
}
