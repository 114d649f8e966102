//! `cargo xtask pictures`: plays real runs of the binary in a terminal (tmux) and draws what is on the screen into
//! `docs/images/`, for the documentation.

mod ansi;
mod stage;
mod svg;

use std::env;
use std::fs;
use std::path::Path;

use stage::{Key, Stage};

use crate::cargo;

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    for build in [
        ["build", "--release", "--package=attache-cli", "--bins"],
        ["build", "--release", "--package=attache", "--example=tour"],
    ] {
        let status = cargo::command(root).args(build).status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("cargo {} ended with {status}", build.join(" "))),
            Err(error) => return Err(format!("cannot start cargo: {error}")),
        }
    }
    let images = root.join("docs/images");
    fs::create_dir_all(&images).map_err(|error| format!("{}: {error}", images.display()))?;
    let programs = ["release/attache", "release/examples/tour"].map(|path| target.join(path));
    for play in PLAYS {
        let stage = Stage::open(&programs, play.command, play.size)?;
        for act in play.acts {
            perform(&stage, act, &images)?;
        }
    }
    Ok(())
}

/// A run of the binary, and when to draw it.
struct Play {
    command: &'static str,
    /// Columns and rows.
    size: (u16, u16),
    acts: &'static [Act],
}

enum Act {
    Type(&'static str),
    Press(Key),
    /// Waits until this is on the screen.
    See(&'static str),
    /// Draws the screen into the file of this name.
    Draw(&'static str),
}

fn perform(stage: &Stage, act: &Act, images: &Path) -> Result<(), String> {
    match act {
        Act::Type(text) => stage.type_text(text),
        Act::Press(key) => stage.press(key),
        Act::See(text) => stage.see(text),
        Act::Draw(name) => {
            let path = images.join(format!("{name}.svg"));
            let drawn = svg::draw(&ansi::parse(&stage.screen()?), stage.size);
            eprintln!("==> {}", path.display());
            fs::write(&path, drawn).map_err(|error| format!("{}: {error}", path.display()))
        }
    }
}

const PLAYS: &[Play] = &[
    Play {
        command: "attache chat -- tour",
        size: (100, 32),
        acts: &[
            Act::See("ready"),
            Act::Type("Show me around"),
            Act::Press(Key::Enter),
            Act::See("Edit greeting.rs"),
            Act::See("Tab to answer"),
            Act::Press(Key::Tab),
            Act::See("Enter choose"),
            Act::Press(Key::Down),
            Act::See("▌ Allow"),
            Act::Draw("question"),
            Act::Press(Key::Enter),
            Act::See("Run a command?"),
            Act::Press(Key::Tab),
            Act::See("Enter choose"),
            Act::Press(Key::Down),
            Act::See("▌ Allow"),
            Act::Press(Key::Enter),
            Act::See("There is more"),
            Act::Draw("chat"),
        ],
    },
    Play {
        command: "attache run --approve-all 'Show me around' -- tour",
        size: (100, 34),
        acts: &[Act::See("There is more"), Act::Draw("run")],
    },
    Play {
        command: "attache doctor -- tour",
        size: (100, 22),
        acts: &[Act::See("stop  "), Act::Draw("doctor")],
    },
    Play {
        command: "sh -c 'echo \"Hello, world\" > greeting.txt; exec attache chat'",
        size: (100, 26),
        acts: &[
            Act::See("ready"),
            Act::Type("replace world with everybody in greeting.txt"),
            Act::Press(Key::Enter),
            Act::See("Tab to answer"),
            Act::Press(Key::Tab),
            Act::See("Enter choose"),
            Act::Press(Key::Down),
            Act::See("▌ Allow"),
            Act::Press(Key::Enter),
            Act::See("Replaced in"),
            Act::Draw("agent"),
        ],
    },
    Play {
        command: "attache check agent -- tour",
        size: (100, 34),
        acts: &[Act::See("not exercised, in"), Act::Draw("check")],
    },
    Play {
        command: "sh -c 'attache run --trace tour.jsonl --approve-all \"Show me around\" -- tour; exec attache trace view tour.jsonl'",
        size: (110, 34),
        acts: &[
            Act::See("q quit"),
            Act::Press(Key::Down),
            Act::Press(Key::Down),
            Act::Press(Key::Tab),
            Act::See("initialize"),
            Act::Draw("trace"),
        ],
    },
];
