//! Comments that were changed: their part, and the drawing with the shapes that show them.

use std::fmt::Write as _;

use crate::{
    address::CellRef,
    error::Error,
    frame::MAIN,
    package::Package,
    relations::{OFFICE, Relation, Target, declare, free_name, relate, relations},
    sheet::{Comment, Sheet},
    xml::{self, Piece, Token, Xml},
};

const COMMENTS: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml";
const DRAWING: &str = "application/vnd.openxmlformats-officedocument.vmlDrawing";

/// Writes the comments of a sheet, if they were changed.
pub(super) fn write(sheet: &Sheet, part: &str, package: &mut Package) -> Result<(), Error> {
    if !sheet.changed.comments {
        return Ok(());
    }
    let known = relations(package, part)?;
    let find = |kind: &str| {
        // A part that is not there has a name that nobody checked.
        let is_meant = |it: &&Relation| it.kind == kind && !it.is_external;
        let found = known.iter().filter(is_meant);
        let mut found = found.filter(|it| package.has(&it.target));
        found.next().map(|it| it.target.clone())
    };
    let (comments, drawing) = (find("comments"), find("vmlDrawing"));
    if sheet.comments.is_empty() && comments.is_none() {
        return Ok(());
    }
    let name = match comments {
        Some(name) => name,
        None => {
            let name = free_name(package, "xl/comments", ".xml");
            declare(package, &name, COMMENTS)?;
            relate(package, part, "comments", &Target::Part(&name))?;
            name
        }
    };
    let text = list(sheet, &name, package)?;
    package.set(&name, text.into_bytes());
    let name = match drawing {
        Some(name) => name,
        None => {
            let name = free_name(package, "xl/drawings/vmlDrawing", ".vml");
            declare(package, &name, DRAWING)?;
            let id = relate(package, part, "vmlDrawing", &Target::Part(&name))?;
            package.set(&name, EMPTY.as_bytes().to_vec());
            let element = format!("<legacyDrawing xmlns:r=\"{OFFICE}\" r:id=\"{id}\"/>");
            super::put(package, part, "legacyDrawing", element)?;
            name
        }
    };
    let bytes = package.part(&name)?.unwrap_or_default().into_owned();
    let text = shapes(sheet, &String::from_utf8_lossy(&bytes));
    package.set(&name, text.into_bytes());
    Ok(())
}

/// Where a comment of the part is now; none if it is gone or says something else.
fn moved(sheet: &Sheet, stored: CellRef) -> Option<CellRef> {
    // Most comments stay where they are.
    let is_meant = |comment: &Comment| comment.stored == Some(stored);
    if sheet.comments.get(&stored).is_some_and(is_meant) {
        return Some(stored);
    }
    let mut comments = sheet.comments.iter();
    comments
        .find(|(_, comment)| is_meant(comment))
        .map(|(at, _)| *at)
}

/// The part of the comments. Those that are as they were read stay as they are written.
fn list(sheet: &Sheet, name: &str, package: &Package) -> Result<String, Error> {
    let mut authors: Vec<String> = Vec::new();
    let mut kept: Vec<(CellRef, String)> = Vec::new();
    let bytes = package.part(name)?;
    let old = match &bytes {
        Some(bytes) => xml::decode(name, bytes)?,
        None => "".into(),
    };
    let mut reader = Xml::new(name, &old);
    while let Some(token) = reader.next()? {
        let Token::Open(tag) = token else {
            continue;
        };
        match tag.local() {
            "author" => authors.push(reader.text()?),
            "comment" => {
                let start = reader.start();
                reader.skip()?;
                let at = tag.get("ref").and_then(|at| at.parse::<CellRef>().ok());
                let now = at.and_then(|at| moved(sheet, at));
                // A prefix would be bound by the old root.
                let is_plain = !tag.name().contains(':');
                if let Some(now) = now.filter(|_| is_plain) {
                    let raw = reader.since(start);
                    let raw = xml::map(name, raw, &[], |element, piece| match piece {
                        Piece::Attribute("ref", _) if element == "comment" => Some(now.to_string()),
                        _ => None,
                    })?;
                    kept.push((now, raw));
                }
            }
            _ => {}
        }
    }
    let mut items = String::new();
    for (at, comment) in &sheet.comments {
        if let Some((_, raw)) = kept.iter().find(|(known, _)| known == at) {
            items.push_str(raw);
            continue;
        }
        let author = authors.iter().position(|it| *it == comment.author);
        let author = author.unwrap_or_else(|| {
            authors.push(comment.author.clone());
            authors.len() - 1
        });
        let _ = write!(
            items,
            "<comment ref=\"{at}\" authorId=\"{author}\"><text><r><t xml:space=\"preserve\">"
        );
        xml::escape(&mut items, &xml::escape_cell(&comment.text));
        items.push_str("</t></r></text></comment>");
    }
    let mut list = String::new();
    for author in &authors {
        list.push_str("<author>");
        xml::escape(&mut list, author);
        list.push_str("</author>");
    }
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<comments xmlns=\"{MAIN}\">\
         <authors>{list}</authors><commentList>{items}</commentList></comments>"
    ))
}

