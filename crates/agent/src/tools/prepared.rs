//! A prepared call of a built-in tool: describes its effect for a permission request, then performs it.

use attache::json::Raw;
use attache::v1;
use tokio::sync::oneshot;

use super::delete::PreparedDelete;
use super::fetch::PreparedFetch;
use super::glob::PreparedGlob;
use super::list::PreparedList;
use super::move_file::PreparedMove;
use super::read::PreparedRead;
use super::run::PreparedRun;
use super::search::PreparedSearch;
use super::tool_error::ToolError;
use super::write::PreparedChange;
use super::{BuiltinCall, Effect, Workplace};
use crate::ToolOutcome;

/// A call of a built-in tool that can be performed, with the content to show before it runs.
#[derive(Debug)]
pub struct PreparedTool {
    subject: CallSubject,
    title: String,
    locations: Vec<v1::ToolCallLocation>,
    content: Vec<v1::ToolCallContent>,
    work: PreparedWork,
}

/// The subject of a call that rules judge. It comes from the parsed call, not from the model's input: unknown members must
/// not influence rules.
#[derive(Debug, Clone)]
pub struct CallSubject {
    /// The tool's name.
    pub tool: &'static str,
    /// The kind of the tool.
    pub kind: v1::ToolKind,
    /// The effect of the call.
    pub effect: Effect,
    /// The parsed input, with absolute paths.
    pub input: Raw,
    /// The host of the page, for `fetch`.
    pub host: Option<String>,
}

/// Content that a running call shows. It replaces the previous content.
///
/// Drop the value once the content has been sent: until then the call does not release a terminal in it.
#[derive(Debug)]
pub struct ToolProgress {
    /// The content.
    pub content: Vec<v1::ToolCallContent>,
    /// The files that it touches.
    pub locations: Vec<v1::ToolCallLocation>,
    /// Dropped with the value, which signals that the content was sent.
    _sent: Option<oneshot::Sender<()>>,
}

/// The work of a prepared call.
#[derive(Debug)]
pub(super) enum PreparedWork {
    Read(PreparedRead),
    Change(PreparedChange),
    Delete(PreparedDelete),
    Move(PreparedMove),
    List(PreparedList),
    Glob(PreparedGlob),
    Search(PreparedSearch),
    Run(PreparedRun),
    Fetch(PreparedFetch),
}

pub(super) async fn prepare(
    call: BuiltinCall,
    workplace: &Workplace,
) -> Result<PreparedTool, ToolError> {
    let title = call.title();
    let mut subject = call.subject(workplace);
    let mut locations = call.locations(workplace);
    let mut content = Vec::new();
    let work = match call {
        BuiltinCall::Read(read) => PreparedWork::Read(read.prepare(workplace).await?),
        BuiltinCall::Write(write) => PreparedWork::Change(write.prepare(workplace).await?),
        BuiltinCall::Edit(edit) => PreparedWork::Change(edit.prepare(workplace).await?),
        BuiltinCall::Delete(delete) => PreparedWork::Delete(delete.prepare(workplace).await?),
        BuiltinCall::Move(moving) => PreparedWork::Move(moving.prepare(workplace).await?),
        BuiltinCall::List(list) => PreparedWork::List(list.prepare(workplace).await?),
        BuiltinCall::Glob(glob) => PreparedWork::Glob(glob.prepare(workplace).await?),
        BuiltinCall::Search(search) => PreparedWork::Search(search.prepare(workplace).await?),
        BuiltinCall::Run(run) => PreparedWork::Run(run.prepare(workplace).await?),
        BuiltinCall::Fetch(fetch) => PreparedWork::Fetch(fetch.prepare(workplace)?),
    };
    match &work {
        PreparedWork::Change(change) => {
            content = change.content();
            locations = change.locations();
        }
        PreparedWork::Run(job) => {
            content.extend(job.content(workplace));
            subject.input = job.input().unwrap_or(subject.input);
        }
        PreparedWork::Fetch(visit) => content.push(visit.content()),
        _ => {}
    }
    Ok(PreparedTool {
        subject,
        title,
        locations,
        content,
        work,
    })
}

impl PreparedTool {
    /// The title for the user.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The subject that rules judge.
    pub fn subject(&self) -> &CallSubject {
        &self.subject
    }

    /// The files that it touches.
    pub fn locations(&self) -> Vec<v1::ToolCallLocation> {
        self.locations.clone()
    }

    /// The content for a permission request: the change to a file, the whole command, the whole URL.
    pub fn content(&self) -> Vec<v1::ToolCallContent> {
        self.content.clone()
    }

    /// Performs the call. Dropping the future gives up: a running command is killed, and a file is changed completely or not
    /// at all.
    pub async fn perform(
        self,
        workplace: &Workplace,
        progress: impl FnMut(ToolProgress) + Send,
    ) -> ToolOutcome {
        let mut outcome = self
            .work
            .perform(workplace, progress)
            .await
            .unwrap_or_else(ToolOutcome::from);
        if outcome.locations.is_empty() {
            outcome.locations = self.locations;
        }
        outcome
    }
}

impl PreparedWork {
    async fn perform(
        self,
        workplace: &Workplace,
        progress: impl FnMut(ToolProgress) + Send,
    ) -> Result<ToolOutcome, ToolError> {
        match self {
            PreparedWork::Read(reading) => reading.perform(workplace).await,
            PreparedWork::Change(change) => change.perform(workplace).await,
            PreparedWork::Delete(removal) => removal.perform(workplace).await,
            PreparedWork::Move(moving) => moving.perform(workplace).await,
            PreparedWork::List(listing) => listing.perform(workplace).await,
            PreparedWork::Glob(globbing) => globbing.perform(workplace).await,
            PreparedWork::Search(searching) => searching.perform(workplace).await,
            PreparedWork::Run(job) => job.perform(workplace, progress).await,
            PreparedWork::Fetch(visit) => visit.perform(workplace).await,
        }
    }
}

impl ToolProgress {
    /// Content that nobody waits for.
    pub(super) fn new(content: Vec<v1::ToolCallContent>) -> ToolProgress {
        ToolProgress {
            content,
            locations: Vec::new(),
            _sent: None,
        }
    }

    /// Content, and a receiver that ends when it was sent.
    pub(super) fn awaited(
        content: Vec<v1::ToolCallContent>,
    ) -> (ToolProgress, oneshot::Receiver<()>) {
        let (sent, is_sent) = oneshot::channel();
        let progress = ToolProgress {
            _sent: Some(sent),
            ..ToolProgress::new(content)
        };
        (progress, is_sent)
    }
}
