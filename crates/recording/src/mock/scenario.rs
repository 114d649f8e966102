//! Parses the scenarios in `scenarios.txt`, which describes its own format.

use std::sync::OnceLock;
use std::time::Duration;

use attache_schema::v1;

/// A scripted turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    /// The name of the scenario, and the first word of a prompt that selects it.
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// The client capability that the scenario needs, by its path.
    pub needs: Vec<&'static str>,
    pub(super) steps: Vec<ScenarioStep>,
}

/// A step of a scenario. Its JSON may contain names such as `$session`, which are filled in when it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScenarioStep {
    /// An update of the session.
    Update(String),
    /// This many chunks of a message.
    Flood(u64, &'static str),
    /// A message of this many bytes.
    Long(usize),
    /// A notification.
    Notify(&'static str, &'static str),
    /// A request, and a member of its result to remember under this name.
    Request(&'static str, &'static str, Option<&'static str>),
    Wait(Duration),
    /// The end of the turn, with additional members of the response.
    Stop(&'static str, &'static str),
    Fail(i32, &'static str),
    Crash(u8),
    /// Waits until the turn is cancelled.
    Hang,
}

/// All scenarios.
pub fn scenarios() -> &'static [Scenario] {
    static ALL: OnceLock<Vec<Scenario>> = OnceLock::new();
    ALL.get_or_init(|| {
        let blocks = TEXT.split("\n\n").filter(|block| !block.starts_with('#'));
        blocks.filter_map(scenario).collect()
    })
}

/// The scenario with this name; `/name` works too.
pub fn find_scenario(name: &str) -> Option<&'static Scenario> {
    let name = name.trim_start_matches('/');
    scenarios().iter().find(|scenario| scenario.name == name)
}

impl Scenario {
    /// The capability that the scenario needs and the client does not have.
    pub(super) fn missing_capability(
        &self,
        client: &v1::ClientCapabilities,
    ) -> Option<&'static str> {
        self.needs
            .iter()
            .copied()
            .find(|need| !offers(client, need))
    }
}

fn offers(client: &v1::ClientCapabilities, need: &str) -> bool {
    let session = client.session.as_ref();
    let elicitation = client.elicitation.as_ref();
    match need {
        "fs" => client.fs.read_text_file && client.fs.write_text_file,
        "terminal" => client.terminal,
        "plan" => client.plan.is_some(),
        "subagents" => client.subagents.is_some(),
        "session.notices" => session.is_some_and(|session| session.notices.is_some()),
        "session.compaction" => session.is_some_and(|session| session.compaction.is_some()),
        "elicitation.form" => elicitation.is_some_and(|it| it.form.is_some()),
        "elicitation.url" => elicitation.is_some_and(|it| it.url.is_some()),
        _ => false,
    }
}

fn scenario(block: &'static str) -> Option<Scenario> {
    let mut lines = block.lines().filter(|line| !line.is_empty());
    let (name, about) = lines.next()?.split_once(": ")?;
    let mut needs = Vec::new();
    let mut steps = Vec::new();
    for line in lines {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        if verb == "needs" {
            needs.extend(rest.split(' '));
        } else {
            steps.push(step(verb, rest)?);
        }
    }
    Some(Scenario {
        name,
        about,
        needs,
        steps,
    })
}

fn step(verb: &str, rest: &'static str) -> Option<ScenarioStep> {
    let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(match verb {
        "say" => ScenarioStep::Update(words("agent_message_chunk", rest)),
        "think" => ScenarioStep::Update(words("agent_thought_chunk", rest)),
        "update" => {
            let members = more.strip_prefix('{')?;
            ScenarioStep::Update(format!(r#"{{"sessionUpdate":"{first}",{members}"#))
        }
        "flood" => ScenarioStep::Flood(first.parse().ok()?, more),
        "long" => ScenarioStep::Long(first.parse().ok()?),
        "tell" => ScenarioStep::Notify(first, more),
        "ask" => match more.rsplit_once(" -> ") {
            Some((params, member)) => ScenarioStep::Request(first, params, Some(member)),
            None => ScenarioStep::Request(first, more, None),
        },
        "wait" => ScenarioStep::Wait(Duration::from_millis(first.parse().ok()?)),
        "stop" => ScenarioStep::Stop(first, more),
        "fail" => ScenarioStep::Fail(first.parse().ok()?, more),
        "crash" => ScenarioStep::Crash(first.parse().ok()?),
        "hang" => ScenarioStep::Hang,
        _ => return None,
    })
}

/// Text as a JSON string; `\n` in it is a line break.
pub(super) fn words(kind: &str, text: &str) -> String {
    let text = attache_rpc::json::to_string(&text.replace("\\n", "\n"));
    format!(r#"{{"sessionUpdate":"{kind}","content":{{"type":"text","text":{text}}}}}"#)
}

const TEXT: &str = include_str!("scenarios.txt");

#[cfg(test)]
mod tests {
    use super::{TEXT, scenarios};

    #[test]
    fn every_scenario_ends() {
        let blocks = TEXT.split("\n\n").filter(|block| !block.starts_with('#'));
        assert_eq!(scenarios().len(), blocks.count());
        for scenario in scenarios() {
            let last = scenario.steps.last();
            let ends = matches!(
                last,
                Some(
                    super::ScenarioStep::Stop(..)
                        | super::ScenarioStep::Fail(..)
                        | super::ScenarioStep::Crash(_)
                        | super::ScenarioStep::Hang
                )
            );
            assert!(ends, "{}", scenario.name);
        }
    }
}
