//! MCP servers that behave, misbehave, lie and die.

mod agent;
mod bench;
mod pins;
mod process;
mod stdio;
mod web;
