//! Setting a server up, and running it.

mod connections;
mod limits;
pub(crate) mod lock;
mod working;

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{extract::DefaultBodyLimit, middleware};
use serde_json::Value as Json;
use superstep::{Backends, Graph, Nodes, Schemas, Secret, State, clock::ClockIds, dynamic};
use superstep_agent::{Card, OpenAgent};
use tokio::{
    net::{TcpListener, ToSocketAddrs},
    sync::Notify,
};

use self::{
    connections::{Connections, slots::Slots},
    limits::Limits,
    working::Working,
};
use crate::{
    app::{
        App, counts::Counts, endings::Endings, events::ServerEvents, foreign::Foreign,
        store_edit::StoreEditor, uploads::Uploads,
    },
    error::ServerError,
    guard::{Guard, check_place, error_bodies},
    owners::{
        self,
        private_paths::PrivatePaths,
        tokens::{self, Tokens},
    },
    readiness::Standing,
    records::{self, Records, hidden::Hidden, threads::ThreadRecords},
    registry::{Hosted, Registry},
    routes::{openapi, router, routes},
};

/// The largest body that is read, unless the server is told otherwise.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The most bytes of a file, unless the server is told otherwise.
const FILE_LIMIT: usize = 64 * 1024 * 1024;

/// How long an answer may take to begin, unless the server is told otherwise.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// How many runs continue at once, unless the server is told otherwise.
const RUNS_AT_ONCE: usize = 64;

/// A server that is being set up.
#[must_use]
pub struct Server {
    backends: Backends,
    graphs: Vec<Hosted>,
    /// The ids of graphs that are not for owners.
    whole: Vec<String>,
    editors: Vec<Box<dyn StoreEditor>>,
    /// Namespaces of the store that agents keep their bookkeeping in.
    bookkeeping: Vec<[&'static str; 2]>,
    aliases: HashMap<String, String>,
    token: Option<Secret>,
    owners: Vec<(Arc<str>, Secret)>,
    hosts: HashSet<String>,
    origins: HashSet<String>,
    body_limit: usize,
    webhook_hosts: HashSet<String>,
    runs_at_once: usize,
    /// What graphs do, in a line, by their ids.
    descriptions: HashMap<String, String>,
    /// Inputs to begin with, by the ids of graphs.
    examples: HashMap<String, Json>,
    follow_ups: HashMap<String, Json>,
    standings: HashMap<String, Standing>,
    files_folder: Option<PathBuf>,
    results_folder: Option<PathBuf>,
    private: Vec<PathBuf>,
    /// What of the states of graphs names their files, by their ids.
    result_fields: HashMap<String, String>,
    file_limit: usize,
    per_minute: Option<u32>,
    time_limit: Duration,
}

impl Server {
    /// A server without graphs, whose threads are in these backends. They need a saver and a store.
    pub fn on(backends: Backends) -> Self {
        Self {
            backends,
            graphs: Vec::new(),
            whole: Vec::new(),
            editors: Vec::new(),
            bookkeeping: Vec::new(),
            aliases: HashMap::new(),
            token: None,
            owners: Vec::new(),
            hosts: HashSet::new(),
            origins: HashSet::new(),
            body_limit: BODY_LIMIT,
            webhook_hosts: HashSet::new(),
            runs_at_once: RUNS_AT_ONCE,
            descriptions: HashMap::new(),
            examples: HashMap::new(),
            follow_ups: HashMap::new(),
            standings: HashMap::new(),
            files_folder: None,
            private: Vec::new(),
            results_folder: None,
            result_fields: HashMap::new(),
            file_limit: FILE_LIMIT,
            per_minute: None,
            time_limit: TIME_LIMIT,
        }
    }

    /// Hosts a graph under an id. It runs on the backends of the server, not on its own.
    pub fn graph<S: State, N: Nodes>(self, id: impl Into<String>, graph: &Graph<S, N>) -> Self {
        self.dynamic(id, graph.dynamic(), graph.schemas())
    }

    /// Hosts a graph of the dynamic layer, with what is known of its schemas.
    pub fn dynamic(
        mut self,
        id: impl Into<String>,
        graph: &dynamic::DynGraph,
        schemas: Schemas,
    ) -> Self {
        let graph = graph.with_backends(self.backends.clone());
        self.graphs.push(Hosted::new(id.into(), graph, schemas));
        self
    }

    /// Hosts an agent under an id, with the facts of its card. The agent presents its threads: titles, questions, typed
    /// answers and reports come from it. It must have been opened on the backends of the server.
    pub fn agent(mut self, id: impl Into<String>, card: &Card, opened: Box<dyn OpenAgent>) -> Self {
        let graph = opened.graph().with_backends(self.backends.clone());
        let mut schemas = opened.schemas();
        if let Some(input) = &card.input_schema {
            schemas.input = Some(input.clone());
        }
        let hosted = Hosted::presented(id.into(), graph, schemas, card.clone(), opened);
        self.graphs.push(hosted);
        self
    }

