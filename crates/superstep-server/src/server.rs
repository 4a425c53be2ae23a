//! Setting a server up, and running it.

mod body_memory;
mod bound;
mod connections;
mod limits;
mod router;
mod workers;

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use axum::http::request::Parts;
use serde_json::Value as Json;
use superstep::{
    Backends, Caller, Graph, Nodes, OpenAsk, Schemas, Secret, State, dynamic, runs::RunBudget,
};
use superstep_agent::{Card, OpenAgent};

pub use self::{bound::Bound, workers::Workers};
use crate::{
    app::{
        counts::Counts, operator_settings::OperatorSettings, role::Role, store_edit::StoreEditor,
    },
    owners::{
        answer_rule::AnswerRule,
        login::{Denied, LoginHook},
    },
    readiness::Standing,
    registry::Hosted,
};

/// The largest body that is read, unless the server is told otherwise.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The most bytes of a file, unless the server is told otherwise.
const FILE_LIMIT: usize = 64 * 1024 * 1024;

/// How long an answer may take to begin, unless the server is told otherwise.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// How many runs continue at once, unless the server is told otherwise.
const RUNS_AT_ONCE: usize = 64;

/// How long a shutdown may take, unless the server is told otherwise. Docker kills a container after as long.
const GRACE: Duration = Duration::from_secs(10);

