//! `attache claude`.

use attache::process::Program;
use attache_adapter::Launcher;

use crate::arguments::{Claude, Login};
use crate::exit::Exit;
use crate::signals::Signals;

pub(crate) async fn claude(arguments: Claude) -> anyhow::Result<Exit> {
    let launcher = Launcher::find(arguments.cli);
    if let Some(way) = arguments.login {
        let way = match way {
            Login::Claudeai => "--claudeai",
            Login::Console => "--console",
        };
        let login = Program::new(&launcher?.program).args(["auth", "login", way]);
        return Ok(Exit::from(login.run_attached().await?));
    }
    let mut signals = Signals::new()?;
    attache_adapter::serve(launcher, signals.next()).await?;
    Ok(Exit::Done)
}
