//! Methods of numbers.

use crate::python::{
    number::Number,
    value::{Function, Value},
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "is_integer" => |_, args| {
            Ok(Value::Bool(match Number::of(&args.get(0)) {
                Some(Number::Float(it)) => it.is_finite() && it.fract() == 0.0,
                _ => true,
            }))
        },
        "bit_length" => |_, args| {
            Ok(match Number::of(&args.get(0)) {
                Some(number) => Value::int(number.to_big().bits()),
                None => Value::Int(0),
            })
        },
        "conjugate" => |_, args| Ok(args.get(0)),
        "as_integer_ratio" => |vm, args| match Number::of(&args.get(0)) {
            Some(Number::Float(it)) if !it.is_finite() => {
                Err(vm.error("OverflowError", "cannot convert Infinity to integer ratio"))
            }
            Some(Number::Float(it)) => {
                let (mut value, mut power) = (it, 0_u32);
                while value.fract() != 0.0 && power < 1100 {
                    value *= 2.0;
                    power += 1;
                }
                let top = crate::python::number::float_to_big(value);
                let below = num_bigint::BigInt::from(1) << power;
                Ok(Value::tuple(vec![Value::big(top), Value::big(below)]))
            }
            _ => Ok(Value::tuple(vec![args.get(0), Value::Int(1)])),
        },
        "to_bytes" => |vm, _| {
            Err(vm.error(
                "NotImplementedError",
                "to_bytes is not available in this sandbox",
            ))
        },
        "__float__" => |vm, args| vm.float_of(args.plain.into_iter().next()),
        "__int__" => |vm, args| vm.int_of(args.plain.into_iter().next(), None),
        "__format__" => |vm, args| {
            let spec = vm.text_argument(&args, 1)?;
            Ok(Value::str(vm.format(&args.get(0).plain(), &spec)?))
        },
        _ => return None,
    })
}
