//! Looking on while calls are made: for traces and meters.

use std::time::Duration;

use crate::{error::ModelError, model_id::ModelId, money::Money, usage::Usage};

/// Something that wants to know about calls.
///
/// For every attempt there is `started`, then `first_piece` if anything came, then one of `ended`,
/// `failed` and `dropped`. It is called between pieces of a reply, so it should be quick.
#[allow(unused_variables, reason = "the names tell what is given")]
pub trait Watch: Send + Sync {
    /// An attempt begins.
    fn started(&self, attempt: &Attempt<'_>) {}

    /// The first piece of its reply is there.
    fn first_piece(&self, attempt: &Attempt<'_>) {}

    /// It failed. With a wait, another one follows then; without, the call has failed.
    fn failed(
        &self,
        attempt: &Attempt<'_>,
        error: &ModelError,
        wait: Option<Duration>,
        bill: &Bill,
    ) {
    }

    /// Its reply is whole.
    fn ended(&self, attempt: &Attempt<'_>, bill: &Bill) {}

    /// Nobody wanted the rest of the reply.
    fn dropped(&self, attempt: &Attempt<'_>, bill: &Bill) {}
}

/// One attempt of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt<'a> {
    /// The model.
    pub model: &'a ModelId,
    /// The call: a number that no other call of this process has.
    pub call: u64,
    /// Which attempt of the call, from 1.
    pub number: u32,
}

/// What an attempt cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// Its tokens.
    pub usage: Usage,
    /// Whether the model told them, or they are reckoned from the length of the texts.
    pub source: Source,
    /// Its price; nothing if the model's prices are not known.
    pub cost: Option<Money>,
}

/// Where a number of tokens comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The model told it.
    #[default]
    Told,
    /// It is reckoned.
    Reckoned,
}
