//! Tests of the agent between a scripted client and a shell script in place of the CLI.

#![cfg(unix)]
#![cfg(test)]

mod user_requests;

use std::fs;
use std::path::{Path, PathBuf};

mod login;

use attache_adapter::agent::serve_on;
use attache_adapter::launch::{CliNotFound, Launcher};
use attache_adapter::store::TranscriptStore;
use attache_testkit::{Side, Trace, scripted_client};

/// Opens a session and plays a client's script. Fails if the agent violates the protocol.
async fn play(script: &str) -> Trace {
    play_in(Path::new("/"), script).await
}

async fn play_in(cwd: &Path, script: &str) -> Trace {
    play_in_as("{}", cwd, script).await
}

/// Like [`play`], for a client with these capabilities.
async fn play_as(capabilities: &str, script: &str) -> Trace {
    play_in_as(capabilities, Path::new("/"), script).await
}

async fn play_in_as(capabilities: &str, cwd: &Path, script: &str) -> Trace {
    let script = format!(
        "{}<= {{\"sessionId\":$session,\"_meta\":{{\"claudeCode\":{{\"version\":\"2.1.325\"}}}}, ...}} within 20s\n\
         <. session/update {{\"sessionId\":$session,\"update\":{{\"sessionUpdate\":\"available_commands_update\",\
         \"availableCommands\":[{{\"name\":\"compact\",\"description\":\"Shorten\"}}]}}}}\n{script}",
        opening(cwd)
    );
    let script = hello(capabilities) + &script;
    converse(&script, Ok(launcher()), Path::new("/nowhere")).await
}

async fn play_with(script: &str, launcher: Result<Launcher, CliNotFound>, config: &Path) -> Trace {
    converse(&(hello("{}") + script), launcher, config).await
}

fn hello(capabilities: &str) -> String {
    format!(
        "-> initialize {{\"protocolVersion\":1,\"clientCapabilities\":{capabilities}}}\n\
         <= {{\"protocolVersion\":1, ...}}\n"
    )
}

