//! Rows and columns inserted or deleted: cells move, and everything that refers to cells follows.

use std::{collections::BTreeMap, sync::Arc};

use super::Refusal;
use crate::{
    address::{Area, CellRef, LAST_COLUMN, LAST_ROW},
    book::{Workbook, is_same_name},
    error::Error,
    extensions,
    formula::{self, Change, Coordinate, Corner, Reference},
    relations::relations,
    sheet::{FormulaKind, Sheet},
    xml::{self, Piece},
};

/// What is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Rows,
    Columns,
}

/// Whether there is more room afterwards, or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShiftKind {
    Insert,
    Delete,
}

#[derive(Clone, Copy, Debug)]
struct Shift {
    axis: Axis,
    kind: ShiftKind,
    at: u32,
    count: u32,
}

impl Shift {
    fn last(&self) -> u32 {
        match self.axis {
            Axis::Rows => LAST_ROW,
            Axis::Columns => LAST_COLUMN,
        }
    }

    /// Where one row or column gets to; none if it is deleted or falls off.
    fn one(&self, number: u32) -> Option<u32> {
        let end = self.at.saturating_add(self.count);
        match self.kind {
            _ if number < self.at => Some(number),
            ShiftKind::Insert => number
                .checked_add(self.count)
                .filter(|it| *it <= self.last()),
            ShiftKind::Delete if number < end => None,
            ShiftKind::Delete => Some(number - self.count),
        }
    }

    /// Where a range gets to; none if nothing of it is left.
    fn span(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let end = self.at.saturating_add(self.count);
        match self.kind {
            ShiftKind::Insert => {
                let first = self.one(first)?;
                Some((first, self.one(last).unwrap_or(self.last())))
            }
            ShiftKind::Delete => {
                let new_first = if first < self.at {
                    first
                } else {
                    first.max(end) - self.count
                };
                let new_last = match last {
                    last if last < self.at => last,
                    last if last < end => self.at.checked_sub(1)?,
                    last => last - self.count,
                };
                (new_first <= new_last && new_last > 0).then_some((new_first, new_last))
            }
        }
    }

    fn area(&self, area: Area) -> Option<Area> {
        let mut moved = area;
        match self.axis {
            Axis::Rows => {
                (moved.first.row, moved.last.row) = self.span(area.first.row, area.last.row)?;
            }
            Axis::Columns => {
                (moved.first.column, moved.last.column) =
                    self.span(area.first.column, area.last.column)?;
            }
        }
        Some(moved)
    }

    /// Several areas, as attributes list them.
    fn areas(&self, list: &str) -> String {
        let moved = list.split_whitespace().filter_map(|area| {
            let area: Area = area.parse().ok()?;
            Some(self.area(area)?.to_string())
        });
        moved.collect::<Vec<_>>().join(" ")
    }

    fn reference(&self, reference: &Reference) -> Change {
        let pick = |corner: &Corner| match self.axis {
            Axis::Rows => corner.row,
            Axis::Columns => corner.column,
        };
        let put = |corner: &Corner, at: u32| {
            let mut corner = *corner;
            let coordinate = match self.axis {
                Axis::Rows => &mut corner.row,
                Axis::Columns => &mut corner.column,
            };
            *coordinate = coordinate.map(|it| Coordinate { at, ..it });
            corner
        };
        let Some(first) = pick(&reference.first) else {
            // Whole rows when columns move, and the other way round.
            return Change::Keep;
        };
        let last = reference.last.as_ref().and_then(pick);
        let moved = match last {
            None => self.one(first.at).map(|at| (at, at)),
            Some(last) => self.span(first.at.min(last.at), first.at.max(last.at)),
        };
        match moved {
            None => Change::Lost,
            Some((from, to)) => Change::To(Reference {
                first: put(&reference.first, from),
                last: reference.last.as_ref().map(|corner| put(corner, to)),
                sheet: reference.sheet.clone(),
            }),
        }
    }
}

