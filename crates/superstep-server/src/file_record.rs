//! A file that a client uploaded, as it is recorded.

use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// A file that a client uploaded. It goes by the hash of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) created: Micros,
}
