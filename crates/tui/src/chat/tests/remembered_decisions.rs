//! Remembered answers: the confirmation says what will be remembered, and a decision can be undone.

use std::time::Duration;

use attache::v1;
use attache_client::command::Command;
use attache_client::event::Event;
use attache_host::permissions::{Expiry, Scope};
use expect_test::expect;

use super::permission_dialog::{answers, ask, check};
use super::test_ui::{TestUi, permission_prompt, test_ui};
use crate::chat::Effect;

/// Moves to the answer with these words, and chooses it.
pub(super) fn choose(ui: &mut TestUi, words: &str) {
    ui.press("<Tab>");
    for _ in 0..20 {
        ui.press("<Down>");
        let screen = ui.screen();
        let row = screen.lines().find(|row| row.contains('▌'));
        if row.is_some_and(|row| row.contains(words)) {
            return ui.press("<Enter>");
        }
    }
    panic!("there is no answer {words}: {}", ui.screen());
}

#[test]
fn a_lasting_answer_is_confirmed_with_what_it_covers() {
    let mut ui = test_ui();
    ui.app.settings.expiry = "36h".parse().unwrap();
    ask(&mut ui, 1);
    choose(&mut ui, "in this workspace");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        |╭ Remember this answer? Run a command ─────────────────────╮
        |│ command ┊ cargo test -- 'a b'                            │
        |│ in      ┊ /code/project                                  │
        |│ title   ┊ Run the tests                                  │
        |│ Attaché will allow exactly this command without asking:  │
        |│ for this agent, in this workspace, for 36 hours.         │
        |│ agent   ┊ test                                           │
        |│ in      ┊ /code/project                                  │
        |╰ Enter confirm · Esc back · ←→ how long · Alt-D details ──╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    assert_eq!(answers(&mut ui, ""), "");
    ui.press("<Right><Right><Left><Right><Right>");
    assert!(ui.screen().contains("for 8 hours"), "{}", ui.screen());
    ui.press("<Enter>");
    expect![[r#"[Submit(AnswerPermission { prompt: 1, answer: Choose { option: "yes", remember: Workspace }, expiry: After(28800s) })]"#]].assert_eq(&format!("{:?}", ui.take_effects()));
}

#[test]
fn esc_goes_back_from_the_second_step_and_nothing_is_decided() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    choose(&mut ui, "in this session");
    assert!(ui.screen().contains("Remember this answer?"));
    check(&mut ui, "<Esc>", &expect![""]);
    assert!(ui.screen().contains("Run a command?"));
    check(&mut ui, "<Esc><Enter>", &expect![""]);
}

#[test]
fn the_confirmation_says_what_each_scope_remembers() {
    let said = |words: &str, kind: v1::ToolKind, paths: &[&str]| {
        let mut ui = test_ui().size(110, 24);
        let mut prompt = permission_prompt(1, &["make"], "Build");
        if !paths.is_empty() {
            prompt.action.command = None;
            prompt.action.paths = paths.iter().map(Into::into).collect();
        }
        prompt.action.kind = kind;
        ui.event(Event::PermissionRequested(Box::new(prompt)));
        choose(&mut ui, words);
        let screen = ui.screen();
        let rows = screen.lines().filter_map(|row| row.strip_prefix("|│ "));
        let rows: Vec<&str> = rows.map(|row| row.trim_end_matches('│').trim()).collect();
        let at = rows.iter().position(|row| row.starts_with("Attaché will"));
        rows[at.unwrap()..].join(" ")
    };
    use v1::ToolKind::{Edit, Execute};
    let all = [
        said("Allow, and don't ask again in this session", Execute, &[]),
        said("Allow, and don't ask again in this workspace", Execute, &[]),
        said("Allow, and don't ask again with this agent", Execute, &[]),
        said("Reject, and don't ask again", Execute, &[]),
        said(
            "don't ask again in this session",
            Edit,
            &["/code/project/a"],
        ),
        said(
            "don't ask again in this session",
            Edit,
            &["/code/project/a", "/b"],
        ),
    ];
    expect![[r#"
        Attaché will allow exactly this command without asking: for this agent, in this session, until the session ends. agent   ┊ test
        Attaché will allow exactly this command without asking: for this agent, in this workspace, for good. agent   ┊ test in      ┊ /code/project
        Attaché will allow exactly this command without asking: for this agent, everywhere, for good. agent   ┊ test
        Attaché will reject this command, alone or as a part of a shell line, without asking: for this agent, in this workspace, for good. agent   ┊ test in      ┊ /code/project
        Attaché will allow every edit of this file, whatever it writes, without asking: for this agent, in this session, until the session ends. agent   ┊ test
        Attaché will allow every edit of these files, whatever it writes, without asking: for this agent, in this session, until the session ends. agent   ┊ test"#]].assert_eq(&all.join("\n"));
}

#[test]
fn an_option_that_the_agent_remembers_is_confirmed_in_its_words() {
    let mut ui = test_ui();
    let mut prompt = permission_prompt(1, &["npm", "test"], "Test");
    prompt.options.push(v1::PermissionOption::new(
        "rule",
        "Reject\u{1b}[2J Bash(npm test *)",
        v1::PermissionOptionKind::AllowAlways,
    ));
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    choose(&mut ui, "Always allow");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        | ?       help
        |╭ Remember this answer? Run a command ─────────────────────╮
        |│ command ┊ npm test                                       │
        |│ in      ┊ /code/project                                  │
        |│ title   ┊ Test                                           │
        |│ The agent will remember this by its own rules. Attaché   │
        |│ can't limit or undo it.                                  │
        |│ option  ┊ Reject␛[2J Bash(npm test *)                    │
        |╰ Enter confirm · Esc back · Alt-D details ────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    check(
        &mut ui,
        "<Enter>",
        &expect![[r#"
        1: Choose { option: "rule", remember: Once }
    "#]],
    );
}

#[test]
fn nothing_lasts_for_a_protected_file() {
    let mut ui = test_ui();
    let mut prompt = permission_prompt(1, &[], "Edit");
    prompt.action.command = None;
    prompt.action.kind = v1::ToolKind::Edit;
    prompt.action.paths = vec!["/code/project/.git/hooks/pre-commit".into()];
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    let screen = ui.screen();
    assert!(screen.contains("Protected file"), "{screen}");
    assert!(screen.contains("Content not shown"), "{screen}");
    assert!(!screen.contains("don't ask again"), "{screen}");
}

/// The symptom: an Enter that was held, or pressed twice, went through the second step unread.
#[test]
fn attack_a_second_enter_does_not_confirm_at_once() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    choose(&mut ui, "in this workspace");
    for _ in 0..20 {
        // Keys without any time between them count as a paste.
        ui.wait(Duration::from_millis(33));
        ui.screen();
        ui.press_unseen("<Enter>");
    }
    assert_eq!(answers(&mut ui, ""), "");
    let screen = ui.screen();
    assert!(screen.contains("then press Enter again"), "{screen}");
    assert!(answers(&mut ui, "<Enter>").contains("Workspace"));
}

/// The symptom: "You can allow it only once" stood above an option of the agent that could be chosen for always.
#[test]
fn attack_an_option_of_the_agent_does_not_last_for_a_protected_file() {
    let mut ui = test_ui().size(90, 30);
    let mut prompt = permission_prompt(1, &[], "Edit");
    prompt.action.command = None;
    prompt.action.kind = v1::ToolKind::Edit;
    prompt.action.paths = vec!["/code/project/AGENTS.md".into()];
    let always = v1::PermissionOptionKind::AllowAlways;
    prompt
        .options
        .insert(0, v1::PermissionOption::new("always", "Forever", always));
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    let screen = ui.screen();
    let said = "Can't be chosen (this can be allowed only once) ┊ Forever";
    assert!(screen.contains(said), "{screen}");
    assert_eq!(answers(&mut ui, "<Tab><Down><Enter><Enter>"), "");
    assert!(answers(&mut ui, "<Down><Enter>").contains("yes"));
}

/// The symptom: the first option and the 19th had the same id, and the first could be chosen.
#[test]
fn attack_an_id_that_a_hidden_option_has_too_cannot_be_chosen() {
    use v1::PermissionOptionKind as Kind;
    let mut ui = test_ui().size(90, 40);
    let mut prompt = permission_prompt(1, &["ls"], "List");
    let option = |at: usize| v1::PermissionOption::new(format!("a{at}"), "Once", Kind::AllowOnce);
    prompt.options = (0..18).map(option).collect();
    let forever = v1::PermissionOption::new("a0", "Forever", Kind::AllowAlways);
    prompt.options.push(forever);
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    let screen = ui.screen();
    assert!(screen.contains("its id is not unique"), "{screen}");
    assert_eq!(answers(&mut ui, "<Tab><Down><Enter>"), "");
    assert!(answers(&mut ui, "<Down><Enter>").contains("a1"));
}

fn remembered(ui: &mut TestUi, id: &str, scope: Scope) {
    ui.event(Event::DecisionRemembered {
        expiry: Expiry::Never,
        id: id.to_owned(),
        session: "s1".into(),
        summary: "cargo test⏎".to_owned(),
        scope,
        is_allowed: true,
    });
}

#[test]
fn a_decision_is_reported_and_can_be_undone() {
    let mut ui = test_ui();
    remembered(&mut ui, "d1", Scope::Workspace);
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        | ?       help
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | allowed in this workspace ┊ cargo test⏎ · Alt-U undo
    "#]]);
    ui.take_effects();
    ui.press("<A-u>");
    let forget = Command::UndoDecision {
        id: "d1".to_owned(),
    };
    assert_eq!(ui.take_effects(), [Effect::Submit(forget)]);
    ui.event(Event::DecisionUndone {
        id: "d1".to_owned(),
        was_in_force: true,
    });
    assert!(ui.screen().contains("undone ┊ cargo test⏎"));
    ui.press("<A-u>");
    assert_eq!(ui.take_effects(), []);
}

#[test]
fn options_that_cannot_be_chosen_say_why() {
    use v1::PermissionOptionKind as Kind;
    let mut ui = test_ui().size(90, 30);
    let mut prompt = permission_prompt(1, &["ls"], "List");
    prompt.options = vec![
        v1::PermissionOption::new("a", "One", Kind::AllowOnce),
        v1::PermissionOption::new("a", "Other", Kind::RejectOnce),
        v1::PermissionOption::new("b", "Odd", Kind::Other("perhaps".into())),
    ];
    let more =
        (0..16).map(|at| v1::PermissionOption::new(format!("c{at}"), "", Kind::RejectAlways));
    prompt.options.extend(more);
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    let screen = ui.screen();
    for said in [
        "Can't be chosen (its id is not unique) ┊ One",
        "Can't be chosen (its id is not unique) ┊ Other",
        "Can't be chosen (unknown kind) ┊ Odd",
        "Can't be chosen: 3 more options; the agent offers too many",
    ] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
    assert!(!screen.contains("don't ask again"), "{screen}");
    check(
        &mut ui,
        "<Tab><Down><Enter><Down><Enter><Down><Enter><Down><Enter>",
        &expect![""],
    );
}

#[test]
fn rejecting_for_longer_needs_the_agents_option_to_reject_once() {
    use v1::PermissionOptionKind as Kind;
    for (kinds, is_offered) in [
        (&[Kind::AllowOnce, Kind::RejectOnce][..], true),
        (&[Kind::AllowOnce][..], false),
        (&[Kind::AllowOnce, Kind::RejectAlways][..], false),
        (&[][..], false),
    ] {
        let mut ui = test_ui().size(90, 30);
        let mut prompt = permission_prompt(1, &["ls"], "List");
        let options = kinds.iter().zip(["a", "b"]);
        let options = options.map(|(kind, id)| v1::PermissionOption::new(id, id, kind.clone()));
        prompt.options = options.collect();
        ui.event(Event::PermissionRequested(Box::new(prompt)));
        let screen = ui.screen();
        let shown = screen.contains("Reject, and don't ask again");
        assert_eq!(shown, is_offered, "{kinds:?}: {screen}");
    }
}

#[test]
fn undo_is_not_offered_for_what_the_agent_remembers() {
    let mut ui = test_ui().size(90, 24);
    remembered(&mut ui, "d1", Scope::Workspace);
    let mut prompt = permission_prompt(1, &["ls"], "List");
    let always = v1::PermissionOptionKind::AllowAlways;
    let option = v1::PermissionOption::new("always", "Always", always);
    prompt.options.push(option);
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    choose(&mut ui, "┊ Always");
    ui.take_effects();
    ui.press("<Enter>");
    let said = "the agent remembers this; Attaché can't undo it ┊ ls";
    assert!(ui.screen().contains(said), "{}", ui.screen());
    ui.take_effects();
    ui.press("<A-u>");
    assert_eq!(ui.take_effects(), [], "an earlier decision is not meant");
    assert!(ui.screen().contains("there is no decision to undo"));
}

#[test]
fn a_withdrawn_permission_may_already_have_been_used() {
    let mut ui = test_ui().size(90, 20);
    remembered(&mut ui, "g1", Scope::Once);
    ui.press("<A-u>");
    ui.event(Event::DecisionUndone {
        id: "g1".to_owned(),
        was_in_force: true,
    });
    let said = "withdrawn; if the agent acts by itself, it may have done so already ┊ cargo test";
    assert!(ui.screen().contains(said), "{}", ui.screen());
}

#[test]
fn a_used_grant_cannot_be_undone() {
    let mut ui = test_ui().size(80, 20);
    remembered(&mut ui, "g1", Scope::Once);
    assert!(
        ui.screen()
            .contains("allowed once ┊ cargo test⏎ · Alt-U withdraw, unless used")
    );
    ui.press("<A-u>");
    ui.event(Event::DecisionUndone {
        id: "g1".to_owned(),
        was_in_force: false,
    });
    assert!(ui.screen().contains("too late to undo: already used"));
}
