//! Notices, compactions, child sessions, and unknown updates.

use attache_schema::v1;
use expect_test::expect;

use super::check;
use super::script::run;

#[test]
fn a_notice_is_an_entry() {
    check(
        r#"
        agent a
        {"sessionUpdate":"notice","severity":"warning","title":"Slow","description":"Very"}
        {"sessionUpdate":"notice","severity":"warning","title":"Slow"}
        agent b
        "#,
        expect![[r#"
            0 agent "a"
            1 notice {"severity":"warning","title":"Slow","description":"Very"}
            2 notice {"severity":"warning","title":"Slow"}
            3 agent "b"
        "#]],
    );
}

#[test]
fn a_compaction_is_one_entry_from_start_to_end() {
    check(
        r#"
        {"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}
        {"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"Lo"}}
        agent meanwhile
        {"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"ng"}}
        {"sessionUpdate":"compaction_update","compactionId":"k","status":"completed"}
        "#,
        expect![[r#"
            0 compaction k completed "Long"
            1 agent "meanwhile"
        "#]],
    );
}

#[test]
fn a_summary_and_an_error_have_three_states() {
    check(
        r#"
        {"sessionUpdate":"compaction_update","compactionId":"absent","status":"failed","summary":[{"type":"text","text":"s"}],"error":"e"}
        {"sessionUpdate":"compaction_update","compactionId":"absent","status":"failed"}
        {"sessionUpdate":"compaction_update","compactionId":"null","status":"failed","summary":[{"type":"text","text":"s"}],"error":"e"}
        {"sessionUpdate":"compaction_update","compactionId":"null","status":"failed","summary":null,"error":null}
        {"sessionUpdate":"compaction_summary_chunk","compactionId":"value","content":{"type":"text","text":"s"}}
        {"sessionUpdate":"compaction_update","compactionId":"value","status":"completed","summary":[{"type":"text","text":"t"},{"type":"text","text":"u"}]}
        "#,
        expect![[r#"
            0 compaction absent failed "s" error=e
            1 compaction null failed
            2 compaction value completed "t" "u"
        "#]],
    );
}

#[test]
fn the_current_compaction_is_the_last_updated_one() {
    let transcript = run(r#"
        {"sessionUpdate":"compaction_update","compactionId":"a","status":"in_progress"}
        {"sessionUpdate":"compaction_update","compactionId":"b","status":"in_progress"}
        {"sessionUpdate":"compaction_update","compactionId":"a","status":"cancelled"}
        "#);
    let compaction = transcript.compaction().expect("a compaction");
    assert_eq!(compaction.id.as_str(), "a");
    assert_eq!(compaction.status, v1::CompactionStatus::Cancelled);
}

#[test]
fn a_child_session_is_one_entry_with_three_states() {
    check(
        r#"
        {"sessionUpdate":"subagent_update","sessionId":"s","title":"T","description":"D","cwd":"/a","state":{"state":"running"}}
        agent meanwhile
        {"sessionUpdate":"subagent_update","sessionId":"s","description":null,"state":{"state":"idle","stopReason":"end_turn"}}
        {"sessionUpdate":"subagent_update","sessionId":"t"}
        "#,
        expect![[r#"
            0 subagent s title=T cwd=/a {"state":"idle","stopReason":"end_turn"}
            1 agent "meanwhile"
            2 subagent t
        "#]],
    );
}

#[test]
fn a_message_between_sessions_is_patched_and_grows() {
    check(
        r#"
        {"sessionUpdate":"session_message","messageId":"m","senderSessionId":"a","recipientSessionId":"b","content":[{"type":"text","text":"He"}]}
        {"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"y"}}
        {"sessionUpdate":"session_message","messageId":"m","senderSessionId":null}
        {"sessionUpdate":"session_message_chunk","messageId":"n","content":{"type":"text","text":"first"}}
        {"sessionUpdate":"session_message","messageId":"n","content":null}
        agent#m apart
        "#,
        expect![[r#"
            0 between m to=b "Hey"
            1 between n
            2 agent#m "apart"
        "#]],
    );
}

#[test]
fn an_unknown_update_is_kept_as_received() {
    check(
        r#"
        {"sessionUpdate":"weather","degrees":1.50,"_meta":{"a":1}}
        "#,
        expect![[r#"
            0 unknown {"sessionUpdate":"weather","degrees":1.50,"_meta":{"a":1}}
        "#]],
    );
}
