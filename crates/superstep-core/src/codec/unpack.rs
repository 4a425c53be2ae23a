//! Reading MessagePack from bytes that may be anything.

use std::sync::Arc;

use super::{
    BlobId, Blobs, CodecError, MAX_DEPTH,
    pack::{BLOB_REF, SAME},
};

/// Records and notes may be nested so deeply around a value of [`MAX_DEPTH`].
const AROUND: usize = 16;

/// A value's kind and head; what follows is read next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token {
    /// Nothing.
    Nil,
    /// A truth value.
    Bool(bool),
    /// An integer with sign.
    Int(i64),
    /// An integer above `i64::MAX`.
    UInt(u64),
    /// A number.
    Float(f64),
    /// Text of so many bytes.
    Text(usize),
    /// So many bytes.
    Bin(usize),
    /// A list of so many things.
    List(usize),
    /// An object of so many fields.
    Map(usize),
    /// Text written before, at this place.
    Same(usize),
    /// A blob.
    Blob(BlobId),
}

/// Names that occur again and again, kept over many reads.
#[derive(Default)]
pub struct Shared {
    names: Vec<Arc<str>>,
}

/// So many names are remembered; an object with more than this has them for itself.
const NAMES: usize = 24;

impl Shared {
    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(at) = self.names.iter().position(|known| **known == *text) {
            return self.names.get(at).map_or_else(|| text.into(), Arc::clone);
        }
        let name: Arc<str> = text.into();
        if self.names.len() < NAMES && text.len() <= 32 {
            self.names.push(name.clone());
        }
        name
    }
}

/// Bytes being read.
pub struct Unpack<'b, 's> {
    bytes: &'b [u8],
    at: usize,
    /// Where the last token began.
    start: usize,
    depth: usize,
    /// Long text read so far, by place.
    texts: Vec<(usize, Arc<str>)>,
    shared: &'s mut Shared,
    blobs: &'s mut dyn Blobs,
}

impl<'b, 's> Unpack<'b, 's> {
    /// From the first byte.
    pub fn new(bytes: &'b [u8], shared: &'s mut Shared, blobs: &'s mut dyn Blobs) -> Self {
        Self {
            bytes,
            at: 0,
            start: 0,
            depth: 0,
            texts: Vec::new(),
            shared,
            blobs,
        }
    }

    /// Everything must have been read.
    pub fn end(&self) -> Result<(), CodecError> {
        match self.bytes.len().checked_sub(self.at) {
            Some(0) => Ok(()),
            _ => Err(self.refuse("something follows the end")),
        }
    }

    /// An error at this place.
    pub fn refuse(&self, why: impl Into<String>) -> CodecError {
        CodecError {
            at: self.at,
            why: why.into(),
        }
    }

