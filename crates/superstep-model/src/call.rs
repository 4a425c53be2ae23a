//! Call policies around any model.
//!
//! [`ManagedModel`] is a [`Model`](crate::Model) around a model: deadlines, retries with backoff, a
//! concurrency limit, a rate limit, a circuit breaker, [`Budget`]s, and [`CallObserver`]s.
//! [`structured`] gets structured output from any model. Read `managed` first, then `managed_call` and `attempt`.

mod attempt;
mod breaker;
mod budget;
mod clock;
mod concurrency;
pub(crate) mod estimate;
mod lost;
mod managed;
mod managed_call;
mod nulls;
mod observer;
mod policy;
mod prices;
mod reading;
mod redact;
mod room;
mod structured;

pub use breaker::CircuitBreaker;
pub use budget::{Budget, Limits, Spent};
pub use managed::ManagedModel;
pub use observer::{Attempt, CallObserver, Cost, UsageSource};
pub use policy::{Deadlines, Policy};
pub use prices::{Price, Prices};
pub use structured::{
    MAX_REPAIRS, StructuredReply, structured, structured_json, structured_within,
};
pub use superstep_http::{Backoff, Jitter, RetryAfter};
