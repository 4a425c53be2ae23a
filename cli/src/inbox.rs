//! `superstep inbox`: the open questions of all agents, and the answers.
//!
//! Reading needs no model and no account; answering needs what the agent needs, as it resumes the run. `questions` collects
//! questions from all threads, `id` finds one, and `screen` is the inbox at a terminal: `keys` reads keys, `selected` tracks how
//! much of a question was shown, `marked` which are accepted together, `background` continues runs meanwhile, `draw` draws.
//!
//! Agents with a desk take answers in the background; the others are answered in a conversation.

mod background;
mod draw;
mod help;
mod id;
mod keys;
mod marked;
mod questions;
mod screen;
mod selected;

use std::{
    io::{self, IsTerminal},
    path::Path,
    sync::Arc,
};

use serde_json::{Map, Value as Json};
use superstep::dynamic::state::Depth;
use superstep_agent::{
    AfterAnswers, Answers, Commands, Context, InboxAnswer, InboxQuestion, RunEnd, Verb,
};
use tokio::sync::oneshot;

use crate::{
    app::App,
    args::{AccountArgs, Global, Inbox, InboxArgs, InboxCommand, Limits, TalkOptions},
    console, database,
    error::Error,
    files,
    output::{Form, Output, faint, plain},
    resumed::Resumed,
    running::{self, OpenedDesk},
    suggest,
    terminal::{Composed, Editor},
    thread_reader::ThreadReader,
};
use questions::{Question, Questions};

/// The answer of a command to a question.
type Say = Box<dyn FnOnce(&InboxQuestion) -> Result<InboxAnswer, Error>>;

pub(crate) async fn run(what: Inbox, app: &mut App<'_>) -> Result<(), Error> {
    let only_looks = match &what.command {
        Some(command) => matches!(command, InboxCommand::List | InboxCommand::Show { .. }),
        None => !is_at_terminal(app),
    };
    let is_listed = matches!(&what.command, None | Some(InboxCommand::List));
    if is_listed && database::is_not_made_yet(app.global)? {
        nothing_open(app.output);
        return Ok(());
    }
    let threads = match only_looks {
        true => ThreadReader::open(app.global)?,
        false => ThreadReader::open_to_change(app.global)?,
    };
    let mut questions = Questions::new(threads, None);
    let Some(command) = what.command else {
        return match is_at_terminal(app) {
            true => screen::run(questions, &what.with, app).await,
            false => list(&mut questions, app.output).await,
        };
    };
    let is_interactive = app.terminal.is_interactive();
    let (id, with, say): (String, InboxArgs, Say) = match command {
        InboxCommand::List => return list(&mut questions, app.output).await,
        InboxCommand::Show { id, diff } => {
            let all = questions.open().await?;
            let found = id::find(&all, &id)?;
            let shown = match diff {
                true => found.diff().ok_or_else(|| Error::Missing {
                    what: "this question was not edited".into(),
                    hint: "leave out --diff to see all of it",
                })?,
                false => found.whole(),
            };
            return console::show([shown], app.output);
        }
        InboxCommand::Accept { id, with } => (id, with, Box::new(|it| Ok(it.accepted()))),
        InboxCommand::Edit {
            id,
            set,
            file,
            with,
        } => {
            let say = move |question: &InboxQuestion| {
                question.check(Verb::Edit).map_err(Error::Usage)?;
                match set.is_empty() && file.is_none() {
                    true if is_interactive => in_editor(question),
                    true => Err(Error::Usage(
                        "say what to change: --set KEY=VALUE or --file FILE".into(),
                    )),
                    false => edited(question, &set, file.as_deref()),
                }
            };
            (id, with, Box::new(say))
        }
        InboxCommand::Respond { id, text, with } => {
            let answer = InboxAnswer::Respond(text.join(" "));
            (id, with, Box::new(|_| Ok(answer)))
        }
        InboxCommand::Read { id, with } => (id, with, Box::new(|_| Ok(InboxAnswer::Read))),
        InboxCommand::Ignore { id, with } => (id, with, Box::new(|_| Ok(InboxAnswer::Ignore))),
    };
    one(&mut questions, &id, say, &with, app).await
}

