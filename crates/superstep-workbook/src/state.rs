//! A workbook in words for a model: what sheets and tables there are, what their columns hold, where
//! formulas are; within a budget of tokens. Texts of cells are quoted, so that they stay data.

mod columns;
mod tables;

use std::fmt::Write as _;

use columns::Summary;
pub use tables::{Region, regions};

use crate::{
    address::{Area, column_name},
    book::Workbook,
    sheet::{Sheet, Visibility},
};

/// How much is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// Sheets and tables.
    Overview,
    /// And the columns of tables.
    Columns,
    /// And examples of values.
    Examples,
}

/// How many bytes of text a token is taken for.
const BYTES_PER_TOKEN: usize = 4;

/// How many things of a kind are named.
const NAMED: usize = 20;

impl Workbook {
    /// The workbook in words, in about so many tokens: details are left out before sheets are, and
    /// what is left out is said.
    pub fn state(&self, tokens: usize) -> String {
        let bytes = tokens.saturating_mul(BYTES_PER_TOKEN);
        let mut text = String::new();
        for detail in [Detail::Examples, Detail::Columns, Detail::Overview] {
            text = self.render(detail);
            if text.len() <= bytes {
                return text;
            }
        }
        let mut cut = String::new();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let note = format!("({} more lines are left out)\n", lines.len() - at);
            if cut.len() + line.len() + note.len() >= bytes {
                cut.push_str(&note);
                break;
            }
            cut.push_str(line);
            cut.push('\n');
        }
        cut
    }

    fn render(&self, detail: Detail) -> String {
        let mut out = String::new();
        let _ = match self.sheets.len() {
            1 => writeln!(out, "workbook with 1 sheet"),
            count => writeln!(out, "workbook with {count} sheets"),
        };
        for sheet in &self.sheets {
            self.tell_sheet(&mut out, sheet, detail);
        }
        let names: Vec<_> = self.names.iter().filter(|name| !name.hidden).collect();
        if !names.is_empty() {
            out.push_str("names:");
            for name in names.iter().take(NAMED) {
                let _ = write!(out, " {} = {};", name.name, name.refers_to);
            }
            more(&mut out, names.len());
            out.push('\n');
        }
        out
    }

    fn tell_sheet(&self, out: &mut String, sheet: &Sheet, detail: Detail) {
        let _ = write!(out, "\nsheet {:?}", sheet.name);
        match sheet.visibility {
            Visibility::Visible => {}
            Visibility::Hidden | Visibility::VeryHidden => out.push_str(" (hidden)"),
        }
        if !sheet.is_grid {
            out.push_str(": a chart without cells\n");
            return;
        }
        let Some(used) = sheet.used() else {
            out.push_str(": empty\n");
            return;
        };
        let _ = writeln!(
            out,
            ": cells {used}, {} rows, {} columns",
            used.height(),
            used.width()
        );
        let mut facts = Vec::new();
        if let Some(at) = sheet.freeze {
            facts.push(format!("frozen at {at}"));
        }
        if let Some(area) = sheet.filter {
            facts.push(format!("filter over {area}"));
        }
        if sheet.drawings > 0 {
            facts.push(format!("{} charts or pictures", sheet.drawings));
        }
        if sheet.pivots > 0 {
            facts.push(format!("{} pivot tables", sheet.pivots));
        }
        if !facts.is_empty() {
            let _ = writeln!(out, "  {}", facts.join(", "));
        }
        if !sheet.merged.is_empty() {
            let areas: Vec<_> = sheet
                .merged
                .iter()
                .take(NAMED)
                .map(Area::to_string)
                .collect();
            let _ = write!(out, "  merged: {}", areas.join(", "));
            more(out, sheet.merged.len());
            out.push('\n');
        }
        for region in regions(sheet) {
            self.tell_region(out, sheet, &region, detail);
        }
        self.tell_formulas(out, sheet, detail);
    }

    fn tell_region(&self, out: &mut String, sheet: &Sheet, region: &Region, detail: Detail) {
        let _ = write!(out, "  table {}", region.area);
        if let Some(name) = &region.name {
            let _ = write!(out, " named {name:?}");
        }
        match region.header {
            Some(row) => {
                let _ = write!(
                    out,
                    ", header in row {row}, {} rows of data",
                    region.data_rows()
                );
            }
            None => out.push_str(", no header"),
        }
        out.push('\n');
        for title in &region.titles {
            let _ = writeln!(out, "    above it: {:?}", short(title));
        }
        if detail < Detail::Columns {
            return;
        }
        for column in region.area.first.column..=region.area.last.column {
            let summary = Summary::of(self, sheet, region, column);
            let _ = write!(out, "    {}", column_name(column));
            if let Some(header) = &summary.header {
                let _ = write!(out, " {:?}", short(header));
            }
            let _ = write!(out, ": {}", summary.kinds());
            if detail == Detail::Examples && !summary.examples.is_empty() {
                let examples: Vec<_> = summary.examples.iter().map(|it| short(it)).collect();
                let _ = write!(out, "; such as {}", examples.join(", "));
            }
            out.push('\n');
        }
    }

    fn tell_formulas(&self, out: &mut String, sheet: &Sheet, detail: Detail) {
        let formulas: Vec<_> = sheet
            .cells()
            .filter_map(|(at, cell)| Some((at, cell, cell.formula()?)))
            .collect();
        if formulas.is_empty() {
            return;
        }
        let _ = writeln!(out, "  {} formulas", formulas.len());
        if detail < Detail::Examples {
            return;
        }
        for (at, cell, formula) in formulas.iter().take(5) {
            let value = match cell.value {
                crate::sheet::Value::Empty => "not calculated".to_owned(),
                _ => short(&self.shown(cell)),
            };
            let _ = writeln!(out, "    {at}: ={} gives {value}", short(&formula.text));
        }
    }
}

fn more(out: &mut String, count: usize) {
    if count > NAMED {
        let _ = write!(out, " … and {} more", count - NAMED);
    }
}

/// A text on one line and not too long.
fn short(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut line: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}
