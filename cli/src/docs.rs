//! `superstep docs`: documents a code base, and answers questions about it.
//!
//! `options` opens the agents with their settings and model, `make` runs them and shows their progress.

mod make;
mod options;

pub(crate) use make::opened;

use std::path::Path;

use superstep::fs::Roots;
use superstep_agent::Console as _;
use superstep_docgen::{CodeQuestion, impact_notice, page_notice};

use crate::{
    app::App,
    args::{Docs, DocsCommand, MakeDocs},
    console::TerminalConsole,
    environment,
    error::Error,
    opened_model,
};

pub(crate) async fn run(docs: Docs, app: &mut App<'_>) -> Result<(), Error> {
    let notice = match docs.command {
        None => return make::run(&docs.make, app).await,
        Some(DocsCommand::Ask {
            words,
            path,
            no_model,
        }) => return ask(&words.join(" "), &path, no_model, app).await,
        Some(DocsCommand::Impact { file, path }) => impact_notice(&file, &path)?,
        Some(DocsCommand::Show {
            agent,
            path,
            output,
        }) => page_notice(&agent, &path, output.as_deref())?,
    };
    TerminalConsole::new(app).show(&notice)
}

async fn ask(question: &str, path: &Path, no_model: bool, app: &mut App<'_>) -> Result<(), Error> {
    let question = CodeQuestion::new(question, path)?;
    TerminalConsole::new(app).show(&question.facts())?;
    if no_model {
        return match question.is_unknown() {
            true => Err(Error::Missing {
                what: "the facts say nothing about that".into(),
                hint: "name a file, a symbol or a dependency, or ask a model",
            }),
            false => Ok(()),
        };
    }
    let content = environment::content_at(app.global, question.root())?;
    let caller = opened_model::open(&content, app).await?.caller;
    let answer = tokio::select! {
        answer = question.answer(&caller) => answer?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    TerminalConsole::new(app).show(&answer)
}

/// The agents as a server hosts them: requests may name folders below these. Without a model they write what the facts
/// say, and the error is why there is none.
pub(crate) async fn hosted(
    roots: Roots,
    app: &mut App<'_>,
) -> Result<(superstep_docgen::Docgen, Option<Error>), Error> {
    let make = MakeDocs::default();
    let content = environment::content_of_server();
    let opened = options::open(&make, &content, Some(roots.clone()), app).await;
    let why = match opened {
        Err(why @ Error::Model(_)) => why,
        opened => return Ok((opened?.docgen, None)),
    };
    let make = MakeDocs {
        no_model: true,
        ..make
    };
    let opened = options::open(&make, &content, Some(roots), app).await?;
    Ok((opened.docgen, Some(why)))
}
