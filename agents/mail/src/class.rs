//! The classes of mails.

use serde::{Deserialize, Serialize};

/// What is to be done about a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Nothing.
    Ignore,
    /// It is answered.
    Respond,
    /// Its owner is told.
    Notify,
}