impl Workbook {
    pub(super) fn shift(
        &mut self,
        sheet: &str,
        axis: Axis,
        kind: ShiftKind,
        at: u32,
        count: u32,
    ) -> Result<(), Refusal> {
        let shift = Shift {
            axis,
            kind,
            at,
            count,
        };
        let place = self.place(sheet)?;
        if count == 0 || at == 0 || at > shift.last() || count > shift.last() {
            return Err(format!("{count} from {at} on is nothing in a sheet"));
        }
        check(self.grid(sheet)?, &shift)?;
        pivot_sources(self, sheet, None)?;
        let name = self.grid(sheet)?.name.clone();
        everywhere(self, &|home, text| {
            formula::rewrite(text, |reference| {
                let meant = reference.sheet.as_deref().unwrap_or(home);
                match is_same_name(meant, &name) {
                    true => shift.reference(reference),
                    false => Change::Keep,
                }
            })
        })?;
        move_tables(self, place, &shift)?;
        move_drawings(self, place, &shift).map_err(|error| error.to_string())?;
        move_threads(self, place, &|at| {
            shift.area(at.into()).map_or(at, |area| area.first)
        })?;
        self.load_blocks(place)?;
        let grid = self.grid(sheet)?;
        move_cells(grid, &shift);
        grid.merged = grid
            .merged
            .iter()
            .filter_map(|area| shift.area(*area))
            .filter(|area| area.first != area.last)
            .collect();
        grid.filter = grid.filter.and_then(|area| shift.area(area));
        move_columns(grid, &shift);
        for (name, blocks) in &mut grid.blocks {
            let moved = blocks.iter().map(|raw| match *name {
                "extLst" => extensions::moved(raw, &|areas| shift.areas(areas)),
                _ => move_block(raw, &shift),
            });
            let moved: Result<Vec<_>, _> = moved.collect();
            let moved = moved.map_err(|error| error.to_string())?;
            *blocks = moved.into_iter().flatten().collect();
        }
        for chart in &mut grid.new_charts {
            let corner = shift.area(chart.at.into());
            chart.at = corner.map_or(chart.at, |area| area.first);
        }
        grid.new_links
            .retain_mut(|link| match shift.area(link.area) {
                Some(area) => {
                    link.area = area;
                    true
                }
                None => false,
            });
        let comments = std::mem::take(&mut grid.comments);
        let has_comments = !comments.is_empty();
        grid.comments = comments
            .into_iter()
            .filter_map(|(at, comment)| Some((shift.area(at.into())?.first, comment)))
            .collect();
        let changed = &mut grid.changed;
        (changed.cells, changed.columns, changed.merged) = (true, true, true);
        (changed.filter, changed.blocks) = (true, true);
        changed.comments |= has_comments;
        for sheet in &mut self.sheets {
            let shows = |chart: &crate::chart::Chart| {
                chart
                    .series
                    .iter()
                    .any(|series| series.sheets().any(|sheet| is_same_name(sheet, &name)))
            };
            if !sheet.new_charts.iter().any(shows) {
                continue;
            }
            for chart in &mut Arc::make_mut(sheet).new_charts {
                for series in &mut chart.series {
                    if is_same_name(&series.sheet, &name) {
                        series.values = shift.area(series.values).unwrap_or(series.values);
                    }
                    let home = series.categories_sheet.as_ref().unwrap_or(&series.sheet);
                    if is_same_name(home, &name) {
                        series.categories = series.categories.and_then(|area| shift.area(area));
                    }
                }
            }
        }
        self.changed.values = true;
        Ok(())
    }
}

/// What cannot be moved without being damaged.
fn check(sheet: &Sheet, shift: &Shift) -> Result<(), Refusal> {
    if sheet.pivots > 0 {
        return Err("the sheet has a pivot table, whose cells cannot be moved".to_owned());
    }
    let is_gone = |at: &CellRef| shift.area((*at).into()).is_none();
    if let Some(at) = sheet
        .comments
        .keys()
        .find(|at| sheet.threads && is_gone(at))
    {
        return Err(format!(
            "the comment of {at} is a conversation, which would stay behind"
        ));
    }
    let span = |area: Area| match shift.axis {
        Axis::Rows => (area.first.row, area.last.row),
        Axis::Columns => (area.first.column, area.last.column),
    };
    for at in &sheet.arrays {
        let formula = sheet.cell(*at).and_then(|cell| cell.formula());
        if let Some(FormulaKind::Array(area)) = formula.map(|formula| &formula.kind) {
            let (first, last) = span(*area);
            if first < last && last >= shift.at && first < shift.at.saturating_add(shift.count) {
                return Err(format!("{area} is filled by the array formula of {at}"));
            }
        }
    }
    if shift.kind == ShiftKind::Insert
        && let Some(used) = sheet.used()
        && span(used).1 >= shift.at
        && shift.one(span(used).1).is_none()
    {
        return Err("the last cells would fall off the sheet".to_owned());
    }
    Ok(())
}

