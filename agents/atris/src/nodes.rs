//! The nodes of the graph, one file each. What goes wrong in a node becomes `error` in the state, and the
//! next edge leads to `handle_error`; only what the runtime itself cannot do ends a run.

mod ask_user;
mod continued;
mod execute_request;
mod extract_category;
mod extract_params;
mod format;
mod get_apis;
mod handle_error;
mod model_turn;
mod request;
mod reset_state;
mod resolve_entity;
mod secondary_request;
mod select_api;
mod tool_turn;

pub(crate) use ask_user::ask_user;
pub(crate) use execute_request::execute_request_node;
pub(crate) use extract_category::extract_category_node;
pub(crate) use extract_params::extract_params_node;
pub(crate) use format::format;
pub(crate) use get_apis::get_apis_node;
pub(crate) use handle_error::handle_error;
pub(crate) use model_turn::model_turn;
pub(crate) use reset_state::{cleared, reset_state_node, thread_before};
pub(crate) use resolve_entity::resolve_entity;
pub(crate) use secondary_request::secondary_request;
pub(crate) use select_api::select_api_node;
pub(crate) use tool_turn::tool_turn;
