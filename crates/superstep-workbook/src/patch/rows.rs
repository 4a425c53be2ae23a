//! The cells of a sheet as XML.

use std::fmt::Write as _;

use crate::{
    address::column_name,
    future,
    sheet::{Cell, FormulaKind, Sheet, Value},
    xml,
};

/// The element with all rows.
pub(super) fn write(sheet: &Sheet) -> String {
    let mut out = String::from("<sheetData>");
    for (number, row) in &sheet.rows {
        let _ = write!(out, "<row r=\"{number}\"");
        if let Some(height) = row.height {
            let _ = write!(out, " ht=\"{height}\"");
        }
        if row.hidden {
            out.push_str(" hidden=\"1\"");
        }
        out.push_str(&row.attributes);
        if row.cells.is_empty() {
            out.push_str("/>");
            continue;
        }
        out.push('>');
        for it in &row.cells {
            cell(&mut out, *number, it);
        }
        out.push_str("</row>");
    }
    out.push_str("</sheetData>");
    out
}

fn cell(out: &mut String, row: u32, cell: &Cell) {
    let _ = write!(out, "<c r=\"{}{row}\"", column_name(cell.column));
    if cell.style != 0 {
        let _ = write!(out, " s=\"{}\"", cell.style);
    }
    let formula = cell.formula();
    let kind = match &cell.value {
        Value::Empty | Value::Number(_) => None,
        Value::Bool(_) => Some("b"),
        Value::Error(_) => Some("e"),
        // What a formula gives is never a shared or an inline text.
        Value::Text(_) if formula.is_some() => Some("str"),
        Value::Text(text) if text.shared.is_some() => Some("s"),
        Value::Text(_) => Some("inlineStr"),
    };
    if let Some(kind) = kind {
        let _ = write!(out, " t=\"{kind}\"");
    }
    if let Some(extra) = &cell.extra {
        out.push_str(&extra.attributes);
    }
    if cell.is_blank() {
        out.push_str("/>");
        return;
    }
    out.push('>');
    if let Some(formula) = formula {
        match &formula.kind {
            FormulaKind::Plain => out.push_str("<f>"),
            FormulaKind::Array(area) => {
                let _ = write!(out, "<f t=\"array\" ref=\"{area}\">");
            }
            FormulaKind::DataTable(attributes) => {
                let _ = write!(out, "<f{attributes}>");
            }
        }
        xml::escape(out, &future::stored(&formula.text));
        out.push_str("</f>");
    }
    match &cell.value {
        Value::Empty => {}
        Value::Number(number) => {
            let _ = write!(out, "<v>{number}</v>");
        }
        Value::Bool(value) => {
            let _ = write!(out, "<v>{}</v>", u8::from(*value));
        }
        Value::Error(error) => {
            out.push_str("<v>");
            xml::escape(out, error);
            out.push_str("</v>");
        }
        Value::Text(text) if formula.is_some() => {
            out.push_str("<v>");
            xml::escape(out, &xml::escape_cell(&text.plain));
            out.push_str("</v>");
        }
        Value::Text(text) => match (text.shared, &text.rich) {
            (Some(shared), _) => {
                let _ = write!(out, "<v>{shared}</v>");
            }
            (None, Some(rich)) => {
                let _ = write!(out, "<is>{rich}</is>");
            }
            (None, None) => {
                let plain = &text.plain;
                let is_padded = plain.trim() != plain || plain.contains('\n');
                let keep = if is_padded {
                    " xml:space=\"preserve\""
                } else {
                    ""
                };
                let _ = write!(out, "<is><t{keep}>");
                xml::escape(out, &xml::escape_cell(plain));
                out.push_str("</t></is>");
            }
        },
    }
    out.push_str("</c>");
}
