//! Weights files: catalogue, download, verification, cache.
//!
//! [`Sources::pull`] brings a file into the cache and [`Sources::find`] says where it is without asking
//! anybody. What is wanted is a [`Weights`]: an [`Entry`] of the [`CATALOGUE`], a file of the hub, or a
//! file of one's own. A file is in the cache only if it has the hash that was asked for.
//!
//! Read next: `sources` is where files may be, `pull` tries one after the other, `hub` and `index` are the
//! two that download, `partial` is how a file grows and becomes final.

mod blocking;
mod cache;
mod catalogue;
mod error;
mod hash;
mod http;
mod hub;
mod index;
mod lock;
mod own;
mod partial;
mod pip;
mod progress;
mod pull;
mod recorded;
mod sources;
mod wanted;
mod wheel;
mod wheels;

pub use cache::Cache;
pub use catalogue::{CATALOGUE, DEFAULT, Entry, MINILM, Pin, TINY};
pub use error::{Tried, WeightsError};
pub use hash::hash_file;
pub use progress::{Progress, Source, Watch, WeightsFile, silent};
pub use sources::{Index, Sources};
pub use superstep_http::{Backoff, Jitter, RetryAfter};
pub use wanted::{HubFile, Weights};
pub use wheel::Wheel;
