//! Setting a server up, and running it.

use std::{collections::HashSet, future::Future, net::SocketAddr, sync::Arc};

use axum::{Router, extract::DefaultBodyLimit, middleware};
use superstep::{Backends, Graph, Nodes, Schemas, Secret, State, clock::ClockIds, dynamic};
use tokio::net::{TcpListener, ToSocketAddrs};

use crate::{
    app::App,
    error::ServerError,
    guard::{Guard, check_place, error_bodies},
    registry::{Hosted, Registry},
    routes::router,
    thread_record::Records,
};

/// The largest body that is read, unless the server is told otherwise.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// A server that is being set up.
#[must_use]
pub struct Server {
    backends: Backends,
    graphs: Vec<Hosted>,
    token: Option<Secret>,
    hosts: HashSet<String>,
    origins: HashSet<String>,
    body_limit: usize,
}

impl Server {
    /// A server without graphs, whose threads are in these backends. They need a saver and a store.
    pub fn on(backends: Backends) -> Self {
        Self {
            backends,
            graphs: Vec::new(),
            token: None,
            hosts: HashSet::new(),
            origins: HashSet::new(),
            body_limit: BODY_LIMIT,
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

    /// Callers must show this token: as `Authorization: Bearer`, or as `x-api-key`.
    pub fn token(mut self, token: Secret) -> Self {
        self.token = Some(token);
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

    /// Begins to listen. An address that others than this machine can reach needs a token.
    pub async fn bind(
        mut self,
        address: impl ToSocketAddrs + std::fmt::Display,
    ) -> Result<Bound, ServerError> {
        let missing = |what| ServerError::Backends { what };
        let saver = self.backends.saver.clone().ok_or(missing("saver"))?;
        let store = self.backends.store.clone().ok_or(missing("store"))?;
        let registry = Registry::new(self.graphs)?;
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
        let is_open = self
            .token
            .as_ref()
            .is_none_or(|token| token.expose().is_empty());
        if let (Some(address), true) = (places.iter().find(|it| !it.ip().is_loopback()), is_open) {
            return Err(ServerError::NoToken { address: *address });
        }
        let listener = TcpListener::bind(&*places).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        self.hosts.insert(address.ip().to_string());
        let guard = Arc::new(Guard {
            token: self.token,
            hosts: self.hosts,
            origins: self.origins,
        });
        let app = App {
            registry,
            records: Records::new(store.clone()),
            saver,
            store,
            ids: ClockIds::default(),
        };
        let router = router(Arc::new(app), &guard)
            .layer(DefaultBodyLimit::max(self.body_limit))
            .layer(middleware::from_fn_with_state(guard, check_place))
            .layer(middleware::from_fn(error_bodies));
        Ok(Bound {
            listener,
            address,
            router,
        })
    }
}

/// A server that listens.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
}

impl Bound {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` is ready; those that have begun are answered.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServerError> {
        let serving = axum::serve(self.listener, self.router).with_graceful_shutdown(stop);
        let address = self.address.to_string();
        let failed = |error| ServerError::Listen { address, error };
        serving.await.map_err(failed)
    }
}
