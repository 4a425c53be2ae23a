//! The model of a command, opened: chosen by `environment`, or by a person in the menu of `setup` if there is none.

use std::sync::{Arc, Mutex};

use superstep::{
    model::{
        self, Budget, ManagedModel, Model, Money, NodeModels, call,
        config::Origin,
        select::{Choice, Consent, DataOwner, Outcome, Verdict},
    },
    sync::lock,
};

use crate::{
    app::App,
    environment,
    error::Error,
    output::{Output, faint, plain, strong},
    reading::ReadingLine,
    weights,
};

/// The job that a model is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Reading and writing text, which the model that can be downloaded does in part.
    Text,
    /// Editing workbooks, which that model cannot do.
    Workbooks,
}

/// A model that was opened, and why it was chosen.
pub(crate) struct OpenedModel {
    pub(crate) caller: ManagedModel,
    pub(crate) origin: Origin,
}

impl OpenedModel {
    /// With the line that shows how far a prompt was read.
    fn new(mut caller: ManagedModel, choice: &Choice, output: &Output) -> Self {
        if let Some(line) = ReadingLine::of(output) {
            caller = caller.observed(line);
        }
        let origin = choice.origin.clone();
        Self { caller, origin }
    }
}

/// Opens the model that is used, with its call policy, and prints which one it is.
pub(crate) async fn open(content: &DataOwner, app: &mut App<'_>) -> Result<OpenedModel, Error> {
    open_for(Work::Text, content, app).await
}

/// The same for some work, which the model that can be downloaded may be too small for.
pub(crate) async fn open_for(
    work: Work,
    content: &DataOwner,
    app: &mut App<'_>,
) -> Result<OpenedModel, Error> {
    let mut resolution = environment::choose(app.global, None, content).await?;
    if let Outcome::Pull(consent) = resolution.outcome {
        match (consent, work) {
            (Consent::Ask, _) => {
                app.output.say(&[plain("There is no model yet.")]);
                if !crate::offer_model(work, app).await? {
                    return Err(resolution.nothing().into());
                }
            }
            (Consent::Given, Work::Text) => weights::pull_for_use(app).await?,
            (Consent::Given, Work::Workbooks) => return Err(resolution.nothing().into()),
        }
        resolution = environment::choose(app.global, None, content).await?;
    }
    for link in &resolution.chain {
        let verdict = match &link.verdict {
            Verdict::Taken(what) => format!("taken: {what}"),
            Verdict::Skipped(why) => why.clone(),
            Verdict::NotReached => "not reached".to_owned(),
        };
        let line = format!("  {}: {verdict}", link.source);
        app.output.detail(&[faint(line)]);
    }
    let choice = resolution.choice()?;
    let model = open_choice(choice, app).await?;
    banner(choice, &model, app.output);
    Ok(OpenedModel::new(model, choice, app.output))
}

async fn open_choice(choice: &Choice, app: &mut App<'_>) -> Result<ManagedModel, Error> {
    let missing = choice.file.iter().find(|file| !file.exists());
    if let (Some(file), "local") = (missing, &*choice.spec.provider) {
        return Err(environment::unusable(choice, file, &choice.origin));
    }
    let providers = model::providers();
    tokio::select! {
        model = providers.open(choice) => Ok(model?),
        () = app.terminal.ctrl_c() => Err(Error::Cancelled),
    }
}

/// Models that the settings give to single nodes of an agent (`[models] NODE = "…"`).
pub(crate) async fn open_nodes(
    nodes: &[&str],
    content: &DataOwner,
    app: &mut App<'_>,
) -> Result<Vec<(String, OpenedModel)>, Error> {
    // A model that is named on the command line is for every node.
    if app.global.model.is_some() {
        return Ok(Vec::new());
    }
    let config = environment::load(app.global)?.config;
    // What a project names and nobody agreed to is refused where it is chosen, not passed over.
    let without_consent = config.without_consent();
    let without_consent = without_consent.and_then(|project| project.settings.as_ref());
    let mut opened = Vec::new();
    for node in nodes {
        let mut files = config.files.iter().chain(without_consent);
        if !files.any(|file| file.models.contains_key(*node)) {
            continue;
        }
        let resolution = environment::choose(app.global, Some(node), content).await?;
        let choice = resolution.choice()?;
        let model = open_choice(choice, app).await?;
        app.output
            .note(&[faint(format!("{node}: {}", choice.banner(&model)))]);
        let model = OpenedModel::new(model, choice, app.output);
        opened.push(((*node).to_owned(), model));
    }
    Ok(opened)
}

/// The models of an agent: the usual one, and those that the settings give to single nodes. Their calls stay within a budget.
pub(crate) async fn open_models(
    nodes: &[&str],
    content: &DataOwner,
    budget: &Budget,
    app: &mut App<'_>,
) -> Result<NodeModels, Error> {
    let within = |opened: OpenedModel| Arc::new(opened.caller.within(budget.clone()));
    let usual = NodeModels::new(within(open(content, app).await?));
    let own = open_nodes(nodes, content, app).await?.into_iter();
    Ok(own.fold(usual, |models, (node, opened)| {
        models.with(node, within(opened))
    }))
}

/// A limit of money for the calls of a command.
pub(crate) fn budget(max_cost: Option<Money>) -> Budget {
    Budget::new(call::Limits {
        money: max_cost,
        ..call::Limits::default()
    })
}

/// Says which model answers, once until another one does.
fn banner(choice: &Choice, model: &dyn Model, output: &Output) {
    static LAST: Mutex<String> = Mutex::new(String::new());
    let line = choice.banner(model);
    if std::mem::replace(&mut *lock(&LAST), line.clone()) == line {
        return;
    }
    match line.split_once(" · ") {
        Some((name, rest)) => output.note(&[strong(name), faint(format!(" · {rest}"))]),
        None => output.note(&[plain(line)]),
    }
}
