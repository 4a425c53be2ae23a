//! The nodes of the graph, one file each.

mod approve;
mod informer;
mod planner;
mod tool;
mod verify;

pub(crate) use approve::approve_node;
pub(crate) use informer::informer_node;
pub(crate) use planner::planner_node;
pub(crate) use tool::tool_node;
pub(crate) use verify::verify;
