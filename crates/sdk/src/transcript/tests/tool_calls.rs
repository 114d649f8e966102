//! How tool calls are assembled from their first report and their updates.

use attache_schema::v1;
use expect_test::expect;

use super::check;
use super::script::run;

#[test]
fn an_update_has_only_changes_and_null_changes_nothing() {
    check(
        r#"
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","name":"read","kind":"read","status":"pending","content":[{"type":"terminal","terminalId":"t"}],"locations":[{"path":"/a"}],"rawInput":{"p":1},"rawOutput":1,"_meta":{"k":1}}
        {"sessionUpdate":"tool_call_update","toolCallId":"c"}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","title":null,"name":null,"kind":null,"status":null,"content":null,"locations":null,"rawInput":null,"rawOutput":null,"_meta":null}
        "#,
        expect![[r#"
            0 call {"toolCallId":"c","title":"Read","name":"read","kind":"read","content":[{"type":"terminal","terminalId":"t"}],"locations":[{"path":"/a"}],"rawInput":{"p":1},"rawOutput":1,"_meta":{"k":1}}
        "#]],
    );
}

#[test]
fn values_replace_and_lists_replace_as_a_whole() {
    check(
        r#"
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","content":[{"type":"terminal","terminalId":"t"}],"locations":[{"path":"/a"},{"path":"/b"}]}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit","name":"edit","kind":"edit","status":"failed","content":[],"locations":[{"path":"/c","line":3}],"rawInput":{"p":2},"rawOutput":"x","_meta":{"k":2}}
        "#,
        expect![[r#"
            0 call {"toolCallId":"c","title":"Edit","name":"edit","kind":"edit","status":"failed","locations":[{"path":"/c","line":3}],"rawInput":{"p":2},"rawOutput":"x","_meta":{"k":2}}
        "#]],
    );
}

#[test]
fn a_tool_call_keeps_its_position_and_a_second_report_replaces_it() {
    check(
        r#"
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"First","kind":"read","status":"completed","rawInput":1}
        agent Now
        {"sessionUpdate":"tool_call","toolCallId":"d","title":"Other"}
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"Second"}
        "#,
        expect![[r#"
            0 call {"toolCallId":"c","title":"Second"}
            1 agent "Now"
            2 call {"toolCallId":"d","title":"Other"}
        "#]],
    );
}

#[test]
fn an_update_of_an_unknown_tool_call_adds_it() {
    check(
        r#"
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Late"}
        "#,
        expect![[r#"
            0 call {"toolCallId":"c","title":"Late","status":"in_progress"}
        "#]],
    );
}

#[test]
fn unknown_content_is_kept() {
    check(
        r#"
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"dream","status":"paused","content":[{"type":"song","key":"c"}]}
        "#,
        expect![[r#"
            0 call {"toolCallId":"c","title":"t","kind":"dream","status":"paused","content":[{"type":"song","key":"c"}]}
        "#]],
    );
}

#[test]
fn a_call_is_found_by_its_id() {
    let transcript = run(r#"
        agent first
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
        "#);
    let id = v1::ToolCallId::from("c");
    let entry = transcript.tool_call_entry(&id).expect("the call's entry");
    let call = transcript.tool_call(&id).expect("the call");
    assert_eq!((entry.index(), call.report.title.as_str()), (1, "t"));
    assert!(call.is_open());
    assert_eq!(transcript.tool_call(&v1::ToolCallId::from("d")), None);
}
