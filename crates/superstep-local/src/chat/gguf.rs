//! GGUF reader: metadata, and the offsets of tensors.
//!
//! The header is read in place. Nothing is taken at its word: every length is checked against the
//! bytes that are there, so a broken or hostile file costs a refusal and no memory. `net` makes a
//! network from the tensors, `tokenizer` and `template` read the rest.

use std::collections::HashMap;
use std::ops::Range;

use super::tensor::Format;

/// Why a file cannot be used as a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file does not begin as a GGUF file does.
    #[error("not a GGUF file")]
    NotGguf,
    /// A version of the format that is not known here.
    #[error("GGUF version {0} is not supported, only 2 and 3 are")]
    Version(u32),
    /// The file ends before what it announced.
    #[error("the file is cut off: {what} at byte {at} does not fit")]
    Truncated {
        /// What was to be read.
        what: &'static str,
        /// Where it was to begin.
        at: usize,
    },
    /// A value of a type that does not exist, text that is not text, or a size that cannot be.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// A key without which the model cannot be built.
    #[error("the file does not say `{0}`")]
    Missing(String),
    /// A key that says something impossible.
    #[error("`{key}` cannot be {value}")]
    Impossible {
        /// The key.
        key: String,
        /// What the file says.
        value: String,
    },
    /// A network of a kind that is not known here.
    #[error("models of the kind `{0}` are not supported, only `llama` and `qwen2` are")]
    Architecture(String),
    /// Weights packed in a way that is not known here.
    #[error("the tensor `{tensor}` is packed as type {code}, which is not supported")]
    Packing {
        /// Which tensor.
        tensor: String,
        /// The number of the type.
        code: u32,
    },
    /// A tensor is not there, or has another shape than the rest of the file asks for.
    #[error("the tensor `{tensor}` is missing or not {rows} x {columns}")]
    Tensor {
        /// Which tensor.
        tensor: String,
        /// Expected number of rows.
        rows: usize,
        /// Expected number of columns.
        columns: usize,
    },
    /// A tokenizer of a kind that is not known here, or one that contradicts itself.
    #[error("the tokenizer cannot be used: {0}")]
    Tokenizer(String),
    /// A chat template that does not compile.
    #[error("the chat template cannot be used: {0}")]
    Template(String),
}

/// The header of a file.
pub(super) struct Gguf<'a> {
    values: HashMap<&'a str, MetaValue<'a>>,
    tensors: HashMap<&'a str, Result<Tensor, u32>>,
}

/// A tensor of at most two dimensions, inside the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tensor {
    pub(super) format: Format,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) bytes: Range<usize>,
}

