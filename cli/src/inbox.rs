//! `superstep inbox`: the open questions of the e-mail assistant, and the answers.
//!
//! Reading needs no model and no account; answering needs both, as it resumes the run. Questions and answers are in
//! `superstep_mail::inbox`. `id` finds a question, and `screen` is the inbox at a terminal: `keys` reads keys, `selected`
//! tracks how much of a question was shown, `marked` which are accepted together, `background` continues runs meanwhile,
//! `draw` draws.

mod background;
mod draw;
mod help;
mod id;
mod keys;
mod marked;
mod screen;
mod selected;

use std::{
    io::{self, IsTerminal},
    path::Path,
};

use superstep::{AskId, Backends};
use superstep_mail::{
    Answer, MailAgent,
    inbox::{self, After, Question, Shown, edit},
};

use crate::{
    app::App,
    args::{AccountArgs, Global, Inbox, InboxArgs, InboxCommand},
    consent::Agreement,
    console, database,
    error::Error,
    files,
    mail::{self, OpenedAgent, account},
    output::{Form, Output, faint, plain},
    suggest,
    terminal::{Composed, Editor},
};

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
    let backends = match only_looks {
        true => database::read_only(app.global)?,
        false => database::writable(app.global)?,
    };
    let reader = MailAgent::reader(backends)?;
    let Some(command) = what.command else {
        if !is_at_terminal(app) {
            return list(&reader, app.output).await;
        }
        let whole = Shown::All;
        return open(&reader, whole, &what.with, app).await;
    };
    match command {
        InboxCommand::List => list(&reader, app.output).await,
        InboxCommand::Show { id, diff } => {
            let all = Question::open(&reader, &Shown::All).await?;
            let found = id::find(&all, &id)?;
            let shown = match diff {
                true => found.diff().ok_or_else(|| Error::Missing {
                    what: "this question was not edited".into(),
                    hint: "leave out --diff to see all of it",
                })?,
                false => found.whole(),
            };
            console::show([shown], app.output)
        }
        InboxCommand::Accept { id, with } => {
            let say = |question: &Question| Ok(question.accepted());
            one(&reader, &id, say, &with, app).await
        }
        InboxCommand::Edit {
            id,
            set,
            file,
            with,
        } => {
            let is_interactive = app.terminal.is_interactive();
            let say = |question: &Question| match set.is_empty() && file.is_none() {
                true if is_interactive => in_editor(question),
                true => Err(Error::Usage(
                    "say what to change: --set KEY=VALUE or --file FILE".into(),
                )),
                false => edited(question, &set, file.as_deref()),
            };
            one(&reader, &id, say, &with, app).await
        }
        InboxCommand::Respond { id, text, with } => {
            let say = |_: &Question| Ok(Answer::response(text.join(" ")));
            one(&reader, &id, say, &with, app).await
        }
        InboxCommand::Read { id, with } => {
            let say = |_: &Question| Ok(Answer::read());
            one(&reader, &id, say, &with, app).await
        }
        InboxCommand::Ignore { id, with } => {
            let say = |_: &Question| Ok(Answer::ignore());
            one(&reader, &id, say, &with, app).await
        }
    }
}

/// Resumes a thread of mail: shows its open questions and how to answer them, or continues a run that was
/// interrupted or failed.
pub(crate) async fn resume(
    thread: &str,
    with: &InboxArgs,
    agreement: Agreement,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let reader = MailAgent::reader(database::writable(app.global)?)?;
    let shown = Shown::Thread(thread.to_owned());
    let global = app.global;
    let how = |id: &str| suggest::with_account(global, &with.account, &["inbox", "accept", id]);
    let open_now = Question::open(&reader, &shown).await?;
    if open_now.is_empty() {
        if reader.graph().state(thread).await?.is_done() {
            app.output.say(&[faint("this thread is done")]);
            return Ok(());
        }
        let account = account::read(&with.account, app.global)?;
        let agent = mail::open(&account, with.max_cost, app).await?;
        agreement.store().await?;
        let after = inbox::resume(&agent, thread, app.terminal.ctrl_c()).await?;
        return tell(after, &agent, with, app);
    }
    let to_answer = open_now
        .iter()
        .flat_map(|it| it.to_answer(&how(&it.short_id())));
    if !is_at_terminal(app) {
        console::show(to_answer, app.output)?;
        agreement.store().await?;
        return Err(Error::Waiting {
            thread: thread.to_owned(),
        });
    }
    let opened = match account::read(&with.account, app.global) {
        Ok(account) => mail::open(&account, with.max_cost, app).await,
        Err(error) => Err(error),
    };
    match opened {
        Ok(agent) => {
            agreement.store().await?;
            screen::run(agent, shown, with, app).await
        }
        Err(error) => {
            console::show(to_answer, app.output)?;
            Err(error)
        }
    }
}

/// The open questions of a thread, each in lines.
pub(crate) async fn views(
    backends: &Backends,
    thread: &str,
) -> Result<Vec<(AskId, Vec<String>)>, Error> {
    let reader = MailAgent::reader(backends.clone())?;
    let open = Question::open(&reader, &Shown::Thread(thread.to_owned())).await?;
    let open = open.iter();
    Ok(open.map(|it| (it.ask, it.described().texts())).collect())
}