    /// Whether a hosted graph can be run, and what it lacks; assistants have both as `ui` of their metadata. Graphs are
    /// ready unless this says otherwise.
    pub fn standing(mut self, id: impl Into<String>, standing: Standing) -> Self {
        self.standings.insert(id.into(), standing);
        self
    }

    /// What a hosted graph does, in a line; its assistant has it as `description`.
    pub fn description(mut self, id: impl Into<String>, description: impl Into<String>) -> Self {
        self.descriptions.insert(id.into(), description.into());
        self
    }

    /// An input that a hosted graph can be tried with. The form of a run begins with it; the assistant has it as
    /// `example_input` of its metadata.
    pub fn example(mut self, id: impl Into<String>, input: Json) -> Self {
        self.examples.insert(id.into(), input);
        self
    }

    /// The input that continues a finished thread of a hosted graph, with `"$text"` in the place of what a person writes:
    /// `{"messages": [{"role": "user", "content": "$text"}]}`. The page offers a field for it; without a declaration it
    /// offers none. The assistant has it as `follow_up` of its metadata.
    pub fn follow_up(mut self, id: impl Into<String>, input: Json) -> Self {
        self.follow_ups.insert(id.into(), input);
        self
    }

    /// A hosted graph that works for the whole server, such as one that reads its mailbox: owners neither see nor run it.
    pub fn not_for_owners(mut self, id: impl Into<String>) -> Self {
        self.whole.push(id.into());
        self
    }

    /// Somebody looks after a part of the long-term store: what clients write there is up to them.
    pub fn store_editor(mut self, editor: impl StoreEditor) -> Self {
        self.editors.push(Box::new(editor));
        self
    }

    /// Namespaces of the long-term store in which agents keep what is not for people, such as the calls that were made: clients
    /// neither see nor change them, nor what is below them.
    pub fn bookkeeping(mut self, namespaces: impl IntoIterator<Item = [&'static str; 2]>) -> Self {
        self.bookkeeping.extend(namespaces);
        self
    }

    /// A hosted graph goes by another name as well, where clients name a graph.
    pub fn alias(mut self, name: impl Into<String>, id: impl Into<String>) -> Self {
        self.aliases.insert(name.into(), id.into());
        self
    }

    /// Callers must show this token: as `Authorization: Bearer`, or as `x-api-key`.
    pub fn token(mut self, token: Secret) -> Self {
        self.token = Some(token);
        self
    }

    /// Who shows this token is an owner, who sees the threads, runs, files and memory under this name and no others.
    /// The token of [`Server::token`] sees everything. Call it once for each owner.
    pub fn owner(mut self, name: impl Into<Arc<str>>, token: Secret) -> Self {
        self.owners.push((name.into(), token));
        self
    }

    /// The server also goes by this name, which requests have as their host. It always goes by the names of
    /// the loopback and by the address it listens on.
    pub fn host(mut self, name: &str) -> Self {
        self.hosts.insert(name.to_ascii_lowercase());
        self
    }

    /// Pages of this origin, such as `https://chat.example.com`, may call the server.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.insert(origin.into());
        self
    }

    /// Bodies of requests that are larger are refused; 16 MiB by default.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Webhooks of runs may be on this host; always on this machine.
    pub fn webhook_host(mut self, name: &str) -> Self {
        self.webhook_hosts.insert(name.to_ascii_lowercase());
        self
    }

    /// Files that clients upload for runs are kept in this folder; without one there are none.
    pub fn files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files_folder = Some(folder.into());
        self
    }

