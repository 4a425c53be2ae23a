//! The server as routes for an axum application.

use std::{path::PathBuf, sync::Arc};

use axum::{Router, extract::DefaultBodyLimit, middleware};
use superstep::clock::ClockIds;
use tokio::sync::{Notify, Semaphore};

use super::{
    Server,
    body_memory::{self, BodyMemory},
    limits::{self, Limits},
    workers::{WorkOn, Workers},
};
use crate::{
    app::{App, events::ServerEvents, role::Role, shutdown::Shutdown},
    error::ServerError,
    guard::{Guard, check_place, error_bodies},
    owners::{login::Login, private_paths::PrivatePaths, tokens::Tokens},
    records::{self, Records, files::FileRecords, hidden::Hidden, threads::ThreadRecords},
    registry::{Hosted, Registry},
    routes::{openapi, router, routes},
    runs::after::AT_ONCE,
};

impl Server {
    /// The routes of the server, for an application with routes, a listener and TLS of its own, and the work beside them.
    ///
    /// The routes check host, origin, login and the size of bodies wherever they are mounted; [`Server::bind`] is built on
    /// them. They do not see connections, so a server without a login is refused (SS9012): other users of the machine could
    /// use it. A name other than the loopback's must be given with [`Server::host`]. Routes may be nested under a path, but
    /// for the web pages, which work at the root only. Paths in `Location` headers are relative to the routes.
    ///
    /// ```no_run
    /// # async fn example(server: superstep_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// use axum::{Router, routing::get};
    /// use superstep::Secret;
    ///
    /// let token = std::env::var("AGENTS_TOKEN")?;
    /// let (agents, workers) = server.token(Secret::new(token)).into_router()?;
    /// let app = Router::new()
    ///     .route("/orders", get(|| async { "[]" }))
    ///     .nest("/agents", agents);
    /// tokio::spawn(workers.run(std::future::pending()));
    /// axum::serve(tokio::net::TcpListener::bind("127.0.0.1:8080").await?, app).await?;
    /// # Ok(()) }
    /// ```
    pub fn into_router(mut self) -> Result<(Router, Workers), ServerError> {
        let login = self.login()?;
        match login.is_open() {
            true => Err(ServerError::NoLogin),
            false => self.assemble(login),
        }
    }

    /// The work of a process that answers nobody: it runs what other processes put into the queue, calls webhooks and starts
    /// schedules.
    pub fn into_workers(mut self) -> Result<Workers, ServerError> {
        self.role = Role::Worker;
        let login = self.login()?;
        self.assemble(login).map(|(_, workers)| workers)
    }

    /// The ways in which callers show who they are.
    pub(super) fn login(&mut self) -> Result<Login, ServerError> {
        let tokens = Tokens::new(self.token.take(), std::mem::take(&mut self.owners))?;
        let hook = self.authenticate.take();
        Ok(Login { tokens, hook })
    }

    pub(super) fn assemble(mut self, login: Login) -> Result<(Router, Workers), ServerError> {
        let missing = |what| ServerError::Backends { what };
        let saver = self.backends.saver.clone().ok_or(missing("saver"))?;
        let store = self.backends.store.clone().ok_or(missing("store"))?;
        for (id, description) in self.descriptions {
            hosted(&mut self.graphs, id)?.card.about = description;
        }
        for (id, example) in self.examples {
            hosted(&mut self.graphs, id)?.card.example = Some(example);
        }
        for (id, input) in self.follow_ups {
            hosted(&mut self.graphs, id)?.card.follow_up = Some(input);
        }
        for (id, standing) in self.standings {
            hosted(&mut self.graphs, id)?.standing = standing;
        }
        for (id, field) in self.result_fields {
            hosted(&mut self.graphs, id)?.result_field = Some(field);
        }
        for id in self.whole {
            hosted(&mut self.graphs, id)?.is_whole = true;
        }
        let registry = Registry::new(self.graphs, self.aliases)?;
        let login = Arc::new(login);
        let guard = Arc::new(Guard {
            login: login.clone(),
            hosts: self.hosts,
            origins: self.origins,
        });
        let app = Arc::new(App {
            private: PrivatePaths::new(self.private.iter().map(PathBuf::as_path)),
            editors: self.editors,
            hidden: Hidden::new(self.bookkeeping),
            login,
            answer_rule: self.answer_rule,
            registry,
            threads: ThreadRecords::new(saver.clone()),
            assistants: Records::new(store.clone(), records::ASSISTANTS),
            deleted_runs: Records::new(store.clone(), records::DELETED_RUNS),
            saver,
            store: store.clone(),
            ids: ClockIds::default(),
            events: ServerEvents::default(),
            readers: Arc::default(),
            finishing: Semaphore::new(AT_ONCE),
            webhook_hosts: self.webhook_hosts,
            crons: Records::new(store.clone(), records::CRONS),
            cron_changed: Notify::new(),
            counts: self.counts,
            budget: self.budget,
            files: FileRecords::new(store.clone()),
            results: Records::new(store, records::RESULTS),
            blobs: self.backends.blobs,
            results_space: self.results_space,
            file_limit: self.file_limit,
            runs_at_once: self.runs_at_once.max(1),
            role: self.role,
            shutdown: Shutdown::default(),
            openapi: openapi::document(&routes()),
            settings: self.settings,
        });
        let limits = Arc::new(Limits::new(self.time_limit, self.per_minute));
        let bodies = BodyMemory::new(self.body_limit.max(self.file_limit));
        let router = router(app.clone(), &guard)
            .layer(DefaultBodyLimit::max(self.body_limit))
            .layer(middleware::from_fn_with_state(bodies, body_memory::share))
            .layer(middleware::from_fn_with_state(limits, limits::within))
            .layer(middleware::from_fn_with_state(guard, check_place))
            .layer(middleware::from_fn(error_bodies));
        let workers = Workers {
            app,
            grace: self.grace,
            graphs: WorkOn::All,
        };
        Ok((router, workers))
    }
}

/// The graph that is described.
fn hosted(graphs: &mut [Hosted], id: String) -> Result<&mut Hosted, ServerError> {
    let why = "no graph has it";
    let found = graphs.iter_mut().find(|hosted| hosted.id == id);
    found.ok_or(ServerError::GraphId { id, why })
}
