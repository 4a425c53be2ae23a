//! Errors of accounts.

use crate::MailError;

/// Why an account cannot be used.
#[derive(Debug, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum AccountError {
    /// No account is set.
    #[error("there is no mail account")]
    #[coded("SS6051", hint = "set a folder of mail, Gmail or IMAP")]
    NoAccount,
    /// A setting or an option is wrong or missing.
    #[error("{0}")]
    #[coded("SS6050", hint = "see the message")]
    Unusable(String),
    /// A mailbox or a calendar failed.
    #[error(transparent)]
    #[coded(transparent)]
    Mail(#[from] MailError),
}
