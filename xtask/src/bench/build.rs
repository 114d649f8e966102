//! Measures what it costs to build an agent on the SDK in a project of its own, next to one on the official SDK.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Effort;
use crate::cargo;

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let sdk = root.join("crates/sdk");
    let ours = fs::read_to_string(sdk.join("examples/agent.rs"))
        .map_err(|error| format!("can't read the example: {error}"))?;
    let ours_from = format!("attache = {{ path = '{}' }}", sdk.display());
    let official_from = r#"agent-client-protocol = { version = "5", features = ["stdio"] }"#;
    let contenders = [
        Project::create(root, "attache", &ours_from, &ours)?,
        Project::create(
            root,
            "official SDK",
            official_from,
            include_str!("build/official_agent.rs"),
        )?,
    ];
    let rounds = match effort {
        Effort::Full => 3,
        Effort::Quick => 1,
    };
    println!("first build of an agent    crates  seconds  CPU seconds");
    for project in &contenders {
        let crates = project.crates()?;
        let mut best: Option<BuildTime> = None;
        for _ in 0..rounds {
            let time = project.build()?;
            if best.as_ref().is_none_or(|best| time.wall < best.wall) {
                best = Some(time);
            }
        }
        let best = best.ok_or("nothing was built")?;
        let cpu = best
            .cpu
            .map_or("-".to_owned(), |cpu| format!("{:.1}", cpu.as_secs_f64()));
        println!(
            "{:<25} {crates:>7} {:>8.1} {cpu:>12}",
            project.name,
            best.wall.as_secs_f64()
        );
    }
    Ok(())
}

/// An agent in a folder outside every workspace, with the versions of our lock file.
struct Project {
    name: &'static str,
    folder: PathBuf,
}

struct BuildTime {
    wall: Duration,
    /// Of all compilers together. `None` where the system doesn't say.
    cpu: Option<Duration>,
}

impl Project {
    fn create(
        root: &Path,
        name: &'static str,
        dependency: &str,
        main: &str,
    ) -> Result<Project, String> {
        let folder = root.join("target/bench-build").join(name.replace(' ', "-"));
        let manifest = format!(
            "[package]\nname = \"outside\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependency}\n\
             tokio = {{ version = \"1\", features = [\"macros\", \"rt\", \"time\"] }}\n"
        );
        let write = || -> io::Result<()> {
            fs::create_dir_all(folder.join("src"))?;
            fs::write(folder.join("Cargo.toml"), manifest)?;
            fs::write(folder.join("src/main.rs"), main)?;
            fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
            Ok(())
        };
        write().map_err(|error| format!("can't write `{}`: {error}", folder.display()))?;
        let project = Project { name, folder };
        // Downloads are not measured.
        project.cargo(&["fetch", "--quiet"])?;
        Ok(project)
    }

    /// The crates that it builds, without itself.
    fn crates(&self) -> Result<usize, String> {
        let tree = self.cargo(&["tree", "--edges", "normal,build", "--prefix", "none"])?;
        let crates = tree.lines().map(|line| line.trim_end_matches(" (*)"));
        Ok(crates.collect::<BTreeSet<_>>().len().saturating_sub(1))
    }

    /// Builds everything, as after `cargo new`.
    fn build(&self) -> Result<BuildTime, String> {
        let target = self.folder.join("target");
        if target.exists() {
            fs::remove_dir_all(&target)
                .map_err(|error| format!("can't remove `{}`: {error}", target.display()))?;
        }
        let before = cpu_of_children();
        let start = Instant::now();
        self.cargo(&["build", "--quiet", "--offline", "--target-dir", "target"])?;
        Ok(BuildTime {
            wall: start.elapsed(),
            cpu: cpu_of_children()
                .zip(before)
                .map(|(after, before)| after.saturating_sub(before)),
        })
    }

    fn cargo(&self, arguments: &[&str]) -> Result<String, String> {
        let output = cargo::command(&self.folder).args(arguments).output();
        let output = output.map_err(|error| format!("can't start cargo: {error}"))?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`cargo {}` failed: {reason}", arguments.join(" ")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Processor time of the processes that we have waited for, and of those that they have waited for.
fn cpu_of_children() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks = fields.split(' ').skip(13).take(2).map(str::parse::<u64>);
    let ticks = ticks.sum::<Result<u64, _>>().ok()?;
    let per_second = rustix::param::clock_ticks_per_second();
    Some(Duration::from_millis(
        ticks.saturating_mul(1000).checked_div(per_second)?,
    ))
}
