//! What MCP servers offer and give back, as the model has it.

use attache_mcp as mcp;
use attache_model::{Input, ToolSpec};

use crate::ToolOutcome;

/// What a call of a server's tool came to.
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

/// A server's tool, as it is offered to the model.
pub(crate) fn spec(tool: mcp::Tool) -> ToolSpec {
    ToolSpec {
        name: tool.full_name,
        description: tool.description,
        schema: tool.input_schema,
    }
}
