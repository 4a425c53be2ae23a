//! Files of clients, as they are recorded.

use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// A file that a client uploaded. It goes by the hash of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) created: Micros,
}

/// A file that a graph made for an owner, on a thread that is gone. It goes by the hash of its bytes, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResultRecord {
    pub(crate) created: Micros,
}
