//! Input of the graph: a mail, and what its mailbox knows about it.

use serde::{Deserialize, Serialize};

use crate::{Address, MailId, ThreadKey, parse::Mail};

/// A mail, and what its mailbox says about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailInput {
    /// The mail, as its mailbox calls it.
    pub id: MailId,
    /// What it belongs to.
    pub thread: ThreadKey,
    /// What it says.
    pub mail: Mail,
    /// Everybody who wrote or got an older mail of its thread, and who wrote this one.
    #[serde(default)]
    pub participants: Vec<Address>,
}
