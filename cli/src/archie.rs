//! Archie on the command line: `analyze`, `ask`, `build-context`, and resuming a thread.
//!
//! `options` opens the agent with a model and settings.

mod options;
mod pdf;

use std::path::{Path, PathBuf};

use superstep::{Update as _, Value, fs::Roots, model::select::DataOwner};
use superstep_agent::{Answers, Conversation, Next};
use superstep_archie::{
    Analysis, Archie, ArchieSession, Begin, Brief, ErrorKind, Flow, documents::check_globs,
};

use crate::{
    agents::Agent,
    app::App,
    args::{Analyze, Ask, BuildContext, Global, Limits, TalkOptions},
    consent,
    console::{self, TerminalConsole},
    database, environment,
    error::Error,
    files,
    output::{plain, shown},
    resumed::{OpenedThread, StoredThread},
    suggest,
    terminal::MOST_PIPED,
    thread_reader::ThreadReader,
    written,
};

pub(crate) use pdf::EXTRACTS;

use options::AgentOptions;

/// Begins an analysis in a new thread, whose name is then known.
pub(crate) async fn analyze(
    what: &Analyze,
    begun: &mut Option<String>,
    app: &mut App<'_>,
) -> Result<(), Error> {
    if what.query.trim().is_empty() {
        let why = "the query is empty".to_owned();
        return Err(superstep_archie::Error::from(ErrorKind::Settings { why }).into());
    }
    check_globs(&what.reading.glob)?;
    check_out(what.talk.out.as_deref(), app.global)?;
    let answers = written::answers(what.talk.answers.as_deref())?;
    let answers = answers.automatic(what.talk.approve_after.is_some());
    let brief = Brief {
        words: what.query.clone(),
        inputs: Some(what.reading.inputs.clone()),
        globs: what.reading.glob.clone(),
        skip: what.talk.out.iter().cloned().collect(),
    };
    require_inputs(&what.reading.inputs)?;
    let options = AgentOptions::open(
        &what.talk.limits,
        what.reading.budget,
        &environment::content_at(app.global, &what.reading.inputs)?,
        app,
    )
    .await?;
    let agent = options.archie(None)?;
    let thread = Agent::ARCHIE.new_thread(&*options.saver()?).await?;
    *begun = Some(thread.clone());
    let input = agent.analyze(&brief).into_value();
    let session = session(agent, &what.talk).beginning(Archie::analyze, brief);
    begin(session, &thread, (answers, &what.query), input, app).await
}

/// A conversation with these options.
fn session(agent: Archie, talk: &TalkOptions) -> ArchieSession {
    ArchieSession::new(agent)
        .writing_to(talk.out.clone())
        .explaining(talk.explain)
        .approving_after(talk.approve_after.map(|count| count as usize))
}

/// Begins a run with words of the person.
async fn begin(
    mut session: ArchieSession,
    thread: &str,
    (answers, words): (Answers, &str),
    input: Value,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let console = TerminalConsole::new(app);
    let talk = Conversation::new(&mut session, thread, answers, console).saying(words);
    console::ended(talk.run(Next::Input(input)).await?, thread)
}

/// Shows what the calls of a thread cost, or its documents.
pub(crate) async fn tell(
    thread: &str,
    is_about_tokens: bool,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let agent = Archie::reader(database::read_only(app.global)?)?;
    let session = ArchieSession::new(agent);
    let notices = match is_about_tokens {
        true => vec![session.tokens(thread).await?],
        false => session.documents(thread).await?,
    };
    console::show(notices, app.output)
}

/// Asks a question in the thread that is named, or in a new one, whose name is then known.
pub(crate) async fn ask(
    what: &Ask,
    thread: &mut Option<String>,
    app: &mut App<'_>,
) -> Result<(), Error> {
    *thread = match &what.thread {
        Some(text) => Some(ThreadReader::open(app.global)?.named(text).await?),
        None => None,
    };
    question(what, thread, app).await
}

