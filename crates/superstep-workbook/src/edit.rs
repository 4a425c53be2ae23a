//! Operations on a workbook: a list is applied as a whole or not at all, and gives a new workbook.
//! `operation` says what there is; `patch` writes the result.

mod cells;
mod condition;
mod headers;
mod layout;
mod operation;
mod page;
mod sheets;
mod shift;
mod sort;
mod table;
mod validation;

use std::{collections::BTreeMap, sync::Arc};

pub use condition::{Condition, ScalePoint, Threshold};
pub use operation::{Input, Operation, SortKey};
pub use page::{Margins, Page};
pub(crate) use shift::rewrite_all;
pub use table::NewTable;
pub use validation::{Validation, ValidationMessages};

use crate::{
    book::{DefinedName, Workbook},
    error::Error,
    frame::Frame,
    package::Package,
    sheet::Sheet,
    xml,
};

/// Why an operation is refused, in words.
type Refusal = String;

impl Workbook {
    /// The workbook after operations. The first one that cannot be done is the error; this workbook
    /// stays as it is.
    pub fn apply(&self, operations: &[Operation]) -> Result<Self, Error> {
        let mut next = self.clone();
        for (at, operation) in operations.iter().enumerate() {
            next.one(operation).map_err(|why| Error::Refused {
                number: at + 1,
                operation: operation.name(),
                why,
            })?;
        }
        Ok(next)
    }

    /// Does one operation in place. If it is refused the workbook stays as it is.
    ///
    /// For long lists this is cheaper than [`apply`](Self::apply) with one operation after the other,
    /// which copies the sheet each time.
    pub fn make(&mut self, operation: &Operation) -> Result<(), Error> {
        use Operation as Op;
        let checks_first = matches!(
            operation,
            Op::Set { .. }
                | Op::Format { .. }
                | Op::DefineStyle { .. }
                | Op::FormatLike { .. }
                | Op::ColumnWidth { .. }
                | Op::HideColumns { .. }
                | Op::RowHeight { .. }
                | Op::HideRows { .. }
        );
        if checks_first {
            self.one(operation).map_err(|why| Error::Refused {
                number: 1,
                operation: operation.name(),
                why,
            })?;
        } else {
            *self = self.apply(std::slice::from_ref(operation))?;
        }
        Ok(())
    }

