//! The error as front ends report it.

use superstep_agent::Failure;

use crate::{Error, ErrorKind};

impl Failure for Error {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<&'static str> {
        Self::hint(self)
    }

    fn exit(&self) -> u8 {
        match self.kind() {
            ErrorKind::Settings { .. } | ErrorKind::Folder { .. } => 2,
            _ => 1,
        }
    }
}
