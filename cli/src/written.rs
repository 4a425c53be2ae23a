//! Answers of a file.

use std::path::Path;

use superstep_agent::{Answers, written_answers};

use crate::{error::Error, files};

/// The answers of a file; without one a person answers.
pub(crate) fn answers(file: Option<&Path>) -> Result<Answers, Error> {
    Ok(match file {
        Some(file) => Answers::written(written_answers(&files::text(file)?)),
        None => Answers::person(),
    })
}