    fn one(&mut self, operation: &Operation) -> Result<(), Refusal> {
        use Operation as Op;
        match operation {
            Op::Set { sheet, cell, value } => {
                self.set_rows(sheet, *cell, std::slice::from_ref(&vec![value.clone()]))
            }
            Op::SetRows { sheet, cell, rows } => self.set_rows(sheet, *cell, rows),
            Op::Clear { sheet, area } => self.clear(sheet, *area),
            Op::Format { sheet, area, style } => self.format(sheet, *area, style),
            Op::DefineStyle {
                name,
                style,
                builtin,
            } => Arc::make_mut(&mut self.styles).define(name, style, *builtin),
            Op::FormatLike {
                sheet,
                area,
                from,
                from_sheet,
            } => self.format_like(sheet, *area, *from, from_sheet.as_deref()),
            Op::Merge { sheet, area } => self.merge(sheet, *area),
            Op::Unmerge { sheet, area } => self.unmerge(sheet, *area),
            Op::ColumnWidth {
                sheet,
                columns,
                width,
            } => self.column(sheet, columns, Some(*width), None),
            Op::HideColumns {
                sheet,
                columns,
                hidden,
            } => self.column(sheet, columns, None, Some(*hidden)),
            Op::RowHeight {
                sheet,
                first,
                last,
                height,
            } => self.row(sheet, *first, last.unwrap_or(*first), Some(*height), None),
            Op::HideRows {
                sheet,
                first,
                last,
                hidden,
            } => self.row(sheet, *first, last.unwrap_or(*first), None, Some(*hidden)),
            Op::Freeze { sheet, cell } => self.freeze(sheet, *cell),
            Op::Filter { sheet, area } => self.filter(sheet, *area),
            Op::ConditionalFormat {
                sheet,
                area,
                condition,
                style,
                stops,
            } => self.conditional(sheet, *area, condition, style.as_ref(), *stops),
            Op::Validate {
                sheet,
                area,
                validation,
                messages,
            } => self.validate(sheet, *area, validation, messages),
            Op::Link {
                sheet,
                cell,
                address,
                tooltip,
            } => self.link(sheet, *cell, address, tooltip.as_deref()),
            Op::Unlink { sheet, cell } => self.unlink(sheet, *cell),
            Op::Comment {
                sheet,
                cell,
                comment,
            } => self.grid(sheet)?.set_comment(*cell, comment.as_ref()),
            Op::AddTable { sheet, table } => self.add_table(sheet, table),
            Op::ResizeTable { sheet, table, area } => self.resize_table(sheet, table, *area),
            Op::Page { sheet, page } => self.page(sheet, page),
            Op::TabColor { sheet, color } => self.tab_color(sheet, color.as_deref()),
            Op::View {
                sheet,
                gridlines,
                zoom,
            } => self.view(sheet, *gridlines, *zoom),
            Op::Activate { sheet } => self.activate(sheet),
            Op::Protect { sheet, protected } => self.protect(sheet, *protected),
            Op::OutlineRows {
                sheet,
                first,
                last,
                level,
            } => self.outline_rows(sheet, *first, *last, *level),
            Op::OutlineColumns {
                sheet,
                columns,
                level,
            } => self.outline_columns(sheet, columns, *level),
            Op::FitColumns { sheet, columns } => self.fit_columns(sheet, columns),
            Op::InsertRows {
                sheet,
                before,
                count,
            } => self.shift(
                sheet,
                shift::Axis::Rows,
                shift::ShiftKind::Insert,
                *before,
                *count,
            ),
            Op::DeleteRows {
                sheet,
                first,
                count,
            } => self.shift(
                sheet,
                shift::Axis::Rows,
                shift::ShiftKind::Delete,
                *first,
                *count,
            ),
            Op::InsertColumns {
                sheet,
                before,
                count,
            } => {
                let at = column(before)?;
                self.shift(
                    sheet,
                    shift::Axis::Columns,
                    shift::ShiftKind::Insert,
                    at,
                    *count,
                )
            }
            Op::DeleteColumns {
                sheet,
                first,
                count,
            } => {
                let at = column(first)?;
                self.shift(
                    sheet,
                    shift::Axis::Columns,
                    shift::ShiftKind::Delete,
                    at,
                    *count,
                )
            }
            Op::AddSheet { name, at } => self.add_sheet(name, *at),
            Op::RenameSheet { sheet, name } => self.rename_sheet(sheet, name),
            Op::DeleteSheet { sheet } => self.delete_sheet(sheet),
            Op::CopySheet { sheet, name } => self.copy_sheet(sheet, name),
            Op::MoveSheet { sheet, to } => self.move_sheet(sheet, *to),
            Op::HideSheet { sheet, hidden } => self.hide_sheet(sheet, *hidden),
            Op::Sort {
                sheet,
                area,
                keys,
                has_header,
            } => self.sort(sheet, *area, keys, *has_header),
            Op::AddChart { sheet, chart } => self.add_chart(sheet, chart),
            Op::DefineName {
                name,
                refers_to,
                sheet,
            } => self.define_name(name, refers_to, sheet.as_deref()),
            Op::DeleteName { name, sheet } => self.delete_name(name, sheet.as_deref()),
        }
    }

    /// A sheet to be changed. One that another workbook shares is copied first.
    fn grid(&mut self, name: &str) -> Result<&mut Sheet, Refusal> {
        let at = self.place(name)?;
        let sheet = self.sheets.get_mut(at).map(Arc::make_mut);
        let sheet = sheet.ok_or_else(|| format!("there is no sheet `{name}`"))?;
        match sheet.is_grid {
            true => Ok(sheet),
            false => Err(format!("the sheet `{name}` is a chart and has no cells")),
        }
    }

    fn place(&self, name: &str) -> Result<usize, Refusal> {
        self.position(name).map_err(|_| {
            let names: Vec<_> = self
                .sheets
                .iter()
                .map(|sheet| format!("`{}`", sheet.name))
                .collect();
            format!("there is no sheet `{name}`; there are {}", names.join(", "))
        })
    }