/// A value of the header. Lists stay packed until they are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MetaValue<'a> {
    Whole(i128),
    Real(f64),
    Bool(bool),
    Text(&'a str),
    List { kind: u32, bytes: &'a [u8] },
}

/// Lists in lists are skipped down to this depth.
const MAX_DEPTH: usize = 4;
/// More than any vocabulary or its merges.
const MOST_TEXTS: usize = 1 << 22;
const TEXT: u32 = 8;
const LIST: u32 = 9;

impl<'a> Gguf<'a> {
    /// Reads the header of `file`.
    pub(super) fn read(file: &'a [u8]) -> Result<Self, FileError> {
        let mut cursor = Cursor { file, at: 0 };
        if cursor.take(4, "the magic number") != Ok(b"GGUF") {
            return Err(FileError::NotGguf);
        }
        let version = cursor.u32("the version")?;
        if !matches!(version, 2 | 3) {
            return Err(FileError::Version(version));
        }
        let tensors = cursor.u64("the number of tensors")?;
        let values = cursor.u64("the number of values")?;
        let mut header = Self {
            values: HashMap::new(),
            tensors: HashMap::new(),
        };
        for _ in 0..values {
            let key = cursor.text("a key")?;
            let kind = cursor.u32("the type of a value")?;
            let value = cursor.value(kind, 0)?;
            header.values.insert(key, value);
        }
        let mut places = Vec::new();
        for _ in 0..tensors {
            places.push(TensorInfo::read(&mut cursor)?);
        }
        let alignment = header.whole("general.alignment").unwrap_or(32);
        let start = usize::try_from(alignment)
            .ok()
            .and_then(|alignment| cursor.at.checked_next_multiple_of(alignment))
            .ok_or_else(|| FileError::Impossible {
                key: "general.alignment".to_owned(),
                value: alignment.to_string(),
            })?;
        let mut sizes = 0_usize;
        for place in places {
            let tensor = place.find(start, file.len())?;
            sizes = sizes.saturating_add(tensor.as_ref().map_or(0, |tensor| tensor.bytes.len()));
            header.tensors.insert(place.name, tensor);
        }
        // What is copied of them must not be more than there is.
        if sizes > file.len() {
            return Err(FileError::Damaged("its tensors overlap".to_owned()));
        }
        Ok(header)
    }

    /// Whether there is such a tensor.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The tensor, if there is one and it can be computed with.
    pub(super) fn tensor(&self, name: &str) -> Result<Option<&Tensor>, FileError> {
        match self.tensors.get(name) {
            Some(Ok(tensor)) => Ok(Some(tensor)),
            Some(Err(code)) => Err(FileError::Packing {
                tensor: name.to_owned(),
                code: *code,
            }),
            None => Ok(None),
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<&'a str, FileError> {
        match self.values.get(key) {
            Some(MetaValue::Text(text)) => Ok(text),
            Some(other) => Err(impossible(key, other)),
            None => Err(FileError::Missing(key.to_owned())),
        }
    }

    pub(super) fn whole(&self, key: &str) -> Result<u64, FileError> {
        match self.values.get(key) {
            Some(MetaValue::Whole(number)) => {
                u64::try_from(*number).map_err(|_| impossible(key, number))
            }
            Some(other) => Err(impossible(key, other)),
            None => Err(FileError::Missing(key.to_owned())),
        }
    }

    pub(super) fn real(&self, key: &str) -> Result<f64, FileError> {
        match self.values.get(key) {
            Some(MetaValue::Real(number)) if number.is_finite() => Ok(*number),
            Some(other) => Err(impossible(key, other)),
            None => Err(FileError::Missing(key.to_owned())),
        }
    }

    /// A list of texts.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<&'a str>, FileError> {
        match self.values.get(key) {
            Some(MetaValue::List { kind: TEXT, bytes }) => {
                let mut cursor = Cursor { file: bytes, at: 0 };
                let mut texts = Vec::new();
                while cursor.at < bytes.len() {
                    if texts.len() == MOST_TEXTS {
                        let why = format!("`{key}` has more than {MOST_TEXTS} texts");
                        return Err(FileError::Damaged(why));
                    }
                    texts.push(cursor.text("a text of a list")?);
                }
                Ok(texts)
            }
            Some(other) => Err(impossible(key, other)),
            None => Err(FileError::Missing(key.to_owned())),
        }
    }

    /// A list of whole numbers of 32 bits.
    pub(super) fn numbers(&self, key: &str) -> Result<Vec<u32>, FileError> {
        match self.values.get(key) {
            Some(MetaValue::List { kind: 4 | 5, bytes }) => {
                let numbers = bytes.as_chunks::<4>().0.iter();
                Ok(numbers.map(|bytes| u32::from_le_bytes(*bytes)).collect())
            }
            Some(other) => Err(impossible(key, other)),
            None => Err(FileError::Missing(key.to_owned())),
        }
    }
}

fn impossible(key: &str, value: impl std::fmt::Debug) -> FileError {
    let mut value = format!("{value:?}");
    value.truncate(value.floor_char_boundary(80));
    FileError::Impossible {
        key: key.to_owned(),
        value,
    }
}

/// What the header says about a tensor.
struct TensorInfo<'a> {
    name: &'a str,
    code: u32,
    shape: [u64; 2],
    offset: u64,
}

