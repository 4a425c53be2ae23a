//! The result of a thread: its answer, its changes as tables, its file.

use std::{fmt::Display, path::Path};

use serde_json::json;
use superstep_agent::{
    Block, Context, Failure, FilePlace, Notice, Report, ResultFile, Span, Table, TableStyle,
    Weight, bad, count, faint, plain, strong,
};
use superstep_workbook::{Area, CellRef, Changes, Workbook, column_name};

use crate::{Error, SheetsState, Status};

/// Bounds of a table.
const ROWS: u32 = 12;
const COLUMNS: u32 = 8;

/// The most changed areas that are shown.
const AREAS: usize = 3;

/// The most changes of cells in an event.
pub(super) const LISTED: usize = 1_000;

/// The result of a thread.
pub(super) struct SheetsReport<'a> {
    pub(super) thread: &'a str,
    pub(super) state: &'a SheetsState,
    pub(super) output: Option<&'a Path>,
    pub(super) changes: &'a Changes,
    pub(super) book: &'a Workbook,
    /// The bytes of the workbook; nothing if it was written.
    pub(super) size: Option<u64>,
}

impl SheetsReport<'_> {
    pub(super) fn report(&self) -> Report {
        let mut changes = self.changes.clone();
        changes.cells.truncate(LISTED);
        changes.formats.truncate(LISTED);
        let event = json!({
            "thread": self.thread,
            "status": self.state.status,
            "answer": self.state.answer,
            "steps": self.state.step,
            "output": self.output.map(|path| path.display().to_string()),
            "version": self.state.version,
            "changes": changes,
            "verification": self.state.verification,
        });
        Report {
            notices: vec![Notice::named("report", event).with(self.blocks())],
            exit: match self.state.status {
                Status::Finished | Status::Running => None,
                Status::StepLimit => Some(5),
                Status::FormatErrors => Some(1),
            },
        }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let answer = self.state.answer.as_deref().unwrap_or_default();
        if !answer.trim().is_empty() {
            blocks.extend(answer.lines().map(|text| line(Weight::Data, [plain(text)])));
        }
        let changes = self.changes.to_string();
        blocks.extend(
            changes
                .lines()
                .map(|text| line(Weight::Note, [faint(text)])),
        );
        blocks.extend(tables(self.book, self.changes));
        if let Some(verification) = &self.state.verification {
            for cell in &verification.new_errors {
                blocks.push(line(Weight::Say, [bad("error in "), plain(cell)]));
            }
            let why = verification.not_calculated.as_ref();
            blocks.extend(why.map(not_calculated));
            blocks.extend(warnings(&verification.warnings));
        }
        match self.state.status {
            Status::Finished | Status::Running => {}
            Status::StepLimit => {
                let what = bad("no step was left; what was done is kept");
                blocks.push(line(Weight::Say, [what]));
            }
            Status::FormatErrors => {
                let what = bad("the model named no action; what was done is kept");
                blocks.push(line(Weight::Say, [what]));
            }
        }
        blocks.push(written(self.output));
        if self.output.is_none() && !self.changes.is_empty() {
            blocks.push(self.kept());
        }
        blocks
    }
}

impl SheetsReport<'_> {
    /// The workbook, as its version is kept with the thread.
    fn kept(&self) -> Block {
        let input = self.state.problem.input.as_deref().map(Path::new);
        let stem = input
            .and_then(Path::file_stem)
            .unwrap_or("workbook".as_ref());
        let file = ResultFile {
            name: format!("{}-result.xlsx", stem.to_string_lossy()),
            about: "the workbook".to_owned(),
            media_type: XLSX.to_owned(),
            size: self.size,
            place: FilePlace::Sha256(self.state.version.clone()),
        };
        Block::File(Weight::Note, file)
    }
}

pub(super) fn line(weight: Weight, spans: impl IntoIterator<Item = Span>) -> Block {
    Block::Line(weight, spans.into_iter().collect())
}

/// Formulas whose values may be wrong.
pub(super) fn not_calculated(why: impl Display) -> Block {
    let what = bad("formulas are not calculated: ");
    line(Weight::Say, [what, plain(why)])
}

