//! Files that are no workbooks, or that were made to do harm: each is refused with its code.

use std::io::{Cursor, Write};

use superstep_workbook::{Error, Limits, Workbook};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::made::Made;

fn refused(bytes: Vec<u8>) -> Error {
    refused_by(bytes, &Limits::default())
}

fn refused_by(bytes: Vec<u8>, limits: &Limits) -> Error {
    let error = Workbook::read(bytes, limits).unwrap_err();
    assert!(error.hint().is_some(), "{error}");
    error
}

fn sample() -> Made {
    Made::with_rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>")
}

fn ole(stream: &str) -> Vec<u8> {
    let mut bytes = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    bytes.resize(1024, 0);
    bytes.extend(stream.encode_utf16().flat_map(u16::to_le_bytes));
    bytes.resize(2048, 0);
    bytes
}

#[test]
fn what_is_no_zip_is_refused() {
    assert_eq!(refused(b"a,b\n1,2\n".to_vec()).code(), "SS7501");
    assert_eq!(refused(b"<html>".to_vec()).code(), "SS7501");
    assert_eq!(refused(Vec::new()).code(), "SS7506");
}

#[test]
fn old_and_encrypted_workbooks_are_told_apart() {
    assert_eq!(refused(ole("Workbook")).code(), "SS7503");
    assert_eq!(refused(ole("EncryptedPackage")).code(), "SS7504");
    assert_eq!(refused(vec![0x09, 0x02, 0x06, 0x00, 0x00]).code(), "SS7503");
}

#[test]
fn macros_are_refused() {
    let mut made = sample();
    made.set("xl/vbaProject.bin", "x");
    assert_eq!(refused(made.bytes()).code(), "SS7505");
    let mut made = sample();
    made.edit(
        "[Content_Types].xml",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
        "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
    );
    assert_eq!(refused(made.bytes()).code(), "SS7505");
}

#[test]
fn a_file_cut_at_any_place_is_refused() {
    let whole = sample().bytes();
    for length in (4..whole.len()).step_by(37) {
        let error = refused(whole[..length].to_vec());
        assert_eq!(error.code(), "SS7506", "cut at {length}: {error}");
    }
}

#[test]
fn a_damaged_part_is_refused() {
    let mut bytes = sample().bytes();
    let at = bytes.windows(9).position(|it| it == b"sheet1.xm").unwrap();
    for byte in &mut bytes[at + 20..at + 60] {
        *byte ^= 0x55;
    }
    let code = refused(bytes).code();
    assert!(["SS7506", "SS7510"].contains(&code), "{code}");
}

#[test]
fn a_zip_bomb_is_refused_before_it_is_unpacked() {
    let mut made = sample();
    made.parts
        .push(("xl/media/image1.png".to_owned(), vec![0; 64 << 20]));
    let bytes = made.bytes();
    assert!(bytes.len() < 1 << 20);
    let error = refused(bytes.clone());
    assert_eq!(error.code(), "SS7507");
    assert!(error.to_string().contains("bomb"), "{error}");
    let limits = Limits {
        ratio: 10_000,
        total: 1 << 20,
        ..Limits::default()
    };
    assert_eq!(refused_by(bytes.clone(), &limits).code(), "SS7507");
    let limits = Limits {
        ratio: 10_000,
        part: 1 << 20,
        ..Limits::default()
    };
    assert_eq!(refused_by(bytes.clone(), &limits).code(), "SS7507");
    let limits = Limits {
        file: 1000,
        ..Limits::default()
    };
    assert_eq!(refused_by(bytes, &limits).code(), "SS7507");
}

