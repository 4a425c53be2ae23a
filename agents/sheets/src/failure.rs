//! The error as front ends report it.

use superstep_agent::{Failure, exit_of};

use crate::Error;

impl Failure for Error {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<&'static str> {
        Self::hint(self)
    }

    fn exit(&self) -> u8 {
        match self {
            Self::Run(error) => exit_of(error.code()),
            Self::NoInstruction | Self::OutputIsInput { .. } | Self::Settings { .. } => 2,
            Self::Waiting { .. } => 3,
            _ => 1,
        }
    }

    fn run(&self) -> Option<&superstep::Error> {
        match self {
            Self::Run(error) => Some(error),
            _ => None,
        }
    }
}
