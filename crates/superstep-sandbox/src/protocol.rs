//! What a sandbox and its worker process say to each other: a line of JSON with a file behind it, and
//! a line of JSON back.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use superstep_workbook::{Calculated, Operation};

use crate::{
    fault::{Raised, Stop},
    limits::Limits,
    ran::Base,
};

/// The longest first line: a program of a few megabytes.
const LONGEST: u64 = 16 << 20;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) task: Task,
    pub(crate) program: String,
    /// The name of the workbook's file.
    pub(crate) file: String,
    pub(crate) limits: Limits,
    /// How many bytes the workbook has, which follow.
    pub(crate) bytes: u64,
    /// The process that started the worker, which ends with it.
    pub(crate) parent: u32,
}

/// What a worker is to do with a workbook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// Run the program.
    Run,
    /// Calculate the formulas.
    Calculate,
    /// Take the text of a file, with the function that `program` names.
    Extract,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) ended: Ended,
    pub(crate) stdout: String,
    pub(crate) dropped: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    Done {
        base: Base,
        operations: Vec<Operation>,
    },
    Raised(Raised),
    Stopped(Stop),
    Calculated(Calculated),
    /// The text of a file.
    Text(String),
    /// The formulas cannot be calculated.
    NotCalculated(String),
    /// The workbook could not be read, or the worker could not contain itself.
    Failed(String),
}

impl Request {
    pub(crate) fn write(&self, workbook: &[u8], to: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *to, self)?;
        to.write_all(b"\n")?;
        to.write_all(workbook)
    }

    pub(crate) fn read(from: &mut impl Read) -> io::Result<(Self, Vec<u8>)> {
        let mut line = Vec::new();
        let mut one = [0; 1];
        loop {
            from.read_exact(&mut one)?;
            let [byte] = one;
            if byte == b'\n' {
                break;
            }
            line.push(byte);
            if line.len() as u64 > LONGEST {
                return Err(io::Error::other("the request is too long"));
            }
        }
        let request: Self = serde_json::from_slice(&line)?;
        let mut workbook = Vec::new();
        from.take(request.bytes).read_to_end(&mut workbook)?;
        match workbook.len() as u64 == request.bytes {
            true => Ok((request, workbook)),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
