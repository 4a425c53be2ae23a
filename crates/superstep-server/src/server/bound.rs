//! The server on a listener of its own.

use std::{future::Future, net::SocketAddr};

use tokio::net::{TcpListener, ToSocketAddrs};

use super::{
    Server,
    connections::{Connections, slots::Slots},
    workers::Workers,
};
use crate::error::ServerError;

impl Server {
    /// Begins to listen. An address that others than this machine can reach needs a token of 16 characters
    /// at least, or [`Server::authenticate`].
    pub async fn bind(
        mut self,
        address: impl ToSocketAddrs + std::fmt::Display,
    ) -> Result<Bound, ServerError> {
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
        let login = self.login()?;
        if let Some(address) = places.iter().find(|it| !it.ip().is_loopback()).copied() {
            login.check_public(address)?;
        }
        let head_limit = self.time_limit;
        let listener = TcpListener::bind(&*places).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        self.hosts.insert(address.ip().to_string());
        let is_private = login.is_private();
        let (router, workers) = self.assemble(login)?;
        let connections = Connections {
            router,
            is_private,
            head_limit,
            slots: Slots::of_process(),
        };
        Ok(Bound {
            listener,
            address,
            connections,
            workers,
        })
    }
}

/// A server that listens.
///
/// Besides what its routes refuse ([`Server::into_router`]), it refuses connections: on Linux those of other users of the
/// machine unless there is a token, and those beyond the open files that the process may have.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    connections: Connections,
    workers: Workers,
}

impl Bound {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes only runs of these graphs from the queue ([`Workers::only`]).
    pub fn only(self, graphs: impl IntoIterator<Item = String>) -> Result<Self, ServerError> {
        Ok(Self {
            workers: self.workers.only(graphs)?,
            ..self
        })
    }

    /// Runs what is in the queue and answers requests, until `stop` is ready. Then the server drains ([`Workers::run`]): it
    /// answers until its steps have finished, closes its listener, and gives answers that have begun the rest of
    /// [`Server::grace`].
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServerError> {
        let app = self.workers.app.clone();
        let served = self.connections.serve(self.listener, &app.shutdown);
        let (worked, ()) = tokio::join!(self.workers.run(stop), served);
        worked
    }
}