const EMPTY: &str = "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\" \
    xmlns:o=\"urn:schemas-microsoft-com:office:office\" xmlns:x=\"urn:schemas-microsoft-com:office:excel\">\
    <o:shapelayout v:ext=\"edit\"><o:idmap v:ext=\"edit\" data=\"1\"/></o:shapelayout>\
    <v:shapetype id=\"_x0000_t202\" coordsize=\"21600,21600\" o:spt=\"202\" path=\"m,l,21600r21600,l21600,xe\">\
    <v:stroke joinstyle=\"miter\"/><v:path gradientshapeok=\"t\" o:connecttype=\"rect\"/></v:shapetype></xml>";

/// The drawing with a shape for each comment: shapes of comments that are gone are left out. Drawings
/// of this kind are not always well-formed, so their text is searched and not read.
fn shapes(sheet: &Sheet, old: &str) -> String {
    // Shapes of other prefixes are not found here; if all of them show comments, they are made anew.
    let notes = old.matches("ObjectType=\"Note\"").count();
    let has_only_notes = notes == old.matches("ObjectType=").count();
    let old = match has_only_notes && !old.contains("<v:shape ") {
        true => EMPTY,
        false => old,
    };
    let mut out = String::with_capacity(old.len());
    let mut shown: Vec<CellRef> = Vec::new();
    let mut rest = old;
    while let Some(start) = rest.find("<v:shape ") {
        let Some(length) = rest.get(start..).and_then(|it| it.find("</v:shape>")) else {
            break;
        };
        let end = start + length + "</v:shape>".len();
        let shape = rest.get(start..end).unwrap_or_default();
        out.push_str(rest.get(..start).unwrap_or_default());
        let at = place(shape).filter(|_| shape.contains("\"Note\""));
        match at {
            None => out.push_str(shape),
            Some(at) => {
                // A comment that was replaced is shown where the old one was.
                let new = || sheet.comments.get(&at).filter(|it| it.stored.is_none());
                if let Some(now) = moved(sheet, at).or_else(|| new().map(|_| at)) {
                    shown.push(now);
                    out.push_str(&placed(shape, at, now));
                }
            }
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    let new: String = (1..)
        .zip(sheet.comments.keys().filter(|at| !shown.contains(at)))
        .map(|(number, at)| shape(*at, number))
        .collect();
    match out.rfind("</xml>").map(|end| out.split_at(end)) {
        Some((before, after)) => format!("{before}{new}{after}"),
        None => out,
    }
}

/// A shape that goes with its cell.
fn placed(shape: &str, from: CellRef, to: CellRef) -> String {
    if from == to {
        return shape.to_owned();
    }
    let mut text = shape.to_owned();
    let mut put = |name: &str, change: &dyn Fn(&str) -> Option<String>| {
        let (open, close) = (format!("<x:{name}>"), format!("</x:{name}>"));
        let Some(start) = text.find(&open).map(|at| at + open.len()) else {
            return;
        };
        let Some(length) = text.get(start..).and_then(|rest| rest.find(&close)) else {
            return;
        };
        if let Some(new) = text.get(start..start + length).and_then(change) {
            text.replace_range(start..start + length, &new);
        }
    };
    put("Row", &|_| Some((to.row - 1).to_string()));
    put("Column", &|_| Some((to.column - 1).to_string()));
    // Left column, offset, top row, offset, right column, offset, bottom row, offset.
    put("Anchor", &|anchor| {
        let numbers: Option<Vec<i64>> =
            anchor.split(',').map(|it| it.trim().parse().ok()).collect();
        let mut numbers = numbers.filter(|it| it.len() == 8)?;
        let down = i64::from(to.row) - i64::from(from.row);
        let right = i64::from(to.column) - i64::from(from.column);
        for (place, number) in numbers.iter_mut().enumerate() {
            match place {
                0 | 4 => *number = (*number + right).max(0),
                2 | 6 => *number = (*number + down).max(0),
                _ => {}
            }
        }
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        Some(numbers.join(", "))
    });
    text
}

/// The cell of a shape, which counts from 0.
fn place(shape: &str) -> Option<CellRef> {
    let number = |name: &str| {
        let (_, rest) = shape.split_once(&format!("<x:{name}>"))?;
        let (number, _) = rest.split_once('<')?;
        number.trim().parse::<u32>().ok()
    };
    CellRef::new(
        number("Row")?.checked_add(1)?,
        number("Column")?.checked_add(1)?,
    )
}

fn shape(at: CellRef, number: usize) -> String {
    let (row, column) = (at.row - 1, at.column - 1);
    format!(
        "<v:shape xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" \
         xmlns:x=\"urn:schemas-microsoft-com:office:excel\" id=\"_x0000_s9{row}_{column}_{number}\" type=\"#_x0000_t202\" \
         style=\"position:absolute;margin-left:59pt;margin-top:2pt;width:144pt;height:79pt;z-index:{number};\
         visibility:hidden\" fillcolor=\"#ffffe1\" o:insetmode=\"auto\"><v:fill color2=\"#ffffe1\"/>\
         <v:shadow color=\"black\" obscured=\"t\"/><v:path o:connecttype=\"none\"/><v:textbox \
         style=\"mso-direction-alt:auto\"><div style=\"text-align:left\"></div></v:textbox>\
         <x:ClientData ObjectType=\"Note\"><x:MoveWithCells/><x:SizeWithCells/><x:AutoFill>False</x:AutoFill>\
         <x:Row>{row}</x:Row><x:Column>{column}</x:Column></x:ClientData></v:shape>"
    )
}