impl<'a> TensorInfo<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, FileError> {
        let name = cursor.text("the name of a tensor")?;
        let dimensions = cursor.u32("the dimensions of a tensor")?;
        // The first number is the length of a row.
        let mut shape = [1, 1];
        for dimension in 0..dimensions {
            let size = cursor.u64("the shape of a tensor")?;
            match shape.get_mut(dimension as usize) {
                Some(place) => *place = size,
                None if size == 1 => {}
                None => {
                    return Err(FileError::Damaged(format!(
                        "the tensor `{name}` has {dimensions} dimensions"
                    )));
                }
            }
        }
        Ok(Self {
            name,
            shape,
            code: cursor.u32("the type of a tensor")?,
            offset: cursor.u64("the place of a tensor")?,
        })
    }

    /// Where it lies, or the number of a packing that is not known: that only matters if the network
    /// asks for this tensor.
    fn find(&self, start: usize, end: usize) -> Result<Result<Tensor, u32>, FileError> {
        let Some(format) = Format::from_code(self.code) else {
            return Ok(Err(self.code));
        };
        let damaged = || FileError::Damaged(format!("the size of the tensor `{}`", self.name));
        let size = |size| usize::try_from(size).map_err(|_| damaged());
        let [columns, rows] = self.shape;
        let (columns, rows) = (size(columns)?, size(rows)?);
        let row = format.row_bytes(columns).ok_or_else(damaged)?;
        let length = row.checked_mul(rows).ok_or_else(damaged)?;
        let from = start.checked_add(size(self.offset)?).ok_or_else(damaged)?;
        let to = from.checked_add(length).ok_or_else(damaged)?;
        if to > end {
            return Err(FileError::Truncated {
                what: "a tensor",
                at: from,
            });
        }
        Ok(Ok(Tensor {
            format,
            rows,
            columns,
            bytes: from..to,
        }))
    }
}

struct Cursor<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], FileError> {
        let bytes = self
            .at
            .checked_add(length)
            .and_then(|end| self.file.get(self.at..end))
            .ok_or(FileError::Truncated { what, at: self.at })?;
        self.at += length;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], FileError> {
        let at = self.at;
        let bytes = self.take(N, what)?;
        <[u8; N]>::try_from(bytes).map_err(|_| FileError::Truncated { what, at })
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, FileError> {
        self.array(what).map(u32::from_le_bytes)
    }

    fn u64(&mut self, what: &'static str) -> Result<u64, FileError> {
        self.array(what).map(u64::from_le_bytes)
    }

    fn length(&mut self, what: &'static str) -> Result<usize, FileError> {
        let at = self.at;
        usize::try_from(self.u64(what)?).map_err(|_| FileError::Truncated { what, at })
    }

    fn text(&mut self, what: &'static str) -> Result<&'a str, FileError> {
        let length = self.length(what)?;
        let bytes = self.take(length, what)?;
        std::str::from_utf8(bytes).map_err(|_| FileError::Damaged(format!("{what} is not text")))
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<MetaValue<'a>, FileError> {
        const WHAT: &str = "a value";
        Ok(match kind {
            0 => MetaValue::Whole(u8::from_le_bytes(self.array(WHAT)?).into()),
            1 => MetaValue::Whole(i8::from_le_bytes(self.array(WHAT)?).into()),
            2 => MetaValue::Whole(u16::from_le_bytes(self.array(WHAT)?).into()),
            3 => MetaValue::Whole(i16::from_le_bytes(self.array(WHAT)?).into()),
            4 => MetaValue::Whole(u32::from_le_bytes(self.array(WHAT)?).into()),
            5 => MetaValue::Whole(i32::from_le_bytes(self.array(WHAT)?).into()),
            6 => MetaValue::Real(f32::from_le_bytes(self.array(WHAT)?).into()),
            7 => MetaValue::Bool(self.array::<1>(WHAT)? != [0]),
            TEXT => MetaValue::Text(self.text(WHAT)?),
            LIST => self.list(depth)?,
            10 => MetaValue::Whole(u64::from_le_bytes(self.array(WHAT)?).into()),
            11 => MetaValue::Whole(i64::from_le_bytes(self.array(WHAT)?).into()),
            12 => MetaValue::Real(f64::from_le_bytes(self.array(WHAT)?)),
            _ => return Err(FileError::Damaged(format!("values of type {kind}"))),
        })
    }

    fn list(&mut self, depth: usize) -> Result<MetaValue<'a>, FileError> {
        if depth == MAX_DEPTH {
            return Err(FileError::Damaged("lists in too many lists".to_owned()));
        }
        let kind = self.u32("the type of a list")?;
        let count = self.length("the length of a list")?;
        let at = self.at;
        let size = match kind {
            0 | 1 | 7 => Some(1),
            2 | 3 => Some(2),
            4..=6 => Some(4),
            10..=12 => Some(8),
            _ => None,
        };
        if let Some(size) = size {
            let length = count.saturating_mul(size);
            let bytes = self.take(length, "a list")?;
            return Ok(MetaValue::List { kind, bytes });
        }
        for _ in 0..count {
            self.value(kind, depth + 1)?;
        }
        let bytes = self.file.get(at..self.at).unwrap_or_default();
        Ok(MetaValue::List { kind, bytes })
    }
}
