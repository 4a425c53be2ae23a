//! Writing MessagePack.

use std::{collections::HashMap, sync::Arc};

use xxhash_rust::xxh3::xxh3_64;

use super::{BLOB, BlobId, CodecError, Packed};

/// Text shorter than this is repeated rather than referred to.
const SHARED: usize = 32;

/// An extension that stands for text written before, by its place.
pub(super) const SAME: i8 = 1;
/// An extension that stands for a blob, by its name.
pub(super) const BLOB_REF: i8 = 2;

/// Packed bytes as they grow.
#[derive(Default)]
pub struct Pack {
    out: Vec<u8>,
    /// Where text was written, by its hash.
    texts: HashMap<u64, (usize, usize)>,
    blobs: Vec<(BlobId, Arc<str>)>,
    depth: usize,
}

impl Pack {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            out: Vec::with_capacity(256),
            ..Self::default()
        }
    }

    /// What was written.
    pub fn finish(self) -> Packed {
        Packed {
            bytes: self.out,
            blobs: self.blobs,
        }
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Nothing, as a value.
    pub fn nil(&mut self) {
        self.out.push(0xc0);
    }

    /// A truth value.
    pub fn bool(&mut self, b: bool) {
        self.out.push(if b { 0xc3 } else { 0xc2 });
    }

    /// An integer with sign, as short as it gets.
    pub fn int(&mut self, n: i64) {
        if let Ok(n) = u64::try_from(n) {
            return self.uint(n);
        }
        match n {
            -32.. => self.out.push(n as u8),
            _ if i8::try_from(n).is_ok() => self.out.extend([0xd0, n as u8]),
            _ if i16::try_from(n).is_ok() => self.tagged(0xd1, &(n as i16).to_be_bytes()),
            _ if i32::try_from(n).is_ok() => self.tagged(0xd2, &(n as i32).to_be_bytes()),
            _ => self.tagged(0xd3, &n.to_be_bytes()),
        }
    }

    /// An integer without sign, as short as it gets.
    pub fn uint(&mut self, n: u64) {
        match n {
            0..=0x7f => self.out.push(n as u8),
            0x80..=0xff => self.out.extend([0xcc, n as u8]),
            0x100..=0xffff => self.tagged(0xcd, &(n as u16).to_be_bytes()),
            0x1_0000..=0xffff_ffff => self.tagged(0xce, &(n as u32).to_be_bytes()),
            _ => self.tagged(0xcf, &n.to_be_bytes()),
        }
    }

    /// A number, bit for bit.
    pub fn float(&mut self, n: f64) {
        self.tagged(0xcb, &n.to_bits().to_be_bytes());
    }

    /// Bytes.
    pub fn bin(&mut self, bytes: &[u8]) {
        match bytes.len() {
            n @ 0..=0xff => self.out.extend([0xc4, n as u8]),
            n @ 0x100..=0xffff => self.tagged(0xc5, &(n as u16).to_be_bytes()),
            n => self.tagged(0xc6, &(n as u32).to_be_bytes()),
        }
        self.out.extend_from_slice(bytes);
    }

    /// Text that is written out whatever it is: names.
    pub fn name(&mut self, text: &str) {
        match text.len() {
            n @ 0..=31 => self.out.push(0xa0 | n as u8),
            n @ 32..=0xff => self.out.extend([0xd9, n as u8]),
            n @ 0x100..=0xffff => self.tagged(0xda, &(n as u16).to_be_bytes()),
            n => self.tagged(0xdb, &(n as u32).to_be_bytes()),
        }
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Text: as it is, as a reference to where it was written before, or as a blob.
    pub fn text(&mut self, text: &str) {
        if text.len() < SHARED {
            return self.name(text);
        }
        if text.len() >= BLOB {
            let id = BlobId::of(text.as_bytes());
            self.tagged(0xd8, &[BLOB_REF as u8]);
            self.out.extend(id.0.to_be_bytes());
            if !self.blobs.iter().any(|(known, _)| *known == id) {
                self.blobs.push((id, text.into()));
            }
            return;
        }
        let (hash, place) = (xxh3_64(text.as_bytes()), self.out.len());
        if let Some((at, start)) = self.texts.get(&hash) {
            let known = self.out.get(*start..*start + text.len());
            if let (true, Ok(at)) = (known == Some(text.as_bytes()), u32::try_from(*at)) {
                self.tagged(0xd6, &[SAME as u8]);
                return self.out.extend(at.to_be_bytes());
            }
        }
        self.name(text);
        self.texts
            .insert(hash, (place, self.out.len() - text.len()));
    }

    /// A list of so many things, which follow.
    pub fn list(&mut self, len: usize) {
        match len {
            0..=15 => self.out.push(0x90 | len as u8),
            16..=0xffff => self.tagged(0xdc, &(len as u16).to_be_bytes()),
            _ => self.tagged(0xdd, &(len as u32).to_be_bytes()),
        }
    }

    /// An object of so many names and values, which follow.
    pub fn map(&mut self, len: usize) {
        match len {
            0..=15 => self.out.push(0x80 | len as u8),
            16..=0xffff => self.tagged(0xde, &(len as u16).to_be_bytes()),
            _ => self.tagged(0xdf, &(len as u32).to_be_bytes()),
        }
    }

    /// An object whose number of fields shows as they are written.
    pub fn fields(
        &mut self,
        write: impl FnOnce(&mut Fields<'_>) -> Result<(), CodecError>,
    ) -> Result<(), CodecError> {
        let place = self.out.len();
        self.out.push(0x80);
        let mut fields = Fields {
            out: self,
            count: 0,
        };
        write(&mut fields)?;
        // No closed type has more than fifteen fields, which is what one byte can say.
        let count = fields.count;
        if let (Some(byte), 0..=15) = (self.out.get_mut(place), count) {
            *byte = 0x80 | count;
            return Ok(());
        }
        Err(self.refuse("an object with too many fields"))
    }

    /// One level deeper, while `write` runs.
    pub fn nested(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), CodecError>,
    ) -> Result<(), CodecError> {
        if self.depth >= super::MAX_DEPTH {
            return Err(self.refuse(format!(
                "data is nested too deeply to be stored: more than {} levels",
                super::MAX_DEPTH
            )));
        }
        self.depth += 1;
        let done = write(self);
        self.depth -= 1;
        done
    }

    /// An error at this place.
    pub fn refuse(&self, why: impl Into<String>) -> CodecError {
        CodecError {
            at: self.out.len(),
            why: why.into(),
        }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.out.push(tag);
        self.out.extend_from_slice(bytes);
    }
}

/// The fields of an object.
pub struct Fields<'a> {
    out: &'a mut Pack,
    count: u8,
}

impl Fields<'_> {
    /// A field; its value must be written next.
    pub fn field(&mut self, name: &str) -> &mut Pack {
        self.count = self.count.saturating_add(1);
        self.out.name(name);
        self.out
    }
}
