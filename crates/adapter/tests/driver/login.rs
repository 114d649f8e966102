//! Tests of login, logout, and endpoints that the client sets.

use std::path::Path;

use attache_adapter::launch::Launcher;

use super::{converse, launcher, opening, play_with, prompt, said};

fn hello(capabilities: &str) -> String {
    format!("-> initialize {{\"protocolVersion\":1,\"clientCapabilities\":{capabilities}}}\n")
}

#[tokio::test]
async fn a_client_with_a_terminal_is_offered_both_logins() {
    let script = hello("{\"auth\":{\"terminal\":true}}")
        + "<= {\"agentCapabilities\":{\"auth\":{\"status\":{},\"logout\":{}},\"providers\":{}, ...},\"authMethods\":[\
           {\"type\":\"terminal\",\"id\":\"claude-login\",\"name\":_,\"description\":_,\"args\":[\"--login\"]},\
           {\"type\":\"terminal\",\"id\":\"console-login\",\"name\":_,\"description\":_,\"args\":[\"--login=console\"]}], ...}\n";
    converse(&script, Ok(launcher()), Path::new("/nowhere")).await;
}

#[tokio::test]
async fn a_client_that_knows_the_older_form_gets_the_whole_command() {
    let cli = launcher().program;
    let cli = cli.display();
    let command = |way: &str, name: &str| {
        format!(
            "{{\"id\":_,\"name\":_,\"description\":_,\"_meta\":{{\"terminal-auth\":{{\"command\":_,\
             \"args\":[\"claude\",\"--cli={cli}\",\"{way}\"],\"label\":\"{name}\"}}}}}}"
        )
    };
    let script = hello("{\"_meta\":{\"terminal-auth\":true}}")
        + &format!(
            "<= {{\"authMethods\":[{},{}], ...}}\n",
            command("--login", "Claude subscription"),
            command("--login=console", "Anthropic Console")
        )
        + "-> authenticate {\"methodId\":\"claude-login\"}\n\
           <! {\"code\":-32000, ...} within 20s\n\
           -> authenticate {\"methodId\":\"smile\"}\n<! {\"code\":-32602, ...}\n";
    converse(&script, Ok(launcher()), Path::new("/nowhere")).await;
}

#[tokio::test]
async fn a_logout_is_that_of_the_cli() {
    let script = "-> logout {}\n<= {} within 20s\n";
    play_with(script, Ok(launcher()), Path::new("/nowhere")).await;
    let script = "-> logout {}\n<! {\"code\":-32603,\
                  \"message\":\"Internal error: the CLI did not log out: agent exited with 1\", ...} within 20s\n";
    let program = Path::new("/bin/false").to_owned();
    let broken = Launcher {
        program,
        bypass: false,
    };
    play_with(script, Ok(broken), Path::new("/nowhere")).await;
}

#[tokio::test]
async fn sessions_opened_afterwards_go_where_the_client_says() {
    let folder = tempfile::Builder::new().prefix("no-login").tempdir();
    let folder = folder.expect("a folder");
    let script = "-> providers/list {}\n\
         <= {\"providers\":[{\"providerId\":\"main\",\"supported\":[\"anthropic\",\"bedrock\"],\"required\":false}]}\n\
         -> providers/set {\"providerId\":\"main\",\"apiType\":\"anthropic\",\"baseUrl\":\"https://gateway.example\",\
         \"headers\":{\"authorization\":\"Bearer pass\",\"X-Team\":\"blue\"}}\n<= {}\n\
         -> providers/list {}\n\
         <= {\"providers\":[{\"providerId\":\"main\",\"current\":{\"apiType\":\"anthropic\",\
         \"baseUrl\":\"https://gateway.example\"}, ...}]}\n\
         -> auth/status {}\n<= {\"state\":\"not_required\"}\n"
        .to_owned()
        + &opening(folder.path())
        + "<= {\"sessionId\":$session, ...} within 20s\n\
           <. session/update {\"sessionId\":$session,\"update\":{\"sessionUpdate\":\"available_commands_update\", ...}}\n"
        + &prompt("where")
        + "<. session/update {\"sessionId\":$session,\"update\":{\"sessionUpdate\":\"session_info_update\", ...}}\n"
        + &said("https://gateway.example pass X-Team: blue 1")
        + "<= @turn {\"stopReason\":\"end_turn\"}\n\
           -> providers/disable {\"providerId\":\"other\"}\n<= {}\n\
           -> providers/disable {\"providerId\":\"main\"}\n<= {}\n\
           -> providers/list {}\n\
           <= {\"providers\":[{\"providerId\":\"main\",\"supported\":[\"anthropic\",\"bedrock\"],\"required\":false}]}\n"
        + &opening(folder.path())
        + "<! {\"code\":-32000, ...} within 20s\n";
    play_with(&script, Ok(launcher()), Path::new("/nowhere")).await;
}
