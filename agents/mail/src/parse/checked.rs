//! A mail that was not parsed here: a caller gives it over HTTP, or it comes from a stored thread, which may have been
//! imported. It is held to what [`parse`](super::parse) gives: headers on one line, addresses and ids that can stand in
//! a header.

use super::{MAX_ID, MAX_SUBJECT, Mail, email, message_id, one_line};
use crate::address::Address;

/// How long the name of an address or of an attachment may be.
const MAX_NAME: usize = 998;

impl Mail {
    /// The mail with its texts on one line each; an id or an address that is none is what is wrong with it.
    pub(crate) fn checked(mut self) -> Result<Self, String> {
        let ids = self.message_id.iter_mut().map(|id| ("message_id", id));
        let ids = ids.chain(self.in_reply_to.iter_mut().map(|id| ("in_reply_to", id)));
        for (field, id) in ids.chain(self.references.iter_mut().map(|id| ("references", id))) {
            *id = message_id(id).ok_or_else(|| wrong(field, id, "id of a mail"))?;
        }
        let from = self.from.iter_mut().map(|it| ("from", it));
        let all = from.chain(self.reply_to.iter_mut().map(|it| ("reply_to", it)));
        let all = all.chain(self.to.iter_mut().map(|it| ("to", it)));
        for (field, address) in all.chain(self.cc.iter_mut().map(|it| ("cc", it))) {
            check_address(field, address)?;
        }
        self.subject = one_line(&self.subject, MAX_SUBJECT);
        for attachment in &mut self.attachments {
            attachment.media_type = one_line(&attachment.media_type, MAX_NAME);
            let name = attachment.name.take();
            attachment.name = name.map(|name| one_line(&name, MAX_NAME));
        }
        for link in &mut self.disguised_links {
            link.shown = one_line(&link.shown, MAX_NAME);
            link.target = one_line(&link.target, MAX_NAME);
        }
        for problem in &mut self.problems {
            *problem = one_line(problem, MAX_NAME);
        }
        Ok(self)
    }
}

/// Refuses an address that is none, and puts its name on one line.
pub(crate) fn check_address(field: &str, address: &mut Address) -> Result<(), String> {
    address.email = email(&address.email).ok_or_else(|| wrong(field, &address.email, "address"))?;
    let name = address.name.take().map(|name| one_line(&name, MAX_NAME));
    address.name = name.filter(|name| !name.is_empty());
    Ok(())
}

fn wrong(field: &str, value: &str, what: &str) -> String {
    let kept = value.len().min(MAX_ID);
    let value = one_line(super::clipped(value, kept), 80);
    format!("`{field}` of the mail is no {what}: `{value}`; nothing is sent with it")
}
