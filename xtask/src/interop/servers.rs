//! MCP servers of others with our agent: the tests of `docs/mcp.md`, and an errand of the binary.

use std::env;
use std::process::Command;
use std::time::Instant;

use super::binary::{self, Agent};
use super::install::{Packages, environment, finish, is_installed, packages};
use super::pair::Outcome;
use super::{Place, Program};

/// What is installed.
pub(super) struct Servers {
    missing: Option<String>,
}

pub(super) fn install(place: &Place) -> Result<Servers, String> {
    if !is_installed("python3") {
        let missing = Some("python3 is not installed".to_owned());
        return Ok(Servers { missing });
    }
    if let Packages::Missing(reason) = packages(place, "mcp")? {
        let missing = Some(reason);
        return Ok(Servers { missing });
    }
    environment(place, "mcp")?;
    Ok(Servers { missing: None })
}

/// The tests of the agent's crate that need them.
pub(super) fn test(place: &Place, servers: &Servers) -> Outcome {
    if let Some(missing) = &servers.missing {
        return Outcome::Skipped(missing.clone());
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut test = Command::new(cargo);
    // All packages, so that what was built for their tests is good for these.
    test.args(["test", "--workspace", "--test", "mcp", "--target-dir"])
        .arg(&place.target);
    test.args(["--", "real"]).current_dir(&place.root);
    test.env("ATTACHE_TEST_MCP", place.installed.join("mcp"));
    let start = Instant::now();
    match finish(&mut test) {
        Ok(()) => Outcome::Ok(start.elapsed()),
        Err(fault) => Outcome::Failed(fault),
    }
}

/// Our agent with a script that calls the tools of one of them.
pub(super) fn agent(place: &Place, servers: &Servers) -> Agent {
    let script = place.sources.join("mcp/script.json");
    let binary = place.target.join("release/attache");
    Agent {
        name: "builtin",
        program: match &servers.missing {
            Some(missing) => Program::Skipped(missing.clone()),
            None => Program::Ready(vec![
                binary.into(),
                "agent".into(),
                "--script".into(),
                script.into(),
            ]),
        },
        env: Vec::new(),
        errands: binary::SERVER,
    }
}
