//! The error as front ends report it.

use superstep_agent::Failure;

use crate::Error;

impl Failure for Error {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<&'static str> {
        Self::hint(self)
    }

    fn exit(&self) -> u8 {
        2
    }
}
