//! Encryption: XChaCha20-Poly1305, with the place of a body as associated data.
//!
//! ```
//! use superstep_sqlite::{Options, cipher::Key};
//!
//! let key = Key::from_bytes([7; 32]);
//! let options = Options { key: Some(key), ..Options::default() };
//! ```
//!
//! What steps and notes hold is encrypted, layouts and large texts too. Names of threads and
//! namespaces, ids, times, sizes and the hashes of large texts are not. `docs/sqlite.md` says more.

use std::{fmt, sync::Arc};

use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Generate, Payload},
};
use superstep_core::error::SaverError;

/// Bytes of the nonce, which precedes the ciphertext. It is random: 192 bits do not collide.
const NONCE: usize = 24;

/// The key of a database: 32 secret bytes. It is zeroed in memory when the last clone is dropped.
#[derive(Clone)]
pub struct Key(Arc<XChaCha20Poly1305>);

/// Text is not a key.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// It is too short or too long.
    #[error("a key has 64 digits, not {0}")]
    Length(usize),
    /// It has something else than digits.
    #[error("a key has only the digits 0 to 9 and a to f")]
    Digit,
}

impl Key {
    /// The key with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Arc::new(XChaCha20Poly1305::new(&bytes.into())))
    }

    /// The key with these bytes, as 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        let count = text.chars().count();
        if count != 64 {
            return Err(KeyError::Length(count));
        }
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|digit| u8::try_from(digit.to_digit(16)?).ok())
            .collect();
        let digits = digits.ok_or(KeyError::Digit)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
        }
        Ok(Self::from_bytes(bytes))
    }

    /// A keyed name for content with this hash, which says nothing without the key.
    ///
    /// The plaintext is constant and the nonce depends on the hash, so the name is a pseudo-random
    /// function of it. Random nonces do not end in zeros.
    pub(crate) fn name(&self, hash: u128) -> u128 {
        let mut nonce = [0; NONCE];
        for (byte, from) in nonce.iter_mut().zip(hash.to_be_bytes()) {
            *byte = from;
        }
        let encrypted = self.0.encrypt(&XNonce::from(nonce), [0; 16].as_slice());
        let name = encrypted.ok().and_then(|name| name.first_chunk().copied());
        // Only too much data cannot be encrypted.
        name.map_or(hash, u128::from_be_bytes)
    }

    /// Encrypts bytes, so that they open only together with `place`.
    pub(crate) fn encrypt(&self, bytes: &[u8], place: &[u8]) -> Result<Vec<u8>, SaverError> {
        let failed = |why: &dyn fmt::Display| SaverError::Io(format!("encryption failed: {why}"));
        let nonce = XNonce::try_generate().map_err(|error| failed(&error))?;
        let payload = Payload {
            msg: bytes,
            aad: place,
        };
        let encrypted = self.0.encrypt(&nonce, payload);
        let mut out = Vec::with_capacity(NONCE + 16 + bytes.len());
        out.extend_from_slice(&nonce);
        out.extend(encrypted.map_err(|error| failed(&error))?);
        Ok(out)
    }

    /// Decrypts bytes, if this is their key and their place.
    pub(crate) fn decrypt(&self, bytes: &[u8], place: &[u8]) -> Option<Vec<u8>> {
        let (nonce, bytes) = bytes.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: bytes,
            aad: place,
        };
        self.0.decrypt(&XNonce::from(*nonce), payload).ok()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encrypted_opens_with_its_key_at_its_place() {
        let key = Key::from_bytes([1; 32]);
        let other = Key::from_bytes([2; 32]);
        for len in [0, 1, 1000] {
            let bytes = vec![5; len];
            let encrypted = key.encrypt(&bytes, b"here").unwrap();
            assert_eq!(key.decrypt(&encrypted, b"here"), Some(bytes));
            assert_eq!(key.decrypt(&encrypted, b"there"), None);
            assert_eq!(other.decrypt(&encrypted, b"here"), None);
            for at in 0..encrypted.len() {
                let mut damaged = encrypted.clone();
                damaged[at] ^= 1;
                assert_eq!(key.decrypt(&damaged, b"here"), None);
            }
            for short in 0..encrypted.len() {
                assert_eq!(key.decrypt(&encrypted[..short], b"here"), None);
            }
        }
    }

    #[test]
    fn the_same_bytes_never_look_the_same() {
        let key = Key::from_bytes([1; 32]);
        let [one, two] = [0, 1].map(|_| key.encrypt(b"text", b"here").unwrap());
        assert_ne!(one, two);
    }

    #[test]
    fn a_key_can_be_given_as_text() {
        let bytes: [u8; 32] = std::array::from_fn(|n| n as u8 * 8 + 1);
        let text: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let encrypted = Key::from_bytes(bytes).encrypt(b"text", b"").unwrap();
        let key = Key::from_hex(&text).unwrap();
        assert_eq!(key.decrypt(&encrypted, b"").as_deref(), Some(&b"text"[..]));
        assert_eq!(Key::from_hex("00").err(), Some(KeyError::Length(2)));
        assert_eq!(Key::from_hex(&"g".repeat(64)).err(), Some(KeyError::Digit));
        assert_eq!(Key::from_hex(&"ä".repeat(64)).err(), Some(KeyError::Digit));
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = Key::from_bytes([0xab; 32]);
        assert_eq!(format!("{key:?}"), "Key(..)");
    }
}
