//! `attache claude`.

use expect_test::expect;

use crate::Machine;

#[test]
fn a_login_is_that_of_the_cli_with_its_exit_code() {
    let machine = Machine::new();
    machine.program("bin/claude", "#!/bin/sh\necho \"$@\"\nexit 7\n");
    let cli = machine.path("bin/claude");
    let cli = cli.to_str().unwrap();
    let login = |flag: &str| machine.shown(&machine.attache(&["claude", "--cli", cli, flag]));
    let shown = login("--login") + &login("--login=console");
    expect![[r#"
        auth login --claudeai
        exit: 7
        auth login --console
        exit: 7
    "#]]
    .assert_eq(&shown);
}
