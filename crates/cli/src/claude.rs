//! `attache claude`.

use attache::process::{Program, Status};
use attache_adapter::Launcher;

use crate::arguments::Claude;
use crate::exit::Exit;
use crate::signals::Signals;

pub(crate) async fn claude(arguments: Claude) -> anyhow::Result<Exit> {
    let launcher = Launcher::find(arguments.cli);
    if arguments.login {
        let login = Program::new(&launcher?.program).args(["auth", "login"]);
        return Ok(match login.run_attached().await? {
            Status::Exited(0) => Exit::Done,
            _ => Exit::Failed,
        });
    }
    let mut signals = Signals::new()?;
    attache_adapter::serve(launcher, signals.next()).await?;
    Ok(Exit::Done)
}