async fn converse(script: &str, launcher: Result<Launcher, CliNotFound>, config: &Path) -> Trace {
    let ((read, write), peer) = scripted_client(script).expect("a script");
    let (client, calls) = attache::agent::connect(read, write, attache::Options::default());
    let serving = tokio::spawn(serve_on(
        client,
        calls,
        launcher,
        TranscriptStore::new(config),
    ));
    let trace = peer
        .finish()
        .await
        .unwrap_or_else(|difference| panic!("{difference}"));
    serving.await.expect("the agent ends with its client");
    let found = trace.violations_of(Side::Agent);
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{found:#?}");
    trace
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/driver")
}

fn prompt(words: &str) -> String {
    format!(
        "-> session/prompt @turn {{\"sessionId\":$session,\"prompt\":[{{\"type\":\"text\",\"text\":\"{words}\"}}]}}\n"
    )
}

fn titled(words: &str) -> String {
    format!(
        "{}<. session/update {{\"sessionId\":$session,\"update\":{{\"sessionUpdate\":\"session_info_update\",\
         \"title\":\"{words}\"}}}}\n",
        prompt(words)
    )
}

fn said(words: &str) -> String {
    format!(
        "<. session/update {{\"sessionId\":$session,\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\
         \"content\":{{\"type\":\"text\",\"text\":\"{words}\"}}, ...}}}}\n"
    )
}

#[tokio::test]
async fn a_turn() {
    play(&(titled("hi") + &said("Hello.") + "<= @turn {\"stopReason\":\"end_turn\"}\n")).await;
}

#[tokio::test]
async fn a_turn_with_several_results_costs_all_of_them() {
    let usage = "{\"totalTokens\":34,\"inputTokens\":20,\"outputTokens\":4,\"cachedReadTokens\":10,\"cachedWriteTokens\":0}";
    let end = format!("<= @turn {{\"stopReason\":\"end_turn\",\"usage\":{usage}}}\n");
    play(&(titled("twice") + &end)).await;
}

#[tokio::test]
async fn a_session_is_not_cleared() {
    let no = "A session cannot be cleared here: open a new one instead.";
    let mut script = String::new();
    for words in ["/clear", " /new start", "/reset"] {
        script += &(prompt(words) + &said(no) + "<= @turn {\"stopReason\":\"end_turn\"}\n");
    }
    script += "-> _session/steering {\"sessionId\":$session,\"prompt\":[{\"type\":\"text\",\"text\":\"/clear\"}]}\n\
               <! {\"code\":-32602, ...}\n";
    script += &(titled("/newer") + &said("Hello.") + "<= @turn {\"stopReason\":\"end_turn\"}\n");
    play(&script).await;
}

#[tokio::test]
async fn servers_without_names_of_their_own_are_refused() {
    let server = |name: &str| {
        format!("{{\"name\":\"{name}\",\"command\":\"/bin/true\",\"args\":[],\"env\":[]}}")
    };
    let refused = |servers: [String; 2], words: &str| {
        let servers = servers.join(",");
        format!(
            "-> session/new {{\"cwd\":\"/\",\"mcpServers\":[{servers}]}}\n\
             <! {{\"code\":-32602,\"message\":\"Invalid params: {words}: give each one of its own\", ...}}\n"
        )
    };
    let script = refused(
        [server("a"), server(" ")],
        "an MCP server in `mcpServers` has no name",
    ) + &refused(
        [server("a"), server("a")],
        "two MCP servers in `mcpServers` have the same name",
    );
    play(&script).await;
}

#[tokio::test]
async fn thousands_of_servers_of_one_name_are_refused_at_once() {
    let server = r#"{"name":"a","command":"/bin/true","args":[],"env":[]}"#;
    let servers = vec![server; 20_000].join(",");
    let script = format!(
        "-> session/new {{\"cwd\":\"/\",\"mcpServers\":[{servers}]}}\n\
         <! {{\"code\":-32602,\"message\":\"Invalid params: `mcpServers` names too many servers: name at most 256\", ...}} within 2s\n"
    );
    play(&script).await;
}

#[tokio::test]
async fn garbage_between_frames_is_skipped() {
    play(&(titled("garbage") + &said("Clean.") + "<= @turn {\"stopReason\":\"end_turn\"}\n")).await;
}

#[tokio::test]
async fn a_cli_that_dies_fails_the_turn_and_the_next_prompt_starts_another() {
    let script = titled("die")
        + &said("Ouch")
        + "<! @turn {\"code\":-32603,\"message\":\"Internal error: the CLI has exited: agent exited with 3: out of memory\", ...}\n"
        + &prompt("hi")
        + &said("Hello.")
        + "<= @turn {\"stopReason\":\"end_turn\"} within 20s\n";
    play(&script).await;
}

#[tokio::test]
async fn a_permission_that_is_given() {
    play(&asked("allow", "completed", "Done.")).await;
}

#[tokio::test]
async fn a_permission_that_is_not_given() {
    play(&asked("reject", "failed", "Not done.")).await;
}

fn asked(option: &str, status: &str, words: &str) -> String {
    titled("write")
        + "<. session/update {\"sessionId\":$session,\"update\":{\"sessionUpdate\":\"tool_call\",\"kind\":\"edit\", ...}}\n\
           <- session/request_permission {\"sessionId\":$session,\"toolCall\":{\"toolCallId\":\"call1\", ...},\"options\":[\
           {\"optionId\":\"allow\",\"name\":\"Allow\",\"kind\":\"allow_once\"},\
           {\"optionId\":\"allow_always:0\",\"name\":\"Accept all edits (mode acceptEdits) for this session\",\"kind\":\"allow_always\"},\
           {\"optionId\":\"reject\",\"name\":\"Reject\",\"kind\":\"reject_once\"}]}\n"
        + &format!("=> {{\"outcome\":{{\"outcome\":\"selected\",\"optionId\":\"{option}\"}}}}\n")
        + &format!(
            "<. session/update {{\"sessionId\":$session,\"update\":{{\"sessionUpdate\":\"tool_call_update\",\"status\":\"{status}\", ...}}}}\n"
        )
        + &said(words)
        + "<= @turn {\"stopReason\":\"end_turn\"}\n"
}

#[tokio::test]
async fn a_turn_is_cancelled_once_the_cli_is_idle() {
    let script = titled("wait")
        + &said("Waiting.")
        + ".> session/cancel {\"sessionId\":$session}\n\
           <= @turn {\"stopReason\":\"cancelled\"}\n"
        + &prompt("hi")
        + &said("Hello.")
        + "<= @turn {\"stopReason\":\"end_turn\"}\n";
    play(&script).await;
}

#[tokio::test]
async fn a_prompt_that_the_cli_drops_is_cancelled_at_once() {
    let script = titled("drop")
        + &said("Busy.")
        + ".> session/cancel {\"sessionId\":$session}\n\
           <= @turn {\"stopReason\":\"cancelled\"} within 4s\n"
        + &prompt("hi")
        + &said("Hello.")
        + "<= @turn {\"stopReason\":\"end_turn\"}\n";
    play(&script).await;
}

#[tokio::test]
async fn a_prompt_that_the_cli_names_as_dropped_is_cancelled_at_once() {
    let script = titled("named")
        + &said("Not yet.")
        + ".> session/cancel {\"sessionId\":$session}\n\
           <= @turn {\"stopReason\":\"cancelled\"} within 4s\n";
    play(&script).await;
}

/// The script of a turn that is steered in the middle and then cancelled.
fn steered_and_cancelled(words: &str) -> String {
    let prompt = format!("[{{\"type\":\"text\",\"text\":\"{words}\"}}]");
    let steering =
        format!("-> _session/steering @steered {{\"sessionId\":$session,\"prompt\":{prompt}}}\n");
    titled("wait")
        + &said("Waiting.")
        + &steering
        + "<= @steered {\"outcome\":\"injected\"}\n"
        + &said("I hear.")
        + ".> session/cancel {\"sessionId\":$session}\n\
           <= @turn {\"stopReason\":\"cancelled\"} within 4s\n"
}

#[tokio::test]
async fn what_was_said_in_the_middle_is_cancelled_with_its_turn() {
    play(&steered_and_cancelled("listen")).await;
}

#[tokio::test]
async fn what_was_cancelled_and_is_taken_late_does_not_cost_the_next_prompt() {
    let script = steered_and_cancelled("later")
        + &prompt("hi")
        + &said("Hello.")
        + "<= @turn {\"stopReason\":\"end_turn\"} within 4s\n";
    play(&script).await;
}

#[tokio::test]
async fn what_the_cli_does_by_itself_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = titled("alone")
        + &said("Done.")
        + "<= @turn {\"stopReason\":\"end_turn\"}\n\
           <. session/update {\"update\":{\"sessionUpdate\":\"available_commands_update\", ...}, ...}\n\
           .> session/cancel {\"sessionId\":$session}\n";
    play_in(folder.path(), &script).await;
    assert!(folder.path().join("stopped").exists());
}

