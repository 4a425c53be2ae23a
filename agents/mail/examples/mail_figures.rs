//! How well a model handles mail, through the whole assistant: triage, forms, replies.
//!
//! ```sh
//! cargo run --release -p superstep-mail --features local --example mail_figures -- MODEL.gguf
//! cargo run --release -p superstep-mail --features local --example mail_figures -- MODEL.gguf triage held
//! ```
//!
//! `tasks/mails.jsonl` has the mails, with headers as they come, and the labels, which were written first. One part
//! (`choosing`) is for trying instructions; rules were made with `held` and `unseen`; `fresh` was written without sight of
//! either and is run when all of it is settled. Nothing is sent.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path, sync::Arc, time::Instant};

use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver, MemoryStore,
    local::chat::{LocalModel, Options},
    model::{
        Model, NodeModels,
        script::{Script, Step, When},
    },
    tools::guided::{Profile, grounding},
};
use superstep_mail::{
    Address, Answer, Class, FolderCalendar, FolderMailbox, InboxItem, IngestOptions, MailAgent,
    MailParts, Settings,
};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// A mail and what is right about it.
#[derive(Deserialize)]
struct Task {
    id: String,
    half: String,
    class: Class,
    meeting: Option<Meeting>,
    decision: Option<String>,
    mail: String,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Meeting {
    days: Vec<String>,
    minutes: u64,
}

/// How often something was right, by half.
#[derive(Default)]
struct Score(BTreeMap<String, (u32, u32)>);

impl Score {
    fn add(&mut self, half: &str, is_right: bool) {
        let (right, all) = self.0.entry(half.to_owned()).or_default();
        *right += u32::from(is_right);
        *all += 1;
    }