fn move_cells(sheet: &mut Sheet, shift: &Shift) {
    match shift.axis {
        Axis::Rows => {
            let rows = std::mem::take(&mut sheet.rows);
            sheet.rows = rows
                .into_iter()
                .filter_map(|(number, row)| Some((shift.one(number)?, row)))
                .collect();
        }
        Axis::Columns => {
            for row in sheet.rows.values_mut() {
                row.cells.retain_mut(|cell| match shift.one(cell.column) {
                    Some(column) => {
                        cell.column = column;
                        true
                    }
                    None => false,
                });
            }
        }
    }
    let moved = |at: &CellRef| Some(shift.area((*at).into())?.first);
    sheet.arrays = sheet.arrays.iter().filter_map(moved).collect();
    for at in sheet.arrays.clone() {
        let row = sheet.rows.get_mut(&at.row);
        let cell = row.and_then(|row| row.cells.iter_mut().find(|cell| cell.column == at.column));
        if let Some(formula) = cell.and_then(|cell| cell.formula_mut())
            && let FormulaKind::Array(area) = &mut formula.kind
        {
            *area = shift.area(*area).unwrap_or(*area);
        }
    }
}

fn move_columns(sheet: &mut Sheet, shift: &Shift) {
    if shift.axis == Axis::Rows {
        return;
    }
    let columns = std::mem::take(&mut sheet.columns);
    for mut column in columns {
        if let Some((first, last)) = shift.span(column.first, column.last) {
            (column.first, column.last) = (first, last);
            sheet.columns.push(column);
        }
    }
}

/// A block with its areas moved; none if nothing of them is left. Formulas moved before.
fn move_block(raw: &str, shift: &Shift) -> Result<Option<String>, Error> {
    let mut is_left = true;
    let mut is_first = true;
    let moved = xml::map("sheet", raw, &[], |_, piece| match piece {
        Piece::Attribute("sqref" | "ref", areas) => {
            let moved = shift.areas(areas);
            is_left &= !(std::mem::take(&mut is_first) && moved.is_empty());
            Some(moved)
        }
        _ => None,
    })?;
    Ok(is_left.then_some(moved))
}

/// Changes every formula of a workbook: of cells, names, conditions and charts. The function gets
/// the sheet that a formula is in, and the formula.
pub(super) fn everywhere(
    book: &mut Workbook,
    change: &dyn Fn(&str, &str) -> String,
) -> Result<(), Refusal> {
    check_spans(book)?;
    rewrite_all(book, change)
}

/// Refuses to move or rename what a formula reads of several sheets at once.
fn check_spans(book: &Workbook) -> Result<(), Refusal> {
    for sheet in &book.sheets {
        let formulas = sheet
            .cells()
            .filter_map(|(at, cell)| Some((at, cell.formula()?)));
        for (at, formula) in formulas {
            if formula::spans_sheets(&formula.text) {
                return Err(format!(
                    "the formula of {at} on `{}` reads several sheets at once, and would not be right any more",
                    sheet.name
                ));
            }
        }
    }
    Ok(())
}

