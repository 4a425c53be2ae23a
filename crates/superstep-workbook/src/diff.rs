//! What differs between two workbooks: cells, looks, sheets, names; as data and as text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::Serialize;

use crate::{
    address::{Area, CellRef},
    book::Workbook,
    inventory::differences,
    sheet::{Cell, Sheet},
    styles::Style,
};

/// How many changes of cells are listed; all are counted.
const LISTED: usize = 10_000;

/// How many things around the cells of a sheet are listed; all are counted.
const FEATURES: usize = 200;

/// What differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Sheets that are new.
    pub sheets_added: Vec<String>,
    /// Sheets that are gone.
    pub sheets_removed: Vec<String>,
    /// Sheets with another name: old and new.
    pub sheets_renamed: Vec<(String, String)>,
    /// Whether the sheets that both have stand in another order.
    pub sheets_reordered: bool,
    /// Cells with another value or formula, the first ten thousand.
    pub cells: Vec<CellChange>,
    /// How many cells there are in all.
    pub cell_count: usize,
    /// Cells that look different, the first ten thousand.
    pub formats: Vec<FormatChange>,
    /// How many of them there are in all.
    pub format_count: usize,
    /// Everything else, in words.
    pub others: Vec<String>,
}

/// A cell that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CellChange {
    /// The sheet, by its new name.
    pub sheet: String,
    /// The cell.
    pub cell: CellRef,
    /// What it showed or calculated; none if it was empty.
    pub before: Option<String>,
    /// What it shows or calculates now.
    pub after: Option<String>,
}

/// A cell that looks different.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FormatChange {
    /// The sheet, by its new name.
    pub sheet: String,
    /// The cell.
    pub cell: CellRef,
    /// How it looked.
    pub before: Style,
    /// How it looks.
    pub after: Style,
}

