//! Methods of numbers.

use num_bigint::{BigInt, Sign};

use crate::python::{
    fault::Res,
    number::{Number, ratio},
    value::{Args, Function, Value},
    vm::Vm,
};

fn to_bytes(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let length = args.take(1, "length").unwrap_or(Value::Int(1));
    let order = args.take(2, "byteorder").and_then(|it| it.as_str());
    let signed = args.named("signed").unwrap_or(Value::Bool(false));
    let (length, signed) = (vm.int_argument(&length)?, vm.truth(&signed)?);
    let length = usize::try_from(length).unwrap_or(0);
    vm.room(length)?;
    let Some(number) = Number::of(&args.get(0)) else {
        return Ok(Value::None);
    };
    let number = number.to_big();
    if !signed && number.sign() == Sign::Minus {
        let message = "can't convert negative int to unsigned";
        return Err(vm.error("OverflowError", message));
    }
    let mut bytes = match signed {
        true => number.to_signed_bytes_le(),
        false => number.magnitude().to_bytes_le(),
    };
    if number.sign() == Sign::NoSign {
        bytes.clear();
    }
    if bytes.len() > length {
        return Err(vm.error("OverflowError", "int too big to convert"));
    }
    let fill = if number.sign() == Sign::Minus {
        0xFF
    } else {
        0
    };
    bytes.resize(length, fill);
    if order.is_none_or(|order| &*order != "little") {
        bytes.reverse();
    }
    Ok(Value::Bytes(bytes.into()))
}

pub(super) fn from_bytes(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let order = args.take(2, "byteorder").and_then(|it| it.as_str());
    let signed = args.named("signed").unwrap_or(Value::Bool(false));
    let signed = vm.truth(&signed)?;
    let Value::Bytes(bytes) = args.get(1) else {
        return Err(vm.error("TypeError", "cannot convert the value to bytes"));
    };
    let mut bytes = bytes.to_vec();
    if order.is_none_or(|order| &*order != "little") {
        bytes.reverse();
    }
    Ok(Value::big(match signed {
        true => BigInt::from_signed_bytes_le(&bytes),
        false => BigInt::from_bytes_le(Sign::Plus, &bytes),
    }))
}

pub(super) fn refused(vm: &mut Vm, _: Args) -> Res<Value> {
    let message = "floats as hexadecimal texts are not available in this sandbox";
    Err(vm.error("NotImplementedError", message))
}

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "is_integer" => |_, args| {
            Ok(Value::Bool(match Number::of(&args.get(0)) {
                Some(Number::Float(it)) => it.is_finite() && it.fract() == 0.0,
                _ => true,
            }))
        },
        "bit_count" => |_, args| {
            Ok(match Number::of(&args.get(0)) {
                Some(number) => Value::int(number.to_big().magnitude().count_ones()),
                None => Value::Int(0),
            })
        },
        "bit_length" => |_, args| {
            Ok(match Number::of(&args.get(0)) {
                Some(number) => Value::int(number.to_big().bits()),
                None => Value::Int(0),
            })
        },
        "conjugate" => |_, args| Ok(args.get(0)),
        "as_integer_ratio" => |vm, args| match Number::of(&args.get(0)) {
            Some(Number::Float(it)) => match ratio(it) {
                Some((top, below)) => Ok(Value::tuple(vec![Value::big(top), Value::big(below)])),
                None if it.is_nan() => {
                    Err(vm.error("ValueError", "cannot convert NaN to integer ratio"))
                }
                None => Err(vm.error("OverflowError", "cannot convert Infinity to integer ratio")),
            },
            _ => Ok(Value::tuple(vec![args.get(0), Value::Int(1)])),
        },
        "to_bytes" => to_bytes,
        "hex" => refused,
        "__float__" => |vm, args| vm.float_of(args.plain.into_iter().next()),
        "__int__" => |vm, args| vm.int_of(args.plain.into_iter().next(), None),
        "__format__" => |vm, args| {
            let spec = vm.text_argument(&args, 1)?;
            Ok(Value::str(vm.format(&args.get(0).plain(), &spec)?))
        },
        _ => return None,
    })
}
