//! Modes and config options.

use expect_test::expect;

use super::{check, clean};

const SESSION: &str = r#"
    client session/new {"cwd":"/a","mcpServers":[]}
    agent = {"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]},"configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"model","name":"Model","category":"model","type":"select","currentValue":"m1","options":[{"group":"g","name":"G","options":[{"value":"m1","name":"M1"},{"value":"m2","name":"M2"}]}]},{"id":"think","name":"Think","category":"thought_level","type":"select","currentValue":"lo","options":[{"value":"lo","name":"Low"}]}]}
"#;

/// A conversation that goes on in a session with modes and options.
fn check_in_session(conversation: &str, expect: expect_test::Expect) {
    check(&[SESSION, conversation].concat(), expect);
}

#[test]
fn a_mode_is_an_available_mode() {
    check_in_session(
        r#"
        client session/set_mode {"sessionId":"s","modeId":"code"}
        client session/set_mode {"sessionId":"s","modeId":"yolo"}
        client session/set_mode {"sessionId":"elsewhere","modeId":"yolo"}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"code"}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"yolo"}}
        "#,
        expect![[r#"
            session/set_mode params.modeId: the mode is not among the available modes; choose one of those (rule 144, observed)
            session/update params.update.currentModeId: the mode is not among the available modes; announce one of those (rule B5, SHOULD)
        "#]],
    );
    check(
        r#"
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s"}
        client session/set_mode {"sessionId":"s","modeId":"code"}
        client session/set_config_option {"sessionId":"s","configId":"mode","value":"code"}
        "#,
        expect![[r#"
            session/set_mode params: the session offers no modes; do not set one (rule 144, observed)
            session/set_config_option params.configId: the session has no such option; choose one of its options (rule B5, SHOULD)
        "#]],
    );
}

#[test]
fn an_option_is_set_to_one_of_its_values() {
    check_in_session(
        r#"
        client session/set_config_option {"sessionId":"s","configId":"model","value":"m2"}
        client session/set_config_option {"sessionId":"s","configId":"model","value":"m3"}
        client session/set_config_option {"sessionId":"s","configId":"colour","value":"red"}
        client session/set_config_option {"sessionId":"s","configId":"mode","type":"boolean","value":true}
        "#,
        expect![[r#"
            session/set_config_option params.value: the value is not among the option's choices; choose one of them (rule B5, SHOULD)
            session/set_config_option params.configId: the session has no such option; choose one of its options (rule B5, SHOULD)
            session/set_config_option params.value: the option is a list; send the id of one of its choices (rule B5, SHOULD)
        "#]],
    );
}

#[test]
fn the_response_to_set_config_option_has_all_options() {
    check_in_session(
        r#"
        client session/set_config_option {"sessionId":"s","configId":"model","value":"m2"}
        agent = {"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"m2","options":[{"value":"m2","name":"M2"}]}]}
        "#,
        expect![[r#"
            session/set_config_option result.configOptions: looks like the changed options only; send all options (rule 153, SHOULD)
        "#]],
    );
    check_in_session(
        r#"
        client session/set_config_option {"sessionId":"s","configId":"model","value":"m2"}
        agent = {"configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}
        "#,
        expect![[r#"
            session/set_config_option result.configOptions: the option that was set is missing; send all options (rule 153, MUST)
        "#]],
    );
}

#[test]
fn a_config_option_update_has_all_options() {
    check_in_session(
        r#"
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"m2","options":[{"value":"m2","name":"M2"}]}]}}
        "#,
        expect![[r#"
            session/update params.update.configOptions: looks like the changed options only; send all options (rule 154, observed)
        "#]],
    );
}

#[test]
fn an_option_of_a_model_may_disappear_with_it() {
    let after = r#"{"configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"model","name":"Model","category":"model","type":"select","currentValue":"m2","options":[{"value":"m2","name":"M2"}]}]}"#;
    let set =
        r#"client session/set_config_option {"sessionId":"s","configId":"model","value":"m2"}"#;
    clean(&format!("{SESSION}\n{set}\nagent = {after}"));
    let update = after.replacen('{', r#"{"sessionUpdate":"config_option_update","#, 1);
    clean(&format!(
        r#"{SESSION}
        agent session/update {{"sessionId":"s","update":{update}}}"#
    ));
}

#[test]
fn config_options_are_valid() {
    check(
        r#"
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s","modes":{"currentModeId":"c","availableModes":[{"id":"a","name":"A"},{"id":"a","name":"A"}]},"configOptions":[{"id":"o","name":"O","category":"colour","type":"select","currentValue":"x","options":[{"value":"y","name":"Y"}]},{"id":"o","name":"O","category":"_mine","type":"boolean","currentValue":true}]}
        "#,
        expect![[r#"
            session/new result.modes.currentModeId: the current mode is not among the available modes; add it or name another (rule B5, SHOULD)
            session/new result.modes.availableModes[1].id: another item of the list has the same id; give each a unique id (rule B5, SHOULD)
            session/new result.configOptions[1].id: another item of the list has the same id; give each a unique id (rule B5, SHOULD)
            session/new result.configOptions[0].currentValue: the current value is not among the options; add it or name another (rule 150, MUST)
            session/new result.configOptions[0].category: the name is reserved; start a custom category with _ (rule 155, observed)
            session/new result.configOptions[1]: needs clientCapabilities.session.configOptions.boolean, which was not advertised; do not send it (rule 148, MUST)
        "#]],
    );
    clean(
        r#"
        client has {"session":{"configOptions":{"boolean":{}}}}
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s","configOptions":[{"id":"o","name":"O","type":"boolean","currentValue":true},{"id":"p","name":"P","category":"_mine","type":"slider","currentValue":1}]}
        client session/set_config_option {"sessionId":"s","configId":"o","type":"boolean","value":true}
        "#,
    );
    check(
        r#"
        client has {"session":{"configOptions":{"boolean":{}}}}
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s","configOptions":[{"id":"o","name":"O","type":"boolean","currentValue":true}]}
        client session/set_config_option {"sessionId":"s","configId":"o","value":"true"}
        "#,
        expect![[r#"
            session/set_config_option params.value: the option is a boolean; send a boolean with type boolean (rule B5, SHOULD)
        "#]],
    );
}

#[test]
fn modes_and_their_config_option_agree() {
    check(
        r#"
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]},"configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}
        "#,
        expect![[r#"
            session/new result.configOptions[0].currentValue: differs from modes.currentModeId; keep both the same (rule 147, SHOULD)
        "#]],
    );
}
