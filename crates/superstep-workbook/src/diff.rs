//! What differs between two workbooks: cells, looks, sheets, names; as data and as text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use serde::Serialize;

use crate::{
    address::{Area, CellRef, column_name},
    book::Workbook,
    inventory::{differences, properties},
    sheet::{Cell, Sheet, Value},
    styles::Style,
};

/// How many changes of cells are listed; all are counted.
const LISTED: usize = 10_000;

/// How many things around the cells of a sheet are listed; all are counted.
const FEATURES: usize = 200;

/// What differs.
///
/// ```
/// use superstep_workbook::{Changes, Input, Operation, Workbook};
///
/// # fn main() -> Result<(), superstep_workbook::Error> {
/// let before = Workbook::empty()?;
/// let after = before.apply(&[Operation::Set {
///     sheet: before.sheets[0].name.clone(),
///     cell: "A1".parse()?,
///     value: Input::Text("total".to_owned()),
/// }])?;
/// assert!(Changes::between(&before, &before).is_empty());
/// assert!(!Changes::between(&before, &after).is_empty());
/// # Ok(())
/// # }
/// ```
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
    /// The smallest area of each sheet with all of them.
    #[serde(skip)]
    pub areas: Vec<(String, Area)>,
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
        for (old, sheet) in paired(before, after) {
            match old {
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
            if !Arc::ptr_eq(old, new) {
                changes.cells(before, after, old, new);
                changes.surroundings(before, after, old, new);
                changes.features(before, Some(old), after, new);
            }
        }
        changes.names(before, after);
        changes.properties(before, after);
        changes
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn cells(&mut self, before: &Workbook, after: &Workbook, old: &Sheet, new: &Sheet) {
        let rows: BTreeSet<u32> = old.rows.keys().chain(new.rows.keys()).copied().collect();
        let mut looks: BTreeMap<(u32, u32), Option<(Style, Style)>> = BTreeMap::new();
        let mut touched: Option<Area> = None;
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
                let mut seen = (shown(before, was), shown(after, is));
                if seen.0 == seen.1 && content(was) != content(is) {
                    seen = (with_type(before, was), with_type(after, is));
                }
                let (one, other) = seen;
                if one != other {
                    self.cell_count += 1;
                    touched = Some(touched.map_or(at.into(), |area| area.with(at)));
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
        let name = &new.name;
        self.areas.extend(touched.map(|area| (name.clone(), area)));
    }

    fn surroundings(&mut self, before: &Workbook, after: &Workbook, old: &Sheet, new: &Sheet) {
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
        self.columns(before, after, old, new);
        self.rows(old, new);
    }

    /// Widths, hidden columns and their looks, each column for itself: how they are stored together says nothing.
    fn columns(&mut self, before: &Workbook, after: &Workbook, old: &Sheet, new: &Sheet) {
        type Looks = (Option<u64>, bool, u32);
        let name = &new.name;
        let runs = |sheet: &Sheet| -> Vec<(u32, u32, Looks)> {
            let looks = sheet.columns.iter().map(|it| {
                // The usual one is written where a column has none.
                let width = it.width.filter(|width| *width != 9.140_625);
                let width = width.map(f64::to_bits);
                (it.first, it.last, (width, it.hidden, it.style()))
            });
            looks.collect()
        };
        let (old, new) = (runs(old), runs(new));
        let mut edges: BTreeSet<u32> = BTreeSet::new();
        for (first, last, _) in old.iter().chain(&new) {
            edges.extend([*first, last.saturating_add(1)]);
        }
        let at = |runs: &[(u32, u32, Looks)], column: u32| {
            let run = runs.iter().find(|it| (it.0..=it.1).contains(&column));
            run.map_or((None, false, 0), |it| it.2)
        };
        let mut told = [Vec::new(), Vec::new(), Vec::new()];
        let [widths, hidden, styles] = &mut told;
        let edges: Vec<u32> = edges.into_iter().collect();
        for pair in edges.windows(2) {
            let [first, end] = pair else { continue };
            let (was, is) = (at(&old, *first), at(&new, *first));
            let span = (*first, end - 1);
            for (list, differs) in [
                (&mut *widths, was.0 != is.0),
                (&mut *hidden, was.1 != is.1),
                (
                    &mut *styles,
                    before.styles.look(was.2) != after.styles.look(is.2),
                ),
            ] {
                if differs {
                    list.push(span);
                }
            }
        }
        let words = ["have other widths", "are hidden or shown", "look different"];
        for (spans, what) in told.iter().zip(words) {
            if !spans.is_empty() {
                let spans = spans.iter().map(|(first, last)| {
                    let (first, last) = (column_name(*first), column_name(*last));
                    if first == last {
                        first
                    } else {
                        format!("{first}:{last}")
                    }
                });
                let spans = listed(spans);
                self.others
                    .push(format!("{name:?}: columns {spans} {what}"));
            }
        }
    }

    fn rows(&mut self, old: &Sheet, new: &Sheet) {
        let name = &new.name;
        let rows: BTreeSet<u32> = old.rows.keys().chain(new.rows.keys()).copied().collect();
        let mut told = [Vec::new(), Vec::new()];
        let [heights, hidden] = &mut told;
        for number in rows {
            let at = |sheet: &Sheet| match sheet.rows.get(&number) {
                Some(row) => (row.height.map(f64::to_bits), row.hidden),
                None => (None, false),
            };
            let (was, is) = (at(old), at(new));
            for (list, differs) in [
                (&mut *heights, was.0 != is.0),
                (&mut *hidden, was.1 != is.1),
            ] {
                if differs {
                    list.push(number);
                }
            }
        }
        let words = ["have other heights", "are hidden or shown"];
        for (rows, what) in told.iter().zip(words) {
            if !rows.is_empty() {
                let rows = listed(spans(rows));
                self.others.push(format!("{name:?}: rows {rows} {what}"));
            }
        }
    }

    /// Comments, tables, links, validations, conditional formats, charts, and how sheets are printed.
    fn features(
        &mut self,
        before: &Workbook,
        old: Option<&Arc<Sheet>>,
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

impl Changes {
    /// What the file says about itself.
    fn properties(&mut self, before: &Workbook, after: &Workbook) {
        if Arc::ptr_eq(&before.package, &after.package) {
            return;
        }
        let (old, new) = (properties(before), properties(after));
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let (was, is) = (old.get(key), new.get(key));
            if was != is {
                let shown = |text: Option<&String>| match text {
                    Some(text) => format!("{text:?}"),
                    None => "none".to_owned(),
                };
                self.others
                    .push(format!("property {key}: {} → {}", shown(was), shown(is)));
            }
        }
    }
}

/// Numbers in order as spans: `2:5, 9`.
fn spans(numbers: &[u32]) -> impl Iterator<Item = String> {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => all.push((*number, *number)),
        }
    }
    all.into_iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}:{last}"),
    })
}

