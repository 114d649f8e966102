//! Converts tools and results of MCP servers for the model.

use attache_mcp as mcp;
use attache_model::{Input, ToolSpec};

use crate::ToolOutcome;

/// The outcome of a call to an MCP tool.
pub(crate) fn outcome(result: mcp::CallResult) -> ToolOutcome {
    ToolOutcome {
        content: result.for_user.into_iter().map(Into::into).collect(),
        for_model: inputs(result.for_model),
        raw: result.raw,
        failed: result.failed,
        ..ToolOutcome::default()
    }
}

pub(crate) fn inputs(content: Vec<mcp::Content>) -> Vec<Input> {
    let input = |content| match content {
        mcp::Content::Text(text) => Input::Text(text),
        mcp::Content::Image { media_type, data } => Input::Image { media_type, data },
        mcp::Content::Audio { media_type, data } => Input::Audio { media_type, data },
    };
    content.into_iter().map(input).collect()
}

/// The specification of an MCP tool for the model.
pub(crate) fn spec(tool: mcp::Tool) -> ToolSpec {
    ToolSpec {
        name: tool.full_name,
        description: tool.description,
        schema: tool.input_schema,
    }
}
