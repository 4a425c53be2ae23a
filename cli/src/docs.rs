//! `superstep docs`: documents a code base.
//!
//! `options` opens the agents with their settings and model, `make` runs them and shows how they fare, `plan` says what that takes, `query`
//! answers from facts, `show` prints how a page came about.

mod make;
mod options;
mod plan;
mod query;
mod show;

use std::path::Path;

use superstep::fs::Roots;

use crate::{
    app::App,
    args::{Docs, DocsCommand, MakeDocs},
    environment,
    error::Error,
};

pub(crate) async fn run(docs: Docs, app: &mut App<'_>) -> Result<(), Error> {
    match docs.command {
        None => make::run(&docs.make, app).await,
        Some(DocsCommand::Ask {
            words,
            path,
            no_model,
        }) => query::ask(&words.join(" "), &path, no_model, app).await,
        Some(DocsCommand::Impact { file, path }) => query::impact(&file, &path, app),
        Some(DocsCommand::Show {
            agent,
            path,
            output,
        }) => show::run(&agent, &path, output.as_deref(), app.output),
    }
}

/// The agents as a server hosts them: requests may name folders below these. Without a model they write what the facts
/// say, and the error is why there is none.
pub(crate) async fn hosted(
    roots: Roots,
    app: &mut App<'_>,
) -> Result<(superstep_docgen::Docgen, Option<Error>), Error> {
    let make = MakeDocs::default();
    let content = environment::content_of_server();
    let opened = options::open_below(&make, &content, Some(roots.clone()), app).await;
    let why = match opened {
        Err(why @ Error::Model(_)) => why,
        opened => return Ok((opened?.docgen, None)),
    };
    let make = MakeDocs {
        no_model: true,
        ..make
    };
    let opened = options::open_below(&make, &content, Some(roots), app).await?;
    Ok((opened.docgen, Some(why)))
}

/// Continues with a thread: answers its open question, also from a file, or finishes a run that was interrupted.
pub(crate) async fn resume(
    thread: &str,
    answers: Option<&Path>,
    app: &mut App<'_>,
) -> Result<(), Error> {
    make::resume(thread, answers, app).await
}