/// Resumes a thread of an agent with a desk: shows its open questions and how to answer them, or continues a run that was
/// interrupted or failed.
pub(crate) async fn resume(resumed: Resumed<'_>, app: &mut App<'_>) -> Result<(), Error> {
    let agreement = resumed.agreement(app).await?;
    let (agent, thread) = (resumed.agent, resumed.thread);
    let with = &InboxArgs {
        max_cost: resumed.talk.limits.max_cost,
        rehearse: false,
        account: resumed.account,
    };
    let mut questions = Questions::new(ThreadReader::open_to_change(app.global)?, Some(thread));
    let open_now = questions.open().await?;
    if let Some(wanted) = resumed.question {
        id::find(&open_now, wanted)?;
    }
    if open_now.is_empty() {
        let graph = questions.threads.graph_of(agent)?;
        let snapshot = graph.state(&thread.into(), None, Depth::Here).await?;
        if snapshot.next.is_empty() {
            app.output.say(&[faint("this thread is done")]);
            return Ok(());
        }
        questions.open_desk(agent, with, app).await?;
        agreement.store().await?;
        return match questions.desk_of(agent) {
            Some(opened) => give(opened, thread, &[], with, app).await,
            None => Ok(()),
        };
    }
    let (global, account) = (app.global, &with.account);
    let how = |id: &str| suggest::with_account(global, account, &["inbox", "accept", id]);
    let to_answer = open_now
        .iter()
        .flat_map(|it| it.to_answer(&how(&it.short_id)));
    if !is_at_terminal(app) {
        console::show(to_answer, app.output)?;
        agreement.store().await?;
        return Err(Error::Waiting {
            thread: thread.to_owned(),
        });
    }
    if let Err(error) = questions.open_desk(agent, with, app).await {
        console::show(to_answer, app.output)?;
        return Err(error);
    }
    agreement.store().await?;
    screen::show(questions, with, app).await
}

/// The ids of the open questions.
pub(crate) async fn question_ids(global: &Global) -> Result<Vec<String>, Error> {
    let all = Questions::new(ThreadReader::open(global)?, None)
        .open()
        .await?;
    Ok(all.iter().map(|it| id::unique(&all, it)).collect())
}

/// The beginning of the id of the first open question that can be accepted, for the demo.
pub(crate) async fn first_proposal(global: &Global) -> Result<String, Error> {
    let all = Questions::new(ThreadReader::open(global)?, None)
        .open()
        .await?;
    let mut all = all.iter();
    let found = all.find(|it| it.allows(Verb::Accept));
    let found = found.ok_or_else(|| Error::Missing {
        what: "nothing is proposed".into(),
        hint: "report it: this is a mistake in superstep",
    })?;
    Ok(found.short_id.clone())
}

fn is_at_terminal(app: &App<'_>) -> bool {
    app.output.form == Form::Text && app.terminal.is_interactive() && io::stdout().is_terminal()
}

fn nothing_open(output: &Output) {
    if output.form == Form::Text {
        output.say(&[
            plain("The inbox is empty. "),
            faint("`superstep mail ingest` looks for new mail."),
        ]);
    }
}

/// Lists the open questions. Threads that cannot be read are named, and make it fail in the end.
async fn list(questions: &mut Questions, output: &Output) -> Result<(), Error> {
    let (all, unreadable) = questions.read().await?;
    console::show(all.iter().map(|it| it.line()), output)?;
    if all.is_empty() {
        nothing_open(output);
    }
    let is_whole = unreadable.is_empty();
    console::show(unreadable, output)?;
    match is_whole {
        true => Ok(()),
        false => Err(Error::Reported { exit: 1 }),
    }
}

