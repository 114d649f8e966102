//! Verdicts on the tool calls of agents in use, as recorded and as their tools are documented. A change here means more
//! requests for the user, or a hole.

use expect_test::expect_file;
use serde_json::Value;

use super::*;

const CALLS: &str = include_str!("recorded_calls.jsonl");

const RULES: &str = r#"{"rules":[
    {"action":"allow","command":["npm test","cargo test **","touch *","cat *","echo *"]},
    {"action":"allow","kind":["read","edit","delete","move","search"],"path":["/w/**","**"]}]}"#;

const DENYING: &str = r#"{"rules":[{"action":"deny","command":"curl **"}]}"#;

#[test]
fn verdicts_on_the_calls_of_agents_in_use() {
    let judges = [
        ("preset", Permissions::preset(Preset::Ask)),
        ("rules", with_policy(Preset::Ask, RULES)),
        ("approve-all", Permissions::preset(Preset::ApproveAll)),
        ("denying", with_policy(Preset::ApproveAll, DENYING)),
    ];
    let mut shown = String::new();
    for line in CALLS.lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let action = action(&recorded["call"].to_string());
        let verdicts = judges.iter().map(|(name, permissions)| {
            let verdict = match permissions.judge(&action) {
                Verdict::Allow(_) => "allow",
                Verdict::Deny(_) => "deny",
                Verdict::Ask => "ask",
            };
            format!("{name} {verdict}")
        });
        let verdicts: Vec<String> = verdicts.collect();
        let understood = match action.has_unknown_input {
            true => "not understood",
            false => "understood",
        };
        let agent = recorded["agent"].as_str().unwrap();
        let (kind, summary) = (action.kind.as_str(), action.summary());
        let verdicts = verdicts.join(", ");
        shown += &format!("{agent}, {kind}, {understood}: {summary}\n    {verdicts}\n");
    }
    expect_file!["recorded_calls.txt"].assert_eq(&shown);
}
