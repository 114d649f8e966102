//! Variables by which a harmless command runs or does something else: no preset and no pattern allows them, and an answer
//! covers only the variables that were shown.

use super::*;

const NAMES: &str = "PATH HOME SHELL LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES TAR_OPTIONS GREP_OPTIONS \
    GIT_SSH GIT_SSH_COMMAND GIT_DIR GIT_WORK_TREE GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_GLOBAL GIT_EXEC_PATH \
    GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_TEMPLATE_DIR GIT_PAGER GIT_EDITOR GIT_ASKPASS PAGER EDITOR VISUAL BROWSER \
    NODE_OPTIONS NODE_PATH npm_config_script_shell NPM_CONFIG_USERCONFIG PYTHONPATH PYTHONSTARTUP PYTHONHOME \
    PYTHONWARNINGS PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB BASH_ENV ENV IFS PS4 SHELLOPTS BASHOPTS PROMPT_COMMAND \
    ZDOTDIR CDPATH GLOBIGNORE BASH_FUNC_ls%% JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS \
    DOTNET_STARTUP_HOOKS RUSTC RUSTC_WRAPPER RUSTFLAGS CARGO_BUILD_RUSTC_WRAPPER CARGO_HOME MAKEFLAGS MAKEFILES CC CXX \
    LESSOPEN LESSCLOSE MANOPT LUA_INIT PHPRC GCONV_PATH LOCPATH GLIBC_TUNABLES TERMINFO OPENSSL_CONF SSL_CERT_FILE \
    http_proxy HTTPS_PROXY SSH_AUTH_SOCK SSH_ASKPASS XDG_CONFIG_HOME TMPDIR KUBECONFIG DOCKER_HOST AWS_PROFILE \
    VIRTUAL_ENV R_PROFILE_USER JUPYTER_PATH VIMINIT EXINIT GTK_MODULES QT_PLUGIN_PATH HISTFILE INPUTRC WGETRC CURL_HOME";

const POLICY: &str = r#"{"default":"allow","rules":[
    {"action":"allow","command":["npm test","npm **","env **","tar **"]},
    {"action":"allow","kind":["execute"]}]}"#;

/// A request to run a command with one variable, in both shapes that agents send.
fn shapes(name: &str, value: &str) -> [Action; 2] {
    let (name, value) = (
        serde_json::Value::from(name),
        serde_json::Value::from(value),
    );
    let inputs = [
        format!(r#"{{"command":["npm","test"],"env":{{{name}:{value}}}}}"#),
        format!(r#"{{"command":"npm test","env":[{{"name":{name},"value":{value}}}]}}"#),
    ];
    inputs.map(|input| action(&format!(r#"{{"kind":"execute","rawInput":{input}}}"#)))
}

#[test]
fn attack_no_preset_and_no_pattern_allows_a_variable() {
    let values = ["./evil", "/tmp/x; id", "$(id)", "-x\n", "a b"];
    for preset in [Preset::Ask, Preset::ApproveReads, Preset::DenyAll] {
        let plain = Permissions::preset(preset);
        let ruled = with_policy(preset, POLICY);
        for name in NAMES.split_whitespace() {
            for asked in values.iter().flat_map(|value| shapes(name, value)) {
                for permissions in [&plain, &ruled] {
                    let verdict = permissions.judge(&asked);
                    let is_right = match preset {
                        Preset::Ask => verdict == Verdict::Ask,
                        _ => matches!(verdict, Verdict::Deny(_)),
                    };
                    assert!(is_right, "{preset:?} {name}: {}", shown(&verdict));
                }
                assert!(
                    asked
                        .variables()
                        .eq([asked.command.as_ref().unwrap()[1].as_str()])
                );
            }
        }
    }
}

#[test]
fn attack_an_answer_covers_only_the_variables_that_were_shown() {
    let permissions = Permissions::preset(Preset::Ask);
    let [plain, _] = shapes("CI", "1");
    permissions.remember(&plain, &decision(true, Scope::Always));
    assert!(matches!(permissions.judge(&plain), Verdict::Allow(_)));
    for name in NAMES.split_whitespace() {
        for asked in shapes(name, "./evil") {
            assert_eq!(permissions.judge(&asked), Verdict::Ask, "{name}");
            permissions.remember(&asked, &decision(true, Scope::Session));
            assert!(
                matches!(permissions.judge(&asked), Verdict::Allow(_)),
                "{name}"
            );
        }
        for other in shapes(name, "./other") {
            assert_eq!(permissions.judge(&other), Verdict::Ask, "{name}");
        }
    }
}

#[test]
fn harmless_variables_do_not_keep_a_rule_from_allowing() {
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"allow","command":"npm test"}]}"#,
    );
    for (name, value) in [
        ("CI", "1"),
        ("TERM", "dumb"),
        ("GIT_PAGER", "cat"),
        ("LC_ALL", "C"),
    ] {
        for asked in shapes(name, value) {
            let verdict = permissions.judge(&asked);
            assert!(
                matches!(verdict, Verdict::Allow(_)),
                "{name}: {}",
                shown(&verdict)
            );
        }
    }
}
