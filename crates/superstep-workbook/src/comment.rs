//! Comments of cells: read from their part, edited, and written back with the shapes that show them.

use crate::{
    address::CellRef,
    error::Error,
    package::Package,
    sheet::{Comment, Sheet},
    xml::{self, Token, Xml},
};

/// The most characters of a comment.
const MOST: usize = 32_767;

impl Sheet {
    /// Gives a cell another comment, or none.
    pub(crate) fn set_comment(
        &mut self,
        cell: CellRef,
        comment: Option<&Comment>,
    ) -> Result<(), String> {
        if self.threads {
            return Err(
                "the comments of this sheet are conversations, which are not changed".to_owned(),
            );
        }
        match comment {
            None if self.comments.remove(&cell).is_none() => {
                return Err(format!("{cell} has no comment"));
            }
            None => {}
            Some(comment) => {
                let length = comment.text.encode_utf16().count();
                if length == 0 || length > MOST {
                    return Err(format!(
                        "a comment has 1 to {MOST} characters, not {length}"
                    ));
                }
                self.comments
                    .insert(cell, Comment::new(&comment.text, &comment.author));
            }
        }
        self.changed.comments = true;
        Ok(())
    }
}

/// Reads the comments of a sheet from their part.
pub(crate) fn read(sheet: &mut Sheet, package: &Package, part: &str) -> Result<(), Error> {
    let Some(bytes) = package.part(part)? else {
        return Ok(());
    };
    let text = xml::decode(part, &bytes)?;
    let mut xml = Xml::new(part, &text);
    let mut authors: Vec<String> = Vec::new();
    while let Some(token) = xml.next()? {
        let Token::Open(tag) = token else {
            continue;
        };
        match tag.local() {
            "author" => authors.push(xml.text()?),
            "comment" => {
                let at = tag.get("ref").and_then(|at| at.parse::<CellRef>().ok());
                let author: Option<usize> = tag.number("authorId");
                let author = author.and_then(|at| authors.get(at)).cloned();
                let comment = Comment {
                    text: xml::unescape_cell(comment_text(&mut xml)?),
                    author: author.unwrap_or_default(),
                    stored: at,
                };
                if let Some(at) = at {
                    sheet.comments.insert(at, comment);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The text of the comment that was just opened: only what is in `t`, without readings of characters.
fn comment_text(xml: &mut Xml<'_>) -> Result<String, Error> {
    let mut text = String::new();
    let mut depth = 1_usize;
    while depth > 0 {
        match xml.next()? {
            Some(Token::Open(tag)) if tag.local() == "t" => text.push_str(&xml.text()?),
            Some(Token::Open(tag)) if tag.local() == "rPh" => xml.skip()?,
            Some(Token::Open(_)) => depth += 1,
            Some(Token::Close) => depth -= 1,
            Some(Token::Empty(_) | Token::Text(_)) => {}
            None => return Err(xml.cut_off()),
        }
    }
    Ok(text)
}