/// The first of some spans, and how many there are besides.
fn listed(spans: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = spans.collect();
    let shown: Vec<&str> = all.iter().take(SHOWN).map(String::as_str).collect();
    let more = all.len() - shown.len();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The sheets of a workbook, each with the one of another that it is. It is the one of its name; where no sheet has
/// that, one whose name is gone and that is alike. Where a sheet is stored says little: other programs number
/// their parts anew.
fn paired<'a>(
    before: &'a Workbook,
    after: &'a Workbook,
) -> Vec<(Option<&'a Arc<Sheet>>, &'a Arc<Sheet>)> {
    let has = |book: &Workbook, name: &str| book.sheets.iter().any(|it| it.name == name);
    let mut gone: Vec<&Arc<Sheet>> = before
        .sheets
        .iter()
        .filter(|old| !has(after, &old.name))
        .collect();
    let mut pairs = Vec::new();
    for sheet in &after.sheets {
        let by_name = before.sheets.iter().find(|old| old.name == sheet.name);
        let old = by_name.or_else(|| {
            let likeness = gone.iter().map(|old| likeness(old, sheet)).enumerate();
            let best = likeness.max_by(|one, other| one.1.total_cmp(&other.1));
            let (at, _) = best.filter(|(_, likeness)| *likeness > 0.0)?;
            Some(gone.remove(at))
        });
        pairs.push((old, sheet));
    }
    pairs
}

/// How much two sheets are alike, between 0 and 1; 0 if they are not the same one.
fn likeness(old: &Arc<Sheet>, new: &Arc<Sheet>) -> f64 {
    let is_part = !new.part.is_empty() && old.part == new.part;
    if Arc::ptr_eq(old, new) {
        return 1.0;
    }
    let content = |sheet: &Sheet| sheet.cells().filter(|(_, cell)| !cell.is_blank()).count();
    let most = content(old).max(content(new));
    if most == 0 {
        return if is_part { 1.0 } else { 0.0 };
    }
    let same = old.cells().filter(|(at, cell)| {
        !cell.is_blank()
            && new.cell(*at).is_some_and(|new| match cell.formula() {
                Some(formula) => new.formula() == Some(formula),
                None => new.formula().is_none() && new.value == cell.value,
            })
    });
    let share = same.count() as f64 / most as f64;
    let least = if is_part { 0.2 } else { 0.5 };
    match share >= least {
        true => share,
        false => 0.0,
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

/// What a cell holds, however it is shown: what a formula calculates is not it.
fn content(cell: Option<&Cell>) -> Option<Result<&str, &Value>> {
    let cell = cell.filter(|cell| !cell.is_blank())?;
    Some(match cell.formula() {
        Some(formula) => Ok(&formula.text),
        None => Err(&cell.value),
    })
}

/// A cell with its type, where two that differ are shown alike, as the number 5 and the text 5 are.
fn with_type(book: &Workbook, cell: Option<&Cell>) -> Option<String> {
    let shown = shown(book, cell)?;
    let cell = cell?;
    Some(match (&cell.value, cell.formula()) {
        (_, Some(_)) => format!("{shown} (formula)"),
        (Value::Number(number), None) => format!("{number} (number)"),
        (Value::Text(_), None) => format!("{shown} (text)"),
        (_, None) => format!("{shown} (value)"),
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
        match self.cell_count {
            0 => {}
            1 => writeln!(f, "1 cell:")?,
            count => writeln!(f, "{count} cells:")?,
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
        match self.format_count {
            0 => {}
            1 => writeln!(f, "1 cell looks different")?,
            count => writeln!(f, "{count} cells look different")?,
        }
        for other in &self.others {
            writeln!(f, "~ {other}")?;
        }
        Ok(())
    }
}
