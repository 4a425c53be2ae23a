//! The workbook as tables of SQL: a mirror in memory that can be read and nothing else.
//!
//! Each table of a sheet is a table here; values are those of the last calculation. Only one statement is
//! taken, an authorizer lets it read and nothing else, and its rows, bytes and time are limited. `names`
//! makes names, `load` fills tables, `field` is a value.

mod field;
mod load;
mod names;

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicBool, Ordering},
    sync::{Arc, Mutex},
    time::Instant,
};

use rusqlite::{
    Connection,
    config::DbConfig,
    hooks::{AuthAction, AuthContext, Authorization},
    limits::Limit,
};
use superstep_workbook::Workbook;

use superstep::sync::lock;

use crate::{error::Error, settings::QueryLimits};

pub use field::Field;
pub use load::MirrorTable;

/// Functions that reach out of the database.
const FORBIDDEN: [&str; 4] = ["load_extension", "fts3_tokenizer", "readfile", "writefile"];

/// A mirror of one version.
pub struct Mirror {
    tables: Vec<MirrorTable>,
    left_out: Vec<String>,
    limits: QueryLimits,
    connection: Mutex<Connection>,
}

/// What a query gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Field>>,
    /// Whether there are more.
    pub is_cut: bool,
}

impl Mirror {
    /// A mirror of a workbook.
    pub fn of(book: &Workbook, limits: QueryLimits) -> Result<Self, Error> {
        let mut connection = Connection::open_in_memory().map_err(|error| refused(&error))?;
        // A column that is not there would be a text in double quotes, and a sum of it zero.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)
            .map_err(|error| refused(&error))?;
        let (tables, left_out) =
            load::load(book, &mut connection, limits.cells).map_err(|error| refused(&error))?;
        protect(&mut connection).map_err(|error| refused(&error))?;
        Ok(Self {
            tables,
            left_out,
            limits,
            connection: Mutex::new(connection),
        })
    }

    /// Its tables.
    pub fn tables(&self) -> &[MirrorTable] {
        &self.tables
    }

    /// The tables in words, with the first rows of each.
    pub fn schema(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            let _ = writeln!(
                text,
                "table {} ({} rows; sheet {:?}, cells {})",
                names::quoted(&table.name),
                table.rows,
                table.sheet,
                table.area
            );
            let columns = table.columns.iter().map(|name| names::quoted(name));
            let _ = writeln!(
                text,
                "  columns: {}",
                columns.collect::<Vec<_>>().join(", ")
            );
            for row in &table.first {
                let _ = writeln!(text, "  {}", row.join(" | "));
            }
        }
        for what in &self.left_out {
            let _ = writeln!(text, "not here: {what}");
        }
        if self.tables.is_empty() {
            text.push_str("there are no tables: the workbook is empty\n");
        }
        text
    }

    /// Runs one query that reads.
    pub fn query(&self, sql: &str) -> Result<Rows, Error> {
        let mut connection = lock(&self.connection);
        let is_late = Arc::new(AtomicBool::new(false));
        let (begun, most, late) = (Instant::now(), self.limits.time, is_late.clone());
        let watch = move || {
            let is_over = begun.elapsed() > most;
            late.fetch_or(is_over, Ordering::Relaxed);
            is_over
        };
        connection
            .progress_handler(1_000, Some(watch))
            .map_err(|error| refused(&error))?;
        let rows = self.rows(&connection, sql);
        connection
            .progress_handler(0, None::<fn() -> bool>)
            .map_err(|error| refused(&error))?;
        rows.map_err(|error| match is_late.load(Ordering::Relaxed) {
            true => Error::QueryTime {
                seconds: most.as_secs(),
            },
            false => refused(&error),
        })
    }

    fn rows(&self, connection: &Connection, sql: &str) -> Result<Rows, rusqlite::Error> {
        let mut statement = connection.prepare(sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        if columns.is_empty() || !statement.readonly() {
            return Err(rusqlite::Error::InvalidQuery);
        }
        let mut found = Rows {
            columns,
            rows: Vec::new(),
            is_cut: false,
        };
        let mut bytes = 0;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let longest = self.limits.text;
            let values: Result<Vec<Field>, _> = (0..found.columns.len())
                .map(|at| row.get_ref(at).map(|value| Field::of(value, longest)))
                .collect();
            let values = values?;
            bytes += values.iter().map(|it| it.to_string().len()).sum::<usize>();
            if found.rows.len() >= self.limits.rows || bytes > self.limits.bytes {
                found.is_cut = true;
                break;
            }
            found.rows.push(values);
        }
        Ok(found)
    }
}

impl std::fmt::Display for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.columns.join(" | "))?;
        for row in &self.rows {
            let fields: Vec<String> = row.iter().map(Field::to_string).collect();
            writeln!(f, "{}", fields.join(" | "))?;
        }
        if self.rows.is_empty() {
            writeln!(f, "(no rows)")?;
        }
        if self.is_cut {
            writeln!(f, "(there are more rows)")?;
        }
        Ok(())
    }
}

/// From here on the connection reads, and reads only what is in it.
fn protect(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, 1 << 20)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10)?;
    connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, 100)?;
    connection.set_limit(Limit::SQLITE_LIMIT_COMPOUND_SELECT, 20)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.authorizer(Some(|context: AuthContext<'_>| match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => {
            Authorization::Allow
        }
        AuthAction::Function { function_name } => {
            let name = function_name.to_ascii_lowercase();
            match FORBIDDEN.contains(&name.as_str()) {
                true => Authorization::Deny,
                false => Authorization::Allow,
            }
        }
        _ => Authorization::Deny,
    }))
}

fn refused(error: &rusqlite::Error) -> Error {
    let why = match error {
        rusqlite::Error::MultipleStatement => "it is more than one statement".to_owned(),
        rusqlite::Error::InvalidQuery => "it is no SELECT".to_owned(),
        // The text of the query comes first otherwise.
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    Error::Query { why }
}
