//! A system prompt from the client (unstable).

use crate::rules::{Context, Findings, MessagePath};
use crate::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

pub(super) fn check(
    prompt: &SystemPrompt,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if let Some((member, message)) = fault(prompt, context) {
        let inner = member.map(|name| at.member(name));
        found.add(rule!("76"), inner.as_ref().unwrap_or(at), message);
    }
}

/// An agent that knows nothing of system prompts passes over them; one that does must refuse what it cannot use.
pub(super) fn accepted(
    prompt: &SystemPrompt,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let is_offered = context.agent.session_capabilities.system_prompt.is_some();
    if is_offered && fault(prompt, context).is_some() {
        let message = "the request's system prompt cannot be used; answer with an error";
        found.add(rule!("77"), at, message);
    }
}

type Fault = (Option<&'static str>, &'static str);

fn fault(prompt: &SystemPrompt, context: &Context) -> Option<Fault> {
    let Some(offered) = &context.agent.session_capabilities.system_prompt else {
        let message = "needs agentCapabilities.sessionCapabilities.systemPrompt, which was not advertised; \
            do not send it";
        return Some((None, message));
    };
    let overriding = offered
        .mode
        .as_ref()
        .and_then(|mode| mode.overriding.as_ref());
    match prompt.mode {
        SystemPromptMode::Override if overriding.is_none() => Some((
            Some("mode"),
            "the agent's own prompt cannot be replaced; use append",
        )),
        SystemPromptMode::Other(_) => Some((
            Some("mode"),
            "the mode is not defined; use append or override",
        )),
        _ => content_fault(&prompt.content).map(|message| (Some("content"), message)),
    }
}

fn content_fault(content: &[ContentBlock]) -> Option<&'static str> {
    let mut is_empty = true;
    for block in content {
        match block {
            ContentBlock::Text(text) => is_empty &= text.text.is_empty(),
            _ => return Some("has a block that is not text; send text blocks only"),
        }
    }
    is_empty.then_some("there is no text in it; leave the system prompt out")
}
