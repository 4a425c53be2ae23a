//! The shared strings: texts that cells name by number.

use std::sync::Arc;

use crate::{
    error::Error,
    package::Package,
    sheet::Text,
    xml::{self, Token, Xml},
};

pub(super) fn read(package: &Package, part: &str) -> Result<Vec<Arc<Text>>, Error> {
    let Some(bytes) = package.part(part)? else {
        return Ok(Vec::new());
    };
    let text = xml::decode(part, &bytes)?;
    let mut xml = Xml::new(part, &text);
    let mut strings = Vec::new();
    while let Some(token) = xml.next()? {
        let (plain, rich) = match token {
            Token::Open(tag) if tag.local() == "si" => {
                let start = xml.end();
                let (plain, is_rich) = runs(&mut xml)?;
                let raw = xml.since(start);
                let inner = raw.rfind("</").and_then(|end| raw.get(..end));
                (plain, inner.filter(|_| is_rich).map(str::to_owned))
            }
            Token::Empty(tag) if tag.local() == "si" => (String::new(), None),
            _ => continue,
        };
        strings.push(Arc::new(Text {
            plain,
            shared: u32::try_from(strings.len()).ok(),
            rich,
        }));
    }
    Ok(strings)
}

/// The text of an entry without how it is pronounced, and whether it has formats.
pub(super) fn runs(xml: &mut Xml<'_>) -> Result<(String, bool), Error> {
    let mut text = String::new();
    let mut is_rich = false;
    let mut depth = 1_usize;
    while depth > 0 {
        match xml.next()? {
            Some(Token::Open(tag)) => match tag.local() {
                "t" => text.push_str(&xml.text()?),
                "rPh" => xml.skip()?,
                name => {
                    is_rich |= name == "r";
                    depth += 1;
                }
            },
            Some(Token::Close) => depth -= 1,
            Some(Token::Empty(_) | Token::Text(_)) => {}
            None => return Err(xml.cut_off()),
        }
    }
    Ok((xml::unescape_cell(text), is_rich))
}
