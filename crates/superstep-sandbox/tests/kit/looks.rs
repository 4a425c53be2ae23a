//! How workbooks look, as lines: styles, number formats, sizes, merged cells, and what surrounds cells.

use std::{collections::BTreeSet, fmt::Write as _};

use superstep_workbook::{Border, Edge, Sheet, Style, Visibility, Workbook, column_name};

/// What a workbook has that another one has not, and what it has not any more.
pub(crate) fn changed(before: &Workbook, after: &Workbook) -> String {
    let mut text = String::new();
    for sheet in &after.sheets {
        let old = before.sheets.iter().find(|it| it.name == sheet.name);
        let old = old.map(|old| lines(before, old)).unwrap_or_default();
        let new = lines(after, sheet);
        if old == new {
            continue;
        }
        writeln!(text, "[{}]", sheet.name).unwrap();
        for line in old.difference(&new) {
            writeln!(text, "- {line}").unwrap();
        }
        for line in new.difference(&old) {
            writeln!(text, "+ {line}").unwrap();
        }
    }
    let names = |book: &Workbook| -> BTreeSet<String> {
        let names = book.names.iter().filter(|name| !name.hidden);
        let shown = names.map(|name| {
            let sheet = name.sheet.and_then(|at| book.sheets.get(at));
            let sheet = sheet.map_or(String::new(), |sheet| format!(" in {}", sheet.name));
            format!(
                "{}{sheet} = {}",
                name.name,
                name.refers_to.replace('\'', "")
            )
        });
        shown.collect()
    };
    for name in names(after).difference(&names(before)) {
        writeln!(text, "name {name}").unwrap();
    }
    text
}

fn lines(book: &Workbook, sheet: &Sheet) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let usual = book.styles.look(0);
    for (at, cell) in sheet.cells() {
        let look = plain(book.styles.look(cell.style), &usual);
        if look != Style::default() {
            lines.insert(format!("{at} {look}"));
        }
    }
    for column in &sheet.columns {
        for number in column.first..=column.last.min(column.first + 50) {
            let name = column_name(number);
            // Programs write a width for columns to which nobody gave one.
            let width = column
                .width
                .filter(|width| *width != 13.0 && *width != 9.140_625);
            lines.extend(width.map(|width| format!("column {name} is {width} wide")));
            if column.hidden {
                lines.insert(format!("column {name} is hidden"));
            }
        }
    }
    for (number, row) in &sheet.rows {
        lines.extend(
            row.height
                .map(|height| format!("row {number} is {height} high")),
        );
        if row.hidden {
            lines.insert(format!("row {number} is hidden"));
        }
    }
    lines.extend(sheet.merged.iter().map(|area| format!("merged {area}")));
    lines.extend(sheet.freeze.map(|at| format!("frozen at {at}")));
    lines.extend(sheet.filter.map(|area| format!("filter {area}")));
    if sheet.visibility != Visibility::Visible {
        lines.insert("the sheet is hidden".to_owned());
    }
    let features = book.features(sheet).unwrap();
    lines.extend(features.iter().map(ToString::to_string));
    lines
}

/// A style without what means nothing: the usual font, black lines, values that are as usual.
fn plain(look: Style, usual: &Style) -> Style {
    let color = |color: Option<String>| {
        let is_hex = |color: &String| color.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = color.map(|color| match color.len() {
            8 if is_hex(&color) => color[2..].to_ascii_uppercase(),
            _ => color,
        });
        digits.filter(|color| color != "none")
    };
    let edge = |edge: Option<Edge>| {
        edge.map(|edge| Edge {
            color: color(edge.color).filter(|color| color != "000000"),
            ..edge
        })
    };
    let border = look.border.map(|border| Border {
        left: edge(border.left),
        right: edge(border.right),
        top: edge(border.top),
        bottom: edge(border.bottom),
    });
    Style {
        font: look.font.filter(|font| Some(font) != usual.font.as_ref()),
        size: look.size.filter(|size| Some(*size) != usual.size),
        color: color(look.color).filter(|color| color != "theme:1" && color != "000000"),
        fill: color(look.fill),
        horizontal: look.horizontal.filter(|it| it != "general"),
        vertical: look.vertical.filter(|it| it != "bottom"),
        border,
        ..look
    }
}
