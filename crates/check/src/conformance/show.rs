//! One act: connections one after the other, and the books.

use std::sync::Arc;

use attache_testkit::Side;
use serde_json::{Value, json};

use super::act::{Act, Books, Later, Stageable, Stop};
use super::stage::{Answer, Asked, Manners, Outcome, Stage};
use super::{Conversation, Evidence, Launch, Options};

pub(crate) struct Show<M> {
    us: Side,
    act: &'static str,
    pub(crate) options: Arc<Options>,
    launch: Launch,
    books: Books,
    stage: Option<Stage<M>>,
    over: Vec<Conversation>,
    /// What the other side said of itself last.
    pub(crate) peer: Value,
    /// Whether it answers requests for extensions that it does not have.
    pub(crate) answers_unknown: bool,
}

impl<M: Manners + 'static> Show<M> {
    pub(crate) fn new(
        us: Side,
        act: &'static Act<Show<M>>,
        launch: Launch,
        options: Arc<Options>,
    ) -> Self {
        Show {
            us,
            act: act.name,
            options,
            launch,
            books: Books::new(act.checks),
            stage: None,
            over: Vec::new(),
            peer: Value::Null,
            answers_unknown: true,
        }
    }

    /// Starts what is under test, after the one before has been ended.
    pub(crate) async fn start_with(&mut self, manners: M) -> Result<(), Stop> {
        self.end().await;
        let ends = (self.launch)(self.act).await.map_err(Stop)?;
        let patience = self.options.patience;
        self.stage = Some(Stage::new(self.us, self.act, ends, manners, patience));
        Ok(())
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.stage.as_ref().is_none_or(Stage::is_gone)
    }

    pub(crate) fn stage(&mut self) -> Result<&mut Stage<M>, Stop> {
        self.stage
            .as_mut()
            .ok_or_else(|| Stop("it did not start".to_owned()))
    }

    pub(crate) fn manners(&mut self) -> Result<&mut M, Stop> {
        Ok(&mut self.stage()?.manners)
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Answer {
        match &mut self.stage {
            Some(stage) => stage.ask(method, params).await,
            None => Answer {
                asked: 0,
                outcome: Outcome::Gone,
            },
        }
    }

    pub(crate) async fn tell(&mut self, method: &str, params: Value) -> Result<usize, Stop> {
        Ok(self.stage()?.tell(method, params).await)
    }

    pub(crate) async fn finish(&mut self, asked: Asked) -> Result<Answer, Stop> {
        Ok(self.stage()?.finish(asked).await)
    }

    /// A question that any JSON-RPC peer answers.
    pub(crate) async fn ping_unknown(&mut self) -> Answer {
        self.ask("_attache.check/alive", json!({})).await
    }

    /// How many entries the present conversation has.
    pub(crate) fn now(&self) -> usize {
        let stage = self.stage.as_ref();
        stage.map_or(0, |stage| stage.conversation().said.len())
    }

    /// The messages of the other side from an entry on.
    pub(crate) fn heard(&self, from: usize) -> Vec<(usize, Value)> {
        let Some(stage) = &self.stage else {
            return Vec::new();
        };
        let messages = stage.conversation().messages(self.us.other());
        let later = messages.filter(|(entry, _)| *entry >= from);
        later
            .map(|(entry, message)| (entry, message.clone()))
            .collect()
    }

    pub(crate) fn judge(&mut self, id: &str, outcome: Result<(), String>, entries: &[usize]) {
        let conversation = self.over.len();
        let evidence = entries.iter().map(|entry| Evidence {
            conversation,
            entry: *entry,
        });
        self.books.judge(id, outcome, evidence.collect());
    }

    /// Judges an answer.
    pub(crate) fn went_well(&mut self, id: &str, answer: &Answer) {
        self.judge(id, answer.went_well(), &answer.entries());
    }

    pub(crate) fn was_refused(&mut self, id: &str, answer: &Answer, codes: &[i64]) {
        self.judge(id, answer.was_refused(codes), &answer.entries());
    }

    pub(crate) fn was_answered(&mut self, id: &str, answer: &Answer) {
        self.judge(id, answer.was_answered(), &answer.entries());
    }

    pub(crate) async fn end(&mut self) {
        if let Some(stage) = self.stage.take() {
            self.over.push(stage.end().await);
        }
    }
}

impl<M: Manners + 'static> Stageable for Show<M> {
    fn books(&mut self) -> &mut Books {
        &mut self.books
    }

    fn close(mut self) -> Later<'static, Vec<Conversation>> {
        Box::pin(async move {
            self.end().await;
            self.over
        })
    }
}
