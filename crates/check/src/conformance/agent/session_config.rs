//! Modes, config options and slash commands of a session.

use serde_json::{Value, json};

use crate::conformance::agent_test::{AgentTest, all_client_capabilities};
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{text, update, update_kind};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "session-config",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.initialize().await?;
        let (session, opened) = test.new_session_result().await?;
        let opened = opened.result().cloned().unwrap_or_default();
        if let Some(modes) = opened.get("modes").filter(|it| it.is_object()) {
            mode(test, &session, modes).await?;
        }
        if let Some(options) = opened.get("configOptions").and_then(Value::as_array) {
            config(test, &session, options).await?;
        }
        commands(test, &session).await?;
        switches(test).await
    })
}

async fn mode(test: &mut AgentTest, session: &str, modes: &Value) -> Result<(), AbortReason> {
    let available = modes.get("availableModes").and_then(Value::as_array);
    for mode in available.map_or(&[][..], Vec::as_slice).iter().take(5) {
        let params = json!({ "sessionId": session, "modeId": text(mode, "/id") });
        let set = test.call("session/set_mode", params).await;
        test.judge_result("agent.mode.set", &set);
    }
    let params = json!({ "sessionId": session, "modeId": "no-such-mode" });
    let unknown = test.call("session/set_mode", params).await;
    test.judge_error("agent.mode.unknown", &unknown, &[]);
    Ok(())
}

async fn config(test: &mut AgentTest, session: &str, options: &[Value]) -> Result<(), AbortReason> {
    let Some(first) = options.iter().find(|it| text(it, "/type") == "select") else {
        return Ok(());
    };
    let (id, values) = (text(first, "/id"), values(first));
    let other = values
        .iter()
        .find(|value| **value != text(first, "/currentValue"));
    if let Some(value) = other.or(values.first()) {
        let params = json!({ "sessionId": session, "configId": id, "value": value });
        let set = test.call("session/set_config_option", params).await;
        let list = set
            .result()
            .and_then(|it| it.get("configOptions")?.as_array().cloned());
        test.judge_result("agent.config.set", &set);
        if let Some(list) = list {
            let all = options
                .iter()
                .all(|it| find(&list, text(it, "/id")).is_some());
            let all = all
                .then_some(())
                .ok_or("an option is missing in the response".to_owned());
            test.judge("agent.config.complete", all, &set.entries());
            let now = find(&list, id).map(|it| text(it, "/currentValue"));
            let now = (now == Some(value)).then_some(());
            let now = now.ok_or("the response does not have the new value".to_owned());
            test.judge("agent.config.new-value", now, &set.entries());
        }
    }
    let params = json!({ "sessionId": session, "configId": "no-such-option", "value": "x" });
    let unknown = test.call("session/set_config_option", params).await;
    test.judge_error("agent.config.unknown", &unknown, &[]);
    let params =
        json!({ "sessionId": session, "configId": id, "value": "no-such-value-of-attache" });
    let wrong = test.call("session/set_config_option", params).await;
    test.judge_error("agent.config.unknown-value", &wrong, &[]);
    let grouped: Vec<&Value> = options
        .iter()
        .filter(|it| text(it, "/type") == "boolean")
        .collect();
    if let Some(switch) = grouped.first() {
        let on = switch
            .get("currentValue")
            .and_then(Value::as_bool)
            .unwrap_or_default();
        let params = json!({ "sessionId": session, "configId": text(switch, "/id"), "type": "boolean", "value": !on });
        let set = test.call("session/set_config_option", params).await;
        test.judge_result("agent.config.switch", &set);
    }
    Ok(())
}

fn find<'a>(options: &'a [Value], id: &str) -> Option<&'a Value> {
    options.iter().find(|it| text(it, "/id") == id)
}

/// The values of a select option, whether they are grouped or not.
fn values(option: &Value) -> Vec<&str> {
    let list = option.get("options").and_then(Value::as_array);
    let list = list.map_or(&[][..], Vec::as_slice).iter();
    let flat = list.flat_map(|it| match it.get("options").and_then(Value::as_array) {
        Some(group) => group.iter().collect(),
        None => vec![it],
    });
    flat.map(|it| text(it, "/value")).collect()
}

