//! A replayed recording looks like the original conversation.

use crate::pane::Pane;

/// The screen after a prompt to an agent.
fn screen(agent: &str, prompt: &str) -> Option<String> {
    let pane = Pane::open_with(90, 34, &[], agent)?;
    pane.wait_for("ready");
    pane.send(prompt);
    pane.press("Enter");
    pane.wait_for("done in");
    Some(pane.rows())
}

#[test]
fn a_replay_shows_the_same_screen() {
    let attache = env!("CARGO_BIN_EXE_attache");
    let dir = tempfile::tempdir().unwrap();
    for scenario in ["markdown", "plan", "thoughts", "parallel"] {
        let file = dir.path().join(scenario);
        let file = file.display();
        let live = format!("exec {attache} trace -o {file} -- {attache} mock");
        let Some(live) = screen(&live, scenario) else {
            eprintln!("skipped: tmux is not installed");
            return;
        };
        let played = format!("exec {attache} replay {file} --speed 0");
        assert_eq!(screen(&played, scenario).unwrap(), live, "{scenario}");
        assert!(live.contains("done in TIME"), "{live}");
    }
}
