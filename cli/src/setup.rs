//! `superstep setup`: choosing a model. The same menu runs by itself where a command needs a model and there is none.

use superstep::model::{
    select::{DataOwner, Offered, Outcome, Probe},
    spec::KNOWN,
};

use crate::{
    agents::Agent,
    app::App,
    args::Command,
    environment,
    error::Error,
    login,
    opened_model::Work,
    output::{count, faint, plain, strong},
    settings,
    terminal::{Line, Topic},
    weights,
};

/// How many models of a server are offered.
const OFFERED: usize = 3;

/// A line of the menu.
enum Way {
    Key,
    /// A model of a server on this machine.
    Server(String),
    Download,
    Demo,
}

pub(crate) async fn run(app: &mut App<'_>) -> Result<(), Error> {
    if !app.terminal.is_interactive() {
        return Err(Error::Usage(
            "there is no terminal to ask at: `superstep model use MODEL` sets the model, and `superstep login PROVIDER` reads a key from \
             a pipe"
                .into(),
        ));
    }
    let resolution = environment::choose(app.global, None, &DataOwner::Project).await?;
    if let Outcome::Chosen(choice) = &resolution.outcome {
        app.output.say(&[
            plain("The model is "),
            strong(&choice.spec),
            faint(format!("  {}", choice.origin)),
        ]);
    }
    let has_model = matches!(resolution.outcome, Outcome::Chosen(_));
    if offer(Work::Text, app).await? && has_model {
        app.output.say(&[faint(
            "`superstep model show` says which one is used, and why",
        )]);
    }
    Ok(())
}

/// Offers the ways to a model. Whether one was chosen.
pub(crate) async fn offer(work: Work, app: &mut App<'_>) -> Result<bool, Error> {
    let ways = ways(work, app).await?;
    app.output.say(&[strong("Choose a model:")]);
    for (number, (_, about)) in (1..).zip(&ways) {
        app.output
            .say(&[strong(format!("  {number}  ")), plain(about)]);
    }
    if work == Work::Workbooks {
        app.output.say(&[faint(
            "     (the model that superstep can download is too small for workbooks)",
        )]);
    }
    loop {
        let prompt = format!("1 to {}, Enter: none> ", ways.len());
        let read = app
            .terminal
            .read_line(Topic::Detail, &prompt, app.output)
            .await?;
        let words = match &read {
            Line::Text(words) => words.trim(),
            Line::End => "",
            Line::CtrlC => return Err(Error::Cancelled),
        };
        let number = match words {
            "" => return Ok(false),
            words => words.parse::<usize>().ok(),
        };
        let Some((way, _)) = number.and_then(|it| ways.get(it.checked_sub(1)?)) else {
            continue;
        };
        return take(way, app).await;
    }
}

async fn take(way: &Way, app: &mut App<'_>) -> Result<bool, Error> {
    let model = match way {
        Way::Key => {
            let provider = login::choose(app).await?;
            login::ask(provider, true, app).await?;
            provider.to_owned()
        }
        Way::Server(model) => model.clone(),
        Way::Download => {
            weights::pull_for_use(app).await?;
            "local:default".to_owned()
        }
        Way::Demo => {
            let demo = Command::Demo {
                agent: None,
                keep: false,
            };
            Box::pin(crate::dispatch(demo, app)).await?;
            return Ok(false);
        }
    };
    // The tiny model may have come in place of the default one: what is in the cache is used by itself.
    if !matches!(way, Way::Download) || !weights::is_only_choice(app.global)? {
        use_from_now_on(&model, app)?;
    }
    Ok(true)
}

/// Stores the model in the user's settings.
pub(crate) fn use_from_now_on(model: &str, app: &App<'_>) -> Result<(), Error> {
    let path = settings::put("model", model)?;
    app.output.note(&[
        plain("every command uses "),
        strong(model),
        faint(format!(" from now on; it is in {}", path.display())),
    ]);
    Ok(())
}

async fn ways(work: Work, app: &App<'_>) -> Result<Vec<(Way, String)>, Error> {
    // Servers are asked whatever the settings name.
    let mut machine = environment::load(app.global)?;
    machine.flag = None;
    machine.config.files.clear();
    machine.keys.clear();
    machine.vars.remove("SUPERSTEP_MODEL");
    machine.vars.remove("OPENAI_BASE_URL");
    let may_ask = machine
        .vars
        .get("SUPERSTEP_OLLAMA")
        .is_none_or(|it| !it.is_empty());
    machine.find(None, may_ask).await?;
    let mut ways = Vec::new();
    if machine.offline.is_none() {
        let named = KNOWN.iter().filter(|known| known.key_env.is_some()).take(3);
        let named: Vec<&str> = named.map(|known| known.name).collect();
        ways.push((
            Way::Key,
            format!("paste the key of a provider, such as {}: the best results; what you ask goes to the provider", named.join(", ")),
        ));
    }
    let ports = machine.ports.iter();
    let ports = ports.map(|(port, probe)| (format!("openai@http://127.0.0.1:{port}/v1"), probe));
    for (server, probe) in [("ollama".to_owned(), &machine.ollama)]
        .into_iter()
        .chain(ports)
    {
        let Probe::Has(offered) = probe else { continue };
        ways.extend(chatting(offered).map(|model| {
            let model = format!("{server}:{}", model.name);
            let about = format!("use {model}, which runs on this machine");
            (Way::Server(model), about)
        }));
    }
    let download = weights::catalogue().into_iter().next();
    if let Some((_, about)) = download.filter(|_| work == Work::Text && machine.offline.is_none()) {
        ways.push((
            Way::Download,
            format!("download {about}: sorts mail and quotes documents, and recommends nothing; a few minutes"),
        ));
    }
    let demos = count(Agent::all().len(), "agent");
    ways.push((
        Way::Demo,
        format!("the demo: {demos} with scripted replies, nothing to set up"),
    ));
    Ok(ways)
}

/// The models of a server that are offered. An embedder does not chat.
fn chatting(offered: &[Offered]) -> impl Iterator<Item = &Offered> {
    let chats = offered.iter().filter(|model| !model.name.contains("embed"));
    chats.take(OFFERED)
}
