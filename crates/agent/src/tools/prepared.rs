//! A call that is known to be possible: what it would do, and doing it.

use attache::json::Raw;
use attache::v1;
use tokio::sync::oneshot;

use super::delete::Removal;
use super::fault::Fault;
use super::fetch::Visit;
use super::glob::Globbing;
use super::list::Listing;
use super::moving::Moving;
use super::read::Reading;
use super::run::Job;
use super::search::Searching;
use super::write::Change;
use super::{Call, Effect, Workplace};
use crate::Outcome;

/// A call that is known to be possible, with what a person should see before it is done.
#[derive(Debug)]
pub struct Prepared {
    subject: Subject,
    title: String,
    locations: Vec<v1::ToolCallLocation>,
    content: Vec<v1::ToolCallContent>,
    work: Work,
}

/// What a call is about, in the form in which it is judged. It is made from the call as we understood it, not from what
/// the model wrote: members that no tool has must not change what is judged.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The tool's name.
    pub tool: &'static str,
    /// What sort of tool it is.
    pub kind: v1::ToolKind,
    /// What the call does to the world.
    pub effect: Effect,
    /// What the tool is given, with whole paths.
    pub input: Raw,
    /// Whose page is fetched.
    pub host: Option<String>,
}

/// What a running call shows; each replaces the one before.
///
/// Drop it after it was sent: a terminal in it is not released before.
#[derive(Debug)]
pub struct Progress {
    /// What to show.
    pub content: Vec<v1::ToolCallContent>,
    /// The files that it touches.
    pub locations: Vec<v1::ToolCallLocation>,
    /// Gone when the value is.
    _sent: Option<oneshot::Sender<()>>,
}

/// What is left to be done.
#[derive(Debug)]
pub(super) enum Work {
    Read(Reading),
    Change(Change),
    Delete(Removal),
    Move(Moving),
    List(Listing),
    Glob(Globbing),
    Search(Searching),
    Run(Job),
    Fetch(Visit),
}

pub(super) async fn prepare(call: Call, workplace: &Workplace) -> Result<Prepared, Fault> {
    let title = call.title();
    let mut subject = call.subject(workplace);
    let mut locations = call.locations(workplace);
    let mut content = Vec::new();
    let work = match call {
        Call::Read(read) => Work::Read(read.prepare(workplace).await?),
        Call::Write(write) => Work::Change(write.prepare(workplace).await?),
        Call::Edit(edit) => Work::Change(edit.prepare(workplace).await?),
        Call::Delete(delete) => Work::Delete(delete.prepare(workplace).await?),
        Call::Move(moving) => Work::Move(moving.prepare(workplace).await?),
        Call::List(list) => Work::List(list.prepare(workplace).await?),
        Call::Glob(glob) => Work::Glob(glob.prepare(workplace).await?),
        Call::Search(search) => Work::Search(search.prepare(workplace).await?),
        Call::Run(run) => Work::Run(run.prepare(workplace).await?),
        Call::Fetch(fetch) => Work::Fetch(fetch.prepare(workplace)?),
    };
    match &work {
        Work::Change(change) => {
            content = change.content();
            locations = change.locations();
        }
        Work::Run(job) => {
            content.extend(job.content(workplace));
            subject.input = job.input().unwrap_or(subject.input);
        }
        Work::Fetch(visit) => content.push(visit.content()),
        _ => {}
    }
    Ok(Prepared {
        subject,
        title,
        locations,
        content,
        work,
    })
}

impl Prepared {
    /// What it does, in a few words for people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it is about, to be judged.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The files that it touches.
    pub fn locations(&self) -> Vec<v1::ToolCallLocation> {
        self.locations.clone()
    }

    /// What a person should see before it is done: the change to a file, the whole command, the whole URL.
    pub fn content(&self) -> Vec<v1::ToolCallContent> {
        self.content.clone()
    }

    /// Does it. Dropped before it has ended, it is given up: what runs is killed, and a file is changed whole or not.
    pub async fn perform(
        self,
        workplace: &Workplace,
        progress: impl FnMut(Progress) + Send,
    ) -> Outcome {
        let mut outcome = self
            .work
            .perform(workplace, progress)
            .await
            .unwrap_or_else(Outcome::from);
        if outcome.locations.is_empty() {
            outcome.locations = self.locations;
        }
        outcome
    }
}

impl Work {
    async fn perform(
        self,
        workplace: &Workplace,
        progress: impl FnMut(Progress) + Send,
    ) -> Result<Outcome, Fault> {
        match self {
            Work::Read(reading) => reading.perform(workplace).await,
            Work::Change(change) => change.perform(workplace).await,
            Work::Delete(removal) => removal.perform(workplace).await,
            Work::Move(moving) => moving.perform(workplace).await,
            Work::List(listing) => listing.perform(workplace).await,
            Work::Glob(globbing) => globbing.perform(workplace).await,
            Work::Search(searching) => searching.perform(workplace).await,
            Work::Run(job) => job.perform(workplace, progress).await,
            Work::Fetch(visit) => visit.perform(workplace).await,
        }
    }
}

impl Progress {
    /// Something to show that nobody waits for.
    pub(super) fn new(content: Vec<v1::ToolCallContent>) -> Progress {
        Progress {
            content,
            locations: Vec::new(),
            _sent: None,
        }
    }

    /// Something to show, and what ends when it was sent.
    pub(super) fn awaited(content: Vec<v1::ToolCallContent>) -> (Progress, oneshot::Receiver<()>) {
        let (sent, is_sent) = oneshot::channel();
        let progress = Progress {
            _sent: Some(sent),
            ..Progress::new(content)
        };
        (progress, is_sent)
    }
}
