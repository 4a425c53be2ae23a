//! What operations would lose: a person is asked before that happens.
//!
//! - Deleting a sheet, rows or columns that have content needs approval, however little it is. Charts and pictures that
//!   lie within them, and charts that show nothing else, are content.
//! - Overwriting, clearing and merging away cells with content needs approval once it is more than a
//!   number of cells, counted over all steps since a person last agreed.
//! - Deleting or redefining a name, and replacing a comment, needs approval. So does a program that leaves
//!   out tables, charts, pictures, pivot tables, or what the library that it uses does not know (`left_out`).
//! - Sheets that the agent added itself are its own: nothing on them is a loss.
//!
//! Reading "delete everything" in a cell changes nothing about this: only a person approves.

mod anchored;
mod dropped_parts;

use serde::{Deserialize, Serialize};
use superstep_workbook::{
    Area, Cell, CellRef, DefinedName, Error, Input, LAST_COLUMN, LAST_ROW, Lineage, Operation,
    Sheet, Value, Workbook, column_name,
};

use anchored::Drawings;
pub(crate) use dropped_parts::left_out;

/// What operations would lose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// What always needs approval, in words.
    pub always: Vec<String>,
    /// Cells with content that get something else, or nothing.
    pub overwritten: u64,
    /// The first of all cells that lose their content.
    pub cells: Vec<LostCell>,
    /// Sheets that belong to the agent after them.
    pub own_sheets: Vec<String>,
}

/// How many lost cells are named.
const NAMED: usize = 100;

/// A cell that loses its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostCell {
    /// Its sheet.
    pub sheet: String,
    /// Its address.
    pub cell: String,
    /// Its content as it is shown.
    pub value: String,
}

impl Losses {
    /// What the operations would lose, one after the other. Gives the workbook after them, too.
    pub fn of(
        book: &Workbook,
        operations: &[Operation],
        own_sheets: &[String],
    ) -> Result<(Self, Workbook), Error> {
        let mut losses = Self {
            own_sheets: own_sheets.to_vec(),
            ..Self::default()
        };
        // The workbook is brought up to date only where a loss is looked for: what a list writes itself and
        // writes again is then no loss.
        let may_lose = |operation: &Operation| {
            operation.is_destructive()
                || matches!(
                    operation,
                    Operation::Set { .. }
                        | Operation::SetRows { .. }
                        | Operation::AddSheet { .. }
                        | Operation::CopySheet { .. }
                        | Operation::RenameSheet { .. }
                        | Operation::Comment { .. }
                        | Operation::DefineName { .. }
                )
        };
        let after = book.apply(operations)?;
        let mut at = book.clone();
        let (mut applied, mut number, mut has_moved) = (0, 0, false);
        for alike in operations.chunk_by(deletes_rows_above) {
            if alike.iter().any(may_lose) {
                if std::mem::take(&mut has_moved) {
                    at = at.apply(operations.get(applied..number).unwrap_or_default())?;
                    applied = number;
                }
                losses.add(&at, alike);
            }
            number += alike.len();
            has_moved |= alike.iter().any(moves_cells);
        }
        losses.breaks_formulas(book, &after);
        Ok((losses, after))
    }

    /// What is lost when another workbook takes the place of this one: by what is where, after what is known of how it
    /// came there.
    pub fn between(
        book: &Workbook,
        after: &Workbook,
        lineage: &Lineage,
        own_sheets: &[String],
    ) -> Self {
        let mut losses = Self {
            own_sheets: own_sheets.to_vec(),
            ..Self::default()
        };
        // The program says which sheet became which: one cannot stand for two that are gone.
        let mut taken: Vec<&str> = Vec::new();
        for sheet in &book.sheets {
            let new = lineage.sheet(&sheet.name);
            let new = new.and_then(|new| after.sheet(new).ok());
            match new.filter(|new| !taken.contains(&new.name.as_str())) {
                None => losses.deletes(book, &sheet.name),
                Some(new) => {
                    taken.push(&new.name);
                    losses.rewritten(book, sheet, new, lineage);
                }
            }
        }
        for name in &book.names {
            // Names that programs keep for themselves: areas of printing and of filters.
            let is_own = name.hidden || name.name.starts_with("_xlnm.");
            let plain = |text: &str| text.replace('\'', "");
            let mut now = after
                .names
                .iter()
                .filter(|new| new.name == name.name)
                .peekable();
            let was = plain(&lineage.follow(&name.refers_to));
            if now.peek().is_none() {
                if !name.hidden {
                    losses
                        .always
                        .push(format!("deletes the name {:?}", name.name));
                }
            } else if !is_own
                && !now.any(|new| {
                    let new = plain(&new.refers_to);
                    new == was || new == plain(&name.refers_to)
                })
            {
                losses
                    .always
                    .push(format!("redefines the name {:?}", name.name));
            }
        }
        losses.always.extend(left_out(book, after, lineage));
        let own = std::mem::take(&mut losses.own_sheets).into_iter();
        let mut own: Vec<String> = own
            .filter_map(|name| lineage.sheet(&name).map(str::to_owned))
            .collect();
        for sheet in &after.sheets {
            let is_new = lineage
                .before(&sheet.name)
                .is_none_or(|old| book.sheet(old).is_err());
            if is_new && !own.contains(&sheet.name) {
                own.push(sheet.name.clone());
            }
        }
        losses.own_sheets = own;
        losses.breaks_formulas(book, after);
        losses
    }

