//! Permissions as the user and the agent see them.

mod actions;
mod attack_commands;
mod attack_denials;
#[cfg(unix)]
mod attack_disk;
mod attack_generated_inputs;
mod attack_inputs;
mod attack_members;
mod attack_names;
mod attack_patches;
mod attack_path_spellings;
mod attack_paths;
#[cfg(unix)]
mod attack_patterns;
#[cfg(unix)]
mod attack_policy_files;
#[cfg(unix)]
mod attack_protected_commands;
#[cfg(target_os = "linux")]
mod attack_shell_variables;
#[cfg(unix)]
mod attack_shells;
mod attack_variables;
mod bypasses;
mod ordinary_code;
mod policies;
mod presets;
mod recorded_calls;
mod records;
mod request_options;
mod scopes;
mod store;

use std::path::{Path, PathBuf};

use attache_rpc::json;
use attache_schema::v1;

use super::*;

/// The action of a tool call, given as JSON.
fn action(tool_call: &str) -> Action {
    action_in(Path::new("/w"), tool_call)
}

fn action_in(workspace: &Path, tool_call: &str) -> Action {
    Action::from_request(
        "claude",
        PathBuf::from(workspace),
        &request(tool_call),
        None,
    )
}

fn request(tool_call: &str) -> v1::RequestPermissionRequest {
    let tool_call = tool_call.replacen('{', r#"{"toolCallId":"1","#, 1);
    let text = format!(r#"{{"sessionId":"s","options":[],"toolCall":{tool_call}}}"#);
    json::from_str(&text).unwrap()
}

fn run(command: &str) -> Action {
    let command = serde_json::Value::from(command);
    action(&format!(
        r#"{{"kind":"execute","rawInput":{{"command":{command}}}}}"#
    ))
}

fn shown(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Allow(reason) => format!("allow: {reason}"),
        Verdict::Deny(reason) => format!("deny: {reason}"),
        Verdict::Ask => "ask".to_owned(),
    }
}

fn with_policy(preset: Preset, policy: &str) -> Permissions {
    let mut config = PermissionConfig::new(preset);
    config.policy = Some(Policy::parse("policy.json", policy).unwrap());
    Permissions::open(config).0
}

fn decision(is_allowed: bool, scope: Scope) -> Decision {
    Decision {
        is_allowed,
        scope,
        expires: None,
    }
}
