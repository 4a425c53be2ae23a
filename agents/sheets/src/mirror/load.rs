//! Fills the tables of a mirror from the tables of sheets.

use rusqlite::{Connection, ToSql, params_from_iter, types::Value as Sql};
use superstep_workbook::{Area, CellRef, Region, Sheet, Value, Workbook, column_name, regions};

use super::{
    field::Field,
    names::{Unique, quoted},
};

/// The most columns of a table.
const COLUMNS: u32 = 1_000;

/// How many rows of each table are shown.
const SHOWN: usize = 3;

/// How many letters of a text in them.
const FIRST: usize = 200;

/// A table of the mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorTable {
    /// Its name.
    pub name: String,
    /// The names of its columns; the first is `_row`, the number of the row in the sheet.
    pub columns: Vec<String>,
    /// The sheet.
    pub sheet: String,
    /// Its area in the sheet, header included.
    pub area: Area,
    /// How many rows it has.
    pub rows: usize,
    /// Its first rows, as text.
    pub first: Vec<Vec<String>>,
}

/// Fills a new database. Gives the tables, and what was left out and why.
pub(super) fn load(
    book: &Workbook,
    connection: &mut Connection,
    most: usize,
) -> Result<(Vec<MirrorTable>, Vec<String>), rusqlite::Error> {
    let mut names = Unique::default();
    let mut tables = Vec::new();
    let mut left_out = Vec::new();
    let mut room = most;
    let transaction = connection.transaction()?;
    for sheet in &book.sheets {
        for region in regions(sheet) {
            let width = region.area.width().min(COLUMNS);
            let cells = usize::try_from(u64::from(region.data_rows()) * u64::from(width))
                .unwrap_or(usize::MAX);
            let wanted = region.name.as_deref().unwrap_or(&sheet.name);
            let name = names.name(wanted, "sheet");
            if cells > room {
                left_out.push(format!(
                    "{:?} {}: more than {most} cells in all",
                    sheet.name, region.area
                ));
                continue;
            }
            room -= cells;
            if width < region.area.width() {
                left_out.push(format!(
                    "{:?} {}: columns after the first {COLUMNS}",
                    sheet.name, region.area
                ));
            }
            tables.push(fill(book, sheet, &region, width, name, &transaction)?);
        }
    }
    transaction.commit()?;
    Ok((tables, left_out))
}

fn fill(
    book: &Workbook,
    sheet: &Sheet,
    region: &Region,
    width: u32,
    name: String,
    connection: &Connection,
) -> Result<MirrorTable, rusqlite::Error> {
    let area = region.area;
    let letters: Vec<u32> = (area.first.column..area.first.column + width).collect();
    let mut unique = Unique::default();
    let mut columns = vec![unique.name("_row", "_row")];
    for column in &letters {
        let header = region.header.map(|row| {
            let cell = CellRef {
                row,
                column: *column,
            };
            sheet.cell(cell).map(|cell| book.shown(cell))
        });
        let header = header.flatten().unwrap_or_default();
        columns.push(unique.name(&header, &column_name(*column)));
    }
    let list: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let table = quoted(&name);
    connection.execute_batch(&format!("CREATE TABLE {table} ({})", list.join(", ")))?;
    let marks = vec!["?"; columns.len()].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {table} VALUES ({marks})"))?;
    let mut filled = MirrorTable {
        name,
        columns,
        sheet: sheet.name.clone(),
        area,
        rows: 0,
        first: Vec::new(),
    };
    for (number, row) in sheet.rows.range(region.first_data_row()..=area.last.row) {
        let mut values = vec![Sql::Integer(i64::from(*number))];
        for column in &letters {
            let cell = row.cell(*column);
            values.push(match cell.map(|cell| &cell.value) {
                None | Some(Value::Empty) => Sql::Null,
                Some(Value::Number(_)) if cell.is_some_and(|it| book.styles.is_date(it.style)) => {
                    Sql::Text(cell.map(|cell| book.shown(cell)).unwrap_or_default())
                }
                Some(Value::Number(number)) => Sql::Real(*number),
                Some(Value::Text(text)) => Sql::Text(text.plain.clone()),
                Some(Value::Bool(is)) => Sql::Integer(i64::from(*is)),
                Some(Value::Error(error)) => Sql::Text(error.to_string()),
            });
        }
        if values.iter().skip(1).all(|value| *value == Sql::Null) {
            continue;
        }
        if filled.first.len() < SHOWN {
            let shown = values.iter().map(|value| match value.to_sql() {
                Ok(rusqlite::types::ToSqlOutput::Borrowed(value)) => {
                    Field::of(value, FIRST).to_string()
                }
                _ => String::new(),
            });
            filled.first.push(shown.collect());
        }
        insert.execute(params_from_iter(values))?;
        filled.rows += 1;
    }
    Ok(filled)
}
