//! `superstep serve`: the agents over HTTP, for clients of the LangGraph server API and for browsers.
//!
//! An agent whose model or account is missing is served all the same: its threads can be read, and a run
//! that needs what is missing fails and says what to do. `running` opens the agents.

mod owners;
mod settings;

use std::time::Duration;

use superstep::{
    Backends, Secret,
    model::select::{Consent, Outcome},
};
use superstep_server::{Role, Server};
use tokio::sync::oneshot;

use self::settings::ServeSettings;
use crate::{
    app::App,
    args::{Global, Serve, ServeRole},
    database, environment,
    error::Error,
    opened_model::Work,
    output::{bad, faint, plain, strong},
    running,
};

/// Where the token of callers is.
const TOKEN: &str = "SUPERSTEP_TOKEN";

pub(crate) async fn run(what: &Serve, app: &mut App<'_>) -> Result<(), Error> {
    if what.role == ServeRole::Api && !what.graph.is_empty() {
        let why = "--graph says what a process runs, and one with --role api runs nothing";
        return Err(Error::Usage(why.into()));
    }
    let backends = database::create(app.global)?;
    // A person without a model is asked once, not for each agent.
    let chosen = environment::choose(app.global, None, &environment::content_of_server()).await;
    if chosen.is_ok_and(|it| matches!(it.outcome, Outcome::Pull(Consent::Ask))) {
        crate::offer_model(Work::Text, app).await?;
    }
    let owners = what.owners.as_deref().map(|file| {
        if owners::is_open(file) {
            app.output.say(&[
                bad("other users of this machine can read the tokens in "),
                strong(file.display()),
                plain(": `chmod 600` that file"),
            ]);
        }
        owners::read(file)
    });
    let owners = owners.transpose()?.unwrap_or_default();
    let names = owners.iter().map(|(name, _)| name.clone()).collect();
    let settings = ServeSettings::new(what, names, app)?;
    let mut address = format!("{}:{}", what.host, what.port);
    let mut end = EndSignal::listen()?;
    loop {
        let server = server(what, &backends, app)?;
        let global = Global {
            no_input: true,
            ..app.global.clone()
        };
        let output = app.output;
        let asking_nothing = &mut app.with(&global, output);
        let hosting = running::host(server, what, backends.clone(), asking_nothing).await?;
        let (mut server, _lives) = (hosting.server, hosting.lives);
        for (name, token) in &owners {
            server = server.owner(name.clone(), token.clone());
        }
        let mut server = server.settings(settings.clone()).bind(&address).await?;
        if !what.graph.is_empty() {
            server = server.only(what.graph.clone())?;
        }
        // The same port the next time, whatever was asked for.
        address = server.address().to_string();
        let shown = format!("http://{address}");
        app.output.say(&[faint("serving "), strong(shown)]);
        let (stop, stopped) = oneshot::channel::<()>();
        let served = server.serve(async {
            // Sent or dropped, it is time.
            let _stop = stopped.await;
        });
        let mut served = std::pin::pin!(served);
        let is_again = tokio::select! {
            served = &mut served => return Ok(served?),
            () = app.terminal.ctrl_c() => false,
            () = end.told() => false,
            () = settings.restarted() => true,
        };
        drop(stop);
        let how = match is_again {
            true => "starting again with the changed settings",
            false => "finishing the steps under way; Ctrl-C again ends at once",
        };
        app.output.say(&[faint(how)]);
        tokio::select! {
            served = &mut served => served?,
            () = app.terminal.ctrl_c() => return Ok(()),
        }
        if !is_again {
            return Ok(());
        }
    }
}

/// The server before agents are added, as the command line describes it.
fn server(what: &Serve, backends: &Backends, app: &App<'_>) -> Result<Server, Error> {
    let mut server = Server::on(backends.clone())
        .runs_at_once(usize::from(what.runs))
        .role(match what.role {
            ServeRole::All => Role::All,
            ServeRole::Api => Role::Api,
            ServeRole::Worker => Role::Worker,
        })
        .grace(Duration::from_secs(what.grace.into()))
        .private_path(database::path(app.global)?.value);
    for name in &what.name {
        server = server.host(name);
    }
    for origin in &what.origin {
        server = server.origin(origin);
    }
    let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    Ok(match token {
        Some(token) => server.token(Secret::new(token)),
        None => server,
    })
}

/// SIGTERM, by which service managers and containers end a process.
struct EndSignal {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl EndSignal {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?,
        })
    }

    async fn told(&mut self) {
        #[cfg(unix)]
        self.signal.recv().await;
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}
