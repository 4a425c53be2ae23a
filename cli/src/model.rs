//! `superstep model`: one file a command.

mod chat;
mod checks;
mod list;
mod pull;
mod show;
mod test;

use crate::{
    args::{Global, ModelCommand},
    failure::Failure,
    output::Output,
    person::Person,
};

pub(crate) async fn run(
    command: ModelCommand,
    global: Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    match command {
        ModelCommand::List { provider: None } => list::all(&global, output).await,
        ModelCommand::List {
            provider: Some(name),
        } => list::of(&name, &global, output).await,
        ModelCommand::Show { node } => show::run(node.as_deref(), &global, output).await,
        ModelCommand::Pull { weights } => pull::run(&weights, &global, output, person).await,
        ModelCommand::Test => test::run(&global, output, person).await,
        ModelCommand::Chat(chat) => chat::run(chat, &global, output, person).await,
    }
}
