//! Tables on the terminal.

use std::io::IsTerminal as _;

use superstep_agent::{Table, TableStyle};
use unicode_width::UnicodeWidthStr;

use crate::{
    error::Error,
    output::{Output, Span, faint, plain, strong},
    wrap,
};

/// The widest cell of a table.
const WIDEST: usize = 36;

/// The widest cell of a sheet.
const WIDEST_CELL: usize = 18;

/// The narrowest that a cell is cut to.
const NARROWEST: usize = 12;

/// The space between two columns.
const BETWEEN: &str = "  ";

/// Prints a table; its text where there is no terminal.
pub(crate) fn print(table: &Table, output: &Output) -> Result<(), Error> {
    if let Some(lines) = &table.text
        && !std::io::stdout().is_terminal()
    {
        return lines
            .iter()
            .try_for_each(|line| output.data(&[plain(line)]));
    }
    match table.style {
        TableStyle::Records => columns(table, output),
        TableStyle::Grid => grid(table, output),
    }
}

/// Cells of a sheet, one line each and short. Numbers stand under each other by their last digit.
fn grid(table: &Table, output: &Output) -> Result<(), Error> {
    let short = |row: &Vec<String>| -> Vec<String> {
        let one_line = |cell: &String| cell.replace(char::is_control, " ");
        row.iter()
            .map(|cell| cut(&one_line(cell), WIDEST_CELL))
            .collect()
    };
    let rows: Vec<Vec<String>> = [&table.columns]
        .into_iter()
        .chain(&table.rows)
        .map(short)
        .collect();
    let widths = widths(&rows);
    for (number, row) in rows.iter().enumerate() {
        let line = joined(row, &widths, |cell| cell.parse::<f64>().is_ok());
        output.data(&[if number == 0 {
            faint(line)
        } else {
            plain(line)
        }])?;
    }
    Ok(())
}

/// How wide the columns of rows are.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.first().map_or(0, Vec::len);
    let width_of = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    (0..columns).map(width_of).collect()
}

/// Cells in a line: those of one kind at the right of their column, others at the left.
fn joined(row: &[String], widths: &[usize], is_right: impl Fn(&str) -> bool) -> String {
    let cells = row.iter().zip(widths).map(|(cell, width)| {
        let shown = cut(cell, *width);
        let pad = " ".repeat(width.saturating_sub(shown.width()));
        match is_right(&shown) {
            true => pad + &shown,
            false => shown + &pad,
        }
    });
    let line = cells.collect::<Vec<_>>().join(BETWEEN);
    line.trim_end().to_owned()
}

/// Rows under their columns, or one record after the other where they do not fit.
fn columns(table: &Table, output: &Output) -> Result<(), Error> {
    let mut rows = vec![table.columns.clone()];
    rows.extend(table.rows.iter().cloned());
    let columns = wrap::columns().unwrap_or(80);
    let widths = fitted(widths(&rows), columns);
    let between = BETWEEN.len() * widths.len().saturating_sub(1);
    if widths.iter().sum::<usize>() + between > columns {
        return records(&table.columns, &table.rows, output);
    }
    for (number, row) in rows.iter().enumerate() {
        let line = joined(row, &widths, |_| false);
        output.data(&[if number == 0 {
            strong(line)
        } else {
            plain(line)
        }])?;
    }
    Ok(())
}

/// A table that is too wide for the terminal, one record after the other.
fn records(names: &[String], rows: &[Vec<String>], output: &Output) -> Result<(), Error> {
    for row in rows {
        for (at, (name, cell)) in names.iter().zip(row).enumerate() {
            match at {
                0 => output.data(&[strong(cell)])?,
                _ => output.data(&[faint(format!("  {name}  ")), plain(cell)])?,
            }
        }
    }
    Ok(())
}

/// Widths that fit into so many columns: the widest is made narrower, as long as it is wide.
fn fitted(mut widths: Vec<usize>, columns: usize) -> Vec<usize> {
    for width in &mut widths {
        *width = (*width).min(WIDEST);
    }
    loop {
        let between = BETWEEN.len() * widths.len().saturating_sub(1);
        let total: usize = widths.iter().sum::<usize>() + between;
        let widest = widths.iter_mut().max();
        match widest {
            Some(widest) if total > columns && *widest > NARROWEST => *widest -= 1,
            _ => return widths,
        }
    }
}

/// A cell that is not wider than this; what is cut off is marked.
fn cut(cell: &str, width: usize) -> String {
    let spans = wrap::cut(&[plain(cell)], width);
    spans.iter().map(Span::text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_into_the_terminal() {
        assert_eq!(fitted(vec![1, 20, 9], 80), [1, 20, 9]);
        let widths = fitted(vec![2, 90, 36, 9, 9, 11], 80);
        assert!(widths.iter().sum::<usize>() + 10 <= 80, "{widths:?}");
        assert_eq!(widths[3..], [9, 9, 11]);
        assert_eq!(fitted(vec![90, 90], 10), [12, 12], "it stays readable");
    }

    #[test]
    fn what_is_cut_off_is_marked() {
        assert_eq!(cut("Glass House", 11), "Glass House");
        assert_eq!(cut("Glass House", 6), "Glass…");
        assert_eq!(cut("音楽音楽", 5), "音楽…");
    }
}
