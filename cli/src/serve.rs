//! `superstep serve`: the agents over HTTP, for clients of the LangGraph server API and for browsers.
//!
//! An agent whose model or account is missing is served all the same: its threads can be read, and a run
//! that needs what is missing fails and says so.

use superstep::Secret;
use superstep_server::Server;

use crate::{
    agents,
    app::App,
    archie,
    args::Serve,
    atris, database, dirs,
    error::Error,
    mail::{self, Account},
    output::{faint, plain, strong},
};

/// Where the token of callers is.
const TOKEN: &str = "SUPERSTEP_TOKEN";

/// The id under which clients know the e-mail assistant, and its shorter name.
const EMAIL: (&str, &str) = ("email_assistant", "mail");

pub(crate) async fn run(what: &Serve, app: &mut App<'_>) -> Result<(), Error> {
    let backends = database::create(app.global)?;
    let archie = match archie::hosted(app).await {
        Ok(agent) => agent,
        Err(missing) => {
            tell("archie", &missing, app)?;
            agents::read_only_archie(backends.clone())?
        }
    };
    // Its fake ends with it.
    let atris = match atris::hosted(what.fake_audius, app).await {
        Ok(opened) => Some(opened),
        Err(missing) => {
            tell("atris", &missing, app)?;
            None
        }
    };
    let mail = match open_mail(what, app).await {
        Ok(agent) => agent,
        Err(missing) => {
            tell("mail", &missing, app)?;
            agents::read_only_mail(backends.clone())?
        }
    };
    let mut server = Server::on(backends.clone())
        .graph("archie", archie.graph())
        .graph(EMAIL.0, mail.graph())
        .alias(EMAIL.1, EMAIL.0)
        .runs_at_once(usize::from(what.runs));
    server = match &atris {
        Some((agent, _)) => server.graph("atris", agent.graph()),
        None => server.graph("atris", agents::read_only_atris(backends)?.graph()),
    };
    if let Some(folder) = dirs::data() {
        server = server.files(folder.join("files"));
    }
    for name in &what.name {
        server = server.host(name);
    }
    for origin in &what.origin {
        server = server.origin(origin);
    }
    let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    if let Some(token) = token {
        server = server.token(Secret::new(token));
    }
    let server = server.bind(format!("{}:{}", what.host, what.port)).await?;
    let address = format!("http://{}", server.address());
    app.output.say(&[faint("serving "), strong(address)]);
    tokio::select! {
        served = server.serve(std::future::pending()) => Ok(served?),
        () = app.terminal.ctrl_c() => Ok(()),
    }
}

async fn open_mail(what: &Serve, app: &mut App<'_>) -> Result<superstep_mail::MailAgent, Error> {
    let account = Account::read(&what.account, app.global)?;
    mail::open(&account, None, app).await
}

/// Says that an agent can be read and not run. Who cancelled wants no server.
fn tell(agent: &str, missing: &Error, app: &App<'_>) -> Result<(), Error> {
    if matches!(missing, Error::Cancelled) {
        return Err(Error::Cancelled);
    }
    let why = missing.lines().into_iter().next().unwrap_or_default();
    app.output.say(&[
        plain(format!("{agent}: ")),
        faint(format!("can be read, not run: {why}")),
    ]);
    Ok(())
}
