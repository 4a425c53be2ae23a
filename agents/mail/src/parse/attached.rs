//! Attached files of a mail, decoded.

use superstep::text::sanitize;

use super::{MAX_ATTACHMENTS, Mail, attachment, clipped, decode, mime::Media, on_own_stack, scan};
use crate::MailError;

/// A file that comes with a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedFile {
    /// Its name, on one line.
    pub name: Option<String>,
    /// Its media type.
    pub media_type: String,
    /// The character set that it names.
    pub charset: Option<String>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The files that a mail lists, in its order. One that is not encoded as it says is an error.
pub fn attached_files(bytes: &[u8]) -> Result<Vec<AttachedFile>, MailError> {
    on_own_stack(|| {
        let parts = scan::scan(bytes)?;
        let listed = parts.all.iter().filter(|part| part.is_listed);
        let files = listed.take(MAX_ATTACHMENTS).map(|part| {
            let about = attachment(part);
            let (bytes, is_broken) = decode::whole(part);
            if is_broken {
                let name = about.name.as_deref().unwrap_or("(no name)");
                return Err(MailError::Malformed {
                    what: format!("the attachment `{name}`"),
                    why: "it is not encoded as it says".into(),
                });
            }
            Ok(AttachedFile {
                name: about.name,
                media_type: about.media_type,
                charset: part.head.charset.clone(),
                bytes,
            })
        });
        files.collect()
    })?
}

impl AttachedFile {
    /// The text of a file that is text, or why there is none.
    pub(crate) fn text(&self) -> Result<String, String> {
        let name = self.name.as_deref().unwrap_or_default();
        let end = name
            .rsplit_once('.')
            .map(|(_, end)| end.to_ascii_lowercase());
        let end = end.unwrap_or_default();
        let media = match (self.media_type.as_str(), end.as_str()) {
            ("message/rfc822", _) | (_, "eml") => return self.mail(),
            ("text/html" | "application/xhtml+xml", _) | (_, "html" | "htm") => Media::Html,
            (kind, _) if kind.starts_with("text/") => Media::Plain,
            ("application/ics" | "application/json" | "application/xml", _) => Media::Plain,
            (_, "txt" | "csv" | "tsv" | "ics" | "md" | "json" | "xml" | "log") => Media::Plain,
            (kind, _) => {
                return Err(format!(
                    "it is `{kind}`: only text, HTML, CSV, JSON, calendar files and attached mails can be read"
                ));
            }
        };
        let text = decode::readable(&self.bytes, media, self.charset.as_deref());
        Ok(sanitize(&text))
    }

    /// An attached mail: its sender, its subject, what it says.
    fn mail(&self) -> Result<String, String> {
        let mail: Mail = super::parse(&self.bytes).map_err(|error| error.to_string())?;
        let from = mail.from.map(|from| from.to_string()).unwrap_or_default();
        let text = format!("From: {from}\nSubject: {}\n\n{}", mail.subject, mail.text);
        Ok(clipped(&sanitize(&text), super::MAX_TEXT).to_owned())
    }
}
