//! Idempotency keys and thread names: hashes that are equal on every attempt.
//!
//! A mail's own `Message-ID`, the key of a meeting and the name of a thread all follow from what
//! they belong to, so a second process, or a second attempt, comes to the same one.

use sha2::{Digest, Sha256};
use superstep::text::hex;

/// The hash of parts, each counted, so that no two lists of parts give the same bytes.
fn hash(parts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A key of 26 characters `0` to `9` and `a` to `v`: what calendars take as an id, and what may
/// stand in a file name or a `Message-ID`.
pub(crate) fn key(parts: &[&str]) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
    let (mut bits, mut count) = (0_u32, 0);
    let mut text = String::new();
    for byte in hash(parts).into_iter().take(17) {
        bits = (bits << 8) | u32::from(byte);
        count += 8;
        while count >= 5 && text.len() < 26 {
            count -= 5;
            let digit = (bits >> count) & 31;
            let digit = DIGITS.get(digit as usize).copied().unwrap_or(b'0');
            text.push(char::from(digit));
        }
        bits &= (1 << count) - 1;
    }
    text
}

/// How the names of the assistant's threads begin.
pub(crate) const PREFIX: &str = "mail-";

/// The name of the thread for the mails of one conversation: `mail-` and a UUID (version 8, which
/// is for hashes of one's own) of the mailbox's name for it.
pub fn thread_name(thread: &crate::ThreadKey) -> String {
    let mut bytes = [0_u8; 16];
    for (byte, hashed) in bytes.iter_mut().zip(hash(&["thread", &thread.0])) {
        *byte = hashed;
    }
    let [.., version, _, variant, _, _, _, _, _, _, _] = &mut bytes;
    *version = (*version & 0x0f) | 0x80;
    *variant = (*variant & 0x3f) | 0x80;
    let mut name = String::from(PREFIX);
    for (at, digit) in hex(&bytes).chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            name.push('-');
        }
        name.push(digit);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ThreadKey;

    #[test]
    fn keys_are_equal_for_equal_parts_and_fit_calendars() {
        let one = key(&["a", "bc"]);
        assert_eq!(one, key(&["a", "bc"]));
        assert_ne!(one, key(&["ab", "c"]));
        assert_eq!(one.len(), 26);
        assert!(
            one.bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'v').contains(&b))
        );
    }

    #[test]
    fn the_name_of_a_thread_is_a_uuid_and_stays() {
        let name = thread_name(&ThreadKey("<root@example.org>".into()));
        assert_eq!(name, thread_name(&ThreadKey("<root@example.org>".into())));
        assert_eq!(name.len(), "mail-".len() + 36);
        let parts: Vec<usize> = name.split('-').map(str::len).collect();
        assert_eq!(parts, [4, 8, 4, 4, 4, 12]);
        assert_eq!(
            name.split('-').nth(3).and_then(|it| it.chars().next()),
            Some('8')
        );
    }
}