/// The media type of a workbook.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The file that a result was written to.
pub(super) fn written(output: Option<&Path>) -> Block {
    match output {
        Some(path) => Block::File(
            Weight::Note,
            ResultFile::written(path, "the workbook", XLSX),
        ),
        None => line(Weight::Note, [faint("nothing was written")]),
    }
}

/// Warnings about a result.
pub(super) fn warnings(warnings: &[String]) -> Vec<Block> {
    let lines = warnings.iter();
    let lines = lines.map(|warning| line(Weight::Say, [bad("warning: "), plain(warning)]));
    lines.collect()
}

/// Tables of the changed areas, within bounds.
pub(super) fn tables(book: &Workbook, changes: &Changes) -> Vec<Block> {
    let areas = shown_areas(book, changes).into_iter();
    areas
        .flat_map(|(sheet, area)| table(book, &sheet, area))
        .collect()
}

/// Areas worth showing: sheets that were added, and areas with changed cells.
fn shown_areas(book: &Workbook, changes: &Changes) -> Vec<(String, Area)> {
    let mut areas: Vec<(String, Area)> = Vec::new();
    for name in &changes.sheets_added {
        let used = book.sheet(name).ok().and_then(|sheet| sheet.used());
        areas.extend(used.map(|area| (name.clone(), area)));
    }
    for (name, area) in &changes.areas {
        if !changes.sheets_added.contains(name) {
            areas.push((name.clone(), *area));
        }
    }
    areas.truncate(AREAS);
    areas
}

/// An area of a sheet, with the cells to its left that say what its rows are.
fn table(book: &Workbook, name: &str, area: Area) -> Vec<Block> {
    let Ok(sheet) = book.sheet(name) else {
        return Vec::new();
    };
    let first_column = match area.width() < COLUMNS {
        true => area.last.column.saturating_sub(COLUMNS - 1).max(1),
        false => area.first.column,
    };
    let first_row = match area.first.row <= ROWS / 2 {
        true => 1,
        false => area.first.row - 1,
    };
    let columns = first_column..=area.last.column;
    let columns: Vec<u32> = columns.take(COLUMNS as usize).collect();
    let rows: Vec<u32> = (first_row..=area.last.row).take(ROWS as usize).collect();
    let cell = |row: u32, column: u32| {
        let cell = sheet.cell(CellRef { row, column });
        cell.map_or(String::new(), |cell| book.shown(cell))
    };
    let numbered = rows.iter().map(|row| {
        let cells = columns.iter().map(|column| cell(*row, *column));
        std::iter::once(row.to_string()).chain(cells).collect()
    });
    let names = columns.iter().map(|column| column_name(*column));
    let table = Table {
        columns: std::iter::once(String::new()).chain(names).collect(),
        rows: numbered.collect(),
        style: TableStyle::Grid,
        ..Table::default()
    };
    let head = line(Weight::Say, [strong(format!("{name:?} {area}"))]);
    let mut blocks = vec![head, Block::Table(table)];
    let last = rows.last().copied().unwrap_or(0);
    let left = area.last.row.saturating_sub(last);
    if left > 0 {
        let rows = count(left as usize, "more row");
        blocks.push(line(Weight::Say, [faint(format!("… {rows}"))]));
    }
    blocks
}

/// A result that could not be written to its file; the thread has it.
#[derive(Debug, thiserror::Error)]
#[error("{error}\nthe result is kept: {save}")]
pub(super) struct Unsaved {
    error: Error,
    /// The command that writes it.
    save: String,
}

impl Unsaved {
    pub(super) fn new(error: Error, with: &Context) -> Self {
        let save = with.command(&["sheet", "save", &with.thread, "-o", "FILE"]);
        Self { error, save }
    }
}

impl Failure for Unsaved {
    fn code(&self) -> &'static str {
        self.error.code()
    }

    fn hint(&self) -> Option<&'static str> {
        self.error.hint()
    }

    fn exit(&self) -> u8 {
        self.error.exit()
    }
}
