//! MCP servers of others with our agent: the tests of `docs/mcp.md`, and an errand of the binary.

use std::time::Instant;

use super::binary::{self, Agent};
use super::built::Built;
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

/// The tests of the crate `mcp` that need them.
pub(super) fn test(place: &Place, built: &Built, servers: &Servers) -> Outcome {
    if let Some(missing) = &servers.missing {
        return Outcome::Skipped(missing.clone());
    }
    let start = Instant::now();
    let ended = built.test("mcp").and_then(|mut test| {
        test.arg("real");
        test.env("ATTACHE_TEST_MCP", place.installed.join("mcp"));
        finish(&mut test)
    });
    match ended {
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