    /// A path that owners are not shown, such as that of the database: errors name it. The folders of files are such paths
    /// anyway.
    pub fn private_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.private.push(path.into());
        self
    }

    /// A folder where graphs keep files under the hashes of their bytes: who knows the SHA-256 of one can
    /// download it, owners if it is theirs ([`Server::result_field`]).
    pub fn results(mut self, folder: impl Into<PathBuf>) -> Self {
        self.results_folder = Some(folder.into());
        self
    }

    /// The field of a hosted graph's state that names what it made in that folder: owners can download what it made
    /// on their threads, and nothing else there.
    pub fn result_field(mut self, id: impl Into<String>, field: impl Into<String>) -> Self {
        self.result_fields.insert(id.into(), field.into());
        self
    }

    /// Files that are larger are refused; 64 MiB by default.
    pub fn file_limit(mut self, bytes: usize) -> Self {
        self.file_limit = bytes;
        self
    }

    /// So many requests a minute are answered, others are refused; any number by default.
    pub fn rate_limit(mut self, per_minute: u32) -> Self {
        self.per_minute = Some(per_minute);
        self
    }

    /// How long an answer may take to begin, and the head of a request to come; a minute by default. Streams, and those that
    /// wait for a run, begin at once. A connection on which nothing is asked for so long is closed.
    pub fn time_limit(mut self, time_limit: Duration) -> Self {
        self.time_limit = time_limit;
        self
    }

    /// How many runs continue at once; 64 by default. Others wait in the queue.
    pub fn runs_at_once(mut self, runs: usize) -> Self {
        self.runs_at_once = runs;
        self
    }

    /// Begins to listen. An address that others than this machine can reach needs a token of 16 characters at least.
    pub async fn bind(
        mut self,
        address: impl ToSocketAddrs + std::fmt::Display,
    ) -> Result<Bound, ServerError> {
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
        let shown = address.to_string();
        let failed = |error| ServerError::Listen {
            address: shown.clone(),
            error,
        };
        // Nothing listens, not even for a moment, where a token is needed and not there.
        let places: Vec<SocketAddr> = tokio::net::lookup_host(address)
            .await
            .map_err(failed)?
            .collect();
        let tokens = Tokens::new(self.token, self.owners)?;
        let is_open = !tokens.has_whole();
        if let Some(address) = places.iter().find(|it| !it.ip().is_loopback()).copied() {
            if is_open {
                return Err(ServerError::NoToken { address });
            }
            if !tokens.are_long() {
                let shortest = tokens::SHORTEST;
                return Err(ServerError::WeakToken { address, shortest });
            }
        }
        let listener = TcpListener::bind(&*places).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        self.hosts.insert(address.ip().to_string());
        let owners = tokens.owners();
        let owner_stores =
            owners::graphs::stores(owners, &store).map_err(|error| ServerError::Owner {
                why: error.to_string(),
            })?;
        let guard = Arc::new(Guard {
            tokens,
            hosts: self.hosts,
            origins: self.origins,
        });
        let folders = [&self.files_folder, &self.results_folder];
        let private = folders.into_iter().flatten().chain(&self.private);
        let app = App {
            private: PrivatePaths::new(private.map(PathBuf::as_path)),
            editors: self.editors,
            hidden: Hidden::new(self.bookkeeping),
            owner_stores,
            foreign: Foreign::default(),
            registry,
            threads: ThreadRecords::new(store.clone()),
            assistants: Records::new(store.clone(), records::ASSISTANTS),
            after_runs: Records::new(store.clone(), records::AFTER_RUNS),
            deleted_runs: Records::new(store.clone(), records::DELETED_RUNS),
            saver,
            store: store.clone(),
            ids: ClockIds::default(),
            endings: Endings::default(),
            events: ServerEvents::default(),
            readers: Arc::default(),
            calling: Mutex::default(),
            webhook_hosts: self.webhook_hosts,
            crons: Records::new(store.clone(), records::CRONS),
            cron_changed: Notify::new(),
            counts: Counts::default(),
            files: Records::new(store.clone(), records::FILES),
            results: Records::new(store.clone(), records::RESULTS),
            files_folder: self.files_folder,
            results_folder: self.results_folder,
            file_limit: self.file_limit,
            uploads: Uploads::new(self.file_limit),
            runs_at_once: self.runs_at_once.max(1),
            openapi: openapi::document(&routes()),
        };
        let app = Arc::new(app);
        let limits = Arc::new(Limits::new(self.time_limit, self.per_minute));
        let router = router(app.clone(), &guard)
            .layer(DefaultBodyLimit::max(self.body_limit))
            .layer(middleware::from_fn_with_state(limits, limits::within))
            .layer(middleware::from_fn_with_state(guard, check_place))
            .layer(middleware::from_fn(error_bodies));
        let connections = Connections {
            router,
            is_private: is_open,
            head_limit: self.time_limit,
            slots: Slots::of_process(),
        };
        Ok(Bound {
            listener,
            address,
            connections,
            app,
        })
    }
}

/// The graph that is described.
fn hosted(graphs: &mut [Hosted], id: String) -> Result<&mut Hosted, ServerError> {
    let why = "no graph has it";
    let found = graphs.iter_mut().find(|hosted| hosted.id == id);
    found.ok_or(ServerError::GraphId { id, why })
}

/// A server that listens.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    connections: Connections,
    app: Arc<App>,
}

impl Bound {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs what is in the queue and answers requests, until `stop` is ready; requests that have begun
    /// are answered. Runs that continue then are in the queue for the next server.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServerError> {
        let working = Working::start(&self.app);
        let _working = working.map_err(|error| ServerError::Worker { error })?;
        self.connections.serve(self.listener, stop).await;
        Ok(())
    }
}
