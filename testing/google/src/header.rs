//! Headers of a mail: names, values, and the ids in them.
//!
//! Not shared with the client: a server that reads mail as its client does would not find what the
//! client gets wrong.

/// The headers of a mail in their order, their lines joined.
pub(crate) fn all(mail: &[u8]) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in mail.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        let line = String::from_utf8_lossy(line);
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = headers.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
    headers
}

/// The value of the first header with this name.
pub(crate) fn value(mail: &[u8], name: &str) -> Option<String> {
    let mut headers = all(mail).into_iter();
    let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(found.1)
}

/// The ids in a header such as `References`, without their brackets.
pub(crate) fn ids(text: &str) -> Vec<String> {
    text.split('<')
        .skip(1)
        .filter_map(|piece| piece.split_once('>'))
        .map(|(id, _)| id.trim().to_owned())
        .filter(|id| !id.is_empty())
        .collect()
}

/// Its own id, without brackets.
pub(crate) fn message_id(mail: &[u8]) -> Option<String> {
    let value = value(mail, "Message-ID")?;
    let bare = value.trim().trim_matches(['<', '>']).to_owned();
    let id = ids(&value).into_iter().next().unwrap_or(bare);
    Some(id).filter(|id| !id.is_empty())
}

/// The ids of the mails that a mail answers, the oldest first.
pub(crate) fn ancestors(mail: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for name in ["References", "In-Reply-To"] {
        for id in ids(&value(mail, name).unwrap_or_default()) {
            if !found.contains(&id) {
                found.push(id);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &[u8] =
        b"Message-ID: <a@b>\r\nReferences: <x@y>\r\n <z@y>\r\nIn-Reply-To: <z@y>\r\n\
        Subject: one\r\n two\r\n\r\nSubject: of the body\r\n";

    #[test]
    fn folded_lines_are_one_value_and_the_body_has_no_headers() {
        assert_eq!(value(MAIL, "subject").as_deref(), Some("one two"));
        assert_eq!(all(MAIL).len(), 4);
    }

    #[test]
    fn ids_lose_their_brackets() {
        assert_eq!(ids("<x@y> <z@y>"), ["x@y", "z@y"]);
        assert_eq!(ids("no id"), Vec::<String>::new());
    }

    #[test]
    fn ancestors_come_once_and_in_order() {
        assert_eq!(ancestors(MAIL), ["x@y", "z@y"]);
        assert_eq!(message_id(MAIL).as_deref(), Some("a@b"));
        assert_eq!(
            message_id(b"Message-ID: bare@b\n\n").as_deref(),
            Some("bare@b")
        );
    }
}
