//! Tables on the terminal.

use std::io::IsTerminal as _;

use superstep_agent::{Table, TableStyle};
use unicode_width::UnicodeWidthStr;

use crate::{
    error::Error,
    output::{Output, faint, plain, strong},
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
        TableStyle::Records => columns(&table.columns, &table.rows, output),
        TableStyle::Grid => grid(table, output),
    }
}

/// Cells of a sheet. Numbers stand under each other by their last digit.
fn grid(table: &Table, output: &Output) -> Result<(), Error> {
    let short = |row: &Vec<String>| row.iter().map(|cell| short(cell)).collect::<Vec<_>>();
    let all: Vec<Vec<String>> = std::iter::once(&table.columns)
        .chain(&table.rows)
        .map(short)
        .collect();
    let width_of = |at: usize| {
        let cells = all.iter().filter_map(|row| row.get(at));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width_of).collect();
    for (number, row) in all.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            match cell.parse::<f64>().is_ok() {
                true => format!("{pad}{cell}"),
                false => format!("{cell}{pad}"),
            }
        });
        let line = cells.collect::<Vec<_>>().join(BETWEEN);
        let line = line.trim_end();
        match number {
            0 => output.data(&[faint(line)])?,
            _ => output.data(&[plain(line)])?,
        }
    }
    Ok(())
}

/// A cell of a sheet: one line, and short.
fn short(cell: &str) -> String {
    let mut shown = String::new();
    for letter in cell.chars() {
        let letter = if letter.is_control() { ' ' } else { letter };
        if format!("{shown}{letter}").width() >= WIDEST_CELL {
            shown.push('…');
            break;
        }
        shown.push(letter);
    }
    shown
}

/// Rows under their columns, or one record after the other where they do not fit.
fn columns(names: &[String], rows: &[Vec<String>], output: &Output) -> Result<(), Error> {
    let all = || std::iter::once(names).chain(rows.iter().map(Vec::as_slice));
    let width_of = |at: usize| {
        let cells = all().filter_map(|row| row.get(at));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..names.len()).map(width_of).collect();
    let columns = wrap::columns().unwrap_or(80);
    let widths = fitted(widths, columns);
    let between = BETWEEN.len() * widths.len().saturating_sub(1);
    if widths.iter().sum::<usize>() + between > columns {
        return records(names, rows, output);
    }
    for (number, row) in all().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let shown = cut(cell, *width);
            let pad = width.saturating_sub(shown.width());
            format!("{shown}{}", " ".repeat(pad))
        });
        let line = cells.collect::<Vec<_>>().join(BETWEEN);
        let line = line.trim_end();
        match number {
            0 => output.data(&[strong(line)])?,
            _ => output.data(&[plain(line)])?,
        }
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
    if cell.width() <= width {
        return cell.to_owned();
    }
    let mut shown = String::new();
    for letter in cell.chars() {
        if format!("{shown}{letter}…").width() > width {
            break;
        }
        shown.push(letter);
    }
    shown.push('…');
    shown
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
