//! Values: as MessagePack has them.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{
    Codec, CodecError,
    pack::Pack,
    unpack::{Token, Unpack},
};
use crate::value::{Map, Value};

impl Codec for Value {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        match self {
            Self::Null => out.nil(),
            Self::Bool(b) => out.bool(*b),
            Self::Int(n) => out.int(*n),
            Self::UInt(n) => out.uint(*n),
            Self::Float(n) => out.float(*n),
            Self::Str(text) => out.text(text),
            Self::List(items) => {
                out.list(items.len());
                return out.nested(|out| items.iter().try_for_each(|item| item.pack(out)));
            }
            Self::Map(map) => {
                out.map(map.len());
                return out.nested(|out| {
                    map.iter().try_for_each(|(key, value)| {
                        out.text(key);
                        value.pack(out)
                    })
                });
            }
            Self::Typed(cell) => {
                let json = cell.to_json();
                let json = json.map_err(|error| {
                    out.refuse(format!("{} does not serialize: {error}", cell.type_name()))
                })?;
                if pack_json(&json, out)? && cell.loses_number() {
                    let of = cell.type_name();
                    let why = format!("{of} holds NaN or infinity, which could not be read back");
                    return Err(out.refuse(why));
                }
            }
        }
        Ok(())
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        Ok(match from.token()? {
            Token::Nil => Self::Null,
            Token::Bool(b) => Self::Bool(b),
            Token::Int(n) => Self::Int(n),
            Token::UInt(n) => Self::UInt(n),
            Token::Float(n) => Self::Float(n),
            text @ (Token::Text(_) | Token::Same(_) | Token::Blob(_)) => {
                Self::Str(from.text_of(text)?)
            }
            Token::List(len) => {
                let mut items = Vec::with_capacity(len.min(1024));
                from.nested(|from| {
                    for _ in 0..len {
                        items.push(Self::unpack(from)?);
                    }
                    Ok(())
                })?;
                Self::List(Arc::new(items))
            }
            Token::Map(len) => {
                let mut entries = Vec::with_capacity(len.min(1024));
                from.nested(|from| {
                    for _ in 0..len {
                        entries.push((from.key()?, Self::unpack(from)?));
                    }
                    Ok(())
                })?;
                Self::Map(Arc::new(Map::from_iter(entries)))
            }
            Token::Bin(_) => return Err(from.refuse("bytes are no value")),
        })
    }
}

/// The form a typed cell is stored in, without a [`Value`] in between. Returns whether there is a null in it.
fn pack_json(json: &Json, out: &mut Pack) -> Result<bool, CodecError> {
    let mut has_null = false;
    match json {
        Json::Null => {
            out.nil();
            has_null = true;
        }
        Json::Bool(b) => out.bool(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(n), ..) => out.int(n),
            (None, Some(n), _) => out.uint(n),
            (None, None, n) => out.float(n.unwrap_or(f64::NAN)),
        },
        Json::String(text) => out.text(text),
        Json::Array(items) => {
            out.list(items.len());
            out.nested(|out| {
                for item in items {
                    has_null |= pack_json(item, out)?;
                }
                Ok(())
            })?;
        }
        Json::Object(map) => {
            out.map(map.len());
            out.nested(|out| {
                for (key, value) in map {
                    out.text(key);
                    has_null |= pack_json(value, out)?;
                }
                Ok(())
            })?;
        }
    }
    Ok(has_null)
}
