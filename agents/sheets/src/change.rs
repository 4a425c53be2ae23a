//! What a step wants to do to the workbook: what it would lose, and what it comes to.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep_workbook::{Changes, Lineage, Operation, Outward, Workbook};

use crate::{error::Error, loss::Losses, settings::Settings, versions::Versions};

/// A change of a workbook.
#[derive(Clone, Debug)]
pub enum Change {
    /// Operations, in their order; none is no change.
    Operations(Vec<Operation>),
    /// Another workbook in its place.
    Replace {
        /// Its file.
        bytes: Arc<[u8]>,
        /// How it came from this one.
        lineage: Lineage,
    },
}

impl Default for Change {
    fn default() -> Self {
        Self::Operations(Vec::new())
    }
}

/// A change as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stored {
    Operations(Vec<Operation>),
    /// The hash of the other workbook, of which nothing more is known.
    Replace(String),
    /// The hash of the other workbook, and how it came from this one.
    Rewrite {
        workbook: String,
        lineage: Lineage,
    },
}

/// A change that can be made.
pub(crate) struct Assessed {
    /// What it would lose.
    pub(crate) losses: Losses,
    /// Formulas and links that it adds and that reach outside the workbook, in words.
    pub(crate) outward: Vec<String>,
    /// The workbook after it.
    pub(crate) after: Workbook,
    /// What differs, in words.
    pub(crate) changes: Changes,
}

impl Change {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Operations(operations) if operations.is_empty())
    }

    /// How many operations of which kind it is.
    pub fn kinds(&self) -> BTreeMap<String, usize> {
        let mut kinds = BTreeMap::new();
        match self {
            Self::Operations(operations) => {
                for operation in operations {
                    *kinds.entry(operation.name().to_owned()).or_default() += 1;
                }
            }
            Self::Replace { .. } => {
                kinds.insert("replace_workbook".to_owned(), 1);
            }
        }
        kinds
    }

    /// Stores it, and gives the hash by which it is found.
    pub(crate) async fn store(&self, versions: &Versions) -> Result<String, Error> {
        let stored = match self {
            Self::Operations(operations) => Stored::Operations(operations.clone()),
            Self::Replace { bytes, lineage } => Stored::Rewrite {
                workbook: versions.put(bytes.to_vec()).await?,
                lineage: lineage.clone(),
            },
        };
        let json = serde_json::to_vec(&stored).map_err(|error| broken(&error))?;
        versions.put(json).await
    }

    /// The change of a hash.
    pub(crate) async fn load(versions: &Versions, hash: &str) -> Result<Self, Error> {
        let json = versions.get(hash).await?;
        Ok(
            match serde_json::from_slice(&json).map_err(|error| broken(&error))? {
                Stored::Operations(operations) => Self::Operations(operations),
                Stored::Replace(hash) => Self::Replace {
                    bytes: versions.get(&hash).await?.into(),
                    lineage: Lineage::default(),
                },
                Stored::Rewrite { workbook, lineage } => Self::Replace {
                    bytes: versions.get(&workbook).await?.into(),
                    lineage,
                },
            },
        )
    }

    /// What it would do to a workbook, or why it cannot be done.
    pub(crate) fn assess(
        &self,
        book: &Workbook,
        own_sheets: &[String],
        settings: &Settings,
    ) -> Result<Assessed, superstep_workbook::Error> {
        let (losses, after, outward) = match self {
            Self::Operations(operations) => {
                let (losses, after) = Losses::of(book, operations, own_sheets)?;
                let moved = || {
                    let moves: Vec<_> = operations.iter().filter(|it| moves(it)).cloned().collect();
                    let applied = (!moves.is_empty()).then(|| book.apply(&moves));
                    applied?.ok()
                };
                let outward = after.new_outward(book, &Lineage::default(), moved);
                (losses, after, outward)
            }
            Self::Replace { bytes, lineage } => {
                let after = Workbook::read(bytes.clone(), &settings.limits)?;
                let after = after.in_place_of(book, lineage);
                let losses = Losses::between(book, &after, lineage, own_sheets);
                let outward = after.new_outward(book, lineage, || None);
                (losses, after, outward)
            }
        };
        let changes = Changes::between(book, &after);
        Ok(Assessed {
            losses,
            outward: Outward::lines(&outward),
            after,
            changes,
        })
    }
}

/// True for operations that only move existing cells. Formulas follow them and do not count as new.
fn moves(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::InsertRows { .. }
            | Operation::DeleteRows { .. }
            | Operation::InsertColumns { .. }
            | Operation::DeleteColumns { .. }
            | Operation::AddSheet { .. }
            | Operation::RenameSheet { .. }
            | Operation::DeleteSheet { .. }
            | Operation::MoveSheet { .. }
            | Operation::Sort { .. }
    )
}

fn broken(error: &serde_json::Error) -> Error {
    Error::Broken {
        why: error.to_string(),
    }
}
