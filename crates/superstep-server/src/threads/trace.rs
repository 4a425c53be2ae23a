//! `GET /threads/{id}/trace`: the run tree of a thread, in the form of `superstep trace show --json`.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use superstep::trace::{RunTree, Unended, View};

use crate::{
    app::App,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
};

/// `GET /threads/{id}/trace`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    let view = View {
        unended: Unended::Running,
        ..View::default()
    };
    let tree = RunTree::read(&*app.saver, record.thread(&id), &view).await?;
    Ok(answer(&tree.to_json()))
}
