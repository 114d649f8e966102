//! The program's log: `-v`, `-q`, `--log-file` and `ATTACHE_LOG`. Without them, nothing is logged.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use attache_disk::private;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry};

use crate::arguments::Command;
use crate::{directories, text};

/// Starts the log, if the arguments or the environment ask for one.
pub(crate) fn start(command: &Command) -> anyhow::Result<()> {
    let flags = command.log_flags();
    if flags.quiet {
        return Ok(());
    }
    let variable = match std::env::var(VARIABLE) {
        Ok(text) => text,
        Err(std::env::VarError::NotPresent) => String::new(),
        Err(std::env::VarError::NotUnicode(_)) => bail!("{VARIABLE} is not valid Unicode"),
    };
    let Some(filter) = filter(flags.verbose, &variable)? else {
        return Ok(());
    };
    let file = match (&flags.log_file, command) {
        (Some(path), _) => Some(path.clone()),
        // Its screen is the terminal that standard error would write to.
        (None, Command::Chat(_)) => Some(chat_file()?),
        (None, _) => None,
    };
    let destination = match file {
        Some(path) => Destination::File(Arc::new(open(&path)?)),
        None => Destination::StandardError,
    };
    let lines = fmt::layer().with_writer(destination).with_ansi(false);
    let subscriber = registry().with(lines).with(filter);
    tracing::subscriber::set_global_default(subscriber).context("the log cannot be started")
}

fn chat_file() -> anyhow::Result<PathBuf> {
    let state = directories::state_dir()?;
    directories::create(&state)?;
    Ok(state.join("chat.log"))
}

fn open(path: &std::path::Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    let opened = private::open(path, &mut options);
    let opened = opened.with_context(|| format!("cannot open the log `{}`", path.display()))?;
    opened.with_context(|| format!("cannot create the log `{}`", path.display()))
}

/// What to log: the level of `-v`, which applies to Attaché itself, and the entries of the variable.
fn filter(verbose: u8, variable: &str) -> anyhow::Result<Option<Targets>> {
    let mut level = match verbose {
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let mut targets = Targets::new();
    let mut is_empty = true;
    let entries = variable.split(',').map(str::trim);
    for entry in entries.filter(|entry| !entry.is_empty()) {
        match entry.split_once('=') {
            Some((target, name)) if !target.trim().is_empty() => {
                targets = targets.with_target(target.trim(), read_level(name)?);
                is_empty = false;
            }
            Some(_) => bail!("{VARIABLE}: an entry has no target; {EXPECTED}"),
            None => level = level.max(read_level(entry)?),
        }
    }
    if is_empty && level == LevelFilter::OFF {
        return Ok(None);
    }
    Ok(Some(targets.with_target(OURS, level)))
}

fn read_level(name: &str) -> anyhow::Result<LevelFilter> {
    let name = name.trim();
    Ok(match name.to_ascii_lowercase().as_str() {
        "off" => LevelFilter::OFF,
        "error" => LevelFilter::ERROR,
        "warn" => LevelFilter::WARN,
        "info" => LevelFilter::INFO,
        "debug" => LevelFilter::DEBUG,
        "trace" => LevelFilter::TRACE,
        _ => bail!(
            "{VARIABLE}: `{}` is not a level; {EXPECTED}",
            text::line(name)
        ),
    })
}

/// Where the log goes.
#[derive(Debug, Clone)]
enum Destination {
    StandardError,
    File(Arc<File>),
}

impl<'a> MakeWriter<'a> for Destination {
    type Writer = Destination;

    fn make_writer(&'a self) -> Destination {
        self.clone()
    }
}

/// Receives each event as a whole.
impl Write for Destination {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let line = safe_line(event);
        match self {
            Destination::StandardError => io::stderr().lock().write_all(line.as_bytes())?,
            Destination::File(file) => file.as_ref().write_all(line.as_bytes())?,
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One line that does nothing to a terminal, whatever the event contains.
fn safe_line(event: &[u8]) -> String {
    let event = String::from_utf8_lossy(event);
    let mut line = text::line(event.strip_suffix('\n').unwrap_or(&event));
    line.push('\n');
    line
}

const VARIABLE: &str = "ATTACHE_LOG";
/// The beginning of the targets of all our crates.
const OURS: &str = "attache";
const EXPECTED: &str =
    "use a level (off, error, warn, info, debug or trace) or TARGET=LEVEL, separated by commas";

#[cfg(test)]
mod tests {
    use attache_testkit::hostile::some_texts;
    use expect_test::{Expect, expect};
    use tracing::Level;

    use super::*;

    fn check(verbose: u8, variable: &str, expected: &Expect) {
        let shown = match filter(verbose, variable) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(filter)) => {
                let targets = ["attache", "attache_transport", "hyper_util"];
                let level = |target: &&str| {
                    let levels = [
                        Level::ERROR,
                        Level::WARN,
                        Level::INFO,
                        Level::DEBUG,
                        Level::TRACE,
                    ];
                    let most = levels
                        .into_iter()
                        .rfind(|level| filter.would_enable(target, level));
                    format!(
                        "{target} {}",
                        most.map_or("off".to_owned(), |level| level.to_string())
                    )
                };
                targets.iter().map(level).collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn flags_and_variable_choose_what_is_logged() {
        check(0, "", &expect!["nothing"]);
        check(0, "off", &expect!["nothing"]);
        check(
            1,
            "",
            &expect!["attache INFO, attache_transport INFO, hyper_util off"],
        );
        check(
            2,
            "",
            &expect!["attache DEBUG, attache_transport DEBUG, hyper_util off"],
        );
        check(
            9,
            "",
            &expect!["attache TRACE, attache_transport TRACE, hyper_util off"],
        );
        check(
            0,
            "WARN",
            &expect!["attache WARN, attache_transport WARN, hyper_util off"],
        );
        check(
            0,
            "attache_transport=debug",
            &expect!["attache off, attache_transport DEBUG, hyper_util off"],
        );
        check(
            1,
            "attache_transport=off, hyper_util=warn",
            &expect!["attache INFO, attache_transport off, hyper_util WARN"],
        );
        check(
            2,
            "info",
            &expect!["attache DEBUG, attache_transport DEBUG, hyper_util off"],
        );
        check(
            0,
            "loud",
            &expect![
                "ATTACHE_LOG: `loud` is not a level; use a level (off, error, warn, info, debug or trace) or TARGET=LEVEL, separated by commas"
            ],
        );
        check(
            0,
            "=debug",
            &expect![
                "ATTACHE_LOG: an entry has no target; use a level (off, error, warn, info, debug or trace) or TARGET=LEVEL, separated by commas"
            ],
        );
        check(
            0,
            "a=\u{1b}[2J",
            &expect![
                "ATTACHE_LOG: `␛[2J` is not a level; use a level (off, error, warn, info, debug or trace) or TARGET=LEVEL, separated by commas"
            ],
        );
    }

    #[test]
    fn attack_an_event_stays_one_line_and_does_nothing_to_a_terminal() {
        for text in some_texts() {
            let line = safe_line(format!("{text}\n").as_bytes());
            let inside = line.strip_suffix('\n').unwrap();
            assert!(attache_text::plain::is_plain(inside), "{line:?}");
            assert!(!inside.contains('\n'), "{line:?}");
        }
        assert_eq!(safe_line(b"a\x1b[2J\n\xffb\n"), "a␛[2J⏎\u{fffd}b\n");
    }
}
