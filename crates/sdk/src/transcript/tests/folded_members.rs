//! The updates whose members the transcript folds one by one: a new member has to be folded, too.

use expect_test::expect;

use crate::v1;

#[test]
fn all_members_of_a_change_are_folded() {
    let members = [
        v1::ToolCallUpdate::MEMBERS,
        v1::CompactionUpdate::MEMBERS,
        v1::SubagentUpdate::MEMBERS,
        v1::SessionMessage::MEMBERS,
    ];
    let lines: String = members.iter().map(|names| names.join(" ") + "\n").collect();
    // After a change here, fold the new member in the `change` method of the entry.
    expect![[r#"
        toolCallId title name kind status content locations rawInput rawOutput _meta
        compactionId status summary error _meta
        sessionId title description capabilities state cwd additionalDirectories _meta
        messageId senderSessionId recipientSessionId senderMessageId recipientMessageId content _meta
    "#]].assert_eq(&lines);
}
