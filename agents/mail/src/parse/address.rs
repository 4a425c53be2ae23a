//! Address parsing in headers.

use crate::{Address, parse::one_line};

const MAX_ADDRESSES: usize = 500;

/// The addresses of a header; what is none is left out.
pub(super) fn addresses(header: Option<&mail_parser::Address<'_>>) -> Vec<Address> {
    let all = header.into_iter().flat_map(mail_parser::Address::iter);
    let read = all.take(MAX_ADDRESSES).filter_map(|one| {
        let name = one.name().map(|name| one_line(name, 200));
        Some(Address {
            email: email(one.address()?)?,
            name: name.filter(|name| !name.is_empty()),
        })
    });
    read.collect()
}

/// An address as it is used, if it is one.
pub(crate) fn email(text: &str) -> Option<String> {
    let text = text.trim();
    is_email(text).then(|| text.to_owned())
}

/// The address in `user@domain` or `Name <user@domain>`. What it is called is left out: whoever wrote the text may
/// call an address whatever they like.
pub(crate) fn named_email(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains(char::is_control) {
        return None;
    }
    let address = text
        .strip_suffix('>')
        .and_then(|text| text.rsplit_once('<'));
    email(address.map_or(text, |(_, address)| address))
}

/// Whether a text is `user@domain` in characters that every header and every server takes.
pub(crate) fn is_email(text: &str) -> bool {
    let Some((user, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let user_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte);
    let domain_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    (1..=64).contains(&user.len())
        && (1..=255).contains(&domain.len())
        && user.bytes().all(user_byte)
        && domain.bytes().all(domain_byte)
        && !domain.starts_with(['.', '-'])
        && !domain.ends_with(['.', '-'])
        && !domain.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_come_with_a_name_that_is_left_out() {
        let read = |text| named_email(text);
        for text in [
            "ann@example.org",
            " Ann <ann@example.org> ",
            "<ann@example.org>",
            "\"Ann, B.\" <ann@example.org>",
            "boss@example.org <ann@example.org>",
        ] {
            assert_eq!(read(text).as_deref(), Some("ann@example.org"), "{text}");
        }
        for bad in [
            "Ann",
            "Ann <ann>",
            "Ann <ann@example.org",
            "Ann ann@example.org>",
            "Ann <ann@example.org> and more",
            "x\r\nBcc: <ann@example.org>",
            "Ann <ann@example.org,eve@example.net>",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_what_fits_into_a_header_is_an_address() {
        for good in ["a@b", "ann.b+c@mail.example.org", "o'neil@example.org"] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "", "a", "@b", "a@", "a b@c", "a@b\r\nBcc: x@y", "a@b>", "<a@b", "a@b..c", "a@.b",
            "\"a b\"@c", "ä@b", "a@b,c@d",
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
