//! `superstep threads`: list, show, resume, fork, compare, prune, export and import threads.
//!
//! [`ThreadReader`] opens the database and finds threads and checkpoints, `words` makes text of states; then one file per command.

mod archive;
mod change;
mod choose;
mod diff;
mod history;
mod list;
mod show;
mod words;

use crate::{
    app::App,
    args::{At, ThreadsCommand},
    database,
    error::Error,
    inbox,
    resumed::Resumed,
    running, written,
};

pub(crate) use crate::thread_reader::{ThreadReader, ago};
pub(crate) use crate::thread_status::Status;
pub(crate) use choose::run as choose;

pub(crate) async fn run(command: ThreadsCommand, app: &mut App<'_>) -> Result<(), Error> {
    let (global, output) = (app.global, app.output);
    if let ThreadsCommand::List(_) = &command
        && database::is_not_made_yet(global)?
    {
        list::none_yet(output);
        return Ok(());
    }
    let to_read = || ThreadReader::open(global);
    let to_change = || ThreadReader::open_to_change(global);
    match command {
        ThreadsCommand::List(wanted) => list::run(&to_read()?, &wanted, output).await,
        ThreadsCommand::Show { at, state } => {
            let reader = to_read()?;
            let at = At {
                thread: reader.named(&at.thread).await?,
                ..at
            };
            show::run(&reader, &at, state, app).await
        }
        ThreadsCommand::Resume {
            thread,
            question,
            talk,
            account,
        } => {
            let reader = to_change()?;
            let thread = match thread {
                Some(text) => reader.named(&text).await?,
                None => choose::run(&reader, app).await?,
            };
            let agent = reader.agent(&thread).await?;
            reader.take_input(agent, &thread).await?;
            let of = running::of(agent);
            let has_account = of.has_account();
            if !has_account {
                account.refuse_any()?;
            }
            let resumed = Resumed {
                agent,
                thread: &thread,
                question: question.as_deref(),
                answers: written::answers(talk.answers.as_deref())?,
                talk: &talk,
                account,
            };
            if has_account {
                return inbox::resume(resumed, app).await;
            }
            let global = reader.continuing(&thread, global).await?;
            of.resume(resumed, &mut app.with(&global, output)).await
        }
        ThreadsCommand::Fork { at, name, repeat } => {
            let reader = to_change()?;
            let at = At {
                thread: reader.named(&at.thread).await?,
                ..at
            };
            change::fork(&reader, &at, (name, repeat), app).await
        }
        ThreadsCommand::Delete(which) => change::delete(&to_change()?, &which, app).await,
        ThreadsCommand::History { thread, limit } => {
            let reader = to_read()?;
            let thread = reader.named(&thread).await?;
            history::run(&reader, &thread, limit, output).await
        }
        ThreadsCommand::Diff { thread, from, to } => {
            let (from, to) = (from.as_deref(), to.as_deref());
            let reader = to_read()?;
            let thread = reader.named(&thread).await?;
            diff::run(&reader, &thread, (from, to), output).await
        }
        ThreadsCommand::Prune(mut which) => {
            let reader = to_change()?;
            if let Some(thread) = &which.thread {
                which.thread = Some(reader.for_deletion(thread).await?);
            }
            change::prune(&reader, &which, app).await
        }
        ThreadsCommand::Export {
            thread,
            file,
            markdown,
        } => {
            let reader = to_read()?;
            let thread = reader.named(&thread).await?;
            match markdown {
                true => archive::transcript(&reader, &thread, &file, output).await,
                false => archive::export(&reader, &thread, &file, output).await,
            }
        }
        ThreadsCommand::Import { file, name } => archive::import(&file, &name, app).await,
    }
}
