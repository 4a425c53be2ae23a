//! What stands between a program and any model, once for all of them.
//!
//! [`Caller`] is a [`Model`](crate::Model) around a model: deadlines, retries, a line of calls, a
//! rest for a model that fails, [`Budget`]s, and a [`Watch`] that looks on. [`structured`] gets an
//! answer that is data, whatever the model can be held to. Read `caller` first, then `attempt`.

mod attempt;
mod breaker;
mod budget;
mod caller;
mod clock;
mod leave;
mod policy;
mod prices;
mod reading;
mod reckon;
mod seats;
mod structured;
mod watch;

pub use breaker::Rest;
pub use budget::{Budget, Limits, Spent};
pub use caller::Caller;
pub use policy::{Deadlines, Policy};
pub use prices::{Price, Prices};
pub use structured::{Fitted, MAX_REPAIRS, structured, structured_json};
pub use superstep_http::{Backoff, Jitter, RetryAfter};
pub use watch::{Attempt, Bill, Source, Watch};
