//! What ends the run of a function before it returns.

use crate::fault::Stop;

use super::value::{Name, Value};

pub(crate) type Res<T> = Result<T, Fault>;

pub(crate) enum Fault {
    /// An exception, which handlers of the program can catch.
    Thrown(Box<Thrown>),
    /// A limit, which they cannot.
    Stop(Stop),
}

pub(crate) struct Thrown {
    pub(crate) exception: Value,
    /// Where it passed through, the innermost first.
    pub(crate) trace: Vec<TraceLine>,
}

#[derive(Clone)]
pub(crate) struct TraceLine {
    pub(crate) file: Name,
    pub(crate) function: Name,
    pub(crate) line: u32,
}
