//! The agents of a server: opened with their models and accounts, or without, and described.

use serde_json::json;
use superstep::Backends;
use superstep_fake_audius::FakeAudius;
use superstep_mail::MailAgent;
use superstep_server::Server;

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

    // What was uploaded may be read too.
    roots.extend(uploads.clone());
    let archie = match archie::hosted(roots.clone(), app).await {
        Ok(agent) => agent,
        Err(missing) => {
            let settings = superstep_archie::Settings {
                roots: Some(roots),
                ..superstep_archie::Settings::default()
            };
            let why = unable("archie", &missing, app)?;
            agents::archie_without(&why, settings, backends.clone())?
        }
    };
    server = server
        .graph("archie", archie.graph())
        .description(
            "archie",
            "Talks about a folder of documents until you approve the analysis",
        )
        .example(
            "archie",
            json!({"user_input": "What is decided here, and what is open?", "inputs": {"folder": "."}}),
        );

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

    let mail = match open_mail(what, app).await {
        Ok(agent) => agent,
        Err(missing) => agents::mail_without(&unable("mail", &missing, app)?, backends.clone())?,
    };
    server = server
        .graph(EMAIL.0, mail.graph())
        .alias(EMAIL.1, EMAIL.0)
        .description(EMAIL.0, "Reads mail, and asks before it acts")
        .example(EMAIL.0, sample_mail());

    let versions = sheet::hosted_versions(uploads.clone(), app.global)?;
    server = server.results(versions.folder());
    let sheets = match sheet::hosted(uploads.clone(), app).await {
        Ok(agent) => agent,
        Err(missing) => {
            let why = unable("sheets", &missing, app)?;
            agents::sheets_without(&why, versions, backends)?
        }
    };
    server = server
        .graph("sheets", sheets.graph())
        .description(
            "sheets",
            "Works on spreadsheets step by step; the input is never modified",
        )
        .example(
            "sheets",
            json!({"problem": {"instruction": "Add a sheet with the sums by region", "workbook": ""}}),
        );
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

/// Says that an agent can be read and not run, and gives what its runs say.
fn unable(agent: &str, missing: &Error, app: &App<'_>) -> Result<String, Error> {
    tell(agent, "can be read, not run", missing, app)?;
    let why = first_line(missing);
    let ways = match missing {
        Error::Model(_) | Error::NoModel => WAYS.to_owned(),
        other => other.hints().join("; "),
    };
    Ok(format!(
        "{agent} is served without what it needs: {why}; {ways}"
    ))
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
