//! Every stored body is sealed: checked against damage, and encrypted if there is a key.

use superstep_core::{
    codec::envelope::{self, Place},
    saver::SaverError,
};

use crate::error;

/// How bodies are sealed in one database.
#[derive(Clone, Default)]
pub(crate) struct Seal {
    #[cfg(feature = "encryption")]
    pub(crate) key: Option<crate::cipher::Key>,
}

impl Seal {
    /// Wraps bytes for their place.
    pub(crate) fn seal(&self, bytes: &[u8], place: Place) -> Result<Vec<u8>, SaverError> {
        #[cfg(feature = "encryption")]
        if let Some(key) = &self.key {
            return Ok(envelope::seal(&key.encrypt(bytes, place)?, place));
        }
        Ok(envelope::seal(bytes, place))
    }

    /// Unwraps bytes of a place; `what` names them in an error.
    pub(crate) fn open<'b>(
        &self,
        sealed: &'b [u8],
        place: Place,
        what: &str,
    ) -> Result<std::borrow::Cow<'b, [u8]>, SaverError> {
        let bytes = envelope::open(sealed, place).map_err(|error| error::envelope(what, &error))?;
        #[cfg(feature = "encryption")]
        if let Some(key) = &self.key {
            return key.decrypt(bytes, place, what).map(Into::into);
        }
        Ok(bytes.into())
    }
}
