//! The agents of a server: opened with their models and accounts, or without, and described.

use serde_json::json;
use superstep::Backends;
use superstep_fake_audius::FakeAudius;
use superstep_mail::MailAgent;
use superstep_server::Server;

use super::rehearsal::{NOTE, Rehearsal};
use crate::{
    agents,
    app::App,
    archie,
    args::Serve,
    atris, dirs, docs,
    error::Error,
    mail::{self, Account},
    output::{faint, plain},
    sheet,
};

/// The id under which clients know the e-mail assistant, and its shorter name.
const EMAIL: (&str, &str) = ("email_assistant", "mail");

/// What its description ends with if there is no account of mail.
const NO_ACCOUNT: &str =
    " (no account is set up: it has three mails of its own, and plays scripted replies)";

/// How to have what is missing.
const WAYS: &str = "start `superstep serve` again with a model: `superstep model pull` gets one that runs inside it, \
     --model names another, and --model script:FILE plays written replies";

/// Hosts the agents. What Atris asks comes with it, if it is a fake.
pub(super) async fn on(
    mut server: Server,
    what: &Serve,
    backends: Backends,
    app: &mut App<'_>,
) -> Result<(Server, Option<FakeAudius>), Error> {
    let uploads = dirs::data().map(|folder| folder.join("files"));
    let mut roots = match what.root.is_empty() {
        true => vec![std::env::current_dir()?],
        false => what.root.clone(),
    };

    let (docgen, missing) = docs::hosted(roots.clone(), app).await?;
    if let Some(missing) = missing {
        tell("docs", "writes what the facts say", &missing, app)?;
    }
    server = server
        .graph("docs", docgen.graph())
        .description(
            "docs",
            "Documents a code base; what it claims is checked against facts",
        )
        .example("docs", json!({"request": {"root": "."}}));

    // What was uploaded may be read too, unless that would show an owner what others uploaded.
    if what.owners.is_none() {
        roots.extend(uploads.clone());
    }
    let own =
        json!({"user_input": "What is decided here, and what is open?", "inputs": {"folder": "."}});
    let rehearsal = Rehearsal::prepare();
    let (archie, input, note) = match (archie::hosted(roots.clone(), app).await, &rehearsal) {
        (Ok(agent), _) => (agent, own, ""),
        (Err(missing), Some(rehearsal)) if lacks_model(&missing) => {
            let why = plays_example("archie", &missing, app)?;
            let (agent, input) = rehearsal.archie(&why, roots, backends.clone())?;
            (agent, input, NOTE)
        }
        (Err(missing), _) => {
            let settings = superstep_archie::Settings {
                roots: Some(roots),
                ..superstep_archie::Settings::default()
            };
            let why = unable("archie", &missing, app)?;
            let agent = agents::archie_without(&why, settings, backends.clone())?;
            (agent, own, "")
        }
    };
    let about = "Talks about a folder of documents until you approve the analysis";
    server = server
        .graph("archie", archie.graph())
        .description("archie", format!("{about}{note}"))
        .example("archie", input);

    let (atris, fake) = match atris::hosted(what.fake_audius, app).await {
        Ok(opened) => opened,
        Err(missing) => {
            unable("atris", &missing, app)?;
            (agents::read_only_atris(backends.clone())?, None)
        }
    };
    server = server
        .graph("atris", atris.graph())
        .description("atris", "Answers questions about Audius from its API")
        .example(
            "atris",
            json!({"query": "What are the top 5 trending tracks this week?"}),
        );

    let (mail, input, note) = match (open_mail(what, app).await, &rehearsal) {
        (Ok(agent), _) => (agent, sample_mail(), ""),
        // Mail of somebody's own is not mixed with that of a demo.
        (Err(missing @ Error::NoAccount), Some(rehearsal)) => {
            let why = plays_example("mail", &missing, app)?;
            let (agent, input) = rehearsal.mail(&why, backends.clone()).await?;
            (agent, input, NO_ACCOUNT)
        }
        (Err(missing), _) => {
            let why = unable("mail", &missing, app)?;
            let agent = agents::mail_without(&why, backends.clone())?;
            (agent, sample_mail(), "")
        }
    };
    server = server
        .graph(EMAIL.0, mail.graph())
        .alias(EMAIL.1, EMAIL.0)
        .description(
            EMAIL.0,
            format!("Reads mail, and asks before it acts{note}"),
        )
        .example(EMAIL.0, input);

    let versions = sheet::hosted_versions(uploads.clone(), app.global)?;
    server = server.results(versions.folder());
    let own =
        json!({"problem": {"instruction": "Add a sheet with the sums by region", "workbook": ""}});
    let (sheets, input, note) = match sheet::hosted(uploads.clone(), app).await {
        Ok(agent) => (agent, own, ""),
        Err(missing) if lacks_model(&missing) => {
            let why = plays_example("sheets", &missing, app)?;
            let (agent, input) = Rehearsal::sheets(&why, versions, backends)?;
            (agent, input, NOTE)
        }
        Err(missing) => {
            let why = unable("sheets", &missing, app)?;
            (agents::sheets_without(&why, versions, backends)?, own, "")
        }
    };
    let about = "Works on spreadsheets step by step; the input is never modified";
    server = server
        .graph("sheets", sheets.graph())
        .description("sheets", format!("{about}{note}"))
        .example("sheets", input);
    if let Some(folder) = uploads {
        server = server.files(folder);
    }
    Ok((server, fake))
}

async fn open_mail(what: &Serve, app: &mut App<'_>) -> Result<MailAgent, Error> {
    let account = Account::read(&what.account, app.global)?;
    Ok(mail::open(&account, None, app).await?.agent)
}

/// A mail that wants an answer.
fn sample_mail() -> serde_json::Value {
    let mail = json!({
        "from": {"email": "ann@example.com"},
        "to": [{"email": "max@example.com"}],
        "subject": "Meeting next week?",
        "text": "Hello Max,\n\ncan we meet on Wednesday, for half an hour?\n\nAnn",
    });
    json!({"email_input": {"id": "meeting.eml", "thread": "meeting.eml", "mail": mail}})
}

/// Whether all that is missing is a model.
fn lacks_model(missing: &Error) -> bool {
    matches!(missing, Error::Model(_) | Error::NoModel)
}

/// Says that an agent runs its example only, and gives what its other runs say.
fn plays_example(agent: &str, missing: &Error, app: &App<'_>) -> Result<String, Error> {
    tell(agent, "runs its example only", missing, app)?;
    Ok(why(agent, missing))
}

/// Says that an agent can be read and not run, and gives what its runs say.
fn unable(agent: &str, missing: &Error, app: &App<'_>) -> Result<String, Error> {
    tell(agent, "can be read, not run", missing, app)?;
    Ok(why(agent, missing))
}

fn why(agent: &str, missing: &Error) -> String {
    let why = first_line(missing);
    let ways = match missing {
        Error::Model(_) | Error::NoModel => WAYS.to_owned(),
        other => other.hints().join("; "),
    };
    format!("{agent} is served without what it needs: {why}; {ways}")
}

/// Says what an agent does without something. Who cancelled wants no server.
fn tell(agent: &str, does: &str, missing: &Error, app: &App<'_>) -> Result<(), Error> {
    if matches!(missing, Error::Cancelled) {
        return Err(Error::Cancelled);
    }
    let why = first_line(missing);
    app.output
        .say(&[plain(format!("{agent}: ")), faint(format!("{does}: {why}"))]);
    Ok(())
}

fn first_line(error: &Error) -> String {
    error.lines().into_iter().next().unwrap_or_default()
}