    /// What is lost of a sheet that is still there: rows and columns that are gone, cells that have another content, and
    /// what surrounds them.
    fn rewritten(&mut self, book: &Workbook, sheet: &Sheet, new: &Sheet, lineage: &Lineage) {
        let name = &sheet.name;
        if self.foreign(book, name).is_none() {
            return;
        }
        let tracks = lineage.tracks(name);
        self.removes_rows(book, name, &tracks.deleted_rows());
        for (first, last) in tracks.deleted_columns() {
            let (from, to) = (column_name(first), column_name(last));
            let what = format!("deletes columns {from} to {to} of {name:?}");
            self.removes(book, name, &[area((1, first), (LAST_ROW, last))], &what);
        }
        // What is gone with its row or column is told above; what has no place on the sheet any more is gone, too.
        let is_pushed_off = |at: CellRef| tracks.is_pushed_off(at);
        let cells = sheet.cells().filter(|(_, cell)| !cell.is_blank());
        let pushed = cells.filter(|(at, _)| is_pushed_off(*at)).count();
        if pushed > 0 {
            let noun = if pushed == 1 { "cell" } else { "cells" };
            self.always.push(format!(
                "pushes {pushed} {noun} with content off the sheet {name:?}"
            ));
        }
        let cells = sheet.cells().filter(|(_, cell)| !cell.is_blank());
        let cells = cells.filter_map(|(at, cell)| Some((at, tracks.cell(at)?, cell)));
        let changed = cells.filter(|(_, at, cell)| {
            let now = new.cell(*at);
            let formula = now.and_then(|cell| cell.formula());
            match cell.formula() {
                Some(old) => !formula.is_some_and(|new| {
                    new.text == old.text || new.text == lineage.follow(&old.text)
                }),
                None => formula.is_some() || *new.value(*at) != cell.value,
            }
        });
        for (at, _, cell) in changed {
            self.overwritten = self.overwritten.saturating_add(1);
            self.name_cell(book, name, at, cell);
        }
        let comments = sheet.comments.iter().filter_map(|(at, comment)| {
            let now = tracks.cell(*at);
            let now = now.or_else(|| is_pushed_off(*at).then_some(*at));
            Some((at, now?, comment))
        });
        for (at, now, comment) in comments {
            // openpyxl leaves comments in their places when it moves cells.
            let is_there = |at: &CellRef| new.comments.get(at) == Some(comment);
            if !is_there(&now) && !is_there(at) {
                self.always
                    .push(format!("replaces the comment of {at} on {name:?}"));
            }
        }
    }

    /// What a person is told, if a person has to be asked.
    pub fn question(&self, overwritten_before: u64, most: u64) -> Option<Vec<String>> {
        let mut told = self.always.clone();
        if self.overwritten > 0 && overwritten_before.saturating_add(self.overwritten) > most {
            let before = match overwritten_before {
                0 => String::new(),
                before => format!(", after {before} in earlier steps that nobody was asked about"),
            };
            told.push(format!(
                "overwrites {} cells that have content{before}",
                self.overwritten
            ));
        }
        (!told.is_empty()).then_some(told)
    }

    /// Adds what one operation would lose, or several that delete rows of a sheet from the bottom up.
    fn add(&mut self, book: &Workbook, alike: &[Operation]) {
        let rows = alike.iter().filter_map(deleted_rows);
        let rows: Vec<(u32, u32)> = rows.rev().map(|(_, first, last)| (first, last)).collect();
        if let Some((sheet, ..)) = alike.first().and_then(deleted_rows) {
            self.removes_rows(book, sheet, &rows);
        }
        for operation in alike {
            self.add_one(book, operation);
        }
    }

