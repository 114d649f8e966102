//! Third-party MCP servers with our agent: the tests of `docs/mcp.md`, and a task of the binary.

use std::time::Instant;

use super::binary::{self, Agent};
use super::built_targets::BuiltTargets;
use super::install::{Packages, environment, is_installed, packages, run_command};
use super::pair::Outcome;
use super::{InteropDirs, Program};

/// The installed servers, or why they are missing.
pub(super) struct McpServers {
    missing: Option<String>,
}

pub(super) fn install(dirs: &InteropDirs) -> Result<McpServers, String> {
    if !is_installed("python3") {
        let missing = Some("python3 is not installed".to_owned());
        return Ok(McpServers { missing });
    }
    if let Packages::Missing(reason) = packages(dirs, "mcp")? {
        let missing = Some(reason);
        return Ok(McpServers { missing });
    }
    environment(dirs, "mcp")?;
    Ok(McpServers { missing: None })
}

/// Runs the tests of the crate `mcp` that need the servers.
pub(super) fn test(dirs: &InteropDirs, built: &BuiltTargets, servers: &McpServers) -> Outcome {
    if let Some(missing) = &servers.missing {
        return Outcome::Skipped(missing.clone());
    }
    let start = Instant::now();
    let ended = built.test("mcp").and_then(|mut test| {
        test.arg("real");
        test.env("ATTACHE_TEST_MCP", dirs.installed.join("mcp"));
        run_command(&mut test)
    });
    match ended {
        Ok(()) => Outcome::Ok(start.elapsed()),
        Err(fault) => Outcome::Failed(fault),
    }
}

/// Our agent with a script that calls the tools of one server.
pub(super) fn agent(dirs: &InteropDirs, servers: &McpServers) -> Agent {
    let script = dirs.sources.join("mcp/script.json");
    let binary = dirs.target.join("release/attache");
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
        tasks: binary::SERVER,
    }
}
