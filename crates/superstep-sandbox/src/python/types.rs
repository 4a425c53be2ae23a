//! Methods of the types of the interpreter, by their names. The object is the first argument.

mod bytes;
mod codec;
mod dict;
mod list;
mod number;
mod object;
mod set;
mod text;
mod text_parts;

pub(crate) use codec::{decoded, encoded};

use super::{
    value::{Function, Kind},
    vm::Vm,
};

impl Vm {
    /// A method of a type.
    pub(crate) fn method_of(kind: Kind, name: &str) -> Option<Function> {
        match kind {
            Kind::Str => text::method(name).or_else(|| text_parts::method(name)),
            Kind::Bytes => bytes::method(name),
            Kind::List => list::method(name),
            Kind::Tuple => list::tuple_method(name),
            Kind::Dict => dict::method(name),
            Kind::View => dict::view_method(name),
            Kind::Set | Kind::FrozenSet => set::method(name),
            Kind::Int | Kind::Bool | Kind::Float => number::method(name),
            Kind::Generator => object::generator_method(name),
            Kind::Range => list::range_method(name),
            Kind::Slice => list::slice_method(name),
            _ => None,
        }
        .or_else(|| object::method(name).filter(|_| kind.offers(name)))
    }

    /// A method of a type itself: `dict.fromkeys`.
    pub(crate) fn static_of(kind: Kind, name: &str) -> Option<Function> {
        match (kind, name) {
            (Kind::Dict, "fromkeys") => Some(dict::from_keys),
            (Kind::Str, "maketrans") => Some(text::make_table),
            (Kind::Bytes, "fromhex") => Some(bytes::from_hex),
            (Kind::Int, "from_bytes") => Some(number::from_bytes),
            (Kind::Float, "fromhex") => Some(number::refused),
            _ => None,
        }
    }
}
