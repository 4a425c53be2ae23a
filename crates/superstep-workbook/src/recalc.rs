//! A workbook written with what its formulas give. What cannot be calculated is said, and left to the
//! program that opens the file.

use serde::Serialize;

use crate::{
    book::Workbook,
    error::Error,
    package::{Limits, Package},
    patch::{OnLoad, Written},
};

/// Whether the values of formulas in a file are right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "calculation")]
#[non_exhaustive]
pub enum Calculation {
    /// No value that a formula could read was changed.
    NotNeeded,
    /// All formulas were calculated.
    Done {
        /// How many formulas there are.
        formulas: usize,
        /// How many of their values were written anew.
        changed: usize,
    },
    /// They were not; the file tells the program that opens it to do so.
    Refused {
        /// What could not be done.
        why: String,
    },
}

impl Workbook {
    /// The workbook as a file with its formulas calculated, or with the reason why they are not.
    pub fn write_calculated(&self) -> Result<(Written, Calculation), Error> {
        if !self.changed.values {
            return Ok((self.write(OnLoad::Trust)?, Calculation::NotNeeded));
        }
        let mut written = self.write(OnLoad::Trust)?;
        match recalculate(&written.bytes) {
            Ok(Recalculated {
                bytes,
                formulas,
                changed,
            }) => {
                // Sheets whose formulas give something else are written anew, too.
                let package = Package::open(bytes.as_slice(), &Limits::default())?;
                written.share = package.share_with(&self.package)?;
                written.bytes = bytes;
                Ok((written, Calculation::Done { formulas, changed }))
            }
            Err(error) => {
                let why = match error {
                    Error::NotRecalculated { why } => why,
                    error => error.to_string(),
                };
                Ok((self.write(OnLoad::Calculate)?, Calculation::Refused { why }))
            }
        }
    }
}

/// A file with new values of its formulas.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recalculated {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many formulas there are.
    pub formulas: usize,
    /// How many of their values were written anew.
    pub changed: usize,
}

/// Calculates all formulas of a file and writes their values, and nothing else.
#[cfg(feature = "recalc")]
pub fn recalculate(bytes: &[u8]) -> Result<Recalculated, Error> {
    use formualizer_workbook::{
        ExternalLinkPolicy, XlsxRecalculateLimits, XlsxRecalculateOptions, recalculate_xlsx_bytes,
    };

    let refused = |why: String| Error::NotRecalculated { why };
    let options = XlsxRecalculateOptions {
        // Values of other workbooks are as old as the last one who opened them.
        external_links: ExternalLinkPolicy::Refuse,
        limits: XlsxRecalculateLimits {
            max_columns: crate::address::LAST_COLUMN,
            max_formula_cells: 1_000_000,
            ..XlsxRecalculateLimits::default()
        },
        ..XlsxRecalculateOptions::default()
    };
    // Formulas are hostile data: what their calculation may panic on is a refusal, too.
    let run = || recalculate_xlsx_bytes(bytes, options);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
        .map_err(|_| refused("the calculation failed".to_owned()))?
        .map_err(|error| refused(error.to_string()))?;
    let unknown = &result.summary.unknown_functions;
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.keys().map(String::as_str).collect();
        return Err(refused(format!(
            "these functions are not known: {}",
            names.join(", ")
        )));
    }
    Ok(Recalculated {
        bytes: result.bytes,
        formulas: result.formula_cells,
        changed: result.cache_cells_changed,
    })
}

/// Calculates all formulas of a file: not in this build.
#[cfg(not(feature = "recalc"))]
pub fn recalculate(bytes: &[u8]) -> Result<Recalculated, Error> {
    let _ = bytes;
    Err(Error::NotRecalculated {
        why: "this build does not calculate (feature `recalc`)".to_owned(),
    })
}
