//! Sealing of stored bodies: a checksum, and encryption if there is a key.
//!
//! A file is encrypted as a whole or not at all, and records which ([`Seal::mark`]), so that opening
//! it without its key, or with another one, fails at once.

use std::{borrow::Cow, fmt::Display};

use superstep_core::{
    codec::envelope::{self, Address, Content},
    error::SaverError,
};
use superstep_store::ContentHash;

use crate::error;

/// How bodies are sealed in one database.
#[derive(Clone, Default)]
pub(crate) struct Seal {
    #[cfg(feature = "encryption")]
    pub(crate) key: Option<crate::cipher::Key>,
}

/// The plaintext of an encrypted file's mark.
const MARK: &[u8] = b"superstep";

impl Seal {
    /// Wraps bytes for their place.
    pub(crate) fn seal(&self, bytes: &[u8], place: Address) -> Result<Vec<u8>, SaverError> {
        #[cfg(feature = "encryption")]
        if let Some(key) = &self.key {
            let encrypted = key.encrypt(bytes, place.description())?;
            return Ok(envelope::seal(Content::Encrypted(&encrypted), &place));
        }
        Ok(envelope::seal(Content::Plain(bytes), &place))
    }

    /// Unwraps bytes of a place; `what` names them in an error.
    pub(crate) fn open<'b>(
        &self,
        sealed: &'b [u8],
        place: Address,
        what: &dyn Display,
    ) -> Result<Cow<'b, [u8]>, SaverError> {
        let opened = envelope::open(sealed, &place);
        match opened.map_err(|error| error::envelope(what, &error))? {
            Content::Plain(_) if self.has_key() => {
                Err(SaverError::Sealed(format!("{what} is not encrypted")))
            }
            Content::Plain(bytes) => Ok(bytes.into()),
            Content::Encrypted(bytes) => self.decrypt(bytes, &place, what),
        }
    }

    #[cfg(feature = "encryption")]
    fn has_key(&self) -> bool {
        self.key.is_some()
    }

    #[cfg(not(feature = "encryption"))]
    fn has_key(&self) -> bool {
        false
    }

    #[cfg(feature = "encryption")]
    fn decrypt<'b>(
        &self,
        bytes: &'b [u8],
        place: &Address,
        what: &dyn Display,
    ) -> Result<Cow<'b, [u8]>, SaverError> {
        let Some(key) = &self.key else {
            let why = format!("{what} is encrypted, and no key was given");
            return Err(SaverError::Sealed(why));
        };
        let opened = key.decrypt(bytes, place.description());
        let wrong = || SaverError::Sealed(format!("the key does not open {what}"));
        opened.map(Cow::Owned).ok_or_else(wrong)
    }

    #[cfg(not(feature = "encryption"))]
    fn decrypt<'b>(
        &self,
        _bytes: &'b [u8],
        _place: &Address,
        what: &dyn Display,
    ) -> Result<Cow<'b, [u8]>, SaverError> {
        Err(SaverError::Sealed(format!(
            "{what} is encrypted, and this program was built without encryption"
        )))
    }

    /// What content is found by: its hash, or in an encrypted file a keyed name that says nothing without the key.
    pub(crate) fn content_name(&self, hash: ContentHash) -> [u8; 32] {
        #[cfg_attr(
            not(feature = "encryption"),
            allow(unused_mut, reason = "only a key changes it")
        )]
        let mut name = *hash.as_bytes();
        #[cfg(feature = "encryption")]
        if let Some(key) = &self.key {
            let (halves, _) = name.as_chunks_mut::<16>();
            for half in halves {
                *half = key.name(u128::from_be_bytes(*half)).to_be_bytes();
            }
        }
        name
    }

    /// The mark of an encrypted file; a plain one has none.
    pub(crate) fn mark(&self) -> Result<Option<Vec<u8>>, SaverError> {
        match self.has_key() {
            true => self.seal(MARK, mark_place()).map(Some),
            false => Ok(None),
        }
    }

    /// Checks that the mark of a file fits the key.
    pub(crate) fn is_of(&self, mark: Option<&[u8]>) -> Result<(), SaverError> {
        let what = "the file";
        match mark {
            Some(mark) => self.open(mark, mark_place(), &what).map(drop),
            None if self.has_key() => Err(SaverError::Sealed(format!("{what} is not encrypted"))),
            None => Ok(()),
        }
    }
}

fn mark_place() -> Address {
    Address::of(b"sealed")
}
