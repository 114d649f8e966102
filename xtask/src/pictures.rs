//! `cargo xtask pictures`: runs the binary in a terminal (tmux) and draws the screen as images in `docs/images/`, for
//! the documentation.

mod ansi;
mod picture_terminal;
mod svg;

use std::env;
use std::fs;
use std::path::Path;

use picture_terminal::{Key, PictureTerminal};

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
            Err(error) => return Err(format!("can't start cargo: {error}")),
        }
    }
    let images = root.join("docs/images");
    fs::create_dir_all(&images).map_err(|error| format!("{}: {error}", images.display()))?;
    let programs = ["release/attache", "release/examples/tour"].map(|path| target.join(path));
    for script in SCRIPTS {
        let terminal = PictureTerminal::open(&programs, script.command, script.size)?;
        for step in script.steps {
            run_step(&terminal, step, &images)?;
        }
    }
    Ok(())
}

/// A run of the binary, and when to draw it.
struct PictureScript {
    command: &'static str,
    /// Columns and rows.
    size: (u16, u16),
    steps: &'static [ScriptStep],
}

enum ScriptStep {
    Type(&'static str),
    Press(Key),
    /// Waits until this text is on the screen.
    WaitFor(&'static str),
    /// Draws the screen into the file with this name.
    Draw(&'static str),
}

fn run_step(terminal: &PictureTerminal, step: &ScriptStep, images: &Path) -> Result<(), String> {
    match step {
        ScriptStep::Type(text) => terminal.type_text(text),
        ScriptStep::Press(key) => terminal.press(key),
        ScriptStep::WaitFor(text) => terminal.wait_for(text),
        ScriptStep::Draw(name) => {
            let path = images.join(format!("{name}.svg"));
            let drawn = svg::draw(&ansi::parse(&terminal.screen()?), terminal.size);
            eprintln!("==> {}", path.display());
            fs::write(&path, drawn).map_err(|error| format!("{}: {error}", path.display()))
        }
    }
}

const SCRIPTS: &[PictureScript] = &[
    PictureScript {
        command: "attache chat -- tour",
        size: (100, 32),
        steps: &[
            ScriptStep::WaitFor("ready"),
            ScriptStep::Type("Show me around"),
            ScriptStep::Press(Key::Enter),
            ScriptStep::WaitFor("Edit greeting.rs"),
            ScriptStep::WaitFor("Tab to answer"),
            ScriptStep::Press(Key::Tab),
            ScriptStep::WaitFor("Enter choose"),
            ScriptStep::Press(Key::Down),
            ScriptStep::WaitFor("▌ Allow"),
            ScriptStep::Draw("question"),
            ScriptStep::Press(Key::Enter),
            ScriptStep::WaitFor("Run a command?"),
            ScriptStep::Press(Key::Tab),
            ScriptStep::WaitFor("Enter choose"),
            ScriptStep::Press(Key::Down),
            ScriptStep::WaitFor("▌ Allow"),
            ScriptStep::Press(Key::Enter),
            ScriptStep::WaitFor("There is more"),
            ScriptStep::Draw("chat"),
        ],
    },
    PictureScript {
        command: "attache run --approve-all 'Show me around' -- tour",
        size: (100, 34),
        steps: &[
            ScriptStep::WaitFor("There is more"),
            ScriptStep::Draw("run"),
        ],
    },
    PictureScript {
        command: "attache doctor -- tour",
        size: (100, 22),
        steps: &[ScriptStep::WaitFor("stop  "), ScriptStep::Draw("doctor")],
    },
    PictureScript {
        command: "sh -c 'echo \"Hello, world\" > greeting.txt; exec attache chat'",
        size: (100, 26),
        steps: &[
            ScriptStep::WaitFor("ready"),
            ScriptStep::Type("replace world with everybody in greeting.txt"),
            ScriptStep::Press(Key::Enter),
            ScriptStep::WaitFor("Tab to answer"),
            ScriptStep::Press(Key::Tab),
            ScriptStep::WaitFor("Enter choose"),
            ScriptStep::Press(Key::Down),
            ScriptStep::WaitFor("▌ Allow"),
            ScriptStep::Press(Key::Enter),
            ScriptStep::WaitFor("Replaced in"),
            ScriptStep::Draw("agent"),
        ],
    },
    PictureScript {
        command: "attache check agent -- tour",
        size: (100, 34),
        steps: &[
            ScriptStep::WaitFor("not exercised, in"),
            ScriptStep::Draw("check"),
        ],
    },
    PictureScript {
        command: "sh -c 'attache run --trace tour.jsonl --approve-all \"Show me around\" -- tour; exec attache trace view tour.jsonl'",
        size: (110, 34),
        steps: &[
            ScriptStep::WaitFor("q quit"),
            ScriptStep::Press(Key::Down),
            ScriptStep::Press(Key::Down),
            ScriptStep::Press(Key::Tab),
            ScriptStep::WaitFor("initialize"),
            ScriptStep::Draw("trace"),
        ],
    },
];