impl Changes {
    /// What differs between two workbooks.
    pub fn between(before: &Workbook, after: &Workbook) -> Self {
        let mut changes = Self::default();
        let mut pairs = Vec::new();
        for sheet in &after.sheets {
            // A sheet is the same one if it is stored in the same part, or has the same name.
            let is_part =
                |old: &&std::sync::Arc<Sheet>| !sheet.part.is_empty() && old.part == sheet.part;
            let is_name = |old: &&std::sync::Arc<Sheet>| old.name == sheet.name;
            let by_name = before.sheets.iter().find(is_name);
            match by_name.or_else(|| before.sheets.iter().find(is_part)) {
                Some(old) => pairs.push((old, sheet)),
                None => {
                    changes.sheets_added.push(sheet.name.clone());
                    changes.cells(before, after, &Sheet::default(), sheet);
                    changes.features(before, None, after, sheet);
                }
            }
        }
        let kept: Vec<&str> = pairs.iter().map(|(old, _)| old.name.as_str()).collect();
        let gone = before
            .sheets
            .iter()
            .filter(|it| !kept.contains(&it.name.as_str()));
        changes.sheets_removed = gone.map(|sheet| sheet.name.clone()).collect();
        let order = before.sheets.iter().map(|sheet| sheet.name.as_str());
        let order: Vec<&str> = order.filter(|name| kept.contains(name)).collect();
        changes.sheets_reordered = order != kept;
        for (old, new) in pairs {
            if old.name != new.name {
                let names = (old.name.clone(), new.name.clone());
                changes.sheets_renamed.push(names);
            }
            if !std::sync::Arc::ptr_eq(old, new) {
                changes.cells(before, after, old, new);
                changes.surroundings(old, new);
                changes.features(before, Some(old), after, new);
            }
        }
        changes.names(before, after);
        changes
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn cells(&mut self, before: &Workbook, after: &Workbook, old: &Sheet, new: &Sheet) {
        let rows: BTreeSet<u32> = old.rows.keys().chain(new.rows.keys()).copied().collect();
        let mut looks: BTreeMap<(u32, u32), Option<(Style, Style)>> = BTreeMap::new();
        for row in rows {
            let cells = |sheet: &Sheet| -> BTreeMap<u32, Cell> {
                let row = sheet.rows.get(&row);
                let cells = row.into_iter().flat_map(|row| row.cells.iter());
                cells.map(|cell| (cell.column, cell.clone())).collect()
            };
            let (was, is) = (cells(old), cells(new));
            let columns: BTreeSet<u32> = was.keys().chain(is.keys()).copied().collect();
            for column in columns {
                let at = CellRef { row, column };
                let (was, is) = (was.get(&column), is.get(&column));
                let (one, other) = (shown(before, was), shown(after, is));
                if one != other {
                    self.cell_count += 1;
                    if self.cells.len() < LISTED {
                        self.cells.push(CellChange {
                            sheet: new.name.clone(),
                            cell: at,
                            before: one,
                            after: other,
                        });
                    }
                }
                let style = |cell: Option<&Cell>| cell.map_or(0, |cell| cell.style);
                let key = (style(was), style(is));
                let look = looks.entry(key).or_insert_with(|| {
                    let (one, other) = (before.styles.look(key.0), after.styles.look(key.1));
                    (one != other).then_some((one, other))
                });
                // A new empty cell looks like the bare sheet.
                if let Some((one, other)) = look {
                    self.format_count += 1;
                    if self.formats.len() < LISTED {
                        self.formats.push(FormatChange {
                            sheet: new.name.clone(),
                            cell: at,
                            before: one.clone(),
                            after: other.clone(),
                        });
                    }
                }
            }
        }
    }

    fn surroundings(&mut self, old: &Sheet, new: &Sheet) {
        let name = &new.name;
        let list = |areas: &[Area]| {
            let areas: Vec<_> = areas.iter().map(Area::to_string).collect();
            areas.join(", ")
        };
        let mut say = |what: &str, old: String, new: String| {
            if old != new {
                let none = |text: String| {
                    if text.is_empty() {
                        "none".to_owned()
                    } else {
                        text
                    }
                };
                self.others
                    .push(format!("{name:?}: {what}: {} → {}", none(old), none(new)));
            }
        };
        let text = |area: Option<String>| area.unwrap_or_default();
        say("merged cells", list(&old.merged), list(&new.merged));
        say(
            "frozen at",
            text(old.freeze.map(|at| at.to_string())),
            text(new.freeze.map(|at| at.to_string())),
        );
        say(
            "filter",
            text(old.filter.map(|at| at.to_string())),
            text(new.filter.map(|at| at.to_string())),
        );
        let number = |count: usize| {
            if count == 0 {
                String::new()
            } else {
                count.to_string()
            }
        };
        say(
            "charts and pictures",
            number(old.drawings),
            number(new.drawings),
        );
        say(
            "visibility",
            format!("{:?}", old.visibility),
            format!("{:?}", new.visibility),
        );
        if old.columns != new.columns {
            self.others
                .push(format!("{name:?}: columns have other widths"));
        }
        let heights = |sheet: &Sheet| -> Vec<(u32, Option<u64>, bool)> {
            let rows = sheet
                .rows
                .iter()
                .map(|(number, row)| (*number, row.height.map(f64::to_bits), row.hidden));
            rows.filter(|(_, height, hidden)| height.is_some() || *hidden)
                .collect()
        };
        if heights(old) != heights(new) {
            self.others
                .push(format!("{name:?}: rows have other heights"));
        }
    }

    /// Comments, tables, links, validations, conditional formats, charts, and how sheets are printed.
    fn features(
        &mut self,
        before: &Workbook,
        old: Option<&std::sync::Arc<Sheet>>,
        after: &Workbook,
        new: &Sheet,
    ) {
        let name = &new.name;
        match differences(before, old, after, new) {
            Ok(lines) => {
                let left = lines.len().saturating_sub(FEATURES);
                let lines = lines.into_iter().take(FEATURES);
                self.others
                    .extend(lines.map(|line| format!("{name:?}: {line}")));
                if left > 0 {
                    self.others.push(format!("{name:?}: … {left} more"));
                }
            }
            Err(error) => self.others.push(format!(
                "{name:?}: what surrounds its cells cannot be compared: {error}"
            )),
        }
    }

    fn names(&mut self, before: &Workbook, after: &Workbook) {
        let all = |book: &Workbook| -> BTreeMap<(String, Option<usize>), String> {
            let names = book.names.iter().filter(|name| !name.hidden);
            names
                .map(|it| ((it.name.clone(), it.sheet), it.refers_to.clone()))
                .collect()
        };
        let (old, new) = (all(before), all(after));
        let keys: BTreeSet<_> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let (was, is) = (old.get(key), new.get(key));
            if was != is {
                let none = "none".to_owned();
                let (was, is) = (was.unwrap_or(&none), is.unwrap_or(&none));
                self.others.push(format!("name {:?}: {was} → {is}", key.0));
            }
        }
    }
}

/// A cell as it is reported: its formula, or its value as a person reads it.
fn shown(book: &Workbook, cell: Option<&Cell>) -> Option<String> {
    let cell = cell.filter(|cell| !cell.is_blank())?;
    Some(match cell.formula() {
        Some(formula) => format!("={}", formula.text),
        None => book.shown(cell),
    })
}

/// How many changes of one kind the text lists.
const SHOWN: usize = 20;

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "nothing changed");
        }
        for name in &self.sheets_added {
            writeln!(f, "+ sheet {name:?}")?;
        }
        for name in &self.sheets_removed {
            writeln!(f, "- sheet {name:?}")?;
        }
        for (old, new) in &self.sheets_renamed {
            writeln!(f, "~ sheet {old:?} is now {new:?}")?;
        }
        if self.sheets_reordered {
            writeln!(f, "~ sheets stand in another order")?;
        }
        if self.cell_count > 0 {
            writeln!(f, "{} cells:", self.cell_count)?;
        }
        let none = String::new();
        for change in self.cells.iter().take(SHOWN) {
            let (before, after) = (change.before.as_ref(), change.after.as_ref());
            let (before, after) = (before.unwrap_or(&none), after.unwrap_or(&none));
            writeln!(
                f,
                "  {:?}!{}: {before:?} → {after:?}",
                change.sheet, change.cell
            )?;
        }
        if self.cell_count > SHOWN {
            writeln!(f, "  … {} more", self.cell_count - SHOWN)?;
        }
        if self.format_count > 0 {
            writeln!(f, "{} cells look different", self.format_count)?;
        }
        for other in &self.others {
            writeln!(f, "~ {other}")?;
        }
        Ok(())
    }
}
