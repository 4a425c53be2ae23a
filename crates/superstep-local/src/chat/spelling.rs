//! Text from tokens: a character may be split over several of them, and is held back until it is whole.

/// A text that grows by bytes and is shown by whole characters.
#[derive(Default)]
pub(super) struct Spelling {
    held: Vec<u8>,
}

impl Spelling {
    /// Adds bytes, and returns the characters that are whole now. Bytes that can never become one
    /// show as a replacement character.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut shown = String::new();
        loop {
            match std::str::from_utf8(&self.held) {
                Ok(text) => {
                    shown.push_str(text);
                    self.held.clear();
                    return shown;
                }
                Err(error) => {
                    let (whole, rest) = self.held.split_at(error.valid_up_to());
                    shown.push_str(&String::from_utf8_lossy(whole));
                    let Some(wrong) = error.error_len() else {
                        self.held = rest.to_vec();
                        return shown;
                    };
                    shown.push(char::REPLACEMENT_CHARACTER);
                    self.held = rest.get(wrong..).unwrap_or_default().to_vec();
                }
            }
        }
    }

    /// What is left when no more bytes come.
    pub(super) fn finish(self) -> String {
        String::from_utf8_lossy(&self.held).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_split_over_tokens_is_held_back_until_it_is_whole() {
        let mut spelling = Spelling::default();
        assert_eq!(spelling.push(b"a\xf0\x9f"), "a");
        assert_eq!(spelling.push(b"\x98"), "");
        assert_eq!(spelling.push(b"\x80!"), "\u{1f600}!");
        assert_eq!(spelling.finish(), "");
    }

    #[test]
    fn bytes_that_are_no_character_are_replaced_and_the_rest_survives() {
        let mut spelling = Spelling::default();
        assert_eq!(spelling.push(b"\xffok\xc3"), "\u{fffd}ok");
        assert_eq!(spelling.push(b"("), "\u{fffd}(");
        let mut cut = Spelling::default();
        assert_eq!(cut.push(b"\xe2\x82"), "");
        assert_eq!(cut.finish(), "\u{fffd}");
    }
}
