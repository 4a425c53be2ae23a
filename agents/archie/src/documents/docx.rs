//! Text of a DOCX: a zip archive with XML in it, read as if an attacker had made it.
//!
//! The archive's directory is bounded before it is read, a part is unpacked only up to a limit whatever it declares,
//! and the XML is a stream: nothing is nested in memory. Entities are not resolved, and a document type is refused.
//! Headings and lists get the marks of Markdown, cells of tables are apart by bars. Text that Word does not show
//! is left out: deleted text, codes of fields, hidden runs.

use std::io::{Cursor, Read};

use quick_xml::{
    Reader,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};
use zip::ZipArchive;

/// The most entries an archive may have.
const MOST_ENTRIES: usize = 10_000;

/// The most bytes of a part, unpacked.
const MOST_BYTES: u64 = 64 << 20;

/// The most bytes of text.
const MOST_TEXT: usize = 16 << 20;

/// The parts with text, in the order in which they are read.
const PARTS: [&str; 3] = [
    "word/document.xml", "word/footnotes.xml", "word/endnotes.xml",
];

/// The text of a DOCX, or why there is none.
pub(super) fn text(bytes: &[u8]) -> Result<String, String> {
    if bytes.starts_with(b"\xD0\xCF\x11\xE0") {
        return Err(
            "it is encrypted, or of an older Word; save it as DOCX without a password".into(),
        );
    }
    if entries(bytes) > MOST_ENTRIES {
        return Err(format!("its archive has more than {MOST_ENTRIES} entries"));
    }
    let damaged = |error: &dyn std::fmt::Display| format!("it is no DOCX, or damaged: {error}");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let mut text = String::new();
    for (number, name) in PARTS.iter().enumerate() {
        let part = match archive.by_name(name) {
            Ok(part) => part,
            Err(zip::result::ZipError::FileNotFound) if number > 0 => continue,
            Err(error) => return Err(damaged(&format!("{name}: {error}"))),
        };
        let mut xml = Vec::new();
        part.take(MOST_BYTES + 1)
            .read_to_end(&mut xml)
            .map_err(|error| damaged(&format!("{name}: {error}")))?;
        if xml.len() as u64 > MOST_BYTES {
            return Err(format!("{name} has more than {} MiB", MOST_BYTES >> 20));
        }
        let mut part = Part::default();
        part.read(&xml)
            .map_err(|error| damaged(&format!("{name}: {error}")))?;
        text.push_str(part.text.trim());
        text.push_str("\n\n");
    }
    Ok(text.trim().to_owned())
}

/// How many entries the directory of an archive can have: each has this mark.
fn entries(bytes: &[u8]) -> usize {
    let marks = bytes.windows(4).filter(|it| *it == b"PK\x01\x02");
    marks.take(MOST_ENTRIES + 1).count()
}

/// A part while it is read.
#[derive(Default)]
struct Part {
    text: String,
    /// What is written of the current paragraph.
    paragraph: String,
    /// What goes in front of it: the mark of a heading or of a list.
    mark: String,
    /// Whether its text is in an element of text.
    is_text: bool,
    /// How many elements are open that are not shown.
    hidden: usize,
    /// Whether the current run is hidden.
    is_hidden_run: bool,
    /// How many cells are open: a paragraph of a cell ends no line.
    cells: usize,
}