    fn add_one(&mut self, book: &Workbook, operation: &Operation) {
        match operation {
            Operation::AddSheet { name, .. } | Operation::CopySheet { name, .. } => {
                self.own_sheets.push(name.clone());
            }
            Operation::RenameSheet { sheet, name } => {
                for own in &mut self.own_sheets {
                    if is_same(own, sheet) {
                        own.clone_from(name);
                    }
                }
            }
            Operation::DeleteName { name, .. } => {
                self.always.push(format!("deletes the name {name:?}"));
            }
            Operation::Comment {
                sheet,
                cell,
                comment,
            } => {
                let known = self.foreign(book, sheet);
                let known = known.and_then(|sheet| sheet.comments.get(cell));
                if known.is_some() && known != comment.as_ref() {
                    self.always
                        .push(format!("replaces the comment of {cell} on {sheet:?}"));
                }
            }
            Operation::DefineName {
                name, refers_to, ..
            } => {
                let is_meant =
                    |it: &&DefinedName| it.sheet.is_none() && it.name.eq_ignore_ascii_case(name);
                let known = book.names.iter().find(is_meant);
                let new = refers_to.strip_prefix('=').unwrap_or(refers_to);
                if known.is_some_and(|known| known.refers_to != new) {
                    self.always.push(format!("redefines the name {name:?}"));
                }
            }
            Operation::DeleteSheet { sheet } => {
                self.deletes(book, sheet);
                self.own_sheets.retain(|own| !is_same(own, sheet));
            }
            Operation::DeleteColumns {
                sheet,
                first,
                count,
            } => {
                let column = superstep_workbook::column_number(first).unwrap_or(1);
                let last = column.saturating_add(*count).saturating_sub(1);
                let what = format!("deletes {count} columns from {first} of {sheet:?}");
                self.removes(book, sheet, &[area((1, column), (LAST_ROW, last))], &what);
            }
            Operation::Clear { sheet, area } => {
                self.overwritten += self.content(book, sheet, *area);
            }
            Operation::Merge { sheet, area } => {
                self.overwritten += self.content_beside(book, sheet, *area, Some(area.first));
            }
            Operation::Set { sheet, cell, value } => {
                self.overwritten += self.replaced(book, sheet, *cell, value);
            }
            Operation::SetRows { sheet, cell, rows } => {
                for (row, values) in (cell.row..).zip(rows) {
                    for (column, value) in (cell.column..).zip(values) {
                        let at = CellRef { row, column };
                        self.overwritten += self.replaced(book, sheet, at, value);
                    }
                }
            }
            _ => {}
        }
    }

