//! What was asked on the command line, as far as it can be told without the agent.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use anyhow::{Context, bail};
use attache_client::session_setting::SessionSetting;

use crate::arguments::Run;
use crate::terms::{self, Which};

/// What was asked.
pub(super) struct Asked {
    pub(super) prompt: String,
    pub(super) files: Vec<PathBuf>,
    pub(super) which: Which,
    pub(super) settings: VecDeque<SessionSetting>,
}

impl Asked {
    pub(super) fn of(run: &Run) -> anyhow::Result<Asked> {
        for file in &run.attach {
            let found = file.metadata();
            found.with_context(|| format!("--attach {}", file.display()))?;
        }
        Ok(Asked {
            prompt: prompt(run)?,
            files: run.attach.clone(),
            which: Which::of(&run.terms),
            settings: terms::wishes(&run.terms).into(),
        })
    }
}

fn prompt(run: &Run) -> anyhow::Result<String> {
    let words = run.prompt.join(" ");
    let more = match &run.file {
        Some(path) if path.as_os_str() == "-" => Some(read(std::io::stdin(), "standard input")?),
        Some(path) => {
            let name = format!("-f {}", path.display());
            Some(read(File::open(path).context(name.clone())?, &name)?)
        }
        None if words == "-" => return read(std::io::stdin(), "standard input"),
        None if words.is_empty() && !std::io::stdin().is_terminal() => {
            Some(read(std::io::stdin(), "standard input")?)
        }
        None => None,
    };
    let parts = [words, more.unwrap_or_default()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let prompt = parts.join("\n\n");
    if prompt.trim().is_empty() && run.attach.is_empty() {
        bail!("no prompt: write it after `run`, or read it from a file with -f");
    }
    Ok(prompt)
}

fn read(from: impl Read, name: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = from.take(LONGEST + 1).read_to_string(&mut text);
    read.with_context(|| name.to_owned())?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > LONGEST {
        bail!("{name}: it is longer than {} MB", LONGEST >> 20);
    }
    Ok(text)
}

/// A message must hold it.
const LONGEST: u64 = 8 << 20;
