//! Sending prompts, and the files that they mention.

use std::time::{Duration, Instant};

use attache::v1;
use attache_client::command::Command;

use super::{AgentStatus, App};
use crate::chat::completion;
use crate::chat::composer::ComposerContext;
use crate::chat::effect::{Effect, SendMode, Steering};
use crate::chat::mentions::{self, PromptDraft};
use crate::chat::tab::TabStatus;
use crate::paint::{Scroll, Tone};

impl App {
    /// Sends the prompt in the composer. Mentioned and attached files are read first.
    pub(super) fn send_prompt(&mut self, mode: SendMode, now: Instant) {
        if self.agent_status == AgentStatus::Exited {
            let text = "the agent has exited: press Tab and choose Restart";
            self.toast(Tone::Warning, text, now);
            return;
        }
        if matches!(self.tab().state, TabStatus::Failed(_)) {
            let text = "this tab has no session: press Ctrl-N for a new one";
            self.toast(Tone::Warning, text, now);
            return;
        }
        let capabilities = self.capabilities().prompt_capabilities;
        let tab = self.tab_mut();
        if tab.composer.editor.text().trim().is_empty() && tab.composer.attached.is_empty() {
            return;
        }
        let composer = std::mem::take(&mut tab.composer);
        let number = tab.number;
        tab.view.scroll(Scroll::Bottom);
        let mut editor = composer.editor;
        let text = editor.take();
        let cwd = tab.cwd().to_owned();
        self.history.push(&text);
        let mentions = mentions::mentioned_names(&text);
        if mentions.is_empty() && composer.attached.is_empty() {
            self.send(number, mode, vec![text.as_str().into()], now);
            return;
        }
        let prompt = Box::new(PromptDraft {
            text,
            mentions,
            files: composer.attached,
            cwd,
            capabilities,
        });
        let tab = number;
        self.effects
            .push(Effect::LoadAttachments { tab, mode, prompt });
    }

    /// Sends a prompt whose files have been read. If a file could not be read, the text goes back to the composer.
    pub(super) fn attachments_loaded(
        &mut self,
        number: u64,
        mode: SendMode,
        prompt: &PromptDraft,
        content: Result<Vec<v1::ContentBlock>, String>,
        now: Instant,
    ) {
        match content {
            Ok(content) => self.send(number, mode, content, now),
            Err(why) => {
                let tab = self.tabs.iter_mut().find(|tab| tab.number == number);
                if let Some(tab) = tab.filter(|tab| tab.composer.is_empty()) {
                    tab.composer.editor.set_text(&prompt.text);
                }
                self.toast(Tone::Bad, why, now);
            }
        }
    }

    fn send(&mut self, number: u64, mode: SendMode, content: Vec<v1::ContentBlock>, now: Instant) {
        let Some(tab) = self.tabs.iter_mut().find(|tab| tab.number == number) else {
            return;
        };
        let Some(session) = tab.session().cloned() else {
            tab.unsent_prompts.push(content);
            return;
        };
        let is_running = tab.turn.is_some();
        let command = match (mode, is_running, self.steering) {
            (SendMode::Steer, true, Steering::Supported) => Command::Steer { session, content },
            (SendMode::Steer, true, Steering::Unsupported) => {
                let text = "this agent can't be steered mid-turn; your prompt is queued";
                self.toast(Tone::Info, text, now);
                Command::Prompt { session, content }
            }
            _ => Command::Prompt { session, content },
        };
        self.submit(command);
    }

    /// Looks for files that can be mentioned, unless that was done recently.
    pub(super) fn refresh_files(&mut self, now: Instant) {
        let is_fresh = |at: Instant| now.saturating_duration_since(at) < FRESH;
        if !completion::wants_files(&self.tab().composer.editor)
            || self.files_at.is_some_and(is_fresh)
        {
            return;
        }
        self.find_files(now);
    }

    pub(super) fn find_files(&mut self, now: Instant) {
        self.files_at = Some(now);
        let opening = &self.tab().opening;
        let mut roots = vec![opening.cwd.clone()];
        roots.extend_from_slice(&opening.additional);
        self.effects.push(Effect::FindFiles(roots));
    }

    pub(super) fn files_found(&mut self, files: Vec<String>) {
        self.files = files;
        self.attach_files();
        let width = self.composer_width();
        let tab = &mut self.tabs[self.active];
        if completion::wants_files(&tab.composer.editor) {
            let context = ComposerContext {
                commands: tab.transcript.commands(),
                files: &self.files,
                width,
            };
            tab.composer.complete(context);
        }
    }

    /// The width of the text in the composer.
    pub(in crate::chat) fn composer_width(&self) -> usize {
        usize::from(self.size.0).saturating_sub(3).max(2)
    }
}

const FRESH: Duration = Duration::from_secs(10);
