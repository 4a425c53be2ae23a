//! Whether a Rust value can be read back from its JSON form, without making that.

use serde::ser::{self, Serialize, Serializer};

/// Whether a value holds a number that is not one, or is infinite: it is null in the JSON form.
pub fn loses_number<T: Serialize + ?Sized>(value: &T) -> bool {
    let end = value.serialize(Walk::within(usize::MAX));
    matches!(end, Err(WalkEnd::NoJson))
}

/// Whether the JSON form of a value has all that is in it, with lists and objects nested so many levels deep at most.
pub(super) fn fits<T: Serialize + ?Sized>(value: &T, levels: usize) -> bool {
    value.serialize(Walk::within(levels)).is_ok()
}

/// A serialiser that writes nothing.
#[derive(Clone, Copy)]
struct Walk {
    /// How many levels of lists and objects there may be yet.
    left: usize,
    /// In the key of an object, which is a text or can be one.
    is_key: bool,
}

impl Walk {
    fn within(left: usize) -> Self {
        Self {
            left,
            is_key: false,
        }
    }

    /// Into so many lists or objects.
    fn inside(self, levels: usize) -> Result<Self, WalkEnd> {
        let left = self.left.checked_sub(levels).filter(|_| !self.is_key);
        left.map(Self::within).ok_or(WalkEnd::Other)
    }
}

/// Why the walk ended early.
#[derive(Debug)]
enum WalkEnd {
    /// At a number that JSON has no form for.
    NoJson,
    /// The value does not serialize, or is too deep, which whoever writes it finds out.
    Other,
}

impl std::fmt::Display for WalkEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the walk has ended")
    }
}

impl std::error::Error for WalkEnd {}

impl ser::Error for WalkEnd {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self::Other
    }
}

macro_rules! passes {
    ($($method:ident($type:ty))*) => {
        $(fn $method(self, _: $type) -> Result<(), WalkEnd> {
            Ok(())
        })*
    };
}

impl Serializer for Walk {
    type Ok = ();
    type Error = WalkEnd;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    passes! {
        serialize_bool(bool) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_unit_struct(&'static str)
    }

    fn serialize_f32(self, number: f32) -> Result<(), WalkEnd> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), WalkEnd> {
        match number.is_finite() {
            true => Ok(()),
            false => Err(WalkEnd::NoJson),
        }
    }

    fn serialize_none(self) -> Result<(), WalkEnd> {
        self.serialize_unit()
    }

    fn serialize_unit(self) -> Result<(), WalkEnd> {
        match self.is_key {
            true => Err(WalkEnd::Other),
            false => Ok(()),
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), WalkEnd> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
    ) -> Result<(), WalkEnd> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), WalkEnd> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), WalkEnd> {
        value.serialize(self.inside(1)?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, WalkEnd> {
        self.inside(1)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, WalkEnd> {
        self.inside(1)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, WalkEnd> {
        self.inside(1)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, WalkEnd> {
        self.inside(2)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, WalkEnd> {
        self.inside(1)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, WalkEnd> {
        self.inside(1)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, WalkEnd> {
        self.inside(2)
    }
}

macro_rules! walks_items {
    ($($trait:ident::$method:ident)*) => {
        $(impl ser::$trait for Walk {
            type Ok = ();
            type Error = WalkEnd;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WalkEnd> {
                value.serialize(*self)
            }

            fn end(self) -> Result<(), WalkEnd> {
                Ok(())
            }
        })*
    };
}

walks_items! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

macro_rules! walks_fields {
    ($($trait:ident)*) => {
        $(impl ser::$trait for Walk {
            type Ok = ();
            type Error = WalkEnd;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Result<(), WalkEnd> {
                value.serialize(*self)
            }

            fn end(self) -> Result<(), WalkEnd> {
                Ok(())
            }
        })*
    };
}

walks_fields! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Walk {
    type Ok = ();
    type Error = WalkEnd;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), WalkEnd> {
        key.serialize(Self {
            is_key: true,
            ..*self
        })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WalkEnd> {
        value.serialize(*self)
    }

    fn end(self) -> Result<(), WalkEnd> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    enum Shape {
        Point(f64, Option<f32>),
        Named { sizes: Vec<f64> },
        Empty,
    }

    #[test]
    fn a_number_without_json_form_is_found_wherever_it_is() {
        let nan = f64::NAN;
        assert!(loses_number(&nan));
        assert!(loses_number(&f32::INFINITY));
        assert!(loses_number(&Shape::Point(1.0, Some(f32::NEG_INFINITY))));
        assert!(loses_number(&Shape::Named {
            sizes: vec![0.5, nan]
        }));
        assert!(loses_number(&BTreeMap::from([("a", (1, nan))])));
        assert!(!loses_number(&Shape::Point(f64::MAX, None)));
        assert!(!loses_number(&Shape::Named { sizes: vec![-0.0] }));
        assert!(!loses_number(&(Shape::Empty, (), "NaN", Some(1_u128))));
    }
}
