//! `superstep inbox`: what the e-mail assistant asks, and the answers.
//!
//! To look needs no model and no account; to answer needs both, as the run goes on. `question` finds
//! questions, `id` reads how they are named, `told` words them, `edit` reads changed arguments, `answer`
//! carries an answer out, and `screen` is the inbox at a terminal: `keys` reads what is pressed, `selected`
//! knows how much of a question was shown, `draw` draws.

mod answer;
mod draw;
mod edit;
mod id;
mod keys;
mod question;
mod screen;
mod selected;
mod told;

use std::{
    io::{self, IsTerminal},
    path::Path,
};

use clap_complete::engine::CompletionCandidate;
use superstep_mail::{Answer, AnswerKind, MailAgent};

use crate::{
    agents,
    args::{Global, Inbox, InboxArgs, InboxCommand, Limits},
    database,
    failure::Failure,
    mail::{self, Account},
    output::{Form, Output, faint},
    person::Person,
};

pub(crate) use id::IdError;
use question::{Question, Shown};

pub(crate) async fn run(
    what: Inbox,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let only_looks = match &what.command {
        Some(command) => matches!(command, InboxCommand::List | InboxCommand::Show { .. }),
        None => !is_at_terminal(output, person),
    };
    let backends = match only_looks {
        true => database::looked_at(global)?,
        false => database::changed(global)?,
    };
    let looking = agents::mail_to_look_at(backends)?;
    let Some(command) = what.command else {
        if !is_at_terminal(output, person) {
            return list(&looking, output).await;
        }
        let whole = Shown::All;
        return open(&looking, whole, &what.with, global, output, person).await;
    };
    match command {
        InboxCommand::List => list(&looking, output).await,
        InboxCommand::Show { id } => {
            let all = question::all(&looking, &Shown::All).await?;
            told::show(id::find(&all, &id)?, output)
        }
        InboxCommand::Accept { id, with } => {
            let say = |_: &Question| Ok(Answer::accept());
            one(&looking, &id, say, &with, global, output, person).await
        }
        InboxCommand::Edit {
            id,
            set,
            file,
            with,
        } => {
            let say = |question: &Question| edited(question, &set, file.as_deref());
            one(&looking, &id, say, &with, global, output, person).await
        }
        InboxCommand::Respond { id, text, with } => {
            let say = |_: &Question| Ok(Answer::response(text.join(" ")));
            one(&looking, &id, say, &with, global, output, person).await
        }
        InboxCommand::Ignore { id, with } => {
            let say = |_: &Question| Ok(Answer::ignore());
            one(&looking, &id, say, &with, global, output, person).await
        }
    }
}

/// Goes on with a thread of mail: its questions are shown; what was cut or failed goes on.
pub(crate) async fn resume(
    thread: &str,
    limits: &Limits,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let with = InboxArgs {
        max_cost: limits.max_cost.clone(),
        ..InboxArgs::default()
    };
    let looking = agents::mail_to_look_at(database::changed(global)?)?;
    let shown = Shown::Thread(thread.to_owned());
    let open_now = question::all(&looking, &shown).await?;
    if open_now.is_empty() {
        if looking.graph().state(thread).await?.next.is_empty() {
            output.say(&[faint("nothing is left to do in this thread")]);
            return Ok(());
        }
        let account = Account::read(&with.account, global)?;
        let cost = with.max_cost.as_deref();
        let agent = mail::open(&account, cost, global, output, person).await?;
        let after = answer::go_on(&agent, thread, person).await?;
        return told::after(&after, output);
    }
    if !is_at_terminal(output, person) {
        for question in &open_now {
            told::line(question, output)?;
        }
        return Err(Failure::Waiting {
            thread: thread.to_owned(),
        });
    }
    open(&looking, shown, &with, global, output, person).await
}

/// The ids of the open questions, for completion.
pub(crate) fn question_ids() -> Vec<CompletionCandidate> {
    agents::candidates(|global| async move {
        let looking = agents::mail_to_look_at(database::looked_at(&global)?)?;
        let all = question::all(&looking, &Shown::All).await?;
        Ok(all.iter().map(Question::id).collect())
    })
}

/// The beginning of the id of the first open question about a reply, for the demo.
pub(crate) async fn about_a_reply(global: &Global) -> Result<String, Failure> {
    let looking = agents::mail_to_look_at(database::looked_at(global)?)?;
    let all = question::all(&looking, &Shown::All).await?;
    let mut all = all.iter();
    let found = all.find(|it| it.item.action_request.action == superstep_mail::tools::SEND);
    let found = found.ok_or_else(|| Failure::Missing {
        what: "no reply is proposed".into(),
        hint: "report it: this is a mistake in superstep",
    })?;
    Ok(found.id().chars().take(told::ID).collect())
}

fn is_at_terminal(output: &Output, person: &Person) -> bool {
    output.form == Form::Text && person.is_there() && io::stdout().is_terminal()
}

/// The inbox on the screen.
async fn open(
    looking: &MailAgent,
    shown: Shown,
    with: &InboxArgs,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    if question::all(looking, &shown).await?.is_empty() {
        output.say(&[faint("no question is open")]);
        return Ok(());
    }
    let account = Account::read(&with.account, global)?;
    let cost = with.max_cost.as_deref();
    let agent = mail::open(&account, cost, global, output, person).await?;
    screen::run(agent, shown, global.color, output, person).await
}

async fn list(looking: &MailAgent, output: &Output) -> Result<(), Failure> {
    let all = question::all(looking, &Shown::All).await?;
    for question in &all {
        told::line(question, output)?;
    }
    if all.is_empty() && output.form == Form::Text {
        output.say(&[faint("no question is open")]);
    }
    Ok(())
}

/// Answers one question. Whatever is wrong with the answer shows before a model is opened, and what is
/// about to be done before it is done.
async fn one(
    looking: &MailAgent,
    id: &str,
    say: impl FnOnce(&Question) -> Result<Answer, Failure>,
    with: &InboxArgs,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let all = question::all(looking, &Shown::All).await?;
    let question = id::find(&all, id)?;
    let said = say(question)?;
    question.takes(said.kind)?;
    let account = Account::read(&with.account, global)?;
    let cost = with.max_cost.as_deref();
    let agent = mail::open(&account, cost, global, output, person).await?;
    if matches!(said.kind, AnswerKind::Accept | AnswerKind::Edit) {
        told::about_to(question, &said, agent.mode(), output)?;
    }
    let after = answer::give(&agent, question, said, person).await?;
    told::after(&after, output)
}

fn edited(question: &Question, set: &[String], file: Option<&Path>) -> Result<Answer, Failure> {
    let old = &question.item.action_request.args;
    let mut args = old.clone();
    if let Some(file) = file {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?;
        let read = edit::object(&text);
        args.extend(read.map_err(|why| Failure::Usage(format!("{}: {why}", file.display())))?);
    }
    for pair in set {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Failure::Usage(format!("--set: `{pair}` is not KEY=VALUE")));
        };
        let value = edit::value(key, value, old.get(key));
        let value = value.map_err(|why| Failure::Usage(format!("--set {key}: {why}")))?;
        args.insert(key.to_owned(), value);
    }
    if &args == old {
        return Err(Failure::Usage("nothing is changed: use `accept`".into()));
    }
    Ok(Answer::edit(&question.item.action_request.action, args))
}
