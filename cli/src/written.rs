//! Answers of a file.

use std::{collections::VecDeque, path::Path};

use superstep_agent::{Answers, written_answers};

use crate::{error::Error, files};

/// The answers of a file; without one a person answers.
pub(crate) fn answers(file: Option<&Path>) -> Result<Answers, Error> {
    Ok(match file {
        Some(file) => Answers::written(written_answers(&files::text(file)?)),
        None => Answers::person(),
    })
}

/// The answers of a file that are left.
pub(crate) struct WrittenAnswers(VecDeque<String>);

impl WrittenAnswers {
    pub(crate) fn read(file: &Path) -> Result<Self, Error> {
        Ok(Self(written_answers(&files::text(file)?).into()))
    }

    /// One answer.
    pub(crate) fn one(text: String) -> Self {
        Self(VecDeque::from([text]))
    }

    /// The next one.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }
}
