//! Which user of this machine has the other end of a connection.
//!
//! Everybody who is on a machine can connect to its loopback, and a server without a token has the threads of
//! one user. Linux says whose socket it is, when asked for that one (`sock_diag`) or in its table of all (`table`). Elsewhere
//! nobody says so, and all come in.

#[cfg(target_os = "linux")]
mod sock_diag;
#[cfg(target_os = "linux")]
mod table;

use std::net::SocketAddr;

use tokio::net::TcpStream;

/// Who called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// The user the server runs as, or the administrator.
    Own,
    /// Somebody else, or somebody who has left already: then nobody knows who it was.
    Other,
}

impl Caller {
    /// Who has the other end of a connection.
    #[cfg(target_os = "linux")]
    pub(super) fn of(stream: &TcpStream, there: SocketAddr) -> Self {
        let here = stream.local_addr();
        here.map_or(Self::Other, |here| Self::between(there, here))
    }

    /// Who has the other end of a connection: nobody says so.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(_: &TcpStream, _: SocketAddr) -> Self {
        Self::Own
    }
}

#[cfg(target_os = "linux")]
impl Caller {
    fn between(there: SocketAddr, here: SocketAddr) -> Self {
        let user = rustix::process::geteuid().as_raw();
        // A kernel may not answer; its table has them all.
        let owner = sock_diag::owner(there, here).or_else(|| table::owner(there, here));
        match owner {
            Some(0) => Self::Own,
            Some(owner) if owner == user => Self::Own,
            _ => Self::Other,
        }
    }
}
