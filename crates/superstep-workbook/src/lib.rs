//! Spreadsheets for agents: read as hostile data, edited by operations, written back so that every
//! part which is not touched stays byte for byte as it was.
//!
//! ```no_run
//! use superstep_workbook::{Input, Limits, OnLoad, Operation, Overwrite, Workbook, save};
//!
//! # fn main() -> Result<(), superstep_workbook::Error> {
//! let before = Workbook::open("in.xlsx".as_ref(), &Limits::default())?;
//! let after = before.apply(&[Operation::Set {
//!     sheet: "Sheet1".to_owned(),
//!     cell: "B2".parse()?,
//!     value: Input::Formula("=SUM(B3:B9)".to_owned()),
//! }])?;
//! let written = after.write(OnLoad::Calculate)?;
//! save("out.xlsx".as_ref(), &written.bytes, Overwrite::Never)?;
//! # Ok(())
//! # }
//! ```
//!
//! Data flows one way: `package` opens the archive, `read` makes a [`Workbook`] of it, `edit` gives a
//! new one, `patch` writes it, `recalc` with what formulas give. `state` says what is in it, `diff` what
//! changed.

mod address;
mod blank;
mod book;
mod carry;
mod chart;
mod comment;
mod dates;
mod diff;
mod edit;
mod error;
mod extensions;
mod formula;
mod frame;
mod future;
mod inventory;
mod lineage;
mod outward;
mod package;
mod patch;
mod read;
mod recalc;
mod referring;
mod relations;
mod sheet;
mod state;
mod structured;
mod styles;
mod xml;

pub use address::{Area, CellRef, LAST_COLUMN, LAST_ROW, column_name, column_number};
pub use book::{DefinedName, Overwrite, Workbook, save};
pub use chart::{Chart, ChartAxis, ChartKind, ChartLabels, Series};
pub use dates::DateSystem;
pub use diff::{CellChange, Changes, FormatChange};
pub use edit::{
    Condition, Input, Margins, NewTable, Operation, Page, ScalePoint, SortKey, Threshold,
    Validation, ValidationMessages,
};
pub use error::Error;
pub use formula::translate;
pub use inventory::{Anchored, ExtraFeature, Feature};
pub use lineage::{BandMove, Lineage, MoveAxis, MoveKind, Tracks};
pub use outward::Outward;
pub use package::{Limits, Package, Share};
pub use patch::{OnLoad, Written};
pub use recalc::{Calculated, Calculation, NotCalculated, local_time};
pub use referring::Referring;
pub use sheet::{
    Cell, Column, Comment, Formula, FormulaKind, Row, Sheet, Table, TableStyle, Text, Value,
    Visibility,
};
pub use state::{Region, regions};
pub use styles::{Border, Edge, Style, Styles};