/// Changes every formula of a workbook, whichever cells it reads.
pub(crate) fn rewrite_all(
    book: &mut Workbook,
    change: &dyn Fn(&str, &str) -> String,
) -> Result<(), Refusal> {
    let package = Arc::clone(&book.package);
    for sheet in &mut book.sheets {
        let home = sheet.name.clone();
        let is_touched = sheet.cells().any(|(_, cell)| {
            cell.formula()
                .is_some_and(|formula| change(&home, &formula.text) != formula.text)
        });
        if is_touched {
            let sheet = Arc::make_mut(sheet);
            sheet.changed.cells = true;
            book.changed.values = true;
            for row in sheet.rows.values_mut() {
                for formula in row.cells.iter_mut().filter_map(|cell| cell.formula_mut()) {
                    formula.text = change(&home, &formula.text);
                }
            }
        }
        let old = super::blocks_of(sheet, &package)?;
        let mut blocks = BTreeMap::new();
        for (name, raws) in &old {
            let moved = raws.iter().map(|raw| {
                // In extensions these have a formula as an element in them.
                let leaves: &[&str] = match *name {
                    "extLst" => &["f"],
                    _ => &["formula", "formula1", "formula2"],
                };
                xml::map("sheet", raw, leaves, |_, piece| match piece {
                    Piece::Text(text) => {
                        let new = change(&home, text);
                        (new != text).then_some(new)
                    }
                    Piece::Attribute(..) => None,
                })
            });
            let moved: Result<Vec<_>, _> = moved.collect();
            blocks.insert(*name, moved.map_err(|error| error.to_string())?);
        }
        if blocks != old {
            let sheet = Arc::make_mut(sheet);
            sheet.blocks = blocks;
            sheet.changed.blocks = true;
        }
    }
    for name in &mut book.names {
        let home = name.sheet.and_then(|at| book.sheets.get(at));
        let home = home.map_or("", |sheet| sheet.name.as_str());
        let new = change(home, &name.refers_to);
        if new != name.refers_to {
            name.refers_to = new;
            book.changed.names = true;
        }
    }
    let is_kept = |name: &&str| !book.changed.removed.iter().any(|gone| gone == name);
    let is_chart = |name: &&str| name.starts_with("xl/charts/") && name.ends_with(".xml");
    let charts = book.package.names().filter(is_chart).filter(is_kept);
    let charts = charts.map(|name| (name.to_owned(), String::new()));
    let tables = book.sheets.iter().flat_map(|sheet| {
        let parts = sheet.tables.iter().map(|table| table.part.clone());
        parts.map(|part| (part, sheet.name.clone()))
    });
    let parts: Vec<(String, String)> = charts.chain(tables).collect();
    // The formulas of charts, and those that a table has for its columns.
    let leaves = ["f", "calculatedColumnFormula", "totalsRowFormula"];
    for (part, home) in parts.into_iter().filter(|(part, _)| !part.is_empty()) {
        edit_part(book, &part, &leaves, |_, piece| match piece {
            Piece::Text(text) => {
                let new = change(&home, text);
                (new != text).then_some(new)
            }
            Piece::Attribute(..) => None,
        })
        .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Changes a part besides the sheets, on top of earlier changes.
pub(super) fn edit_part(
    book: &mut Workbook,
    part: &str,
    leaves: &[&str],
    see: impl FnMut(&str, Piece<'_>) -> Option<String>,
) -> Result<(), Error> {
    let old = match book.changed.parts.get(part) {
        Some(text) => text.clone(),
        None => match book.package.part(part)? {
            Some(bytes) => xml::decode(part, &bytes)?.into_owned(),
            None => return Ok(()),
        },
    };
    let new = xml::map(part, &old, leaves, see)?;
    if new != old {
        book.changed.parts.insert(part.to_owned(), new);
    }
    Ok(())
}

/// Gives a table that is in a part another area.
pub(super) fn replace_area(
    book: &mut Workbook,
    part: &str,
    old: Area,
    new: Area,
) -> Result<(), Refusal> {
    let (old, new) = (old.to_string(), new.to_string());
    edit_part(book, part, &[], |_, piece| match piece {
        Piece::Attribute("ref", value) if value == old => Some(new.clone()),
        _ => None,
    })
    .map_err(|error| error.to_string())
}

fn move_tables(book: &mut Workbook, place: usize, shift: &Shift) -> Result<(), Refusal> {
    let Some(sheet) = book.sheets.get(place) else {
        return Ok(());
    };
    let tables = sheet.tables.clone();
    let mut moved = Vec::new();
    for mut table in tables {
        let area = shift.area(table.area);
        let area =
            area.ok_or_else(|| format!("the table `{}` would be deleted whole", table.name))?;
        if area.width() != table.area.width() {
            return Err(format!(
                "columns of the table `{}` would change; that is not done",
                table.name
            ));
        }
        let body = table.area.height() - u32::from(table.has_header) - u32::from(table.has_totals);
        let grows = area.height() != table.area.height();
        let is_header_hit = table.has_header
            && shift.axis == Axis::Rows
            && shift.kind == ShiftKind::Delete
            && (shift.at..shift.at.saturating_add(shift.count)).contains(&table.area.first.row);
        if grows && (is_header_hit || area.height() + body <= table.area.height()) {
            return Err(format!(
                "the table `{}` would lose its header or all of its rows",
                table.name
            ));
        }
        let (old, new) = (table.area.to_string(), area.to_string());
        edit_part(book, &table.part, &[], |_, piece| match piece {
            Piece::Attribute("ref", value) if value == old => Some(new.clone()),
            Piece::Attribute("ref", value) => Some(shift.areas(value)),
            _ => None,
        })
        .map_err(|error| error.to_string())?;
        table.area = area;
        moved.push(table);
    }
    if let Some(sheet) = book.sheets.get_mut(place) {
        Arc::make_mut(sheet).tables = moved;
    }
    Ok(())
}

/// Conversations move with the comments that they are stored beside.
pub(super) fn move_threads(
    book: &mut Workbook,
    place: usize,
    to: &dyn Fn(CellRef) -> CellRef,
) -> Result<(), Refusal> {
    let Some(part) = book.sheets.get(place).map(|sheet| sheet.part.clone()) else {
        return Ok(());
    };
    let known = relations(&book.package, &part).map_err(|error| error.to_string())?;
    for relation in known {
        if relation.kind != "threadedComment" || relation.is_external {
            continue;
        }
        edit_part(book, &relation.target, &[], |element, piece| match piece {
            Piece::Attribute("ref", at) if element == "threadedComment" => {
                Some(to(at.parse().ok()?).to_string())
            }
            _ => None,
        })
        .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Charts and pictures move with the cells under them.
fn move_drawings(book: &mut Workbook, place: usize, shift: &Shift) -> Result<(), Error> {
    let Some(part) = book.sheets.get(place).map(|sheet| sheet.part.clone()) else {
        return Ok(());
    };
    if part.is_empty() {
        return Ok(());
    }
    let wanted = match shift.axis {
        Axis::Rows => "row",
        Axis::Columns => "col",
    };
    for relation in relations(&book.package, &part)? {
        if relation.kind != "drawing" || relation.is_external {
            continue;
        }
        edit_part(book, &relation.target, &[wanted], |_, piece| match piece {
            Piece::Text(text) => {
                // Anchors count from 0.
                let number: u32 = text.trim().parse().ok()?;
                let moved = shift.one(number + 1).unwrap_or(shift.at) - 1;
                (moved != number).then(|| moved.to_string())
            }
            Piece::Attribute(..) => None,
        })?;
    }
    Ok(())
}

/// Follows a sheet's new name where pivot tables read it; a sheet that they read is not deleted.
pub(super) fn pivot_sources(
    book: &mut Workbook,
    old: &str,
    new: Option<&str>,
) -> Result<(), Refusal> {
    let caches: Vec<String> = book
        .package
        .names()
        .filter(|name| name.contains("pivotCacheDefinition") && name.ends_with(".xml"))
        .map(str::to_owned)
        .collect();
    let mut is_read = false;
    for part in caches {
        edit_part(book, &part, &[], |element, piece| match piece {
            Piece::Attribute("sheet", sheet)
                if element == "worksheetSource" && is_same_name(sheet, old) =>
            {
                is_read = true;
                new.map(str::to_owned)
            }
            _ => None,
        })
        .map_err(|error| error.to_string())?;
    }
    match is_read && new.is_none() {
        true => Err("a pivot table reads this sheet".to_owned()),
        false => Ok(()),
    }
}