#[tokio::test]
async fn a_session_that_is_closed_does_not_work_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = titled("work")
        + &said("Working.")
        + "-> session/close @closing {\"sessionId\":$session}\n\
           <= @turn {\"stopReason\":\"cancelled\"}\n\
           <= @closing {}\n";
    play_in(folder.path(), &script).await;
    assert!(!folder.path().join("worked").exists());
}

#[tokio::test]
async fn a_session_whose_client_has_gone_does_not_work_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = titled("work") + &said("Working.") + "...\n";
    play_in(folder.path(), &script).await;
    assert!(!folder.path().join("worked").exists());
}

#[tokio::test]
async fn a_session_that_is_not_stored_yet_can_be_loaded() {
    let script = "-> session/load {\"sessionId\":$session,\"cwd\":\"/\",\"mcpServers\":[]}\n\
                  <= {\"modes\":{\"currentModeId\":\"default\", ...}, ...} within 20s\n\
                  <. session/update {\"update\":{\"sessionUpdate\":\"available_commands_update\", ...}, ...}\n"
        .to_owned()
        + &titled("hi")
        + &said("Hello.")
        + "<= @turn {\"stopReason\":\"end_turn\"}\n";
    play(&script).await;
}

#[tokio::test]
async fn a_cli_that_does_not_stop_is_stopped() {
    let script = titled("ignore")
        + &said("I do not listen.")
        + ".> session/cancel {\"sessionId\":$session}\n\
           <= @turn {\"stopReason\":\"cancelled\"} within 20s\n";
    play(&script).await;
}

#[tokio::test]
async fn a_missing_login_is_told() {
    let script = titled("logged-out")
        + "<! @turn {\"code\":-32000,\"message\":\"Authentication required: log in with `attache claude --login`, or set ANTHROPIC_API_KEY\"}\n";
    play(&script).await;
}

/// The request for a session in a folder. The folder's name selects the behaviour of the fake CLI.
fn opening(folder: &Path) -> String {
    let cwd = folder.display();
    format!("-> session/new {{\"cwd\":\"{cwd}\",\"mcpServers\":[]}}\n")
}

fn launcher() -> Launcher {
    Launcher {
        program: here().join("cli.sh"),
        bypass: false,
    }
}

