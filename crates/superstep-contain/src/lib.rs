//! Work on untrusted input in a process that the kernel contains.
//!
//! A [`Worker`] names the binary of that process. [`ask`] starts it, gives it one request with a file, and waits for one
//! reply within a limit of time. The binary calls [`worker`] with [`serve`]: it closes inherited files, reads the request,
//! contains itself ([`Received::contain`]), works, and replies. On Linux containment is Landlock, seccomp and resource
//! limits; elsewhere only the limit of time.
//!
//! An [`Extractor`] takes the text of a file in such a process. [`run_process`] runs any other program; on Linux a `Keep`
//! says what it may reach.

mod ask;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod exec;
mod extract;
#[cfg(target_os = "linux")]
mod guard;
mod kernel;
mod process;
mod request;
mod serve;

pub use ask::{Answer, ask};
#[cfg(target_os = "linux")]
pub use exec::Keep;
pub use extract::{Extract, Extractor};
#[cfg(target_os = "linux")]
pub use guard::children;
#[cfg(target_os = "linux")]
pub use kernel::landlock;
pub use process::{Exceeded, Exited, Input, Worker, ended_by, run_process};
pub use serve::{Received, serve, worker};
