//! Expectations of a script about requests. Differences are described in the words of the script and never quote the
//! request.

use serde::Deserialize;

use crate::{Input, Message, Request, ToolResult};

/// Expectations about a request; missing members accept anything.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expectation {
    /// The author of the last message.
    pub last: Option<MessageAuthor>,
    /// Parts of the text of the last message.
    pub contains: Vec<String>,
    /// Expectations about the results in the last message, one for each.
    pub results: Option<Vec<ResultExpectation>>,
    /// Tools that must be available.
    pub offered: Vec<String>,
    /// Tools that must not be available.
    pub withheld: Vec<String>,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageAuthor {
    /// The user.
    User,
    /// The model.
    Model,
    /// The tools.
    Tools,
}

/// Expectations about a tool result; missing members accept anything.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResultExpectation {
    /// The name of the tool.
    pub name: Option<String>,
    /// Parts of its text.
    pub contains: Vec<String>,
    /// Whether it failed.
    pub failed: Option<bool>,
}

impl Expectation {
    /// The first difference from the expectations.
    pub(super) fn difference(&self, request: &Request) -> Option<String> {
        let last = request.messages.last().map(|message| &**message);
        if let Some(wanted) = self.last
            && last.map(author) != Some(wanted)
        {
            let came = last.map_or("there is none".to_owned(), |last| {
                format!("it is of {}", name(author(last)))
            });
            return Some(format!(
                "the last message should be of {}, and {came}",
                name(wanted)
            ));
        }
        let text = last.map(text).unwrap_or_default();
        if let Some(missing) = missing(&self.contains, &text) {
            return Some(format!(
                "the last message should contain {missing:?}, and its {} bytes do not",
                text.len()
            ));
        }
        self.results_differ(last)
            .or_else(|| self.tools_differ(request))
    }

    fn results_differ(&self, last: Option<&Message>) -> Option<String> {
        let wanted = self.results.as_ref()?;
        let results: &[ToolResult] = match last {
            Some(Message::Tools(results)) => results,
            _ => &[],
        };
        if results.len() != wanted.len() {
            return Some(format!(
                "there should be {} results, and there are {}",
                wanted.len(),
                results.len()
            ));
        }
        let mut pairs = wanted.iter().zip(results).enumerate();
        pairs.find_map(|(place, (wanted, result))| {
            Some(format!(
                "result {} {}",
                place + 1,
                wanted.difference(result)?
            ))
        })
    }

    fn tools_differ(&self, request: &Request) -> Option<String> {
        let is_offered = |name: &&String| request.tools.iter().any(|tool| tool.name == **name);
        let lacking = self.offered.iter().find(|name| !is_offered(name));
        let surplus = self.withheld.iter().find(is_offered);
        match (lacking, surplus) {
            (Some(name), _) => Some(format!("the tool {name:?} should be offered, and is not")),
            (None, Some(name)) => Some(format!("the tool {name:?} should not be offered, and is")),
            (None, None) => None,
        }
    }
}

impl ResultExpectation {
    fn difference(&self, result: &ToolResult) -> Option<String> {
        if let Some(name) = self.name.as_ref().filter(|name| **name != result.name) {
            return Some(format!("should be of the tool {name:?}, and is of another"));
        }
        if let Some(failed) = self.failed.filter(|failed| *failed != result.failed) {
            let ends = |failed| if failed { "fail" } else { "succeed" };
            return Some(format!("should {}, and did not", ends(failed)));
        }
        let text = words(&result.content);
        let missing = missing(&self.contains, &text)?;
        Some(format!(
            "should contain {missing:?}, and its {} bytes do not",
            text.len()
        ))
    }
}

fn missing<'w>(wanted: &'w [String], text: &str) -> Option<&'w String> {
    wanted.iter().find(|wanted| !text.contains(*wanted))
}

fn author(message: &Message) -> MessageAuthor {
    match message {
        Message::User(_) => MessageAuthor::User,
        Message::Model(_) => MessageAuthor::Model,
        Message::Tools(_) => MessageAuthor::Tools,
    }
}

fn name(author: MessageAuthor) -> &'static str {
    match author {
        MessageAuthor::User => "the user",
        MessageAuthor::Model => "the model",
        MessageAuthor::Tools => "the tools",
    }
}

fn text(message: &Message) -> String {
    match message {
        Message::User(inputs) => words(inputs),
        Message::Tools(results) => {
            let texts: Vec<String> = results
                .iter()
                .map(|result| words(&result.content))
                .collect();
            texts.join("\n")
        }
        Message::Model(_) => String::new(),
    }
}

fn words(inputs: &[Input]) -> String {
    let texts: Vec<&str> = inputs
        .iter()
        .filter_map(|input| match input {
            Input::Text(text) => Some(text.as_str()),
            Input::Image { .. } | Input::Audio { .. } => None,
        })
        .collect();
    texts.join("\n")
}