#[tokio::test]
async fn a_cli_that_has_no_login_opens_no_session() {
    let folder = tempfile::Builder::new().prefix("no-login").tempdir();
    let folder = folder.expect("a folder");
    let script = opening(folder.path())
        + "<! {\"code\":-32000,\"message\":\"Authentication required: log in with `attache claude --login`, or set ANTHROPIC_API_KEY\"} within 20s\n\
           -> auth/status {}\n<= {\"state\":\"unauthenticated\"} within 20s\n";
    play_with(&script, Ok(launcher()), Path::new("/nowhere")).await;
}

#[tokio::test]
async fn a_cli_that_died_before_it_wrote_anything_down_starts_anew() {
    dies_and_comes_back("forgetful").await;
}

#[tokio::test]
async fn what_a_cli_does_when_it_comes_back_does_not_end_the_next_turn() {
    dies_and_comes_back("orphan").await;
}

async fn dies_and_comes_back(manner: &str) {
    let folder = tempfile::Builder::new().prefix(manner).tempdir();
    let script = titled("die")
        + &said("Ouch")
        + "<! @turn {\"code\":-32603, ...}\n"
        + &prompt("hi")
        + &said("Hello.")
        + "<= @turn {\"stopReason\":\"end_turn\"} within 20s\n";
    play_in(folder.expect("a folder").path(), &script).await;
}

#[tokio::test]
async fn what_cannot_be_given_to_the_cli_is_refused() {
    let script = "-> session/prompt {\"sessionId\":$session,\"prompt\":[]}\n\
                  <! {\"code\":-32602, ...}\n\
                  -> session/prompt {\"sessionId\":$session,\"prompt\":[{\"type\":\"text\",\"text\":\" \\n\"}]}\n\
                  <! {\"code\":-32602, ...}\n\
                  -> session/prompt {\"sessionId\":$session,\"prompt\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"\"}]}\n\
                  <! {\"code\":-32602, ...}\n\
                  -> _session/steering {\"sessionId\":$session,\"prompt\":[{\"type\":\"text\",\"text\":\"x\"}]}\n\
                  <= {\"outcome\":\"promptRequired\"}\n\
                  -> session/new {\"cwd\":\"/\",\"mcpServers\":[],\"additionalDirectories\":[\"/nowhere\"]}\n\
                  <! {\"code\":-32602, ...}\n";
    play(script).await;
}

#[tokio::test]
async fn a_mode_is_set_or_refused() {
    let script = "-> session/set_mode @set {\"sessionId\":$session,\"modeId\":\"plan\"}\n\
                  <. session/update {\"sessionId\":$session,\"update\":{\"sessionUpdate\":\"config_option_update\", ...}}\n\
                  <. session/update {\"sessionId\":$session,\"update\":{\"sessionUpdate\":\"current_mode_update\",\"currentModeId\":\"plan\"}}\n\
                  <= @set {}\n\
                  -> session/set_mode {\"sessionId\":$session,\"modeId\":\"bypassPermissions\"}\n\
                  <! {\"code\":-32602, ...}\n\
                  -> session/close {\"sessionId\":$session}\n<= {} within 10s\n\
                  -> session/set_mode {\"sessionId\":$session,\"modeId\":\"plan\"}\n\
                  <! {\"code\":-32002, ...}\n";
    play(script).await;
}

#[tokio::test]
async fn a_model_that_is_typed_becomes_the_option_before_the_turn_ends() {
    let script = titled("/model there")
        + &said("Set model to there")
        + "<. session/update {\"sessionId\":$session,\"update\":{\"sessionUpdate\":\"config_option_update\",\"configOptions\":[_,\
           {\"id\":\"model\",\"currentValue\":\"there\",\"options\":[{\"value\":\"here\",\"name\":\"here\"},\
           {\"value\":\"there\",\"name\":\"there\"}], ...}]}}\n\
           <= @turn {\"stopReason\":\"end_turn\"}\n\
           -> session/set_config_option {\"sessionId\":$session,\"configId\":\"model\",\"value\":\"here\"}\n\
           <= {\"configOptions\":[_,{\"id\":\"model\",\"currentValue\":\"here\", ...}]}\n\
           -> session/set_config_option {\"sessionId\":$session,\"configId\":\"model\",\"value\":\"elsewhere\"}\n\
           <! {\"code\":-32602, ...}\n";
    play(&script).await;
}

#[tokio::test]
async fn a_missing_cli_is_told_with_what_to_do() {
    let script = "-> session/new {\"cwd\":\"/\",\"mcpServers\":[]}\n\
                  <! {\"code\":-32603,\"message\":\"Internal error: the Claude Code CLI was not found: install it with \
                  `npm i -g @anthropic-ai/claude-code`, or name it with --cli or CLAUDE_CODE_EXECUTABLE\", ...}\n";
    play_with(script, Err(CliNotFound::Anywhere), Path::new("/nowhere")).await;
}