async fn commands(test: &mut AgentTest, session: &str) -> Result<(), AbortReason> {
    let prompt = test
        .prompt_text(PromptKind::Text)
        .unwrap_or_else(|| "hello".to_owned());
    test.prompt(session, &prompt).await;
    let messages = test.messages_since(0).into_iter();
    let mut news = messages.filter(|(_, it)| update_kind(it) == "available_commands_update");
    let Some((entry, news)) = news.next() else {
        return Ok(());
    };
    let list = update(&news).and_then(|it| it.get("availableCommands")?.as_array().cloned());
    let list = list.unwrap_or_default();
    let mut names: Vec<&str> = list.iter().map(|it| text(it, "/name")).collect();
    let bare = names
        .iter()
        .any(|name| name.is_empty() || name.starts_with('/') || name.contains(' '));
    let bare = if bare {
        Err("a name is empty, has a space or starts with /".to_owned())
    } else {
        Ok(())
    };
    test.judge("agent.command.names", bare, &[entry]);
    names.sort_unstable();
    let twice = names.windows(2).any(|pair| pair[0] == pair[1]);
    let twice = if twice {
        Err("two commands have the same name".to_owned())
    } else {
        Ok(())
    };
    test.judge("agent.command.unique", twice, &[entry]);
    let plain = list
        .iter()
        .all(|it| it.get("description").is_some_and(Value::is_string));
    let plain = plain
        .then_some(())
        .ok_or("a command has no description".to_owned());
    test.judge("agent.command.described", plain, &[entry]);
    Ok(())
}

/// A client that does not support boolean options must not get any.
async fn switches(test: &mut AgentTest) -> Result<(), AbortReason> {
    let mut without = all_client_capabilities();
    without["session"] = json!({});
    test.initialize_with(without).await?;
    let (_, opened) = test.new_session_result().await?;
    let options = opened
        .result()
        .and_then(|it| it.get("configOptions")?.as_array().cloned());
    if let Some(options) = options {
        let switch = options.iter().any(|it| text(it, "/type") == "boolean");
        let none = if switch {
            Err("a boolean option is offered".to_owned())
        } else {
            Ok(())
        };
        test.judge("agent.config.no-switch", none, &opened.entries());
    }
    Ok(())
}

const MODES: &str = "a session with modes";
const OPTIONS: &str = "a session with options";
const COMMANDS: &str = "a list of commands";

const CHECKS: &[Check] = &[
    must(
        "agent.mode.set",
        "144",
        "Every offered mode can be set.",
        "Respond to session/set_mode.",
    )
    .when_seen(MODES),
    should(
        "agent.mode.unknown",
        "144",
        "A mode that is not offered is rejected.",
        "Reject it with -32602.",
    )
    .when_seen(MODES),
    must(
        "agent.config.set",
        "153",
        "An option can be set to a value that is offered.",
        "Respond to session/set_config_option.",
    )
    .when_seen(OPTIONS),
    must(
        "agent.config.complete",
        "153",
        "The response to setting an option has all options.",
        "Options can depend on each other: send all.",
    )
    .when_seen(OPTIONS),
    must(
        "agent.config.new-value",
        "153",
        "The response to setting an option has the new value.",
        "Respond after the option is set.",
    )
    .when_seen(OPTIONS),
    should(
        "agent.config.unknown",
        "153",
        "An option that is not offered is rejected.",
        "Reject it with -32602.",
    )
    .when_seen(OPTIONS),
    should(
        "agent.config.unknown-value",
        "153",
        "A value that is not offered is rejected.",
        "Reject it with -32602.",
    )
    .when_seen(OPTIONS),
    must(
        "agent.config.switch",
        "153",
        "A boolean option can be set.",
        "Respond to session/set_config_option with type boolean.",
    )
    .when_seen("a session with a boolean option"),
    must(
        "agent.config.no-switch",
        "148",
        "A client without boolean options gets none.",
        "Check session.configOptions.boolean first.",
    )
    .when_seen(OPTIONS),
    observed(
        "agent.command.names",
        "157",
        "A command's name has no leading slash and no space.",
        "The client writes the slash.",
    )
    .when_seen(COMMANDS),
    must(
        "agent.command.unique",
        "B5",
        "No two commands have the same name.",
        "The name selects the command.",
    )
    .when_seen(COMMANDS),
    must(
        "agent.command.described",
        "156",
        "Every command has a description.",
        "description is required.",
    )
    .when_seen(COMMANDS),
];
