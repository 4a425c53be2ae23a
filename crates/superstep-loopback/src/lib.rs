//! HTTP/1.1 server on the loopback for tests, with faults down to single bytes.
//!
//! A [`Server`] answers what it is given: an [`Answer`] is what happens on the connection, chunks,
//! silence, garbage and resets included, which a real HTTP implementation would not let it send. So
//! the little HTTP there is, is written by hand, once, here. Requests are recorded, and tests wait
//! for what happens instead of for time to pass.
//!
//! ```
//! # async fn demo() -> std::io::Result<()> {
//! use superstep_loopback::{Answer, Server};
//!
//! let server = Server::start([Answer::events("data: hello\n\n")]).await?;
//! println!("ask {}", server.address());
//! # Ok(())
//! # }
//! ```

mod answer;
mod request;
mod server;

pub use answer::{Act, Answer, chunk, head};
pub use request::Request;
pub use server::Server;
