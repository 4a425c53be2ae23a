//! Observers of calls, for traces and meters.

use std::time::Duration;

use crate::{error::ModelError, model_id::ModelId, money::Money, usage::Usage};

/// Observes the attempts of calls.
///
/// For every attempt there is `started`, then `reading` while the model tells that it reads, then `first_piece` if anything came, then one of `ended`,
/// `failed` and `dropped`. It is called between pieces of a reply, so it should be quick.
#[allow(unused_variables, reason = "the names tell what is given")]
pub trait CallObserver: Send + Sync {
    /// An attempt begins.
    fn started(&self, attempt: &Attempt<'_>) {}

    /// The model has read so many tokens of so many.
    fn reading(&self, attempt: &Attempt<'_>, read: u64, total: u64) {}

    /// The first piece of its reply is there.
    fn first_piece(&self, attempt: &Attempt<'_>) {}

    /// It failed. With a wait, another one follows then; without, the call has failed.
    fn failed(
        &self,
        attempt: &Attempt<'_>,
        error: &ModelError,
        wait: Option<Duration>,
        cost: &Cost,
    ) {
    }

    /// Its reply is whole.
    fn ended(&self, attempt: &Attempt<'_>, cost: &Cost) {}

    /// Nobody wanted the rest of the reply.
    fn dropped(&self, attempt: &Attempt<'_>, cost: &Cost) {}
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
pub struct Cost {
    /// Its tokens.
    pub usage: Usage,
    /// Whether the model reported them, or they are estimated from the length of the texts.
    pub source: UsageSource,
    /// Its price; nothing if the model's prices are not known.
    pub money: Option<Money>,
}

/// Where a token count comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageSource {
    /// The model reported it.
    #[default]
    Reported,
    /// It is estimated.
    Estimated,
}