#[test]
fn a_size_that_lies_is_noticed() {
    // The directory declares ten bytes for a part that unpacks to a mebibyte.
    let mut made = sample();
    made.parts
        .push(("xl/sharedStrings.xml".to_owned(), vec![b' '; 1 << 20]));
    made.edit(
        "xl/_rels/workbook.xml.rels",
        "</Relationships>",
        "<Relationship Id=\"rId9\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>",
    );
    let mut bytes = made.bytes();
    let size = (1_u32 << 20).to_le_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(4).position(|it| it == size) {
        bytes[at + found..at + found + 4].copy_from_slice(&10_u32.to_le_bytes());
        at += found + 4;
    }
    assert!(at > 0);
    assert_eq!(refused(bytes).code(), "SS7506");
}

#[test]
fn too_many_entries_and_cells_are_refused() {
    let limits = Limits {
        entries: 3,
        ..Limits::default()
    };
    assert_eq!(refused_by(sample().bytes(), &limits).code(), "SS7507");
    let limits = Limits {
        cells: 0,
        ..Limits::default()
    };
    assert_eq!(refused_by(sample().bytes(), &limits).code(), "SS7507");
}

#[test]
fn names_that_lead_out_of_the_archive_are_refused() {
    for name in [
        "../evil.xml", "xl/../../evil.xml", "/etc/passwd", "C:/evil", "xl\\evil.xml",
    ] {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default();
        for (part, content) in &sample().parts {
            writer.start_file(part.as_str(), options).unwrap();
            writer.write_all(content).unwrap();
        }
        // Written under a name of the same length, then renamed in the bytes.
        let harmless = "Q".repeat(name.len());
        writer.start_file(harmless.as_str(), options).unwrap();
        let mut bytes = writer.finish().unwrap().into_inner();
        let mut renamed = 0;
        for at in 0..bytes.len() - name.len() {
            if bytes[at..].starts_with(harmless.as_bytes()) {
                bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
                renamed += 1;
            }
        }
        assert_eq!(renamed, 2);
        assert_eq!(refused(bytes).code(), "SS7508", "{name}");
    }
}

#[test]
fn entities_are_refused_wherever_they_stand() {
    let bomb = "<!DOCTYPE x [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;\">]>";
    for part in ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "_rels/.rels"] {
        let mut made = sample();
        let (_, content) = made.parts.iter().find(|(name, _)| name == part).unwrap();
        let content = format!("{bomb}{}", String::from_utf8(content.clone()).unwrap());
        made.set(part, &content);
        assert_eq!(refused(made.bytes()).code(), "SS7509", "{part}");
    }
    let mut made = sample();
    made.edit("xl/worksheets/sheet1.xml", "<v>1</v>", "<v>&unknown;</v>");
    assert_eq!(refused(made.bytes()).code(), "SS7510");
}

#[test]
fn parts_that_say_something_impossible_are_refused() {
    for (from, to) in [
        ("<v>1</v>", "<v>one</v>"),
        ("<c r=\"A1\">", "<c r=\"A1\" t=\"s\">"),
        ("r=\"A1\"", "r=\"A2\""),
        ("r=\"A1\"", "r=\"A0\""),
        ("<row r=\"1\">", "<row r=\"2000000\">"),
        ("</worksheet>", ""),
    ] {
        let mut made = sample();
        made.edit("xl/worksheets/sheet1.xml", from, to);
        let code = refused(made.bytes()).code();
        assert!(["SS7510", "SS7511"].contains(&code), "{from} {to}: {code}");
    }
    let mut made = sample();
    made.parts
        .retain(|(name, _)| name != "xl/worksheets/sheet1.xml");
    assert_eq!(refused(made.bytes()).code(), "SS7510");
    let mut made = sample();
    made.parts.retain(|(name, _)| name != "xl/workbook.xml");
    assert_eq!(refused(made.bytes()).code(), "SS7502");
}

#[test]
fn other_archives_are_no_workbooks() {
    let mut made = Made { parts: Vec::new() };
    made.set("word/document.xml", "<x/>");
    assert_eq!(refused(made.bytes()).code(), "SS7502");
    made.set("mimetype", "application/vnd.oasis.opendocument.spreadsheet");
    let error = refused(made.bytes());
    assert!(error.to_string().contains("OpenDocument"), "{error}");
}

