//! New workbooks: one empty sheet, and only the parts that a workbook must have.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{book::Workbook, error::Error, package::Limits};

const PARTS: [(&str, &str); 5] = [
    (
        "[Content_Types].xml",
        concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">",
            "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>",
            "<Default Extension=\"xml\" ContentType=\"application/xml\"/>",
            "<Override PartName=\"/xl/workbook.xml\" ContentType=\"application/",
            "vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>",
            "<Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"application/",
            "vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/></Types>"
        ),
    ),
    (
        "_rels/.rels",
        concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">",
            "<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/",
            "relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
        ),
    ),
    (
        "xl/workbook.xml",
        concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
            "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" ",
            "xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">",
            "<sheets><sheet name=\"Sheet\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
        ),
    ),
    (
        "xl/_rels/workbook.xml.rels",
        concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">",
            "<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/",
            "relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
        ),
    ),
    (
        "xl/worksheets/sheet1.xml",
        concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" ",
            "xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">",
            "<sheetData/></worksheet>"
        ),
    ),
];

impl Workbook {
    /// A new workbook with one empty sheet, called `Sheet`.
    pub fn empty() -> Result<Self, Error> {
        let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in PARTS {
            writer.start_file(name, options).map_err(Error::damaged)?;
            writer.write_all(text.as_bytes()).map_err(Error::damaged)?;
        }
        let bytes = writer.finish().map_err(Error::damaged)?.into_inner();
        Self::read(bytes, &Limits::default())
    }
}
