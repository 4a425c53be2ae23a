//! A workbook: its sheets, names and styles over the package that it was read from.
//!
//! A workbook is a value: operations give a new one and leave the old one as it was. Sheets that an
//! operation does not touch are shared by both.

use std::{path::Path, sync::Arc};

use superstep_fs::{Rights, Staged};

use crate::{
    dates::DateSystem,
    error::Error,
    package::Package,
    sheet::{Cell, Sheet, Value},
    styles::Styles,
};

/// A workbook.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Workbook {
    /// The sheets in their order.
    pub sheets: Vec<Arc<Sheet>>,
    /// Names that formulas can use.
    pub names: Vec<DefinedName>,
    /// From when days are counted.
    pub dates: DateSystem,
    /// Formats of cells.
    pub styles: Arc<Styles>,
    pub(crate) package: Arc<Package>,
    /// Where the workbook's own parts are.
    pub(crate) parts: Parts,
    pub(crate) changed: BookChanged,
}

/// The parts that a workbook has once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) workbook: String,
    pub(crate) styles: Option<String>,
}

/// What of a workbook differs from its package.
#[derive(Clone, Debug, Default)]
pub(crate) struct BookChanged {
    /// Sheets were added, removed, renamed or moved.
    pub(crate) sheets: bool,
    pub(crate) names: bool,
    /// The sheet that is to be shown first, by its place.
    pub(crate) active: Option<usize>,
    /// A formula, or a cell that formulas may read, was changed.
    pub(crate) values: bool,
    /// Parts with references that operations moved: charts and tables, with their new text.
    pub(crate) parts: std::collections::BTreeMap<String, String>,
    /// Parts of deleted sheets.
    pub(crate) removed: Vec<String>,
}

/// A name for cells or a formula.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct DefinedName {
    /// The name.
    pub name: String,
    /// What it stands for, without an equals sign.
    pub refers_to: String,
    /// The sheet in which alone it is known, by its place.
    pub sheet: Option<usize>,
    /// Whether users do not see it.
    pub hidden: bool,
    /// Other attributes, as they are written.
    #[serde(skip)]
    pub(crate) attributes: String,
}

impl Workbook {
    /// A sheet by its name; names are equal without regard to case.
    pub fn sheet(&self, name: &str) -> Result<&Sheet, Error> {
        let at = self.position(name)?;
        match self.sheets.get(at) {
            Some(sheet) => Ok(sheet),
            None => Err(no_sheet(name)),
        }
    }

    pub(crate) fn position(&self, name: &str) -> Result<usize, Error> {
        let same = |sheet: &Arc<Sheet>| is_same_name(&sheet.name, name);
        self.sheets
            .iter()
            .position(same)
            .ok_or_else(|| no_sheet(name))
    }

    /// The package that the workbook was read from.
    pub fn package(&self) -> &Package {
        &self.package
    }

    /// A cell as a person reads it: dates as dates, the rest as it is stored.
    pub fn shown(&self, cell: &Cell) -> String {
        match &cell.value {
            Value::Number(number) if self.styles.is_date(cell.style) => self
                .dates
                .show(*number)
                .unwrap_or_else(|| cell.value.to_string()),
            value => value.to_string(),
        }
    }
}

/// Whether to replace a file that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, and that is an error.
    Never,
    /// It is replaced, whole or not at all.
    Replace,
}

/// Writes the bytes of a workbook to a file, whole or not at all.
pub fn save(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), Error> {
    let shown = path.display().to_string();
    // What is there, and not what it leads to: a link that leads nowhere is there, too.
    if overwrite == Overwrite::Never && std::fs::symlink_metadata(path).is_ok() {
        return Err(Error::Exists { path: shown });
    }
    Staged::new(path, bytes, Rights::Umask)
        .and_then(Staged::replace)
        .map_err(|source| Error::File {
            path: shown,
            source,
        })
}

/// Whether two names of sheets are the same one.
pub(crate) fn is_same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn no_sheet(name: &str) -> Error {
    Error::NoSheet {
        name: name.to_owned(),
    }
}
