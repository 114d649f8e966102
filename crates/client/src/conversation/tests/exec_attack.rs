//! Programs that wait to be executed: the prompt that the user sees, and the programs that a remembered answer covers.

use std::path::{Path, PathBuf};

use attache_host::exec::ExecRequest;
use attache_host::permissions::{Expiry, Scope};

use super::{Fixture, allow, reject};
use crate::command::{Command, PermissionAnswer};
use crate::event::{Event, ProgramStart, PromptSubject};

fn request(program: &Path, args: &[&str], variables: &[&str]) -> ExecRequest {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    ExecRequest {
        session: Some("s".into()),
        program: program.to_owned(),
        args: words(args),
        more: 0,
        cwd: "/tmp".into(),
        parents: words(&["make", "sh"]),
        variables: words(variables),
        why: "policy rule `ask`".to_owned(),
    }
}

/// `ls`, as our PATH knows it.
fn ls() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let mut found = std::env::split_paths(&path).map(|directory| directory.join("ls"));
    let found = found.find(|path| path.exists()).unwrap();
    found.canonicalize().unwrap()
}

/// Sends a request that the user answers like this. Returns the result, and the prompt if the user was asked.
async fn ask(
    fixture: &mut Fixture,
    request: ExecRequest,
    answer: PermissionAnswer,
) -> (bool, Option<ProgramStart>) {
    let prompts = fixture.conversation.exec_prompts();
    let mut asking = tokio::spawn(async move { prompts.ask(request).await });
    let mut shown = None;
    loop {
        let event = tokio::select! {
            is_allowed = &mut asking => return (is_allowed.unwrap(), shown),
            event = fixture.conversation.next() => event,
        };
        let Event::PermissionRequested(prompt) = event else {
            continue;
        };
        if let PromptSubject::Exec(exec) = prompt.subject {
            shown = Some(exec);
        }
        fixture.conversation.submit(Command::AnswerPermission {
            prompt: prompt.id,
            answer: answer.clone(),
            expiry: Expiry::Never,
        });
    }
}

#[tokio::test(start_paused = true)]
async fn attack_a_remembered_answer_is_for_one_program_and_its_variables() {
    let mut fixture = Fixture::in_session("{}", "").await;
    let (ls, other) = (ls(), Path::new("/evil/ls"));
    let first = request(&ls, &["ls", "x"], &[]);
    let (is_allowed, shown) = ask(&mut fixture, first, allow(Scope::Session)).await;
    assert!(is_allowed && shown.is_some());
    for (request, is_asked) in [
        (request(&ls, &["ls", "x"], &[]), false),
        (request(&ls, &["ls", "x"], &["LD_PRELOAD=/evil.so"]), true),
        (request(&ls, &["ls", "x"], &["PATH=/evil"]), true),
        (request(&ls, &["ls", "y"], &[]), true),
        (request(other, &["ls", "x"], &[]), true),
        (request(other, &[ls.to_str().unwrap(), "x"], &[]), true),
    ] {
        let (is_allowed, shown) = ask(&mut fixture, request.clone(), reject(Scope::Once)).await;
        assert_eq!(is_allowed, !is_asked, "{request:?}");
        assert_eq!(shown.is_some(), is_asked, "{request:?}");
        let Some(exec) = shown else {
            continue;
        };
        // The name is one that leads to the program, whatever the process calls it.
        let name = match request.program == ls && request.args[0] == "ls" {
            true => "ls",
            false => request.program.to_str().unwrap(),
        };
        assert_eq!((exec.name.as_str(), exec.command()[0]), (name, name));
        assert_eq!(
            (&exec.program, &exec.argv, &exec.cwd, &exec.parents),
            (
                &request.program,
                &request.args,
                &request.cwd,
                &request.parents
            )
        );
        let env = exec.env.iter();
        let env = env.map(|it| format!("{}={}", it.name, it.value.reveal()));
        assert_eq!(env.collect::<Vec<_>>(), request.variables);
    }
}