/// Asks a question in a thread, which knows what was said before; in a new one if there is none, whose name
/// is then known. In a thread with the result of an analysis it is about the result, and may change it.
pub(crate) async fn question(
    what: &Ask,
    thread: &mut Option<String>,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let global = match thread {
        Some(thread) => {
            let reader = ThreadReader::open(app.global)?;
            reader.continuing(thread, app.global).await?
        }
        None => app.global.clone(),
    };
    let output = app.output;
    let app = &mut app.with(&global, output);
    let (words, files) = with_files(what.words.join(" "))?;
    let words = with_piped(&words, app).await?;
    if words.trim().is_empty() {
        let why = "the question is empty".to_owned();
        return Err(superstep_archie::Error::from(ErrorKind::Settings { why }).into());
    }
    let mut brief = Brief {
        words: words.clone(),
        inputs: what.inputs.clone(),
        ..Brief::default()
    };
    let mut content = DataOwner::Project;
    let mut flow: Begin = Archie::ask;
    if let Some(thread) = thread {
        let known = read_for_question(thread, app).await?;
        let folder = known.inputs.folder.clone().map(PathBuf::from);
        let has_result = known.current_flow == Flow::Analysis && known.analysis_output.is_some();
        if has_result && brief.inputs.is_none() {
            flow = |archie, brief| archie.follow_up(&brief.words);
        }
        brief.inputs = brief.inputs.or(folder);
        if !known.system_context.is_empty() {
            content = content_of(&known, app.global)?;
        }
    }
    if let Some(inputs) = &brief.inputs {
        require_inputs(inputs)?;
        if content == DataOwner::Project {
            content = environment::content_at(app.global, inputs)?;
        }
    }
    for file in files {
        if content == DataOwner::Project {
            content = environment::content_at(app.global, &file)?;
        }
    }
    let options = AgentOptions::open(&what.limits, None, &content, app).await?;
    let agent = options.archie(None)?;
    let name = match thread {
        Some(name) => name.clone(),
        None => Agent::ARCHIE.new_thread(&*options.saver()?).await?,
    };
    *thread = Some(name.clone());
    let input = flow(&agent, &brief).into_value();
    let session = ArchieSession::new(agent).beginning(flow, brief);
    begin(session, &name, (Answers::person(), &words), input, app).await
}

/// A question with the text files that it names as `@FILE`, and those files.
fn with_files(mut words: String) -> Result<(String, Vec<PathBuf>), Error> {
    let named = words
        .split_whitespace()
        .filter_map(|it| it.strip_prefix('@'));
    let named = named.map(|it| PathBuf::from(it.trim_end_matches(['?', '!', ',', ';', ':'])));
    let found: Vec<PathBuf> = named.filter(|it| it.is_file()).collect();
    for file in &found {
        let text = files::text_up_to(file, MOST_PIPED)?;
        words.push_str(&format!("\n\n# {}\n\n{}", file.display(), text.trim_end()));
    }
    Ok((words, found))
}

/// A question and what is piped in with it; `-`, or nothing, is what is piped in alone.
async fn with_piped(words: &str, app: &mut App<'_>) -> Result<String, Error> {
    if app.global.no_input {
        return Ok(words.to_owned());
    }
    let piped = app.terminal.piped_text().await?;
    let words = words.trim();
    Ok(match (words, piped) {
        ("-" | "", Some(text)) => text,
        ("-", None) => {
            let why = "`-` is what is piped in, and nothing is".to_owned();
            return Err(Error::Usage(why));
        }
        (words, Some(text)) => format!("{words}\n\n{}", text.trim_end()),
        (words, None) => words.to_owned(),
    })
}

/// A finished thread for another question; a foreign one only after a person agreed to run it.
async fn read_for_question(thread: &str, app: &App<'_>) -> Result<Analysis, Error> {
    let reader = ThreadReader::open(app.global)?;
    let resume = suggest::command(app.global, &["threads", "resume", thread]);
    if reader.agent(thread).await? != Agent::ARCHIE {
        return Err(Error::Usage(format!(
            "thread {} is not of Archie",
            shown(thread)
        )));
    }
    if consent::is_wanted(&reader.provenance()?, thread).await? {
        return Err(Error::Usage(format!(
            "thread {} was imported, or started or edited over HTTP; agree to run it first: {resume}",
            shown(thread)
        )));
    }
    let known = Archie::reader(database::read_only(app.global)?)?;
    let known = known.graph().state(thread).await?;
    match known.is_done() || known.asks.is_empty() {
        true => Ok((*known.state).clone()),
        false => Err(Error::Usage(format!(
            "thread {} waits for your answer: {resume}",
            shown(thread)
        ))),
    }
}