#[tokio::test]
async fn a_stored_session_is_listed_told_again_and_deleted() {
    let config = tempfile::tempdir().expect("a folder");
    let folder = config.path().join("projects/-project");
    fs::create_dir_all(&folder).expect("a folder");
    let id = "11111111-2222-4333-8444-555555555555";
    fs::copy(
        here().join("transcript.jsonl"),
        folder.join(format!("{id}.jsonl")),
    )
    .expect("a copy");
    let subagents = folder.join(id).join("subagents");
    fs::create_dir_all(&subagents).expect("a folder");
    let inner = "{\"type\":\"assistant\",\"isSidechain\":true,\"message\":{\"id\":\"msg_i\",\"content\":[{\"type\":\"text\",\"text\":\"Inner.\"}]}}";
    fs::write(subagents.join("agent-a1.jsonl"), inner).expect("a transcript");
    let note = "{\"toolUseId\":\"toolu_1\"}";
    fs::write(subagents.join("agent-a1.meta.json"), note).expect("a note");
    let script = format!(
        "-> session/list {{}}\n\
         <= {{\"sessions\":[{{\"sessionId\":\"{id}\",\"cwd\":\"/project\",\"title\":\"Fix the greeting\",\
         \"updatedAt\":\"2026-11-16T09:00:05.000Z\"}}]}}\n\
         -> session/load @load {{\"sessionId\":\"{id}\",\"cwd\":\"/\",\"mcpServers\":[]}}\n\
         <. session/update {{\"sessionId\":\"{id}\",\"update\":{{\"sessionUpdate\":\"user_message_chunk\",\
         \"content\":{{\"type\":\"text\",\"text\":\"Fix the greeting\"}},\"messageId\":_}}}}\n\
         <. session/update {{\"sessionId\":\"{id}\",\"update\":{{\"sessionUpdate\":\"tool_call\",\"title\":\"Edit /project/a.txt\", ...}}}}\n\
         <. session/update {{\"sessionId\":\"{id}\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\
         \"_meta\":{{\"claudeCode\":{{\"parentToolUseId\":\"toolu_1\"}}}},\"content\":{{\"type\":\"text\",\"text\":\"Inner.\"}},\
         \"messageId\":\"msg_i:0\"}}}}\n\
         <. session/update {{\"sessionId\":\"{id}\",\"update\":{{\"sessionUpdate\":\"tool_call_update\",\"status\":\"completed\",\
         \"content\":[{{\"type\":\"diff\",\"path\":\"/project/a.txt\",\"oldText\":\"hi\\n\",\"newText\":\"hello\\n\"}}], ...}}}}\n\
         <. session/update {{\"sessionId\":\"{id}\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\
         \"content\":{{\"type\":\"text\",\"text\":\"Fixed.\"}},\"messageId\":_}}}}\n\
         <. session/update {{\"sessionId\":\"{id}\",\"update\":{{\"sessionUpdate\":\"user_message_chunk\",\
         \"content\":{{\"type\":\"text\",\"text\":\"/compact now\"}},\"messageId\":_}}}}\n\
         <= @load {{\"modes\":{{\"currentModeId\":\"default\", ...}}, ...}} within 20s\n\
         <. session/update {{\"sessionId\":\"{id}\",\"update\":{{\"sessionUpdate\":\"available_commands_update\", ...}}}}\n\
         -> session/list {{\"cwd\":\"/project\"}}\n<= {{\"sessions\":[{{\"sessionId\":\"{id}\", ...}}]}}\n\
         -> session/list {{\"cwd\":\"/other\"}}\n<= {{\"sessions\":[]}}\n\
         -> session/delete {{\"sessionId\":\"{id}\"}}\n<= {{}} within 10s\n\
         -> session/list {{}}\n<= {{\"sessions\":[]}}\n\
         -> session/load {{\"sessionId\":\"{id}\",\"cwd\":\"/\",\"mcpServers\":[]}}\n<! {{\"code\":-32002, ...}}\n\
         -> session/load {{\"sessionId\":\"../-project/{id}\",\"cwd\":\"/\",\"mcpServers\":[]}}\n<! {{\"code\":-32002, ...}}\n"
    );
    play_with(&script, Ok(launcher()), config.path()).await;
    assert!(!folder.join(id).exists(), "what belongs to it is left");
}
