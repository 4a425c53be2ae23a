//! Workbooks: the archive as a whole, and the texts of its parts, which checksums would protect from
//! mutation.

use std::io::{self, Cursor, Write};

use superstep_workbook::{Changes, Input, Limits, OnLoad, Operation, Workbook, regions};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::target::{Target, files_of};

pub(crate) const TARGET: Target = Target {
    name: "workbook",
    run,
    seeds,
};

/// Stands before the name of a part, which a line feed ends.
const PART: &[u8] = b"\n\0part ";

/// What a part of a workbook may be.
const LIMITS: Limits = Limits {
    file: 1 << 20,
    entries: 100,
    part: 1 << 20,
    total: 4 << 20,
    ratio: 300,
    cells: 10_000,
};

/// A workbook that is read is written as it was; one that is changed and written can be read again, and
/// has the change. Nothing of it makes a reader panic.
pub fn run(data: &[u8]) {
    let bytes = match data.starts_with(b"PK") {
        true => data.to_vec(),
        false => match packed(data) {
            Ok(bytes) => bytes,
            Err(_) => return,
        },
    };
    let Ok(book) = Workbook::read(bytes.clone(), &LIMITS) else {
        return;
    };
    let same = book.write(OnLoad::Trust).map(|written| written.bytes);
    assert_eq!(
        same.ok(),
        Some(bytes),
        "a workbook nobody changed is another one"
    );
    for sheet in &book.sheets {
        let _ = book.features(sheet);
        let _ = regions(sheet);
    }
    let Some(sheet) = book.sheets.iter().find(|sheet| sheet.is_grid) else {
        return;
    };
    let Ok(cell) = "B2".parse() else {
        return;
    };
    let name = sheet.name.clone();
    let set = Operation::Set {
        sheet: name.clone(),
        cell,
        value: Input::Text("changed".to_owned()),
    };
    let changes = [
        set.clone(),
        Operation::Comment {
            sheet: name.clone(),
            cell,
            comment: Some(superstep_workbook::Comment::new("a comment", "somebody")),
        },
        Operation::InsertRows {
            sheet: name.clone(),
            before: 1,
            count: 1,
        },
        Operation::RenameSheet {
            sheet: name,
            name: "another name".to_owned(),
        },
    ];
    for change in &changes {
        let Ok(after) = book.apply(std::slice::from_ref(change)) else {
            continue;
        };
        let _ = Changes::between(&book, &after);
        let Ok(written) = after.write(OnLoad::Calculate) else {
            continue;
        };
        let again = Workbook::read(written.bytes, &Limits::default());
        assert!(again.is_ok(), "what was written is refused: {again:?}");
        if let Ok(again) = again
            && *change == set
        {
            let found = again
                .sheet(&sheet.name)
                .map(|sheet| sheet.value(cell).to_string());
            assert_eq!(found.ok().as_deref(), Some("changed"), "the change is lost");
        }
    }
}

/// An archive of the parts that a text lists.
fn packed(data: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut rest = data;
    while let Some(start) = find(rest, PART) {
        let after = rest.get(start + PART.len()..).unwrap_or_default();
        let end = find(after, PART).unwrap_or(after.len());
        let (part, next) = after.split_at_checked(end).unwrap_or((after, &[]));
        let line = part.iter().position(|byte| *byte == b'\n');
        let (name, content) = part.split_at_checked(line.unwrap_or(0)).unwrap_or_default();
        let name = String::from_utf8_lossy(name);
        writer
            .start_file(&*name, options)
            .map_err(io::Error::other)?;
        writer.write_all(content.get(1..).unwrap_or_default())?;
        rest = next;
    }
    Ok(writer.finish().map_err(io::Error::other)?.into_inner())
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|it| it == wanted)
}

/// Workbooks as archives, and as lists of their parts.
fn seeds() -> io::Result<Vec<Vec<u8>>> {
    let mut seeds = Vec::new();
    for bytes in files_of("fuzz/corpus/workbook")? {
        let book = Workbook::read(bytes.clone(), &Limits::default()).map_err(io::Error::other)?;
        let mut parts = Vec::new();
        for name in book.package().names() {
            let part = book.package().part(name).map_err(io::Error::other)?;
            parts.extend_from_slice(PART);
            parts.extend_from_slice(name.as_bytes());
            parts.push(b'\n');
            parts.extend_from_slice(&part.unwrap_or_default());
        }
        seeds.push(parts);
        seeds.push(bytes);
    }
    Ok(seeds)
}
