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
                    out.refuse(format!("{} does not serialise: {error}", cell.type_name()))
                })?;
                return pack_json(&json, out);
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

/// The form a typed cell is stored in, without a [`Value`] in between.
fn pack_json(json: &Json, out: &mut Pack) -> Result<(), CodecError> {
    match json {
        Json::Null => out.nil(),
        Json::Bool(b) => out.bool(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(n), ..) => out.int(n),
            (None, Some(n), _) => out.uint(n),
            (None, None, n) => out.float(n.unwrap_or(f64::NAN)),
        },
        Json::String(text) => out.text(text),
        Json::Array(items) => {
            out.list(items.len());
            return out.nested(|out| items.iter().try_for_each(|item| pack_json(item, out)));
        }
        Json::Object(map) => {
            out.map(map.len());
            return out.nested(|out| {
                map.iter().try_for_each(|(key, value)| {
                    out.text(key);
                    pack_json(value, out)
                })
            });
        }
    }
    Ok(())
}
