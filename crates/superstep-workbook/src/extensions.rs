//! What later versions added to a sheet: validations, conditional formats and sparklines in its list of extensions, whose
//! areas are texts of elements. They move with their cells, and are told apart by their kinds.

use crate::{
    error::Error,
    xml::{self, Piece, Token, Xml},
};

/// Elements that have areas, and what they are.
const ITEMS: [(&str, &str); 3] = [
    ("dataValidation", "extended validation"),
    ("conditionalFormatting", "extended conditional format"),
    ("sparkline", "sparkline"),
];

/// Elements that are nothing without something in them.
const LISTS: [&str; 7] = [
    "dataValidations", "conditionalFormattings", "sparklines", "sparklineGroup", "sparklineGroups",
    "ext", "extLst",
];

/// Something of an extension.
pub(crate) struct Extended {
    pub(crate) kind: &'static str,
    /// Its areas.
    pub(crate) at: String,
    /// Its formulas.
    pub(crate) what: String,
}

/// What a list of extensions has that has areas.
pub(crate) fn items(raw: &str) -> Result<Vec<Extended>, Error> {
    let mut found: Vec<Extended> = Vec::new();
    let mut xml = Xml::new("sheet", raw);
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close | Token::Text(_) => continue,
        };
        if let Some(&(_, kind)) = ITEMS.iter().find(|(name, _)| *name == tag.local()) {
            found.push(Extended {
                kind,
                at: String::new(),
                what: tag.get("type").unwrap_or_default().into_owned(),
            });
            continue;
        }
        let Some(last) = found.last_mut() else {
            continue;
        };
        match tag.local() {
            "sqref" if is_open => last.at = xml.text()?.trim().to_owned(),
            name @ ("f" | "cfRule") => {
                let what = match name {
                    "f" if is_open => xml.text()?,
                    "f" => String::new(),
                    _ => tag.get("type").unwrap_or_default().into_owned(),
                };
                if !what.is_empty() {
                    let comma = if last.what.is_empty() { "" } else { ", " };
                    last.what.push_str(&format!("{comma}{what}"));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A list of extensions with its areas moved; none if nothing is left. What has no area any more goes.
pub(crate) fn moved(raw: &str, areas: &dyn Fn(&str) -> String) -> Result<Option<String>, Error> {
    let is_gone = |item: &str| -> Result<bool, Error> {
        let mut is_gone = false;
        xml::map("sheet", item, &["sqref"], |_, piece| {
            if let Piece::Text(text) = piece {
                is_gone = areas(text).is_empty();
            }
            None
        })?;
        Ok(is_gone)
    };
    let is_item = |name: &str| ITEMS.iter().any(|(known, _)| *known == name);
    let mut kept = without(raw, |name, item| match is_item(name) {
        true => is_gone(item),
        false => Ok(false),
    })?;
    // Lists in lists: as deep as they are.
    for _ in 0..LISTS.len() {
        kept = without(&kept, |name, list| {
            Ok(LISTS.contains(&name) && !has_child(list)?)
        })?;
    }
    if kept.trim().is_empty() {
        return Ok(None);
    }
    let moved = xml::map("sheet", &kept, &["sqref"], |_, piece| match piece {
        Piece::Text(text) => Some(areas(text)),
        Piece::Attribute(..) => None,
    })?;
    counted(&moved).map(Some)
}

/// A list of extensions without those that lead to other parts.
pub(crate) fn untied(raw: &str) -> Result<String, Error> {
    without(raw, |name, element| {
        if name != "ext" {
            return Ok(false);
        }
        let mut xml = Xml::new("sheet", element);
        while let Some(token) = xml.next()? {
            if let Token::Open(tag) | Token::Empty(tag) = token
                && tag.attributes().any(|(key, _)| key.ends_with(":id"))
            {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

/// A text without the elements that are to go, with all that is in them.
fn without(
    raw: &str,
    is_gone: impl Fn(&str, &str) -> Result<bool, Error>,
) -> Result<String, Error> {
    let mut out = String::with_capacity(raw.len());
    let mut copied = 0;
    let mut xml = Xml::new("sheet", raw);
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close | Token::Text(_) => continue,
        };
        if !LISTS.contains(&tag.local()) && !ITEMS.iter().any(|(name, _)| *name == tag.local()) {
            continue;
        }
        let (start, after) = (xml.start(), xml.end());
        let end = match is_open {
            true => end_of(raw, start)?,
            false => after,
        };
        let element = raw.get(start..end).unwrap_or_default();
        if start >= copied && is_gone(tag.local(), element)? {
            out.push_str(raw.get(copied..start).unwrap_or_default());
            copied = end;
            if is_open {
                xml.skip()?;
            }
        }
    }
    out.push_str(raw.get(copied..).unwrap_or_default());
    Ok(out)
}

/// Where an element ends that begins at a place.
fn end_of(raw: &str, start: usize) -> Result<usize, Error> {
    let mut xml = Xml::new("sheet", raw.get(start..).unwrap_or_default());
    if let Some(Token::Open(_)) = xml.next()? {
        xml.skip()?;
    }
    Ok(start + xml.end())
}

fn has_child(element: &str) -> Result<bool, Error> {
    let mut xml = Xml::new("sheet", element);
    let mut count = 0;
    while let Some(token) = xml.next()? {
        count += usize::from(matches!(token, Token::Open(_) | Token::Empty(_)));
        if count > 1 {
            return Ok(true);
        }
        if matches!(token, Token::Close) {
            break;
        }
    }
    Ok(false)
}

/// The lists of validations with how many they have.
fn counted(raw: &str) -> Result<String, Error> {
    let mut counts = Vec::new();
    let mut xml = Xml::new("sheet", raw);
    while let Some(token) = xml.next()? {
        if let Token::Open(tag) | Token::Empty(tag) = token {
            match tag.local() {
                "dataValidations" => counts.push(0_usize),
                "dataValidation" => {
                    if let Some(last) = counts.last_mut() {
                        *last += 1;
                    }
                }
                _ => {}
            }
        }
    }
    let mut counts = counts.into_iter();
    xml::map("sheet", raw, &[], |element, piece| match piece {
        Piece::Attribute("count", _) if element == "dataValidations" => {
            counts.next().map(|count| count.to_string())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "<extLst><ext uri=\"{1}\" xmlns:x14=\"a\"><x14:dataValidations xmlns:xm=\"b\" count=\"2\">\
        <x14:dataValidation type=\"list\"><x14:formula1><xm:f>Tab!$A$2</xm:f></x14:formula1><xm:sqref>A5:A9</xm:sqref>\
        </x14:dataValidation><x14:dataValidation type=\"custom\"><xm:sqref>B1</xm:sqref></x14:dataValidation>\
        </x14:dataValidations></ext><ext uri=\"{2}\"><x14:sparklineGroups xmlns:xm=\"b\"><x14:sparklineGroup>\
        <x14:sparklines><x14:sparkline><xm:f>S!A1</xm:f><xm:sqref>D1</xm:sqref></x14:sparkline></x14:sparklines>\
        </x14:sparklineGroup></x14:sparklineGroups></ext><ext uri=\"{3}\"><x15:other/></ext></extLst>";

    #[test]
    fn areas_move_and_what_has_none_goes_with_its_list() {
        let kinds: Vec<String> = items(LIST)
            .unwrap()
            .into_iter()
            .map(|it| format!("{} {} ({})", it.kind, it.at, it.what))
            .collect();
        assert_eq!(
            kinds,
            [
                "extended validation A5:A9 (list, Tab!$A$2)",
                "extended validation B1 (custom)",
                "sparkline D1 (S!A1)",
            ]
        );
        let keep = |text: &str| match text {
            "A5:A9" => "A7:A11".to_owned(),
            _ => String::new(),
        };
        let left = moved(LIST, &keep).unwrap().unwrap();
        assert!(left.contains("<xm:sqref>A7:A11</xm:sqref>"), "{left}");
        assert!(
            left.contains("count=\"1\"") && left.contains("<x15:other/>"),
            "{left}"
        );
        assert!(
            !left.contains("sparkline") && !left.contains("B1") && !left.contains("{2}"),
            "{left}"
        );
        let only = "<extLst><ext uri=\"{2}\"><a:sparkline><b:sqref>D1</b:sqref></a:sparkline></ext></extLst>";
        assert_eq!(moved(only, &keep).unwrap(), None);
    }
}
