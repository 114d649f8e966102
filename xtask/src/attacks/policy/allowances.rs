//! Rules that allow. They must not override rules that deny or ask, and `--deny-all` overrides them all.

use serde_json::{Value, json};

pub(super) struct Allowance {
    /// The members of the rule besides its action, as JSON.
    members: &'static str,
    /// Whether the rule can allow a generated line in a terminal. Kinds, tool names and paths never do.
    pub(super) covers_commands: bool,
    /// Whether the rule can allow a file request.
    pub(super) covers_files: bool,
}

impl Allowance {
    pub(super) fn json(&self) -> Value {
        let mut rule = serde_json::from_str(self.members).unwrap_or(Value::Null);
        rule["action"] = json!("allow");
        rule
    }

    const fn commands(members: &'static str) -> Self {
        Self {
            members,
            covers_commands: true,
            covers_files: false,
        }
    }

    const fn files(members: &'static str) -> Self {
        Self {
            members,
            covers_commands: false,
            covers_files: true,
        }
    }

    /// A rule that covers nothing that a run does.
    const fn nothing(members: &'static str) -> Self {
        Self {
            members,
            covers_commands: false,
            covers_files: false,
        }
    }

    const fn everything(members: &'static str) -> Self {
        Self {
            members,
            covers_commands: true,
            covers_files: true,
        }
    }
}

pub(super) const ALLOWANCES: &[Allowance] = &[
    Allowance::commands(r#"{"command": ["forbidden **", "courier **", "dispatch **"]}"#),
    Allowance::commands(r#"{"command": ["forbidden push *", "courier", "dispatch push **"]}"#),
    Allowance::commands(r#"{"command": ["bash **", "sh **", "env **", "python3 **", "make **"]}"#),
    Allowance::commands(
        r#"{"command": ["cat **", "head **", "grep **", "tee **"], "kind": "execute"}"#,
    ),
    Allowance::commands(r#"{"command": "echo **"}"#),
    Allowance::nothing(r#"{"command": ["git status", "cargo test **"]}"#),
    Allowance::nothing(r#"{"command": "cat **", "tool": "NoSuchTool"}"#),
    Allowance::nothing(r#"{"kind": "execute"}"#),
    Allowance::nothing(r#"{"kind": ["execute", "fetch", "other", "think"]}"#),
    Allowance::nothing(r#"{"kind": "execute", "agent": ["xtask", "builtin"]}"#),
    Allowance::nothing(r#"{"kind": ["other", "think"], "agent": ["xtask", "builtin"]}"#),
    Allowance::nothing(r#"{"tool": ["Bash", "Read", "Edit", "run"]}"#),
    Allowance::nothing(r#"{"tool": "*"}"#),
    Allowance::nothing(r#"{"tool": ["Bash", "run"], "agent": ["xtask", "builtin"]}"#),
    Allowance::nothing(r#"{"tool": "*", "agent": ["xtask", "builtin"]}"#),
    Allowance::files(r#"{"kind": ["read", "search"]}"#),
    Allowance::files(r#"{"kind": ["edit", "delete", "move"]}"#),
    Allowance::files(r#"{"path": "**"}"#),
    Allowance::files(r#"{"path": ["secrets/**", "keys/*", "./app/.env"], "kind": "edit"}"#),
    Allowance::files(r#"{"path": ["secrets", "*.pem", ".env"], "kind": ["read", "edit"]}"#),
    Allowance::files(r#"{"path": "**", "tool": "*", "agent": ["xtask", "builtin"]}"#),
    Allowance::everything(r#"{"agent": "builtin"}"#),
    Allowance::everything("{}"),
];