    fn define_name(
        &mut self,
        name: &str,
        refers_to: &str,
        sheet: Option<&str>,
    ) -> Result<(), Refusal> {
        check_defined_name(name)?;
        let refers_to = refers_to.strip_prefix('=').unwrap_or(refers_to);
        if refers_to.trim().is_empty() {
            return Err("a name stands for something".to_owned());
        }
        let sheet = sheet.map(|sheet| self.place(sheet)).transpose()?;
        self.changed.names = true;
        self.changed.values = true;
        let same = |it: &&mut DefinedName| it.sheet == sheet && it.name.eq_ignore_ascii_case(name);
        match self.names.iter_mut().find(same) {
            Some(known) => known.refers_to = refers_to.to_owned(),
            None => self.names.push(DefinedName {
                name: name.to_owned(),
                refers_to: refers_to.to_owned(),
                sheet,
                hidden: false,
                attributes: String::new(),
            }),
        }
        Ok(())
    }

    fn delete_name(&mut self, name: &str, sheet: Option<&str>) -> Result<(), Refusal> {
        let sheet = sheet.map(|sheet| self.place(sheet)).transpose()?;
        let before = self.names.len();
        self.names
            .retain(|it| it.sheet != sheet || !it.name.eq_ignore_ascii_case(name));
        if self.names.len() == before {
            return Err(format!("there is no name `{name}`"));
        }
        self.changed.names = true;
        self.changed.values = true;
        Ok(())
    }

    /// Loads the blocks of a sheet that are kept as they are written, so that they can be changed.
    fn load_blocks(&mut self, at: usize) -> Result<(), Refusal> {
        let package = Arc::clone(&self.package);
        if let Some(sheet) = self.sheets.get_mut(at) {
            let blocks = blocks_of(sheet, &package)?;
            let sheet = Arc::make_mut(sheet);
            sheet.blocks = blocks;
            sheet.changed.blocks = true;
        }
        Ok(())
    }
}

/// The blocks of a sheet: as they were changed, or as its part has them.
pub(crate) fn blocks_of(sheet: &Sheet, package: &Package) -> Result<Blocks, Refusal> {
    if !sheet.blocks.is_empty() {
        return Ok(sheet.blocks.clone());
    }
    let source = match sheet.part.is_empty() {
        true => sheet.copied_from.as_deref(),
        false => Some(sheet.part.as_str()).filter(|_| sheet.is_grid),
    };
    match source {
        Some(part) => blocks(package, part).map_err(|error| error.to_string()),
        None => Ok(BLOCKS.iter().map(|name| (*name, Vec::new())).collect()),
    }
}

pub(crate) type Blocks = BTreeMap<&'static str, Vec<String>>;

/// Elements that are kept as they are written: whole, or by the items in them.
const BLOCKS: [&str; 10] = [
    "conditionalFormatting", "dataValidations", "hyperlinks", "sheetPr", "sheetProtection",
    "printOptions", "pageMargins", "pageSetup", "headerFooter", "extLst",
];

fn blocks(package: &Package, part: &str) -> Result<Blocks, Error> {
    let Some(bytes) = package.part(part)? else {
        return Ok(Blocks::new());
    };
    let text = xml::decode(part, &bytes)?;
    blocks_in(&Frame::read(part, &text)?, part)
}

/// The elements of a part that are kept as they are written.
pub(crate) fn blocks_in(frame: &Frame, part: &str) -> Result<Blocks, Error> {
    let mut found = Blocks::new();
    for name in BLOCKS {
        let mut items = Vec::new();
        for element in frame.get(name) {
            match name {
                "dataValidations" | "hyperlinks" => items.extend(children(part, element)?),
                _ => items.push(element.to_owned()),
            }
        }
        found.insert(name, items);
    }
    Ok(found)
}

fn children(part: &str, element: &str) -> Result<Vec<String>, Error> {
    let mut xml = xml::Xml::new(part, element);
    let mut items = Vec::new();
    xml.next()?;
    while let Some(token) = xml.next()? {
        let start = xml.start();
        match token {
            xml::Token::Open(_) => xml.skip()?,
            xml::Token::Empty(_) => {}
            xml::Token::Close | xml::Token::Text(_) => continue,
        }
        items.push(xml.since(start).to_owned());
    }
    Ok(items)
}

fn column(letters: &str) -> Result<u32, Refusal> {
    crate::address::column_number(letters)
        .ok_or_else(|| format!("`{letters}` is no column; columns are letters such as C"))
}

/// Whether something can be a name for cells, a formula or a table.
fn check_defined_name(name: &str) -> Result<(), Refusal> {
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && name.chars().count() <= 255
        && name.parse::<crate::address::CellRef>().is_err();
    match is_name {
        true => Ok(()),
        false => Err(format!(
            "`{name}` cannot be a name: letters, digits, `_` and `.`, and no address of a cell"
        )),
    }
}
