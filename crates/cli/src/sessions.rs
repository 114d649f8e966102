//! `attache sessions`.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use attache::{Transcript, v1};
use attache_client::agent_sessions::{AgentSessions, AgentSessionsError};
use attache_client::agents::Agent;
use attache_client::archive::{Archive, ArchivedSession, TerminalViews};
use attache_client::export;
use serde_json::json;

use crate::arguments::{
    AgentChoice, Delete, Export, ExportFormat, List, Sessions, SessionsCommand, Show,
};
use crate::exit::{self, Exit};
use crate::table::table;
use crate::{agents, directories, print, text};

pub(crate) async fn sessions(sessions: Sessions) -> anyhow::Result<Exit> {
    let outcome = match sessions.command {
        None => list(sessions.list).await,
        Some(SessionsCommand::List(list)) => self::list(list).await,
        Some(SessionsCommand::Show(show)) => self::show(show).await,
        Some(SessionsCommand::Export(export)) => self::export(export).await,
        Some(SessionsCommand::Delete(delete)) => self::delete(delete).await,
    };
    match outcome {
        Err(error) if error.is::<UsageError>() => Ok(exit::fail(Exit::Usage, &error)),
        Err(error) if error.is::<NoSession>() => Ok(exit::fail(Exit::NoSession, &error)),
        outcome => outcome,
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is no session `{0}`; `attache sessions list` lists the sessions")]
struct NoSession(String);

#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
struct UsageError(anyhow::Error);

async fn list(list: List) -> anyhow::Result<Exit> {
    let cwd = match &list.cwd {
        Some(path) => Some(cwd_argument(path)?),
        None => None,
    };
    let agent = chosen_agent(&list.choice)?;
    let mut rows = None;
    if let Some(agent) = &agent {
        let mut agent_sessions = start_agent(agent).await?;
        let listed = agent_sessions.list(cwd.as_deref()).await;
        agent_sessions.end().await;
        match listed {
            Ok(listing) => {
                if listing.is_cut {
                    crate::print::note!("attache: the agent has more sessions than shown");
                }
                rows = Some(
                    listing
                        .sessions
                        .iter()
                        .map(|info| SessionRow::from_agent(agent, info))
                        .collect(),
                );
            }
            Err(AgentSessionsError::NotOffered(_)) => {
                crate::print::note!("attache: the agent does not list its sessions");
            }
            Err(error) => return Err(error.into()),
        }
    }
    let rows: Vec<SessionRow> = match rows {
        Some(rows) => rows,
        None => archived_rows(agent.as_ref(), cwd.as_deref())?,
    };
    if list.json {
        return print::json(&rows.iter().map(SessionRow::json).collect());
    }
    if rows.is_empty() {
        crate::print::note!("attache: there are no sessions");
        return Ok(Exit::Done);
    }
    let source = rows.first().map_or("", |row| row.source.description());
    crate::print::note!("attache: {source}");
    let cells: Vec<Vec<String>> = rows.iter().map(SessionRow::cells).collect();
    print::print_table(&table(
        &["id", "agent", "changed", "directory", "title"],
        &cells,
    ))
}

async fn show(show: Show) -> anyhow::Result<Exit> {
    let (transcript, terminals) = read(&show).await?;
    let page = export::markdown_with(&transcript, &|id| terminals.get(id).cloned());
    print::print(&text::lines(&page))
}

async fn export(wanted: Export) -> anyhow::Result<Exit> {
    let (transcript, terminals) = read(&wanted.show).await?;
    let terminal = |id: &v1::TerminalId| terminals.get(id).cloned();
    let text = match wanted.format {
        ExportFormat::Markdown => export::markdown_with(&transcript, &terminal),
        ExportFormat::Json => export::json_with(&transcript, &terminal),
    };
    let Some(file) = &wanted.out else {
        let is_seen = std::io::stdout().is_terminal();
        return print::print(&if is_seen { text::lines(&text) } else { text });
    };
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    Ok(Exit::Done)
}

async fn delete(delete: Delete) -> anyhow::Result<Exit> {
    let agent = chosen_agent(&delete.choice)?;
    let SessionLookup {
        session,
        age,
        record: kept,
    } = SessionLookup::find(&delete.session, agent.as_ref())?;
    let mut is_deleted = false;
    if let Some(agent) = agent.as_ref().filter(|_| age == 0) {
        let mut agent_sessions = start_agent(agent).await?;
        let outcome = agent_sessions.delete(&session).await;
        agent_sessions.end().await;
        match outcome {
            Ok(()) => is_deleted = true,
            Err(AgentSessionsError::NotOffered(_)) => crate::print::note!(
                "attache: the agent cannot delete sessions; only the transcript is deleted"
            ),
            Err(AgentSessionsError::NoSession(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let is_kept = kept.is_some();
    if let Some(record) = kept {
        archive()?.delete(&record)?;
    }
    let done = match (is_deleted, is_kept) {
        (true, true) => "deleted from the agent, with its transcript",
        (true, false) => "deleted from the agent; there was no transcript",
        (false, true) => "transcript deleted",
        (false, false) => bail!(NoSession(delete.session)),
    };
    crate::print::note!("attache: {}: {done}", text::line(&delete.session));
    Ok(Exit::Done)
}

/// The transcript of a session: replayed by the agent if one is chosen and supports that, otherwise the stored one.
async fn read(show: &Show) -> anyhow::Result<(Transcript, TerminalViews)> {
    let agent = chosen_agent(&show.choice)?;
    let SessionLookup {
        session,
        age,
        record: kept,
    } = SessionLookup::find(&show.session, agent.as_ref())?;
    if let Some(agent) = agent.as_ref().filter(|_| age == 0) {
        let cwd = match (&show.cwd, &kept) {
            (Some(cwd), _) => cwd_argument(cwd)?,
            (None, Some(record)) => record.cwd.clone(),
            (None, None) => current_dir()?,
        };
        let mut agent_sessions = start_agent(agent).await?;
        let replayed = agent_sessions.read(&session, &cwd).await;
        agent_sessions.end().await;
        match replayed {
            // A replay does not contain the output of the client's terminals; our transcript may.
            Ok(transcript) => {
                let terminals = kept.map(|record| record.read()).transpose()?;
                let terminals = terminals.map(|(_, terminals)| terminals);
                return Ok((transcript, terminals.unwrap_or_default()));
            }
            Err(AgentSessionsError::NotOffered(_) | AgentSessionsError::NoSession(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    match kept {
        Some(record) => Ok(record.read()?),
        None => bail!(NoSession(show.session.clone())),
    }
}

/// The agent, if the user chose one. Otherwise no agent is started.
fn chosen_agent(choice: &AgentChoice) -> anyhow::Result<Option<Agent>> {
    if choice.agent.is_none() && choice.command.is_empty() {
        return Ok(None);
    }
    Ok(Some(
        agents::choose(choice, &current_dir()?).map_err(UsageError)?,
    ))
}

async fn start_agent(agent: &Agent) -> anyhow::Result<AgentSessions> {
    Ok(AgentSessions::start(agent, &current_dir()?, PATIENCE).await?)
}

fn archived_rows(agent: Option<&Agent>, cwd: Option<&Path>) -> anyhow::Result<Vec<SessionRow>> {
    let mut ages = HashMap::new();
    let mut rows = Vec::new();
    for record in archive()?.list()? {
        let same = (record.agent.clone(), record.session.clone());
        let age = ages.entry(same).and_modify(|age| *age += 1).or_default();
        if agent.is_none_or(|agent| agent.name == record.agent)
            && cwd.is_none_or(|cwd| cwd == record.cwd)
        {
            rows.push(SessionRow::from_archive(&record, *age));
        }
    }
    Ok(rows)
}

/// The session that the user names: `ID`, or `ID~1` for the previous session with the same id.
struct SessionLookup {
    session: v1::SessionId,
    age: usize,
    /// The session's transcript, if there is one.
    record: Option<ArchivedSession>,
}

impl SessionLookup {
    fn find(given: &str, agent: Option<&Agent>) -> anyhow::Result<SessionLookup> {
        let found = |id: &str| {
            let mut records = archive()?.find(id)?;
            records.retain(|record| agent.is_none_or(|agent| agent.name == record.agent));
            anyhow::Ok(records)
        };
        let mut wanted = (given, 0);
        let mut records = found(given)?;
        let aged = given.rsplit_once('~');
        let aged = aged.and_then(|(id, age)| Some((id, age.parse::<usize>().ok()?)));
        if let Some(aged) = aged.filter(|_| records.is_empty()) {
            records = found(aged.0)?;
            if !records.is_empty() {
                wanted = aged;
            }
        }
        let mut names: Vec<&str> = records.iter().map(|record| record.agent.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > 1 {
            bail!(UsageError(anyhow!(
                "several agents have a session `{}`: {}; name one with -a, or its command after --",
                wanted.0,
                names.join(", ")
            )));
        }
        let (id, age) = wanted;
        Ok(SessionLookup {
            session: id.into(),
            age,
            record: records.into_iter().nth(age),
        })
    }
}

/// The archive of transcripts.
pub(crate) fn archive() -> anyhow::Result<Archive> {
    Ok(Archive::at(directories::data_dir()?.join("sessions")))
}

/// The canonical path of `--cwd`.
fn cwd_argument(cwd: &Path) -> anyhow::Result<PathBuf> {
    let path = cwd.canonicalize();
    let path = path.with_context(|| format!("--cwd {}", cwd.display()));
    Ok(path.map_err(UsageError)?)
}

fn current_dir() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the current directory")
}

struct SessionRow {
    id: String,
    /// Number of later sessions with the same id.
    age: usize,
    agent: String,
    cwd: String,
    title: Option<String>,
    changed: Option<String>,
    source: SessionSource,
}

/// Where the data about a session comes from.
#[derive(Debug, Clone, Copy)]
enum SessionSource {
    Agent,
    Transcript,
}

impl SessionSource {
    fn name(self) -> &'static str {
        match self {
            SessionSource::Agent => "agent",
            SessionSource::Transcript => "transcript",
        }
    }

    fn description(self) -> &'static str {
        match self {
            SessionSource::Agent => "these are the agent's own sessions",
            SessionSource::Transcript => {
                "these are the sessions with a stored transcript; use -a NAME to list an agent's own"
            }
        }
    }
}

impl SessionRow {
    fn from_agent(agent: &Agent, info: &v1::SessionInfo) -> SessionRow {
        SessionRow {
            id: info.session_id.to_string(),
            age: 0,
            agent: agent.name.clone(),
            cwd: info.cwd.to_string(),
            title: info.title.clone(),
            changed: info.updated_at.clone(),
            source: SessionSource::Agent,
        }
    }

    fn from_archive(record: &ArchivedSession, age: usize) -> SessionRow {
        SessionRow {
            id: record.session.to_string(),
            age,
            agent: record.agent.clone(),
            cwd: record.cwd.to_string_lossy().into_owned(),
            title: record.title.clone(),
            changed: Some(record.updated_at.clone()),
            source: SessionSource::Transcript,
        }
    }

    fn cells(&self) -> Vec<String> {
        let changed = self.changed.as_deref().unwrap_or_default();
        // Without fractions of a second.
        let changed = changed
            .split_once('.')
            .map_or(changed, |(seconds, _)| seconds);
        let id = match self.age {
            0 => self.id.clone(),
            age => format!("{}~{age}", self.id),
        };
        vec![
            id,
            self.agent.clone(),
            changed.trim_end_matches('Z').replace('T', " "),
            self.cwd.clone(),
            self.title.clone().unwrap_or_default(),
        ]
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "sessionId": self.id,
            "age": self.age,
            "agent": self.agent,
            "cwd": self.cwd,
            "title": self.title,
            "updatedAt": self.changed,
            "source": self.source.name(),
        })
    }
}

const PATIENCE: Duration = Duration::from_secs(60);