#[test]
fn a_missing_file_and_a_folder_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits::default();
    let missing = Workbook::open(&folder.path().join("no.xlsx"), &limits).unwrap_err();
    assert_eq!(missing.code(), "SS7515");
    assert_eq!(
        Workbook::open(folder.path(), &limits).unwrap_err().code(),
        "SS7515"
    );
}

#[test]
fn damaged_xml_is_read_or_refused_and_what_is_read_can_be_edited_and_written() {
    let content = "<sheetViews><sheetView workbookViewId=\"0\"/></sheetViews><cols><col min=\"1\" max=\"2\" width=\"9\"/></cols>\
         <sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>x &amp; y</t></is></c>\
         <c r=\"B1\"><f t=\"shared\" ref=\"B1:B2\" si=\"0\">SUM('a b'!A1:$B$2)+\"q\"</f><v>3</v></c></row>\
         <row r=\"2\" ht=\"12\"><c r=\"B2\" s=\"0\"><f t=\"shared\" si=\"0\"/><v>1e3</v></c></row></sheetData>\
         <autoFilter ref=\"A1:B2\"/><mergeCells count=\"1\"><mergeCell ref=\"D1:E2\"/></mergeCells>\
         <conditionalFormatting sqref=\"A1\"><cfRule type=\"expression\" priority=\"1\"><formula>A1</formula></cfRule></conditionalFormatting>";
    let list = crate::made::operations(
        r#"[{"op":"set","sheet":"Data","cell":"F9","value":{"number":1}},
            {"op":"insert_rows","sheet":"Data","before":2,"count":1},
            {"op":"freeze","sheet":"Data","cell":"B2"},
            {"op":"rename_sheet","sheet":"Data","name":"New"}]"#,
    );
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed >> 33).unwrap() % below
    };
    let bits: [&[u8]; 8] = [
        b"<", b">", b"\"", b"&", b"'", b"</c>", b"99999999999", b"\xFF",
    ];
    let mut read = 0;
    for _ in 0..1_500 {
        let mut made = Made::with_sheet(content);
        let part = &mut made.parts.last_mut().unwrap().1;
        for _ in 0..=random(2) {
            let at = random(part.len());
            let end = (at + random(6)).min(part.len());
            let new = bits[random(bits.len())].to_vec();
            part.splice(at..end, new);
        }
        let Ok(book) = Workbook::read(made.bytes(), &Limits::default()) else {
            continue;
        };
        read += 1;
        book.state(500);
        if let Ok(after) = book.apply(&list) {
            let written = after.write(superstep_workbook::OnLoad::Calculate).unwrap();
            Workbook::read(written.bytes, &Limits::default()).unwrap();
        }
    }
    assert!(read > 50, "{read}");
}

#[cfg(unix)]
#[test]
fn a_result_replaces_files_and_nothing_else() {
    use superstep_workbook::{Overwrite, save};
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket.xlsx");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let error = save(&socket, b"new", Overwrite::Replace).unwrap_err();
    assert_eq!(error.code(), "SS7515", "{error}");
    assert!(!std::fs::symlink_metadata(&socket).unwrap().is_file());
    let error = save(folder.path(), b"new", Overwrite::Replace).unwrap_err();
    assert_eq!(error.code(), "SS7515", "{error}");
    // A link is replaced, and what it leads to stays.
    let (link, kept) = (folder.path().join("link"), folder.path().join("kept"));
    std::os::unix::fs::symlink(&kept, &link).unwrap();
    let error = save(&link, b"new", Overwrite::Never).unwrap_err();
    assert_eq!(error.code(), "SS7516", "{error}");
    std::fs::write(&kept, "old").unwrap();
    save(&link, b"new", Overwrite::Replace).unwrap();
    assert_eq!(std::fs::read(&kept).unwrap(), b"old");
    assert_eq!(std::fs::read(&link).unwrap(), b"new");
}
