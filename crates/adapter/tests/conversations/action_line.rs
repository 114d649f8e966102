//! What is done about a frame, in a line.

use attache::json::Raw;
use attache::v1::SessionUpdate;
use attache_adapter::mapping::SessionAction;
use serde_json::Value;

pub(crate) fn line(action: &SessionAction) -> Option<String> {
    let line = match action {
        SessionAction::Update(update) => format!("tell {}", update_line(update)),
        SessionAction::AskPermission(question) => {
            let suggestions: Vec<_> = question.suggestions.iter().map(|it| &it["type"]).collect();
            let never = if question.once_only {
                " never always"
            } else {
                ""
            };
            format!("ask {} {:?}{never}", question.tool, suggestions.len())
        }
        SessionAction::Elicit(asked) => format!("elicit {} {:?}", asked.server, asked.mode),
        SessionAction::CompleteElicitation { server, id } => format!("page done {server} {id}"),
        SessionAction::WithdrawRequest(_) => "withdraw".to_owned(),
        SessionAction::SendFrame(frame) => match &frame["response"]["error"] {
            Value::Null => format!("say {}", frame["response"]["response"]),
            error => format!("say {error}"),
        },
        SessionAction::SettleRequest { .. } | SessionAction::AcceptPrompt(_) => return None,
        SessionAction::RefreshSettings => "look again".to_owned(),
        SessionAction::EndTurn(ended) => match &ended.reason {
            Ok(reason) => format!("ended {reason}"),
            Err(failure) => format!("failed {failure}"),
        },
        SessionAction::SetState(state) => format!("state {state:?}"),
        SessionAction::ExpectCommand { command, .. } => format!("runs {command}"),
    };
    Some(line)
}

fn update_line(update: &SessionUpdate) -> String {
    let mut json: Value = serde_json::from_str(Raw::of(update).as_str()).expect("JSON");
    let kind = json["sessionUpdate"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let members = json.as_object_mut().expect("an object");
    for member in ["sessionUpdate", "rawInput", "rawOutput", "name"] {
        members.remove(member);
    }
    if let Some(id) = members.get_mut("toolCallId") {
        *id = Value::from(
            id.as_str()
                .unwrap_or_default()
                .chars()
                .take(8)
                .collect::<String>(),
        );
    }
    if let Some(id) = members.get_mut("messageId") {
        let text = id.as_str().unwrap_or_default();
        *id = Value::from(text.chars().skip(text.len() - 4).collect::<String>());
    }
    format!("{kind} {json}")
}