    fn print(&self, what: &str) {
        for (half, (right, all)) in &self.0 {
            println!("{what}, {half}: {right} of {all}");
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Fallible<()> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("which model?")?;
    let part = arguments.next().unwrap_or_else(|| "all".into());
    let half = arguments.next();
    let model: Arc<dyn Model> = Arc::new(LocalModel::open(path, Options::default())?);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/mails.jsonl");
    let text = fs::read_to_string(file)?;
    let tasks = text.lines().map(serde_json::from_str::<Task>);
    let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
    let tasks: Vec<&Task> = tasks
        .iter()
        .filter(|task| half.as_ref().is_none_or(|it| *it == task.half))
        .collect();
    println!("{}, {} mails", model.id(), tasks.len());
    if ["all", "triage"].contains(&part.as_str()) {
        triage(&model, &tasks).await?;
    }
    if ["all", "replies"].contains(&part.as_str()) {
        replies(&model, &tasks).await?;
    }
    Ok(())
}

/// An assistant over one mail. `turns` is how often the model may speak about it after triage.
fn assistant(models: NodeModels, folder: &Path, task: &Task, turns: u32) -> Fallible<MailAgent> {
    fs::create_dir_all(folder.join("mail"))?;
    fs::create_dir_all(folder.join("meetings"))?;
    fs::write(folder.join("mail").join("one.eml"), &task.mail)?;
    let owner = Address {
        name: Some("Max Muster".into()),
        email: "me@example.org".into(),
    };
    let settings = Settings {
        max_turns: turns,
        max_tokens: Some(300),
        profile: Some(Profile::Small),
        ..Settings::default()
    };
    let backends = Backends {
        saver: Some(Arc::new(MemorySaver::new())),
        store: Some(Arc::new(MemoryStore::default())),
        ..Backends::default()
    };
    let mailbox = Arc::new(FolderMailbox::open(folder.join("mail"), owner)?);
    let calendar = Arc::new(FolderCalendar::open(
        folder.join("meetings"),
        "Europe/Berlin",
    )?);
    Ok(MailAgent::new(MailParts {
        models,
        mailbox,
        calendar,
        settings,
        backends,
    })?)
}

async fn triage(model: &Arc<dyn Model>, tasks: &[&Task]) -> Fallible<()> {
    let (mut score, mut majority) = (Score::default(), Score::default());
    for task in tasks {
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        let agent = assistant(NodeModels::new(model.clone()), folder.path(), task, 0)?;
        let taken = agent.ingest(&IngestOptions::default()).await?;
        let thread = taken.first().ok_or("no mail")?.thread.clone();
        let state = agent.graph().state(thread.as_str()).await?.state;
        let found = state.classification_decision;
        let is_right = found == Some(task.class);
        score.add(&task.half, is_right);
        majority.add(&task.half, task.class == Class::Respond);
        let mark = if is_right { " " } else { "!" };
        let why = state.reasoning.clone().unwrap_or_default();
        println!(
            "{mark} {:<11} {found:?} after {:.0?}: {why}",
            task.id,
            begun.elapsed()
        );
    }
    score.print("triage");
    majority.print("the largest class (respond)");
    Ok(())
}

/// The arguments of the only question.
async fn asked(agent: &MailAgent, thread: &str) -> Fallible<InboxItem> {
    let mut items = agent.open(thread).await?;
    Ok(items.pop().ok_or("nothing is asked")?)
}

async fn replies(model: &Arc<dyn Model>, tasks: &[&Task]) -> Fallible<()> {
    let (mut told_apart, mut forms, mut kept, mut own) = (
        Score::default(),
        Score::default(),
        Score::default(),
        Score::default(),
    );
    for task in tasks.iter().filter(|task| task.class == Class::Respond) {
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        let respond = json!({"says": "so", "act": "asks", "kind": "question"});
        let respond = Step::data(respond).when(When::schema("triage")).always();
        let models =
            NodeModels::new(model.clone()).with("triage_router", Arc::new(Script::new([respond])));
        let agent = assistant(models, folder.path(), task, 12)?;
        let taken = agent.ingest(&IngestOptions::default()).await?;
        let thread = taken.first().ok_or("no mail")?.thread.clone();
        let question = asked(&agent, &thread).await?;
        let args = &question.item.action_request.args;
        let meeting = args.get("understood").and_then(|it| it.get("meeting"));
        let meeting = meeting
            .cloned()
            .map(serde_json::from_value::<Meeting>)
            .transpose()?;
        told_apart.add(&task.half, meeting.is_some() == task.meeting.is_some());
        let is_right = meeting == task.meeting;
        forms.add(&task.half, is_right);
        println!(
            "{} {:<11} {meeting:?} after {:.0?}",
            if is_right { " " } else { "!" },
            task.id,
            begun.elapsed()
        );
        println!(
            "    answers: {}",
            args.get("answers").unwrap_or(&Json::Null)
        );
        let decision = task.decision.as_deref().ok_or("no decision")?;
        let answer = Answer::response(decision);
        agent.answer(&thread, [(question.ask, answer)]).await?;
        let proposed = asked(&agent, &thread).await?;
        let text = proposed.item.action_request.args.get("response_text");
        let text = text.and_then(Json::as_str).unwrap_or_default();
        let is_own = proposed
            .item
            .description
            .contains("The reply is your own words");
        let missing = grounding::missing(decision, text);
        kept.add(&task.half, !is_own && missing.is_empty());
        own.add(&task.half, is_own);
        println!(
            "    {decision:?} {} {text:?} after {:.0?}",
            if is_own { "own words:" } else { "->" },
            begun.elapsed()
        );
        if is_own {
            let why = proposed.item.description.lines();
            let why = why.filter(|line| line.contains("The reply is your own words"));
            println!("    {}", why.collect::<String>());
        }
    }
    told_apart.print("meetings told apart");
    forms.print("forms (meeting, days, minutes)");
    kept.print("replies of the model that keep every word of the decision");
    own.print("replies in the owner's own words");
    Ok(())
}
