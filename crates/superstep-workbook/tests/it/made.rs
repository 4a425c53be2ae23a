//! Workbooks made for tests, part by part.

use std::io::{Cursor, Write};

use superstep_workbook::{CellRef, Limits, OnLoad, Operation, Workbook};
use zip::{ZipWriter, write::SimpleFileOptions};

const NS: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const REL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

/// Parts of a workbook, to be changed before it is packed.
pub(crate) struct Made {
    pub(crate) parts: Vec<(String, Vec<u8>)>,
}

impl Made {
    /// A workbook whose only sheet `Data` has these rows.
    pub(crate) fn with_rows(rows: &str) -> Self {
        Self::with_sheet(&format!("<sheetData>{rows}</sheetData>"))
    }

    /// A workbook whose only sheet `Data` has this content.
    pub(crate) fn with_sheet(content: &str) -> Self {
        Self::with_sheets(&[("Data", content)])
    }

    pub(crate) fn with_sheets(sheets: &[(&str, &str)]) -> Self {
        let mut made = Self { parts: Vec::new() };
        let types: String = (1..=sheets.len())
            .map(|number| {
                format!(
                    "<Override PartName=\"/xl/worksheets/sheet{number}.xml\" ContentType=\"application/\
                     vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>"
                )
            })
            .collect();
        made.set(
            "[Content_Types].xml",
            &format!(
                "<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
                 ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
                 <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/\
                 vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>{types}</Types>"
            ),
        );
        made.set(
            "_rels/.rels",
            &format!(
                "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"rId1\" \
                 Type=\"{REL}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        );
        let list: String = (1..)
            .zip(sheets)
            .map(|(at, (name, _))| {
                format!("<sheet name=\"{name}\" sheetId=\"{at}\" r:id=\"rId{at}\"/>")
            })
            .collect();
        made.set(
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns=\"{NS}\" xmlns:r=\"{REL}\"><sheets>{list}</sheets></workbook>"
            ),
        );
        let relations: String = (1..=sheets.len())
            .map(|at| {
                format!(
                    "<Relationship Id=\"rId{at}\" Type=\"{REL}/worksheet\" \
                     Target=\"worksheets/sheet{at}.xml\"/>"
                )
            })
            .collect();
        made.set(
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships xmlns=\"{PACKAGE}/relationships\">{relations}</Relationships>"
            ),
        );
        for (at, (_, content)) in (1..).zip(sheets) {
            made.set(
                &format!("xl/worksheets/sheet{at}.xml"),
                &format!("<worksheet xmlns=\"{NS}\" xmlns:r=\"{REL}\">{content}</worksheet>"),
            );
        }
        made
    }

    /// Adds a part, or replaces one.
    pub(crate) fn set(&mut self, name: &str, content: &str) -> &mut Self {
        self.parts.retain(|(known, _)| known != name);
        self.parts
            .push((name.to_owned(), content.as_bytes().to_vec()));
        self
    }

    /// Puts a text in place of another in a part.
    pub(crate) fn edit(&mut self, name: &str, from: &str, to: &str) -> &mut Self {
        let (_, part) = self
            .parts
            .iter_mut()
            .find(|(known, _)| known == name)
            .unwrap();
        let text = String::from_utf8(part.clone()).unwrap();
        assert!(text.contains(from), "{name} has no {from}");
        *part = text.replace(from, to).into_bytes();
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in &self.parts {
            writer
                .start_file(name.as_str(), SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    pub(crate) fn book(&self) -> Workbook {
        read(self.bytes())
    }
}

pub(crate) fn read(bytes: Vec<u8>) -> Workbook {
    Workbook::read(bytes, &Limits::default()).unwrap()
}

pub(crate) fn at(text: &str) -> CellRef {
    text.parse().unwrap()
}

/// A cell as a person reads it; formulas with their equals sign.
pub(crate) fn shown(book: &Workbook, sheet: &str, cell: &str) -> String {
    let sheet = book.sheet(sheet).unwrap();
    match sheet.cell(at(cell)) {
        None => String::new(),
        Some(cell) => match cell.formula() {
            Some(formula) => format!("={}", formula.text),
            None => book.shown(cell),
        },
    }
}

/// Operations from JSON, as a program gives them.
pub(crate) fn operations(json: &str) -> Vec<Operation> {
    serde_json::from_str(json).unwrap()
}

/// The workbook after operations, written and read again, which must show the same as the
/// workbook in memory.
pub(crate) fn done(book: &Workbook, json: &str) -> Workbook {
    let after = book.apply(&operations(json)).unwrap();
    let written = after.write(OnLoad::Calculate).unwrap();
    let again = read(written.bytes);
    let seen = |book: &Workbook| -> Vec<_> {
        let sheets = book.sheets.iter().map(|sheet| {
            let cells: Vec<String> = sheet
                .cells()
                .filter(|(_, cell)| !cell.is_blank())
                .map(|(at, cell)| {
                    let formula = cell.formula().map(|formula| formula.text.clone());
                    let look = book.styles.look(cell.style);
                    format!("{at} {} {formula:?} {look:?}", cell.value)
                })
                .collect();
            let merged = sheet.merged.clone();
            (
                sheet.name.clone(),
                sheet.visibility,
                cells,
                merged,
                sheet.freeze,
                sheet.filter,
            )
        });
        sheets.collect()
    };
    assert_eq!(seen(&after), seen(&again));
    assert_eq!(after.names, again.names);
    again
}

/// Why operations are refused.
pub(crate) fn refused(book: &Workbook, json: &str) -> String {
    let error = book.apply(&operations(json)).unwrap_err();
    assert_eq!(error.code(), "SS7513");
    error.to_string()
}
