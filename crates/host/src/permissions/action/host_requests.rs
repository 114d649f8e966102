//! Actions from the requests of an agent to its client: reading and writing files and running commands.

use std::path::PathBuf;

use attache_rpc::json::{Object, Raw};
use attache_schema::{FilePath, v1};

use super::{Action, ToolCallParts};
use crate::permissions::{ComparedChange, DiskComparison};
use crate::{FileOnDisk, InspectedPath, terminals};

impl Action {
    /// The action of `fs/read_text_file`. `place` is the resolved path.
    pub fn from_read_request(
        agent: &str,
        workspace: PathBuf,
        request: &v1::ReadTextFileRequest,
        place: &InspectedPath,
    ) -> Action {
        let title = format!("Read {}", request.path);
        let call = ToolCallParts {
            locations: &locations(&request.path, place),
            ..ToolCallParts::for_host_request(&v1::ToolKind::Read, &title)
        };
        call.to_action(agent, workspace, &request.session_id)
    }

    /// The action of `fs/write_text_file`, and the change of the whole file. `place` is the resolved path.
    pub fn from_write_request(
        agent: &str,
        workspace: PathBuf,
        request: &v1::WriteTextFileRequest,
        place: &InspectedPath,
    ) -> (Action, ComparedChange) {
        let title = format!("Write {}", request.path);
        let mut change = v1::Diff::new(request.path.clone(), request.content.as_str());
        let disk = match &place.before {
            FileOnDisk::Text(text) => {
                change.old_text = Some(text.clone());
                DiskComparison::Applies
            }
            FileOnDisk::Missing => DiskComparison::Applies,
            FileOnDisk::Unknown(why) => DiskComparison::Replaced(why.clone()),
        };
        let call = ToolCallParts {
            locations: &locations(&request.path, place),
            content: &[change.clone().into()],
            ..ToolCallParts::for_host_request(&v1::ToolKind::Edit, &title)
        };
        (
            call.to_action(agent, workspace, &request.session_id),
            ComparedChange { diff: change, disk },
        )
    }

    /// The action of `terminal/create`, for a request as [`Host::resolve_command`](crate::Host::resolve_command)
    /// returned it. A line for the shell is judged and shown as that line.
    pub fn from_terminal_request(
        agent: &str,
        workspace: PathBuf,
        request: &v1::CreateTerminalRequest,
    ) -> Action {
        let mut input = Object::default();
        match terminals::shown_command(request).as_slice() {
            [line] => input.put("command", line),
            words => input.put("command", &words.to_vec()),
        }
        if let Some(cwd) = &request.cwd {
            input.put("cwd", cwd);
        }
        if !request.env.is_empty() {
            input.put("env", &request.env);
        }
        let (title, input) = (terminals::shown_line(request), Raw::of(&input));
        let call = ToolCallParts {
            raw_input: Some(&input),
            ..ToolCallParts::for_host_request(&v1::ToolKind::Execute, &title)
        };
        call.to_action(agent, workspace, &request.session_id)
    }
}

/// The path as the agent names it, and where a link leads: rules and users look at both.
fn locations(path: &FilePath, place: &InspectedPath) -> Vec<v1::ToolCallLocation> {
    let resolved = place.resolved.iter();
    let resolved = resolved.map(|path| path.to_string_lossy().into_owned().into());
    std::iter::once(path.clone())
        .chain(resolved)
        .map(v1::ToolCallLocation::new)
        .collect()
}