    /// A sheet goes, with all that is on it.
    fn deletes(&mut self, book: &Workbook, name: &str) {
        let Some(sheet) = self.foreign(book, name) else {
            return;
        };
        let counted = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let cells = self.content(book, name, whole());
        let comments = number(sheet.comments.len());
        let mut lost: Vec<String> = [
            counted(cells, "cell with content", "cells with content"),
            counted(
                number(sheet.drawings),
                "chart or picture",
                "charts and pictures",
            ),
            counted(number(sheet.pivots), "pivot table", "pivot tables"),
            counted(comments, "comment", "comments"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let tables = sheet.tables.iter().map(|table| format!("{:?}", table.name));
        lost.extend(listed("table", tables));
        lost.extend(listed("name", names_of(book, name)));
        if !lost.is_empty() {
            self.always
                .push(format!("deletes sheet {name:?}: {}", lost.join(", ")));
        }
    }

    /// Rows of a sheet go: one line for all of them.
    fn removes_rows(&mut self, book: &Workbook, name: &str, spans: &[(u32, u32)]) {
        let areas: Vec<Area> = spans
            .iter()
            .map(|(first, last)| area((*first, 1), (*last, LAST_COLUMN)))
            .collect();
        let what = format!("deletes {} of {name:?}", named_rows(spans));
        self.removes(book, name, &areas, &what);
    }

    /// Formulas that named what is gone, on sheets that are not the agent's.
    fn breaks_formulas(&mut self, before: &Workbook, after: &Workbook) {
        let broken = |book: &Workbook| -> Vec<String> {
            let sheets = book.sheets.iter();
            let foreign = sheets.filter(|sheet| self.foreign(book, &sheet.name).is_some());
            let cells = foreign.flat_map(|sheet| sheet.cells().map(move |cell| (sheet, cell)));
            let broken = cells.filter(|(_, (_, cell))| {
                cell.formula().is_some_and(|it| it.text.contains("#REF!"))
            });
            broken
                .map(|(sheet, (at, _))| format!("{:?}!{at}", sheet.name))
                .collect()
        };
        let (old, new) = (broken(before), broken(after));
        let count = new.len().saturating_sub(old.len());
        if count > 0 {
            let noun = if count == 1 { "formula" } else { "formulas" };
            let cells: Vec<String> = new.into_iter().filter(|at| !old.contains(at)).collect();
            let cells = first_of(&cells);
            self.always
                .push(format!("makes {count} {noun} #REF!: {cells}"));
        }
    }

    /// Rows or columns go; so do tables that are within them, and what names of them stand for.
    fn removes(&mut self, book: &Workbook, name: &str, areas: &[Area], what: &str) {
        let Some(sheet) = self.foreign(book, name) else {
            return;
        };
        let cells: u64 = areas
            .iter()
            .map(|area| self.content(book, name, *area))
            .sum();
        let mut lost = Vec::new();
        if cells > 0 {
            let noun = if cells == 1 { "cell" } else { "cells" };
            lost.push(format!("{cells} {noun} with content"));
        }
        let is_within = |area: &Area| {
            let mut areas = areas.iter();
            areas.any(|removed| removed.contains(area.first) && removed.contains(area.last))
        };
        let tables = sheet.tables.iter().filter(|table| is_within(&table.area));
        lost.extend(listed(
            "table",
            tables.map(|table| format!("{:?}", table.name)),
        ));
        let comments = sheet.comments.keys();
        let comments = comments.filter(|at| areas.iter().any(|removed| removed.contains(**at)));
        match comments.count() {
            0 => {}
            1 => lost.push("the comment of 1 cell".to_owned()),
            count => lost.push(format!("comments of {count} cells")),
        }
        let drawings = Drawings::in_deleted(book, name, areas);
        lost.extend(several(drawings.lost));
        if lost.is_empty() {
            return;
        }
        if let Some(moved) = several(drawings.moved) {
            lost.push(format!("moved but kept: {moved}"));
        }
        let names: Vec<String> = names_of(book, name).take(10).collect();
        if !names.is_empty() {
            lost.push(format!(
                "names that refer to the sheet: {}",
                names.join(", ")
            ));
        }
        self.always.push(format!("{what}: {}", lost.join(", ")));
    }

    /// The sheet, unless it belongs to the agent.
    fn foreign<'b>(&self, book: &'b Workbook, name: &str) -> Option<&'b Sheet> {
        let is_own = self.own_sheets.iter().any(|own| is_same(own, name));
        book.sheet(name).ok().filter(|_| !is_own)
    }

    /// Counts the cells with content in an area, and names them as lost.
    fn content(&mut self, book: &Workbook, sheet: &str, area: Area) -> u64 {
        self.content_beside(book, sheet, area, None)
    }

    /// The same without one cell, which stays.
    fn content_beside(
        &mut self,
        book: &Workbook,
        sheet: &str,
        area: Area,
        kept: Option<CellRef>,
    ) -> u64 {
        let Some(sheet) = self.foreign(book, sheet) else {
            return 0;
        };
        let rows = sheet
            .rows
            .range(area.first.row..=area.last.row.max(area.first.row));
        let cells = rows.flat_map(|(row, cells)| {
            let at = |column| CellRef { row: *row, column };
            cells.cells.iter().map(move |cell| (at(cell.column), cell))
        });
        let columns = area.first.column..=area.last.column;
        let lost = cells.filter(|(at, cell)| {
            columns.contains(&at.column) && !cell.is_blank() && Some(*at) != kept
        });
        let mut count = 0;
        for (at, cell) in lost {
            count += 1;
            self.name_cell(book, &sheet.name, at, cell);
        }
        count
    }

    fn name_cell(&mut self, book: &Workbook, sheet: &str, at: CellRef, cell: &Cell) {
        if self.cells.len() < NAMED {
            self.cells.push(LostCell {
                sheet: sheet.to_owned(),
                cell: at.to_string(),
                value: book.shown(cell),
            });
        }
    }

