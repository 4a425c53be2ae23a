//! MessagePack as far as it must be understood to take it apart.

use super::{BLOB_REF, BlobId, CodecError, PART, RUN};

/// What a value begins with.
pub(super) enum Head {
    /// A value that ends here.
    Scalar,
    /// Text of so many bytes, which follow.
    Text(usize),
    /// So many bytes, which follow.
    Bytes(usize),
    /// So many values.
    List(usize),
    /// So many keys and values.
    Map(usize),
    /// A part in place of a value.
    Refers(i8, BlobId),
}

/// Bytes being read; they may be anything.
#[derive(Clone)]
pub(super) struct Read<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Read<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What was read from there on.
    pub(super) fn since(&self, start: usize) -> &'b [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn refuse(&self, why: impl Into<String>) -> CodecError {
        let (at, why) = (self.at, why.into());
        CodecError { at, why }
    }

    /// Everything must have been read.
    pub(super) fn ends(&self) -> Result<(), CodecError> {
        match self.at == self.bytes.len() {
            true => Ok(()),
            false => Err(self.refuse("something follows the end")),
        }
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'b [u8], CodecError> {
        let end = self.at.checked_add(len);
        let slice = end.and_then(|end| self.bytes.get(self.at..end));
        let slice = slice.ok_or_else(|| self.refuse("the data ends too early"))?;
        self.at += len;
        Ok(slice)
    }

    fn number(&mut self, bytes: usize) -> Result<usize, CodecError> {
        let digits = self.take(bytes)?.iter();
        Ok(digits.fold(0, |number, digit| number << 8 | usize::from(*digit)))
    }

    fn scalar(&mut self, bytes: usize) -> Result<Head, CodecError> {
        self.take(bytes).map(|_| Head::Scalar)
    }

    /// Reads what a value begins with.
    pub(super) fn head(&mut self) -> Result<Head, CodecError> {
        let tag = self.number(1)?;
        Ok(match tag {
            0x80..=0x8f => Head::Map(tag & 0x0f),
            0x90..=0x9f => Head::List(tag & 0x0f),
            0xa0..=0xbf => Head::Text(tag & 0x1f),
            0xc1 => return Err(self.refuse("a byte that begins nothing")),
            0xc4..=0xc6 => Head::Bytes(self.number(1 << (tag - 0xc4))?),
            0xc7..=0xc9 => Head::Bytes(self.number(1 << (tag - 0xc7))? + 1),
            0xcc | 0xd0 => self.scalar(1)?,
            0xcd | 0xd1 => self.scalar(2)?,
            0xca | 0xce | 0xd2 => self.scalar(4)?,
            0xcb | 0xcf | 0xd3 => self.scalar(8)?,
            0xd4..=0xd7 => self.scalar(1 + (1 << (tag - 0xd4)))?,
            0xd8 => {
                let kind = self.number(1)? as u8 as i8;
                let id = <[u8; 16]>::try_from(self.take(16)?);
                let id = id.map_err(|_| self.refuse("the data ends too early"))?;
                match kind {
                    BLOB_REF | PART | RUN => Head::Refers(kind, BlobId(u128::from_be_bytes(id))),
                    _ => Head::Scalar,
                }
            }
            0xd9..=0xdb => Head::Text(self.number(1 << (tag - 0xd9))?),
            0xdc => Head::List(self.number(2)?),
            0xdd => Head::List(self.number(4)?),
            0xde => Head::Map(self.number(2)?),
            0xdf => Head::Map(self.number(4)?),
            _ => Head::Scalar,
        })
    }

    /// Skips one value, however deep it is. Nothing in it refers to a part.
    pub(super) fn pass(&mut self) -> Result<(), CodecError> {
        let mut left: u64 = 1;
        while left > 0 {
            left -= 1;
            match self.head()? {
                Head::Scalar => {}
                Head::Refers(..) => return Err(self.refuse("a reference out of place")),
                Head::Text(len) | Head::Bytes(len) => drop(self.take(len)?),
                Head::List(len) => left = left.saturating_add(len as u64),
                Head::Map(len) => left = left.saturating_add(2 * len as u64),
            }
        }
        Ok(())
    }
}

pub(super) fn list_head(out: &mut Vec<u8>, len: usize) {
    match len {
        0..=15 => out.push(0x90 | len as u8),
        16..=0xffff => long_head(out, 0xdc, &(len as u16).to_be_bytes()),
        _ => long_head(out, 0xdd, &(len as u32).to_be_bytes()),
    }
}

pub(super) fn text_head(out: &mut Vec<u8>, len: usize) {
    match len {
        0..=31 => out.push(0xa0 | len as u8),
        32..=0xff => out.extend([0xd9, len as u8]),
        0x100..=0xffff => long_head(out, 0xda, &(len as u16).to_be_bytes()),
        _ => long_head(out, 0xdb, &(len as u32).to_be_bytes()),
    }
}

fn long_head(out: &mut Vec<u8>, tag: u8, len: &[u8]) {
    out.push(tag);
    out.extend_from_slice(len);
}
