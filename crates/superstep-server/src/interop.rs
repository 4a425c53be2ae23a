//! Assistants and their questions in the protocols of other clients: A2A, MCP and agent inboxes.

pub(crate) mod a2a;
pub(crate) mod inbox;
pub(crate) mod mcp;
