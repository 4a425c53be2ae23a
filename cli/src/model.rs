//! `superstep model`: one file per command.

mod chat;
mod checks;
pub(crate) mod list;
mod pull;
mod show;
mod test;

use crate::{app::App, args::ModelCommand, error::Error, setup, weights};

pub(crate) async fn run(command: ModelCommand, app: &mut App<'_>) -> Result<(), Error> {
    match command {
        ModelCommand::List { provider: None } => list::all(app).await,
        ModelCommand::List {
            provider: Some(name),
        } => list::of(&name, app).await,
        ModelCommand::Show { node } => show::run(node.as_deref(), app).await,
        ModelCommand::Use { model } => setup::use_from_now_on(&model, app),
        ModelCommand::Rm { weights } => weights::remove(&weights, app).await,
        ModelCommand::Pull { weights } => pull::run(&weights, app).await,
        ModelCommand::Test => test::run(app).await,
        ModelCommand::Chat(chat) => chat::run(chat, app).await,
    }
}
