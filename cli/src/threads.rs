//! `superstep threads`: what there is, in which state, go back, throw away.
//!
//! `shelf` opens the database and finds threads and checkpoints; then one file a command.

mod change;
mod diff;
mod history;
mod list;
mod shelf;
mod show;

use crate::{
    agents::Agent,
    archie,
    args::{Global, ThreadsCommand},
    failure::Failure,
    inbox,
    output::Output,
    person::Person,
};

pub(crate) use shelf::{Shelf, Standing, ago};

pub(crate) async fn run(
    command: ThreadsCommand,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let shelf = match command {
        ThreadsCommand::List { .. }
        | ThreadsCommand::Show { .. }
        | ThreadsCommand::History { .. }
        | ThreadsCommand::Diff { .. } => Shelf::open(global)?,
        ThreadsCommand::Resume { .. }
        | ThreadsCommand::Fork { .. }
        | ThreadsCommand::Delete(_)
        | ThreadsCommand::Prune(_) => Shelf::open_to_change(global)?,
    };
    match command {
        ThreadsCommand::List { agent, waiting } => list::run(&shelf, agent, waiting, output).await,
        ThreadsCommand::Show { at } => show::run(&shelf, &at, output).await,
        ThreadsCommand::Resume { thread, talk } => match shelf.agent(&thread).await? {
            Agent::Archie => archie::resume(&thread, &talk, global, output, person).await,
            Agent::Mail => inbox::resume(&thread, &talk.limits, global, output, person).await,
        },
        ThreadsCommand::Fork { at, name } => change::fork(&shelf, &at, name, output).await,
        ThreadsCommand::Delete(which) => {
            change::delete(&shelf, &which, global, output, person).await
        }
        ThreadsCommand::History { thread, limit } => {
            history::run(&shelf, &thread, limit, output).await
        }
        ThreadsCommand::Diff { thread, from, to } => {
            diff::run(&shelf, &thread, from.as_deref(), to.as_deref(), output).await
        }
        ThreadsCommand::Prune(which) => change::prune(&shelf, &which, global, output, person).await,
    }
}