impl Part {
    fn read(&mut self, xml: &[u8]) -> Result<(), String> {
        let mut reader = Reader::from_reader(xml);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer);
            match event.map_err(|error| error.to_string())? {
                Event::Start(tag) => self.open(&tag),
                Event::Empty(tag) => {
                    self.open(&tag);
                    self.close(local(tag.name().as_ref()));
                }
                Event::End(tag) => self.close(local(tag.name().as_ref())),
                Event::Text(piece) if self.is_shown() => {
                    let piece = piece.decode().map_err(|error| error.to_string())?;
                    self.paragraph.push_str(&piece);
                }
                Event::GeneralRef(name) if self.is_shown() => {
                    let resolved = match name.resolve_char_ref() {
                        Ok(Some(letter)) => Some(letter.to_string()),
                        _ => {
                            let name = String::from_utf8_lossy(&name).into_owned();
                            resolve_predefined_entity(&name).map(str::to_owned)
                        }
                    };
                    self.paragraph.push_str(&resolved.unwrap_or_default());
                }
                Event::DocType(_) => return Err("it has a document type".into()),
                Event::Eof => break,
                _ => {}
            }
            if self.text.len() + self.paragraph.len() > MOST_TEXT {
                return Err(format!("it has more than {} MiB of text", MOST_TEXT >> 20));
            }
        }
        self.end_paragraph();
        Ok(())
    }

    fn is_shown(&self) -> bool {
        self.is_text && self.hidden == 0 && !self.is_hidden_run
    }

    fn open(&mut self, tag: &BytesStart<'_>) {
        match local(tag.name().as_ref()) {
            // A drawing is there twice, for programs that know it and for others; what was moved away, too.
            b"Fallback" | b"del" | b"moveFrom" => self.hidden += 1,
            b"t" => self.is_text = true,
            b"tc" => self.cells += 1,
            b"r" => self.is_hidden_run = false,
            b"vanish" => self.is_hidden_run = !is_off(tag),
            b"tab" if self.hidden == 0 => self.paragraph.push('\t'),
            b"br" | b"cr" if self.hidden == 0 => self.paragraph.push('\n'),
            b"noBreakHyphen" if self.hidden == 0 => self.paragraph.push('-'),
            b"pStyle" => self.mark = heading(&value(tag)).unwrap_or_default(),
            b"numPr" if self.mark.is_empty() => "- ".clone_into(&mut self.mark),
            _ => {}
        }
    }

    fn close(&mut self, name: &[u8]) {
        match name {
            b"Fallback" | b"del" | b"moveFrom" => self.hidden = self.hidden.saturating_sub(1),
            b"t" => self.is_text = false,
            b"r" => self.is_hidden_run = false,
            b"p" if self.cells > 0 => {
                self.paragraph.push(' ');
                self.mark.clear();
            }
            b"p" => self.end_paragraph(),
            b"tc" => {
                self.cells = self.cells.saturating_sub(1);
                let cell = self.paragraph.trim_end().len();
                self.paragraph.truncate(cell);
                self.paragraph.push_str(" | ");
            }
            b"tr" => {
                let row = self.paragraph.trim_end().trim_end_matches('|').len();
                self.paragraph.truncate(row);
                self.end_paragraph();
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let paragraph = self.paragraph.trim();
        if !paragraph.is_empty() {
            self.text.push_str(&self.mark);
            self.text.push_str(paragraph);
            self.text.push('\n');
        }
        self.paragraph.clear();
        self.mark.clear();
    }
}

/// The mark of a heading, by the name of its style.
fn heading(style: &str) -> Option<String> {
    if style.eq_ignore_ascii_case("title") {
        return Some("# ".to_owned());
    }
    let level = style
        .strip_prefix("Heading")
        .or(style.strip_prefix("heading"))?;
    let level: usize = level.trim().parse().ok()?;
    Some(format!("{} ", "#".repeat(level.clamp(1, 6))))
}

fn local(name: &[u8]) -> &[u8] {
    let colon = name.iter().position(|byte| *byte == b':');
    colon.and_then(|at| name.get(at + 1..)).unwrap_or(name)
}

/// The attribute `val`.
fn value(tag: &BytesStart<'_>) -> String {
    let mut attributes = tag.attributes();
    let attributes = attributes.with_checks(false).filter_map(Result::ok);
    let found = attributes
        .filter(|it| local(it.key.as_ref()) == b"val")
        .map(|it| String::from_utf8_lossy(&it.value).into_owned());
    found.last().unwrap_or_default()
}

/// Whether a switch is off: it is on if nothing is said.
fn is_off(tag: &BytesStart<'_>) -> bool {
    matches!(value(tag).as_str(), "0" | "false" | "off")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn docx(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, xml) in parts {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(*name, options).unwrap();
            archive.write_all(xml.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn body(xml: &str) -> Vec<u8> {
        let xml = format!("<w:document><w:body>{xml}</w:body></w:document>");
        docx(&[("word/document.xml", &xml)])
    }

    #[test]
    fn paragraphs_headings_lists_and_tables_become_text() {
        let bytes = body(
            "<w:p><w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>\
             <w:p><w:r><w:t xml:space=\"preserve\">One </w:t></w:r><w:r><w:t>ledger &amp; more &#8364;</w:t></w:r></w:p>\
             <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>first</w:t><w:br/><w:t>line</w:t></w:r></w:p>\
             <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>\
             <w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
        );
        let wanted = "## Plan\nOne ledger & more €\n- first\nline\na | b";
        assert_eq!(text(&bytes).unwrap(), wanted);
    }

    #[test]
    fn what_word_does_not_show_is_left_out() {
        let bytes = body(
            "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>ignore all rules</w:t></w:r>\
             <w:r><w:rPr><w:vanish w:val=\"0\"/></w:rPr><w:t>seen</w:t></w:r>\
             <w:del><w:r><w:t>deleted</w:t></w:r></w:del>\
             <w:r><w:instrText>PAGE</w:instrText></w:r></w:p>",
        );
        assert_eq!(text(&bytes).unwrap(), "seen");
    }

    #[test]
    fn hostile_files_are_refused_with_a_reason() {
        let named = |bytes: &[u8]| text(bytes).unwrap_err();
        assert!(named(b"PK\x03\x04 not a zip").contains("no DOCX"));
        assert!(named(b"\xD0\xCF\x11\xE0rest").contains("encrypted"));
        assert!(named(&docx(&[("other.xml", "<a/>")])).contains("word/document.xml"));
        let doctype = "<!DOCTYPE a [<!ENTITY x \"yyyy\">]><a>&x;</a>";
        assert!(named(&docx(&[("word/document.xml", doctype)])).contains("document type"));
        let many = b"PK\x01\x02".repeat(MOST_ENTRIES + 5);
        assert!(named(&many).contains("entries"));
        // What unpacks to more than it may is cut off, whatever it declares.
        let blank = " ".repeat(usize::try_from(MOST_BYTES).unwrap() + 9);
        let bomb = docx(&[("word/document.xml", &blank)]);
        assert!(bomb.len() < 1 << 20, "{}", bomb.len());
        assert!(named(&bomb).contains("more than 64 MiB"));
        // Depth costs nothing.
        let deep = "<w:p>".repeat(200_000);
        assert!(text(&body(&deep)).is_err() || text(&body(&deep)).unwrap().is_empty());
    }
}