/// The ids of the open questions.
pub(crate) async fn question_ids(global: &Global) -> Result<Vec<String>, Error> {
    let reader = MailAgent::reader(database::read_only(global)?)?;
    let all = Question::open(&reader, &Shown::All).await?;
    Ok(all.iter().map(|it| id::unique(&all, it)).collect())
}

/// The beginning of the id of the first open question about a reply, for the demo.
pub(crate) async fn about_a_reply(global: &Global) -> Result<String, Error> {
    let reader = MailAgent::reader(database::read_only(global)?)?;
    let all = Question::open(&reader, &Shown::All).await?;
    let mut all = all.iter();
    let found = all.find(|it| it.item.action_request.action == superstep_mail::tools::SEND);
    let found = found.ok_or_else(|| Error::Missing {
        what: "no reply is proposed".into(),
        hint: "report it: this is a mistake in superstep",
    })?;
    Ok(found.short_id())
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

/// The inbox screen.
async fn open(
    reader: &MailAgent,
    shown: Shown,
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    if Question::open(reader, &shown).await?.is_empty() {
        nothing_open(app.output);
        return Ok(());
    }
    let account = account::read(&with.account, app.global)?;
    let agent = mail::open(&account, with.max_cost, app).await?;
    screen::run(agent, shown, with, app).await
}

/// Lists the open questions. Threads that cannot be read are named, and make it fail in the end.
async fn list(reader: &MailAgent, output: &Output) -> Result<(), Error> {
    let (all, unreadable) = Question::inbox(reader).await?;
    console::show(all.iter().map(Question::line), output)?;
    if all.is_empty() {
        nothing_open(output);
    }
    console::show(unreadable.iter().map(|it| it.notice()), output)?;
    match unreadable.is_empty() {
        true => Ok(()),
        false => Err(Error::Reported { exit: 1 }),
    }
}

/// Answers one question. Whatever is wrong with the answer shows before a model is opened, and what is
/// about to be done before it is done.
async fn one(
    reader: &MailAgent,
    id: &str,
    say: impl FnOnce(&Question) -> Result<Answer, Error>,
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let all = Question::open(reader, &Shown::All).await?;
    let mut question = id::find(&all, id)?.clone();
    let said = say(&question)?;
    question.takes(said.kind)?;
    let account = account::read(&with.account, app.global)?;
    let agent = mail::open(&account, with.max_cost, app).await?;
    let edit = question.edit_of(&said);
    if let Some(args) = &edit {
        question = question.with_edit(&agent, args).await?;
    }
    console::show([question.about_to(&said, agent.mode())], app.output)?;
    if question.stays_open(said.kind, agent.mode(), with.rehearse) {
        let is_kept = match &edit {
            Some(args) => question.keep_edit(&agent, args).await?,
            None => false,
        };
        let real = AccountArgs {
            send: true,
            ..with.account.clone()
        };
        let words = ["inbox", "accept", &question.short_id()];
        let how = suggest::with_account(app.global, &real, &words);
        return console::show([question.not_done(is_kept, &how)], app.output);
    }
    let given = [(question.clone(), said)];
    let after = inbox::give(&agent, &given, app.terminal.ctrl_c()).await?;
    tell(after, &agent, with, app)
}

/// Prints the effects of an answer, and ends as its run did.
fn tell(after: After, agent: &OpenedAgent, with: &InboxArgs, app: &App<'_>) -> Result<(), Error> {
    let ingest = suggest::with_account(app.global, &with.account, &["mail", "ingest"]);
    console::show(after.notices(&ingest), app.output)?;
    app.output.note(&[faint(agent.cost())]);
    match after.ended()? {
        None => Ok(()),
        Some(exit) => Err(Error::Reported { exit }),
    }
}

/// Arguments as a person changed them in their editor.
fn in_editor(question: &Question) -> Result<Answer, Error> {
    let action = &question.item.action_request;
    let text = match Editor::compose(&edit::text(question.args()))? {
        Composed::Text(text) => text,
        Composed::Nothing(why) => return Err(Error::Usage(why)),
    };
    match edit::read(&text, &action.args) {
        Ok(args) if args == *question.args() => {
            Err(Error::Usage("nothing changed: use `accept`".into()))
        }
        Ok(args) => Ok(Answer::edit(&action.action, args)),
        Err(why) => Err(Error::Usage(why)),
    }
}

fn edited(question: &Question, set: &[String], file: Option<&Path>) -> Result<Answer, Error> {
    let old = question.args();
    let mut args = old.clone();
    if let Some(file) = file {
        let text = files::text(file)?;
        let read = edit::object(&text);
        args.extend(read.map_err(|why| Error::Usage(format!("{}: {why}", file.display())))?);
    }
    for pair in set {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Error::Usage(format!("--set: `{pair}` is not KEY=VALUE")));
        };
        let value = edit::value(key, value, old.get(key));
        let value = value.map_err(|why| Error::Usage(format!("--set {key}: {why}")))?;
        args.insert(key.to_owned(), value);
    }
    if &args == old {
        return Err(Error::Usage("nothing changed: use `accept`".into()));
    }
    Ok(Answer::edit(&question.item.action_request.action, args))
}