    fn take(&mut self, len: usize) -> Result<&'b [u8], CodecError> {
        let end = self.at.checked_add(len);
        let Some(slice) = end.and_then(|end| self.bytes.get(self.at..end)) else {
            return Err(self.refuse("the data ends too early"));
        };
        self.at += len;
        Ok(slice)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let slice = self.take(N)?;
        <[u8; N]>::try_from(slice).map_err(|_| self.refuse("the data ends too early"))
    }

    /// A length that the remaining bytes can hold, so that no claim makes us reserve memory.
    fn sized(&self, len: usize) -> Result<usize, CodecError> {
        if len > self.bytes.len() - self.at {
            return Err(self.refuse("a length that the data cannot have"));
        }
        Ok(len)
    }

    /// The next thing.
    pub fn token(&mut self) -> Result<Token, CodecError> {
        self.start = self.at;
        let [tag] = self.array()?;
        Ok(match tag {
            0x00..=0x7f => Token::Int(i64::from(tag)),
            0xe0..=0xff => Token::Int(i64::from(tag as i8)),
            0x80..=0x8f => Token::Map(usize::from(tag & 0x0f)),
            0x90..=0x9f => Token::List(usize::from(tag & 0x0f)),
            0xa0..=0xbf => Token::Text(usize::from(tag & 0x1f)),
            0xc0 => Token::Nil,
            0xc2 => Token::Bool(false),
            0xc3 => Token::Bool(true),
            0xc4 => Token::Bin(usize::from(u8::from_be_bytes(self.array()?))),
            0xc5 => Token::Bin(usize::from(u16::from_be_bytes(self.array()?))),
            0xc6 => Token::Bin(u32::from_be_bytes(self.array()?) as usize),
            0xcb => Token::Float(f64::from_bits(u64::from_be_bytes(self.array()?))),
            0xcc => Token::Int(i64::from(u8::from_be_bytes(self.array()?))),
            0xcd => Token::Int(i64::from(u16::from_be_bytes(self.array()?))),
            0xce => Token::Int(i64::from(u32::from_be_bytes(self.array()?))),
            0xcf => {
                let n = u64::from_be_bytes(self.array()?);
                i64::try_from(n).map_or(Token::UInt(n), Token::Int)
            }
            0xd0 => Token::Int(i64::from(i8::from_be_bytes(self.array()?))),
            0xd1 => Token::Int(i64::from(i16::from_be_bytes(self.array()?))),
            0xd2 => Token::Int(i64::from(i32::from_be_bytes(self.array()?))),
            0xd3 => Token::Int(i64::from_be_bytes(self.array()?)),
            0xd6 => {
                let [kind] = self.array()?;
                let at = u32::from_be_bytes(self.array()?) as usize;
                self.extension(kind, SAME, Token::Same(at))?
            }
            0xd8 => {
                let [kind] = self.array()?;
                let id = BlobId(u128::from_be_bytes(self.array()?));
                self.extension(kind, BLOB_REF, Token::Blob(id))?
            }
            0xd9 => Token::Text(usize::from(u8::from_be_bytes(self.array()?))),
            0xda => Token::Text(usize::from(u16::from_be_bytes(self.array()?))),
            0xdb => Token::Text(u32::from_be_bytes(self.array()?) as usize),
            0xdc => Token::List(usize::from(u16::from_be_bytes(self.array()?))),
            0xdd => Token::List(u32::from_be_bytes(self.array()?) as usize),
            0xde => Token::Map(usize::from(u16::from_be_bytes(self.array()?))),
            0xdf => Token::Map(u32::from_be_bytes(self.array()?) as usize),
            other => return Err(self.refuse(format!("byte {other:#04x} begins nothing known"))),
        })
    }

    fn extension(&self, kind: u8, wanted: i8, token: Token) -> Result<Token, CodecError> {
        if kind as i8 == wanted {
            return Ok(token);
        }
        Err(self.refuse(format!("unknown extension {}", kind as i8)))
    }

    fn str(&mut self, len: usize) -> Result<&'b str, CodecError> {
        let bytes = self.take(len)?;
        std::str::from_utf8(bytes).map_err(|_| self.refuse("text is not UTF-8"))
    }

    /// The text a token refers to.
    pub fn text_of(&mut self, token: Token) -> Result<Arc<str>, CodecError> {
        match token {
            Token::Text(len) => {
                let place = self.start;
                let text: Arc<str> = self.str(len)?.into();
                if len > 31 {
                    self.texts.push((place, text.clone()));
                }
                Ok(text)
            }
            Token::Same(place) => {
                let found = self.texts.binary_search_by_key(&place, |(at, _)| *at);
                let text = found.ok().and_then(|ix| self.texts.get(ix));
                text.map(|(_, text)| text.clone())
                    .ok_or_else(|| self.refuse("a reference to text that is not there"))
            }
            Token::Blob(id) => self.blobs.text(id).map_err(|why| self.refuse(why)),
            _ => Err(self.refuse("expected text")),
        }
    }

    /// Text.
    pub fn text(&mut self) -> Result<Arc<str>, CodecError> {
        let token = self.token()?;
        self.text_of(token)
    }

    /// The name of a member, shared with others of the same name.
    pub fn key(&mut self) -> Result<Arc<str>, CodecError> {
        match self.token()? {
            Token::Text(len) if len <= 31 => {
                let text = self.str(len)?;
                Ok(self.shared.name(text))
            }
            token => self.text_of(token),
        }
    }

    /// An unsigned integer.
    pub fn uint(&mut self) -> Result<u64, CodecError> {
        match self.token()? {
            Token::Int(n) => u64::try_from(n).map_err(|_| self.refuse("a negative number")),
            Token::UInt(n) => Ok(n),
            _ => Err(self.refuse("expected an integer")),
        }
    }

    /// An integer of 32 bits without sign.
    pub fn u32(&mut self) -> Result<u32, CodecError> {
        let n = self.uint()?;
        u32::try_from(n).map_err(|_| self.refuse("a number that is too large"))
    }

    /// An integer.
    pub fn int(&mut self) -> Result<i64, CodecError> {
        match self.token()? {
            Token::Int(n) => Ok(n),
            _ => Err(self.refuse("expected an integer")),
        }
    }

    /// A truth value.
    pub fn bool(&mut self) -> Result<bool, CodecError> {
        match self.token()? {
            Token::Bool(b) => Ok(b),
            _ => Err(self.refuse("expected true or false")),
        }
    }

    /// 16 bytes as a number.
    pub fn wide(&mut self) -> Result<u128, CodecError> {
        match self.token()? {
            Token::Bin(16) => Ok(u128::from_be_bytes(self.array()?)),
            _ => Err(self.refuse("expected an id")),
        }
    }

    /// How many things a list has.
    pub fn list(&mut self) -> Result<usize, CodecError> {
        match self.token()? {
            Token::List(len) => self.sized(len),
            _ => Err(self.refuse("expected a list")),
        }
    }

    /// How many members an object has.
    pub fn map(&mut self) -> Result<usize, CodecError> {
        match self.token()? {
            Token::Map(len) => self.sized(len),
            _ => Err(self.refuse("expected an object")),
        }
    }

    /// A list whose items `read` reads.
    pub fn items<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, CodecError>,
    ) -> Result<Vec<T>, CodecError> {
        let len = self.list()?;
        let mut items = Vec::with_capacity(len.min(1024));
        self.nested(|from| {
            for _ in 0..len {
                items.push(read(from)?);
            }
            Ok(())
        })?;
        Ok(items)
    }

    /// An object: `read` takes the value of each field it knows and returns whether it did.
    pub fn fields(
        &mut self,
        mut read: impl FnMut(&mut Self, &str) -> Result<Known, CodecError>,
    ) -> Result<(), CodecError> {
        let len = self.map()?;
        self.members(len, &mut read)
    }

    /// The members of an object whose head was read already, in the same way.
    pub fn members(
        &mut self,
        len: usize,
        mut read: impl FnMut(&mut Self, &str) -> Result<Known, CodecError>,
    ) -> Result<(), CodecError> {
        self.nested(|from| {
            for _ in 0..len {
                let Token::Text(len) = from.token()? else {
                    return Err(from.refuse("expected the name of a field"));
                };
                let name = from.str(len)?;
                if read(from, name)? == Known::No {
                    from.pass()?;
                }
            }
            Ok(())
        })
    }

    /// One level deeper, while `read` runs.
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, CodecError>,
    ) -> Result<T, CodecError> {
        if self.depth >= MAX_DEPTH + AROUND {
            return Err(self.refuse("nested too deeply"));
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    /// Passes over one thing, though not over the text in it: something later may refer to it.
    pub fn pass(&mut self) -> Result<(), CodecError> {
        match self.token()? {
            token @ (Token::Text(_) | Token::Blob(_)) => self.text_of(token).map(drop),
            Token::Bin(len) => self.take(len).map(drop),
            Token::List(len) => self.nested(|from| (0..len).try_for_each(|_| from.pass())),
            Token::Map(len) => {
                let len = self.sized(len)?;
                self.nested(|from| (0..2 * len).try_for_each(|_| from.pass()))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a field was known, and its value read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It was.
    Yes,
    /// It was not; its value is skipped.
    No,
}
