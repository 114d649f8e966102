//! MCP servers of a session: their tools, resources and prompts.
