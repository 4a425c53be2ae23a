//! `superstep serve`: the agents over HTTP, for clients of the LangGraph server API and for browsers.
//!
//! An agent whose model or account is missing is served all the same: its threads can be read, and a run
//! that needs what is missing fails and says what to do. `running` opens the agents.

mod owners;

use std::time::Duration;

use superstep::Secret;
use superstep_server::{Role, Server};
use tokio::sync::oneshot;

use crate::{
    app::App,
    args::{Serve, ServeRole},
    database,
    error::Error,
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
    let database = database::path(app.global)?.value;
    let server = Server::on(backends.clone())
        .runs_at_once(usize::from(what.runs))
        .role(match what.role {
            ServeRole::All => Role::All,
            ServeRole::Api => Role::Api,
            ServeRole::Worker => Role::Worker,
        })
        .grace(Duration::from_secs(what.grace.into()))
        .private_path(database);
    let hosting = running::host(server, what, backends, app).await?;
    let (mut server, _lives) = (hosting.server, hosting.lives);
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
    if let Some(file) = &what.owners {
        if owners::is_open(file) {
            app.output.say(&[
                bad("other users of this machine can read the tokens in "),
                strong(file.display()),
                plain(": `chmod 600` that file"),
            ]);
        }
        for (name, token) in owners::read(file)? {
            server = server.owner(name, token);
        }
    }
    let mut server = server.bind(format!("{}:{}", what.host, what.port)).await?;
    if !what.graph.is_empty() {
        server = server.only(what.graph.clone())?;
    }
    let address = format!("http://{}", server.address());
    app.output.say(&[faint("serving "), strong(address)]);
    let mut end = EndSignal::listen()?;
    let (stop, stopped) = oneshot::channel::<()>();
    let served = server.serve(async {
        // Sent or dropped, it is time.
        let _stop = stopped.await;
    });
    let mut served = std::pin::pin!(served);
    tokio::select! {
        served = &mut served => return Ok(served?),
        () = app.terminal.ctrl_c() => {}
        () = end.told() => {}
    }
    drop(stop);
    let how = "finishing the steps under way; Ctrl-C again ends at once";
    app.output.say(&[faint(how)]);
    tokio::select! {
        served = &mut served => Ok(served?),
        () = app.terminal.ctrl_c() => Ok(()),
    }
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