/// Answers one question. Whatever is wrong with the answer shows before a model is opened, and what is
/// about to be done before it is done.
async fn one(
    questions: &mut Questions,
    id: &str,
    say: Say,
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let all = questions.open().await?;
    let mut question = id::find(&all, id)?.clone();
    let said = say(&question)?;
    question.check_answer(&said).map_err(Error::Usage)?;
    let agent = question.answerer()?;
    if !running::of(agent).has_account() {
        with.account.refuse_any()?;
    }
    if with.rehearse && !question.is_of_desk {
        return Err(Error::Usage(format!(
            "`--rehearse` is for dry runs; {} acts for real",
            agent.name()
        )));
    }
    if question.is_of_desk {
        question.agree(app).await?;
        questions.open_desk(agent, with, app).await?;
    }
    let Some(opened) = questions.desk(&question) else {
        // The beginning of an id says where a question is asked, not what it asks: it approves nothing.
        let (typed, whole) = (id.rsplit(':').next().unwrap_or(id), question.id());
        let id = match &*question.asks {
            "question" => &*whole,
            _ => typed,
        };
        return converse(&question, id, Answers::inbox(said), with, app).await;
    };
    let mut about = question.about;
    let (desk, mode) = (&opened.desk, opened.desk.mode());
    let edit = match &said {
        InboxAnswer::Edit(args) => Some(args.clone()),
        _ => None,
    };
    if let Some(args) = &edit {
        about = desk.edited(&about, args).await?;
    }
    console::show([about.about_to(&said, mode)], app.output)?;
    if about.stays_open(said.verb(), mode, with.rehearse) {
        let is_kept = match &edit {
            Some(args) => desk.keep(&about, args).await?,
            None => false,
        };
        let account = AccountArgs {
            send: running::of(agent).has_account(),
            ..with.account.clone()
        };
        let words = ["inbox", "accept", &about.short_id];
        let how = suggest::with_account(app.global, &account, &words);
        return console::show([about.not_done(is_kept, &how)], app.output);
    }
    let thread = about.thread.clone();
    give(opened, &thread, &[(about, said)], with, app).await
}

/// Answers a question in the conversation of its thread.
async fn converse(
    question: &Question,
    id: &str,
    answers: Answers,
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let talk = TalkOptions {
        limits: Limits {
            max_cost: with.max_cost,
            ..Limits::default()
        },
        ..TalkOptions::default()
    };
    let agent = question.answerer()?;
    let resumed = Resumed {
        agent,
        thread: &question.thread,
        question: Some(id),
        answers,
        talk: &talk,
        account: AccountArgs::default(),
    };
    running::of(agent).resume(resumed, app).await
}

/// Gives answers to questions of a thread, prints their effects, and ends as the run did. Ctrl-C stops the run.
async fn give(
    opened: &OpenedDesk,
    thread: &str,
    given: &[(InboxQuestion, InboxAnswer)],
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let (global, account) = (app.global.clone(), with.account.clone());
    let commands: Commands = Arc::new(move |words| suggest::with_account(&global, &account, words));
    let context = Context {
        thread: thread.to_owned(),
        commands,
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = Box::pin(async move {
        if stopped.await.is_err() {
            std::future::pending::<()>().await;
        }
    });
    let mut run = opened.desk.give(given, &context, stopped);
    let after = tokio::select! {
        after = &mut run => after,
        () = app.terminal.ctrl_c() => {
            // It may have ended meanwhile.
            let _sent = stop.send(());
            run.await
        }
    };
    let AfterAnswers { notices, end } = after?;
    console::show(notices, app.output)?;
    app.output.note(&[faint(opened.cost())]);
    match end {
        RunEnd::Done(None) => Ok(()),
        RunEnd::Done(Some(exit)) => Err(Error::Reported { exit }),
        RunEnd::Stopped => Err(Error::Cancelled),
        RunEnd::Failed(error) => Err(error.into()),
    }
}

/// Arguments as a person changed them in their editor.
fn in_editor(question: &InboxQuestion) -> Result<InboxAnswer, Error> {
    let text = match Editor::compose(&InboxQuestion::edit_text(question.args()))? {
        Composed::Text(text) => text,
        Composed::Nothing(why) => return Err(Error::Usage(why)),
    };
    let args = question.read_edit(&text).map_err(Error::Usage)?;
    changed(question, args)
}

fn edited(
    question: &InboxQuestion,
    set: &[String],
    file: Option<&Path>,
) -> Result<InboxAnswer, Error> {
    let mut args = question.args().clone();
    if let Some(file) = file {
        let read = serde_json::from_str::<Map<String, Json>>(&files::text(file)?);
        args.extend(read.map_err(|why| Error::Usage(format!("{}: {why}", file.display())))?);
    }
    for pair in set {
        let Some((key, text)) = pair.split_once('=') else {
            return Err(Error::Usage(format!("--set: `{pair}` is not KEY=VALUE")));
        };
        let value = question.edit_value(key, text);
        let value = value.map_err(|why| Error::Usage(format!("--set {key}: {why}")))?;
        args.insert(key.to_owned(), value);
    }
    changed(question, args)
}

/// The answer with changed arguments.
fn changed(question: &InboxQuestion, args: Map<String, Json>) -> Result<InboxAnswer, Error> {
    match args == *question.args() {
        true => Err(Error::Usage("nothing changed: use `accept`".into())),
        false => Ok(InboxAnswer::Edit(args)),
    }
}