/// A server that is being set up.
#[must_use]
pub struct Server {
    backends: Backends,
    counts: Arc<Counts>,
    budget: RunBudget,
    graphs: Vec<Hosted>,
    /// The ids of graphs that are not for owners.
    whole: Vec<String>,
    editors: Vec<Box<dyn StoreEditor>>,
    /// Namespaces of the store that agents keep their bookkeeping in.
    bookkeeping: Vec<[&'static str; 2]>,
    aliases: HashMap<String, String>,
    token: Option<Secret>,
    owners: Vec<(Caller, Secret)>,
    authenticate: Option<LoginHook>,
    answer_rule: Option<AnswerRule>,
    hosts: HashSet<String>,
    origins: HashSet<String>,
    body_limit: usize,
    webhook_hosts: HashSet<String>,
    runs_at_once: usize,
    role: Role,
    grace: Duration,
    /// What graphs do, in a line, by their ids.
    descriptions: HashMap<String, String>,
    /// Inputs to begin with, by the ids of graphs.
    examples: HashMap<String, Json>,
    follow_ups: HashMap<String, Json>,
    standings: HashMap<String, Standing>,
    results_space: Option<String>,
    private: Vec<PathBuf>,
    settings: Option<Box<dyn OperatorSettings>>,
    /// What of the states of graphs names their files, by their ids.
    result_fields: HashMap<String, String>,
    file_limit: usize,
    per_minute: Option<u32>,
    time_limit: Duration,
}

impl Server {
    /// A server without graphs, whose threads are in these backends. They need a saver and a store.
    pub fn on(mut backends: Backends) -> Self {
        let counts = Arc::new(Counts::new(backends.recorder.take()));
        backends.recorder = Some(counts.clone());
        Self {
            backends,
            counts,
            budget: RunBudget::default(),
            graphs: Vec::new(),
            whole: Vec::new(),
            editors: Vec::new(),
            bookkeeping: Vec::new(),
            aliases: HashMap::new(),
            token: None,
            owners: Vec::new(),
            authenticate: None,
            answer_rule: None,
            hosts: HashSet::new(),
            origins: HashSet::new(),
            body_limit: BODY_LIMIT,
            webhook_hosts: HashSet::new(),
            runs_at_once: RUNS_AT_ONCE,
            role: Role::All,
            grace: GRACE,
            descriptions: HashMap::new(),
            examples: HashMap::new(),
            follow_ups: HashMap::new(),
            standings: HashMap::new(),
            private: Vec::new(),
            settings: None,
            results_space: None,
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

    /// Makes a token that of an owner, who sees the threads, runs, files and memory under their name and no others. Nodes and
    /// tools see the owner with their roles as `Caller`. The token of [`Server::token`] sees everything. Call it once for
    /// each owner.
    ///
    /// ```
    /// # use superstep::{Backends, Caller, Secret};
    /// # use superstep_server::Server;
    /// # let server = Server::on(Backends::default());
    /// let server = server
    ///     .owner("ann", Secret::new("0c1d2e3f40516273"))
    ///     .owner(Caller::new("eve").role("supervisor"), Secret::new("94a5b6c7d8e9fa0b"));
    /// ```
    pub fn owner(mut self, owner: impl Into<Caller>, token: Secret) -> Self {
        self.owners.push((owner.into(), token));
        self
    }

    /// Asks this hook who sends a request that shows none of the tokens: from its headers, such as a JWT or a session, and from
    /// its extensions, where `ConnectInfo<SocketAddr>` has the peer's address. The hook sees the head of each request, before
    /// anything of it is done.
    ///
    /// An owner need not be known before: threads, files and memory of one are made when they are first used. A name has up to
    /// 200 bytes without spaces and slashes. `Caller::local()` is the user of the whole server, who sees everything.
    ///
    /// ```
    /// # use superstep::{Backends, Caller};
    /// # use superstep_server::{Denied, Server};
    /// # let server = Server::on(Backends::default());
    /// # async fn session(_: &str) -> Option<String> { None }
    /// use axum::http::request::Parts;
    ///
    /// let server = server.authenticate(|head: Parts| async move {
    ///     let cookie = head.headers.get("cookie").and_then(|cookie| cookie.to_str().ok());
    ///     match session(cookie.unwrap_or_default()).await {
    ///         Some(user) => Ok(Caller::new(user).role("customer")),
    ///         None => Err(Denied::Unauthenticated("log in first".to_owned())),
    ///     }
    /// });
    /// ```
    pub fn authenticate<F>(mut self, hook: impl Fn(Parts) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Caller, Denied>> + Send + 'static,
    {
        self.authenticate = Some(LoginHook::new(hook));
        self
    }

    /// Decides who may answer which question; without it, each caller who sees the thread. The rule holds for every way to
    /// answer: runs, `/answer`, inboxes, A2A and the protocol of threads. A refused answer is a 403 and leaves the question
    /// open. Who may not answer a question may not edit the thread either while it is open. Fields that decide more than
    /// that are for nodes alone: `#[state(sealed)]`.
    ///
    /// ```
    /// # use superstep::Backends;
    /// # use superstep_server::Server;
    /// # let server = Server::on(Backends::default());
    /// // Customers answer what concerns themselves, supervisors approve refunds.
    /// let server = server.approve_with(|caller, ask| match &*ask.kind {
    ///     "refund" => caller.has_role("supervisor"),
    ///     _ => true,
    /// });
    /// ```
    pub fn approve_with(
        mut self,
        rule: impl Fn(&Caller, &OpenAsk) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.answer_rule = Some(AnswerRule::new(rule));
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

    /// A path that owners are not shown, such as that of the database: errors name it.
    pub fn private_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.private.push(path.into());
        self
    }

    /// Settings that the operator reads and changes over HTTP: `/settings` and the page of that name. Owners have no part in
    /// them, and changes are taken from this machine only.
    pub fn settings(mut self, settings: impl OperatorSettings) -> Self {
        self.settings = Some(Box::new(settings));
        self
    }

    /// The space of [`Backends::blobs`](superstep::Backends) in which graphs keep files that they make: who knows the SHA-256 of
    /// one can download it, owners if it is theirs ([`Server::result_field`]).
    pub fn results(mut self, space: impl Into<String>) -> Self {
        self.results_space = Some(space.into());
        self
    }

    /// The field of a hosted graph's state that names what it made in that space: owners can download what it made
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

    /// How much the calls of models of each run, and of all runs of its thread, may take: those that are made through the
    /// task's context. A call is refused (SS5014) once this is spent. Nothing is limited by default.
    pub fn budget(mut self, budget: RunBudget) -> Self {
        self.budget = budget;
        self
    }

    /// What this process does; all of it by default. Processes with different roles share one storage.
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// How long a shutdown may take: steps have that long to finish, and answers to end; 10 seconds by default.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
}