    fn replaced(&mut self, book: &Workbook, sheet: &str, at: CellRef, value: &Input) -> u64 {
        let sheet = self.foreign(book, sheet);
        let Some((sheet, cell)) = sheet.and_then(|sheet| Some((sheet, sheet.cell(at)?))) else {
            return 0;
        };
        if cell.is_blank() {
            return 0;
        }
        let is_same = match (cell.formula(), value) {
            (Some(formula), Input::Formula(new)) => {
                formula.text == new.strip_prefix('=').unwrap_or(new)
            }
            (None, Input::Number(new)) => cell.value.as_number() == Some(*new),
            (None, Input::Text(new)) => cell.value.as_text() == Some(new),
            (None, Input::Error(new)) => cell.value == Value::Error(new.as_str().into()),
            _ => false,
        };
        if !is_same {
            self.name_cell(book, &sheet.name, at, cell);
        }
        u64::from(!is_same)
    }
}

/// Whether later operations find cells, sheets or names elsewhere after it.
fn moves_cells(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::InsertRows { .. }
            | Operation::DeleteRows { .. }
            | Operation::InsertColumns { .. }
            | Operation::DeleteColumns { .. }
            | Operation::AddSheet { .. }
            | Operation::RenameSheet { .. }
            | Operation::DeleteSheet { .. }
            | Operation::CopySheet { .. }
            | Operation::Sort { .. }
            | Operation::Comment { .. }
            | Operation::DefineName { .. }
    )
}

/// Names that refer to a sheet, as formulas write it.
fn names_of(book: &Workbook, sheet: &str) -> impl Iterator<Item = String> {
    let plain = format!("{}!", sheet.to_lowercase());
    let quoted = format!("'{}'!", sheet.to_lowercase().replace('\'', "''"));
    book.names.iter().filter_map(move |name| {
        let text = name.refers_to.to_lowercase();
        let is_meant = text.contains(&quoted) || text.starts_with(&plain);
        (is_meant && !name.hidden && !name.name.starts_with("_xlnm."))
            .then(|| format!("{:?}", name.name))
    })
}

/// Whether an operation deletes rows above those that the one before it deletes: both are then named by the numbers that
/// the rows have before the first of them.
fn deletes_rows_above(before: &Operation, operation: &Operation) -> bool {
    match (deleted_rows(before), deleted_rows(operation)) {
        (Some((of, first, _)), Some((sheet, _, last))) => is_same(of, sheet) && last < first,
        _ => false,
    }
}

/// The sheet, the first and the last row of a deletion.
fn deleted_rows(operation: &Operation) -> Option<(&str, u32, u32)> {
    match operation {
        Operation::DeleteRows {
            sheet,
            first,
            count,
        } => {
            let last = first.saturating_add(*count).saturating_sub(1);
            Some((sheet, *first, last))
        }
        _ => None,
    }
}

/// Rows by their numbers, as a person reads them.
fn named_rows(spans: &[(u32, u32)]) -> String {
    let named = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    };
    match spans {
        [span @ (first, last)] if first == last => format!("row {}", named(span)),
        [span] => format!("rows {}", named(span)),
        spans => {
            let count: u64 = spans
                .iter()
                .map(|(first, last)| u64::from(last.saturating_sub(*first)) + 1)
                .sum();
            let all: Vec<String> = spans.iter().map(named).collect();
            format!("{count} rows ({})", first_of(&all))
        }
    }
}

/// The first ten of some texts, and how many there are besides.
fn first_of(all: &[String]) -> String {
    let shown = all.iter().take(10).map(String::as_str).collect::<Vec<_>>();
    let shown = shown.join(", ");
    match all.len().saturating_sub(10) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Things by their names: the first of them, and how many there are.
fn listed(what: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let all: Vec<String> = names.collect();
    let shown = all.iter().take(10).map(String::as_str).collect::<Vec<_>>();
    let shown = shown.join(", ");
    match all.len() {
        0 => None,
        1 => Some(format!("the {what} {shown}")),
        count if count <= 10 => Some(format!("the {what}s {shown}")),
        count => Some(format!("{count} {what}s, among them {shown}")),
    }
}

/// The first of some things, and how many there are.
fn several(all: Vec<String>) -> Option<String> {
    let shown = all.iter().take(10).map(String::as_str).collect::<Vec<_>>();
    let shown = shown.join(", ");
    match all.len() {
        0 => None,
        count if count <= 10 => Some(shown),
        count => Some(format!(
            "{count} charts, pictures and shapes, among them {shown}"
        )),
    }
}

fn whole() -> Area {
    area((1, 1), (LAST_ROW, LAST_COLUMN))
}

fn area(first: (u32, u32), last: (u32, u32)) -> Area {
    let at = |(row, column)| CellRef { row, column };
    Area {
        first: at(first),
        last: at(last),
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
