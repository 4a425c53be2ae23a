//! Functions that programs find without an import.

mod construct;

use std::rc::Rc;

use super::{
    fault::{Fault, Res},
    number::{self, Number},
    value::{Args, Function, Iter, Value},
    vm::Vm,
};

const FUNCTIONS: &[(&str, Function)] = &[
    ("print", print),
    ("len", len),
    ("abs", abs),
    ("min", |vm, args| extreme(vm, args, true)),
    ("max", |vm, args| extreme(vm, args, false)),
    ("sum", sum),
    ("sorted", sorted),
    ("reversed", reversed),
    ("enumerate", enumerate),
    ("zip", zip),
    ("map", map),
    ("filter", |vm, args| {
        let inner = vm.iterator(&args.get(1))?;
        Ok(Value::iter(Iter::Filter(args.get(0), inner)))
    }),
    ("iter", |vm, args| match args.plain.len() {
        2 => Ok(Value::iter(Iter::Calls(args.get(0), args.get(1)))),
        _ => vm.iterator(&args.get(0)),
    }),
    ("next", next),
    ("any", |vm, args| {
        let iterator = vm.iterator(&args.get(0))?;
        while let Some(item) = vm.next(&iterator)? {
            if vm.truth(&item)? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }),
    ("all", |vm, args| {
        let iterator = vm.iterator(&args.get(0))?;
        while let Some(item) = vm.next(&iterator)? {
            if !vm.truth(&item)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }),
    ("round", round),
    ("divmod", |vm, args| {
        use crate::syntax::ast::BinaryOp::{FloorDiv, Mod};
        let (left, right) = (args.get(0), args.get(1));
        let quotient = vm.binary(FloorDiv, &left, &right)?;
        let rest = vm.binary(Mod, &left, &right)?;
        Ok(Value::tuple(vec![quotient, rest]))
    }),
    ("pow", |vm, args| {
        use crate::syntax::ast::BinaryOp::{Mod, Pow};
        let (base, exponent) = (args.get(0), args.get(1));
        if args.plain.len() == 3 {
            return modular(vm, &base, &exponent, &args.get(2), Mod);
        }
        vm.binary(Pow, &base, &exponent)
    }),
    ("isinstance", |vm, args| {
        let is = vm.is_instance(&args.get(0), &args.get(1))?;
        Ok(Value::Bool(is))
    }),
    ("issubclass", |vm, args| {
        let classes = match args.get(1) {
            Value::Tuple(classes) => classes.to_vec(),
            one => vec![one],
        };
        let Value::Class(class) = args.get(0) else {
            return Err(vm.error("TypeError", "issubclass() arg 1 must be a class"));
        };
        let mut classes = classes;
        let mut is = false;
        while let Some(other) = classes.pop() {
            match other {
                Value::Class(other) => is |= class.is_below(&other),
                Value::Tuple(more) | Value::Union(more) => classes.extend(more.iter().cloned()),
                Value::None => {}
                _ => {
                    let message =
                        "issubclass() arg 2 must be a class, a tuple of classes, or a union";
                    return Err(vm.error("TypeError", message));
                }
            }
        }
        Ok(Value::Bool(is))
    }),
    ("callable", |_, args| {
        Ok(Value::Bool(match args.get(0) {
            Value::Closure(_) | Value::Native(_) | Value::Method(_) | Value::Class(_) => true,
            Value::Object(object) => object.class.find("__call__").is_some(),
            _ => false,
        }))
    }),
    ("hasattr", |vm, args| {
        let name = vm.text_argument(&args, 1)?;
        match vm.find_attribute(&args.get(0), &name) {
            Ok(found) => Ok(Value::Bool(found.is_some())),
            Err(fault) if vm.is_fault(&fault, "AttributeError") => Ok(Value::Bool(false)),
            Err(fault) => Err(fault),
        }
    }),
    ("getattr", |vm, args| {
        let name = vm.text_argument(&args, 1)?;
        let found = match vm.find_attribute(&args.get(0), &name) {
            Err(fault) if vm.is_fault(&fault, "AttributeError") && args.plain.len() > 2 => None,
            found => found?,
        };
        match found {
            Some(value) => Ok(value),
            None if args.plain.len() > 2 => Ok(args.get(2)),
            None => Err(vm.no_attribute(&args.get(0), &name)),
        }
    }),
    ("setattr", |vm, args| {
        let name = vm.text_argument(&args, 1)?;
        vm.set_attribute(&args.get(0), &name, args.get(2))?;
        Ok(Value::None)
    }),
    ("delattr", |vm, args| {
        let name = vm.text_argument(&args, 1)?;
        vm.delete_attribute(&args.get(0), &name)?;
        Ok(Value::None)
    }),
    ("repr", |vm, args| Ok(Value::str(vm.repr(&args.get(0))?))),
    ("ascii", |vm, args| Ok(Value::str(vm.ascii(&args.get(0))?))),
    ("format", |vm, args| {
        let spec = args.get(1).as_str().unwrap_or_else(|| "".into());
        Ok(Value::str(vm.format(&args.get(0), &spec)?))
    }),
    ("hash", |vm, args| Ok(Value::Int(vm.hash(&args.get(0))?))),
    ("id", |_, args| {
        let address = args.get(0).address().unwrap_or(0);
        Ok(Value::int(address))
    }),
    ("ord", |vm, args| {
        let text = vm.text_argument(&args, 0)?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(Value::Int(i64::from(u32::from(c)))),
            _ => {
                let length = text.chars().count();
                let message =
                    format!("ord() expected a character, but string of length {length} found");
                Err(vm.error("TypeError", message))
            }
        }
    }),
    ("chr", |vm, args| {
        let code = args.get(0).as_int().and_then(|it| u32::try_from(it).ok());
        match code.and_then(char::from_u32) {
            Some(c) => Ok(Value::str(c.to_string())),
            None => Err(vm.error("ValueError", "chr() arg not in range(0x110000)")),
        }
    }),
    ("hex", |vm, args| digits(vm, &args, "#x")),
    ("oct", |vm, args| digits(vm, &args, "#o")),
    ("bin", |vm, args| digits(vm, &args, "#b")),
    ("vars", |vm, args| match args.plain.is_empty() {
        true => refused(vm, args),
        false => vm.attributes_of(&args.get(0)),
    }),
    ("dir", |vm, args| {
        let names = vm.attribute_names(&args.get(0));
        Ok(Value::list(names.into_iter().map(Value::Str).collect()))
    }),
    ("open", |vm, _| {
        Err(vm.error(
            "PermissionError",
            "files cannot be opened in this sandbox; the workbook is `workbook`",
        ))
    }),
    ("input", |vm, _| {
        Err(vm.error("EOFError", "there is nobody to ask in this sandbox"))
    }),
    ("eval", refused),
    ("exec", refused),
    ("compile", refused),
    ("__import__", refused),
    ("globals", refused),
    ("locals", refused),
    ("exit", leave),
    ("quit", leave),
];

impl Vm {
    pub(super) fn make_builtins(&mut self) {
        for (name, call) in FUNCTIONS {
            self.builtins
                .insert((*name).into(), Value::native(name, *call));
        }
        for (name, value) in [
            ("NotImplemented", Value::NotImplemented),
            ("Ellipsis", Value::Ellipsis),
            ("__debug__", Value::Bool(true)),
        ] {
            self.builtins.insert(name.into(), value);
        }
    }

    pub(crate) fn text_argument(&mut self, args: &Args, at: usize) -> Res<Rc<str>> {
        match args.get(at).as_str() {
            Some(text) => Ok(text),
            None => {
                let message = format!(
                    "a text is expected as argument {}, not '{}'",
                    at + 1,
                    self.type_name(&args.get(at))
                );
                Err(self.error("TypeError", message))
            }
        }
    }

    pub(crate) fn int_argument(&mut self, value: &Value) -> Res<i64> {
        match value.as_int() {
            Some(it) => Ok(it),
            None => {
                if let Some(it) = self
                    .special(value, "__index__", Vec::new())?
                    .and_then(|it| it.as_int())
                {
                    return Ok(it);
                }
                let message = format!(
                    "'{}' object cannot be interpreted as an integer",
                    self.type_name(value)
                );
                Err(self.error("TypeError", message))
            }
        }
    }

    pub(crate) fn length(&mut self, value: &Value) -> Res<usize> {
        Ok(match value {
            Value::Str(text) => match text.is_ascii() {
                true => text.len(),
                false => text.chars().count(),
            },
            Value::Bytes(bytes) => bytes.len(),
            Value::Tuple(items) => items.len(),
            Value::List(items) => items.borrow().len(),
            Value::Dict(dict) => dict.borrow().len(),
            Value::Set(set) => set.borrow().len(),
            Value::FrozenSet(set) => set.len(),
            Value::View(view) => view.dict.borrow().len(),
            Value::Range(range) => range.len(),
            Value::Class(class) if class.find("__class_len__").is_some() => {
                let length = self.call_method(value, &"__class_len__".into(), Vec::new())?;
                usize::try_from(self.int_argument(&length)?).unwrap_or(0)
            }
            Value::Object(object) => {
                if let Some(length) = self.special(value, "__len__", Vec::new())? {
                    let length = self.int_argument(&length)?;
                    return match usize::try_from(length) {
                        Ok(length) => Ok(length),
                        Err(_) => Err(self.error("ValueError", "__len__() should return >= 0")),
                    };
                }
                let payload = object.payload.borrow().clone();
                match payload {
                    Value::None => return Err(self.no_length(value)),
                    payload => self.length(&payload)?,
                }
            }
            _ => return Err(self.no_length(value)),
        })
    }

    fn no_length(&mut self, value: &Value) -> Fault {
        let message = format!("object of type '{}' has no len()", self.type_name(value));
        self.error("TypeError", message)
    }
}

fn digits(vm: &mut Vm, args: &Args, spec: &str) -> Res<Value> {
    let value = match args.get(0).plain() {
        big @ Value::Big(_) => big,
        other => Value::Int(vm.int_argument(&other)?),
    };
    vm.format(&value, spec).map(Value::str)
}

fn refused(vm: &mut Vm, _: Args) -> Res<Value> {
    Err(vm.error(
        "NotImplementedError",
        "this function is not available in this sandbox",
    ))
}

fn leave(vm: &mut Vm, args: Args) -> Res<Value> {
    Err(vm.throw("SystemExit", args.plain))
}

fn print(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let sep = args
        .named("sep")
        .and_then(|it| it.as_str())
        .unwrap_or_else(|| " ".into());
    let end = args
        .named("end")
        .and_then(|it| it.as_str())
        .unwrap_or_else(|| "\n".into());
    let mut text = String::new();
    for (at, value) in args.plain.iter().enumerate() {
        if at > 0 {
            text.push_str(&sep);
        }
        text.push_str(&vm.text_of(value)?);
    }
    text.push_str(&end);
    match args.named("file") {
        None | Some(Value::None) => vm.output.write(&text),
        Some(file) => {
            vm.call_method(&file, &"write".into(), vec![Value::str(text)])?;
        }
    }
    Ok(Value::None)
}

fn len(vm: &mut Vm, args: Args) -> Res<Value> {
    if args.plain.len() != 1 {
        let message = format!(
            "len() takes exactly one argument ({} given)",
            args.plain.len()
        );
        return Err(vm.error("TypeError", message));
    }
    vm.length(&args.get(0)).map(Value::int)
}

fn abs(vm: &mut Vm, args: Args) -> Res<Value> {
    let value = args.get(0);
    if let Some(found) = vm.special(&value, "__abs__", Vec::new())? {
        return Ok(found);
    }
    match Number::of(&value) {
        Some(Number::Int(it)) => Ok(match it.checked_abs() {
            Some(it) => Value::Int(it),
            None => Value::big(-num_bigint::BigInt::from(it)),
        }),
        Some(Number::Big(it)) => Ok(Value::big(num_bigint::BigInt::from(it.magnitude().clone()))),
        Some(Number::Float(it)) => Ok(Value::Float(it.abs())),
        None => {
            let message = format!("bad operand type for abs(): '{}'", vm.type_name(&value));
            Err(vm.error("TypeError", message))
        }
    }
}

fn extreme(vm: &mut Vm, mut args: Args, is_min: bool) -> Res<Value> {
    let key = args.named("key").unwrap_or(Value::None);
    let default = args.named("default");
    let items = match args.plain.len() {
        1 => vm.collect_items(&args.get(0))?,
        _ => args.plain,
    };
    let mut best: Option<(Value, Value)> = None;
    for item in items {
        let by = match key.is_none() {
            true => item.clone(),
            false => vm.call_with(&key, vec![item.clone()])?,
        };
        let is_better = match &best {
            None => true,
            Some((known, _)) if is_min => vm.less(&by, known)?,
            Some((known, _)) => vm.less(known, &by)?,
        };
        if is_better {
            best = Some((by, item));
        }
    }
    match (best, default) {
        (Some((_, item)), _) => Ok(item),
        (None, Some(default)) => Ok(default),
        (None, None) => {
            let name = if is_min { "min" } else { "max" };
            Err(vm.error("ValueError", format!("{name}() arg is an empty sequence")))
        }
    }
}

fn sum(vm: &mut Vm, mut args: Args) -> Res<Value> {
    use crate::syntax::ast::BinaryOp::Add;
    let mut total = args.take(1, "start").unwrap_or(Value::Int(0));
    let iterator = vm.iterator(&args.get(0))?;
    // Floats are added with what each step loses, as Python does.
    let mut lost = 0.0_f64;
    while let Some(item) = vm.next(&iterator)? {
        if let (Value::Float(sum), Some(Number::Float(next))) = (&total, Number::of(&item)) {
            let new = sum + next;
            lost += match sum.abs() >= next.abs() {
                true => (sum - new) + next,
                false => (next - new) + sum,
            };
            total = Value::Float(new);
            continue;
        }
        total = vm.binary(Add, &total, &item)?;
    }
    if let Value::Float(sum) = total
        && lost.is_finite()
    {
        return Ok(Value::Float(sum + lost));
    }
    Ok(total)
}

fn sorted(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let key = args.named("key").unwrap_or(Value::None);
    let reverse = args.named("reverse").unwrap_or(Value::Bool(false));
    let reverse = vm.truth(&reverse)?;
    let items = vm.collect_items(&args.get(0))?;
    vm.sort(items, &key, reverse).map(Value::list)
}

fn reversed(vm: &mut Vm, args: Args) -> Res<Value> {
    if let Some(found) = vm.special(&args.get(0), "__reversed__", Vec::new())? {
        return Ok(found);
    }
    if let Value::Range(range) = args.get(0) {
        let last = range.len().checked_sub(1).and_then(|at| range.get(at));
        return Ok(Value::iter(match last {
            Some(last) => {
                let range = super::value::Range {
                    start: last,
                    stop: range.start - range.step.signum(),
                    step: -range.step,
                };
                Iter::Range(range, 0)
            }
            None => Iter::Done,
        }));
    }
    let mut items = vm.collect_items(&args.get(0))?;
    items.reverse();
    Ok(Value::iter(Iter::Values(items.into_iter())))
}

fn enumerate(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let start = args.take(1, "start").unwrap_or(Value::Int(0));
    let start = vm.int_argument(&start)?;
    let inner = vm.iterator(&args.get(0))?;
    Ok(Value::iter(Iter::Enumerate(inner, start)))
}

fn zip(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let strict = args.named("strict").unwrap_or(Value::Bool(false));
    let strict = vm.truth(&strict)?;
    let inner: Res<Vec<Value>> = args.plain.iter().map(|it| vm.iterator(it)).collect();
    Ok(Value::iter(Iter::Zip(inner?, strict)))
}

fn map(vm: &mut Vm, args: Args) -> Res<Value> {
    let inner: Res<Vec<Value>> = args
        .plain
        .iter()
        .skip(1)
        .map(|it| vm.iterator(it))
        .collect();
    Ok(Value::iter(Iter::Map(args.get(0), inner?)))
}

fn next(vm: &mut Vm, args: Args) -> Res<Value> {
    let iterator = args.get(0);
    if let Value::Generator(_) | Value::Object(_) = iterator {
        let name = "__next__".into();
        return match vm.call_method(&iterator, &name, Vec::new()) {
            Err(fault) if args.plain.len() > 1 && vm.is_fault(&fault, "StopIteration") => {
                Ok(args.get(1))
            }
            Err(fault) if vm.is_fault(&fault, "AttributeError") => match vm.next(&iterator) {
                Ok(_) => Err(fault),
                Err(told) => Err(told),
            },
            found => found,
        };
    }
    match vm.next(&iterator)? {
        Some(value) => Ok(value),
        None if args.plain.len() > 1 => Ok(args.get(1)),
        None => Err(vm.throw("StopIteration", Vec::new())),
    }
}

fn round(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let digits = args.take(1, "ndigits").unwrap_or(Value::None);
    let value = args.take(0, "number").unwrap_or(Value::None);
    let plain = match digits.is_none() {
        true => Vec::new(),
        false => vec![digits.clone()],
    };
    if let Some(found) = vm.special(&value, "__round__", plain)? {
        return Ok(found);
    }
    match (Number::of(&value), digits.is_none()) {
        (Some(Number::Float(it)), true) => {
            if !it.is_finite() {
                let message = format!("cannot convert float {} to integer", number::float_text(it));
                let class = if it.is_nan() {
                    "ValueError"
                } else {
                    "OverflowError"
                };
                return Err(vm.error(class, message));
            }
            Ok(Value::big(number::float_to_big(it.round_ties_even())))
        }
        (Some(Number::Float(it)), false) => {
            let digits = vm.int_argument(&digits)?;
            Ok(Value::Float(number::round(it, digits)))
        }
        (Some(number), _) => {
            let digits = if digits.is_none() {
                0
            } else {
                vm.int_argument(&digits)?
            };
            let big = number.to_big();
            let cut = u32::try_from(-digits).unwrap_or(0);
            if cut == 0 {
                return Ok(Value::big(big));
            }
            if u64::from(cut) > big.bits() {
                return Ok(Value::Int(0));
            }
            let unit = num_bigint::BigInt::from(10).pow(cut);
            let (quotient, rest) = super::vm::floor_divide(&big, &unit);
            let twice = &rest * 2;
            let up = twice > unit || twice == unit && quotient.bit(0);
            Ok(Value::big((quotient + i32::from(up)) * unit))
        }
        (None, _) => {
            let message = format!(
                "type {} doesn't define __round__ method",
                vm.type_name(&value)
            );
            Err(vm.error("TypeError", message))
        }
    }
}

fn modular(
    vm: &mut Vm,
    base: &Value,
    exponent: &Value,
    modulus: &Value,
    op: crate::syntax::ast::BinaryOp,
) -> Res<Value> {
    let numbers = (Number::of(base), Number::of(exponent), Number::of(modulus));
    let (Some(base), Some(exponent), Some(modulus)) = numbers else {
        return Err(vm.error("TypeError", "pow() arguments must be integers"));
    };
    let (base, exponent, modulus) = (base.to_big(), exponent.to_big(), modulus.to_big());
    if modulus == num_bigint::BigInt::from(0) || exponent < num_bigint::BigInt::from(0) {
        return Err(vm.error("ValueError", "pow() 3rd argument cannot be 0"));
    }
    let value = Value::big(base.modpow(&exponent, &modulus));
    vm.binary(op, &value, &Value::big(modulus))
}