pub(crate) async fn build_context(what: &BuildContext, app: &mut App<'_>) -> Result<(), Error> {
    check_globs(&what.reading.glob)?;
    check_out(what.out.as_deref(), app.global)?;
    let brief = Brief {
        inputs: Some(what.reading.inputs.clone()),
        globs: what.reading.glob.clone(),
        skip: what.out.iter().cloned().collect(),
        ..Brief::default()
    };
    require_inputs(&what.reading.inputs)?;
    let content = environment::content_at(app.global, &what.reading.inputs)?;
    let budget = what.reading.budget;
    let options = AgentOptions::open(&what.limits, budget, &content, app).await?;
    let agent = options.archie(None)?;
    let thread = Agent::ARCHIE.new_thread(&*options.saver()?).await?;
    let next = Next::Input(agent.build_context(&what.name, &brief).into_value());
    let mut session = ArchieSession::new(agent).writing_to(what.out.clone());
    let answers = (Answers::person(), None);
    console::talk(&mut session, &thread, answers, next, app).await
}

/// The agent as a server hosts it: threads may name folders below these.
pub(crate) async fn hosted(
    roots: Roots,
    app: &mut App<'_>,
) -> Result<superstep_archie::Archie, Error> {
    let content = environment::content_of_server();
    let options = AgentOptions::open(&Limits::default(), None, &content, app).await?;
    options.below(roots).archie(None)
}

/// Archie for a thread that is resumed. The result of a thread that is done is written again without a model if it is
/// missing.
pub(crate) async fn opened(
    thread: &StoredThread<'_>,
    app: &mut App<'_>,
) -> Result<OpenedThread, Error> {
    let (name, args) = (thread.name, thread.talk);
    check_out(args.out.as_deref(), app.global)?;
    let reading = Archie::reader(database::read_only(app.global)?)?;
    let known = reading.graph().state(name).await?.state;
    if let Some(folder) = &known.inputs.folder {
        thread.agreement.permit(Path::new(folder))?;
    }
    if thread.is_done {
        return Ok((Box::new(session(reading, args)), Box::new(())));
    }
    let content = content_of(&known, app.global)?;
    let mut options = AgentOptions::open(&args.limits, None, &content, app).await?;
    if let Some(roots) = thread.agreement.roots() {
        options = options.below(roots);
    }
    let spent = options.archie(None)?.spent(name).await?;
    let model = options.model_name();
    if known.model_name != model {
        app.output.say(&[plain(format!(
            "note: this thread was begun with {}; it continues with {model}",
            shown(&known.model_name)
        ))]);
    }
    let agent = options.archie(Some(spent))?;
    Ok((Box::new(session(agent, args)), Box::new(())))
}

/// Refuses a file that the result cannot be written to, before anybody talks for an hour.
fn check_out(out: Option<&Path>, global: &Global) -> Result<(), Error> {
    let Some(out) = out else { return Ok(()) };
    files::refuse_database(out, global)?;
    Ok(files::require_folder_of(out)?)
}

/// Refuses a folder that is not there, before a thread is made for it.
fn require_inputs(inputs: &Path) -> Result<(), Error> {
    let Err(error) = std::fs::metadata(inputs) else {
        return Ok(());
    };
    let folder = inputs.display().to_string();
    let why = error.to_string();
    Err(superstep_archie::Error::from(ErrorKind::Folder { folder, why }).into())
}

/// Whose data a thread holds: the project's if its documents are there, and nothing else is in it.
fn content_of(state: &Analysis, global: &Global) -> Result<DataOwner, Error> {
    match &state.inputs.folder {
        Some(folder) if state.system_context.is_empty() => {
            environment::content_at(global, Path::new(folder))
        }
        Some(_) => Ok(DataOwner::Elsewhere(
            "the thread holds what Archie remembers of other projects".into(),
        )),
        None => Ok(DataOwner::Elsewhere(
            "the thread has no documents of the project".into(),
        )),
    }
}
