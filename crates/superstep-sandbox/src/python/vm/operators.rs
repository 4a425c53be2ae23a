//! Operators between values.

use std::rc::Rc;

use num_bigint::{BigInt, Sign};

use super::Vm;
use crate::{
    python::{
        fault::{Fault, Res},
        number::{self, MOST_BITS, Number},
        value::{Set, Value},
    },
    syntax::ast::{BinaryOp, UnaryOp},
};

impl Vm {
    pub(crate) fn unary(&mut self, op: UnaryOp, value: &Value) -> Res<Value> {
        let name = match op {
            UnaryOp::Not => return Ok(Value::Bool(!self.truth(value)?)),
            UnaryOp::Minus => "__neg__",
            UnaryOp::Plus => "__pos__",
            UnaryOp::Invert => "__invert__",
        };
        if let Some(found) = self.special(value, name, Vec::new())? {
            return Ok(found);
        }
        match (op, Number::of(value)) {
            (UnaryOp::Minus, Some(Number::Int(it))) => Ok(match it.checked_neg() {
                Some(it) => Value::Int(it),
                None => Value::big(-BigInt::from(it)),
            }),
            (UnaryOp::Minus, Some(Number::Big(it))) => Ok(Value::big(-it)),
            (UnaryOp::Minus, Some(Number::Float(it))) => Ok(Value::Float(-it)),
            (UnaryOp::Plus, Some(Number::Int(it))) => Ok(Value::Int(it)),
            (UnaryOp::Plus, Some(Number::Big(it))) => Ok(Value::big(it)),
            (UnaryOp::Plus, Some(Number::Float(it))) => Ok(Value::Float(it)),
            (UnaryOp::Invert, Some(Number::Int(it))) => Ok(Value::Int(!it)),
            (UnaryOp::Invert, Some(Number::Big(it))) => Ok(Value::big(-it - 1)),
            _ => {
                let symbol = match op {
                    UnaryOp::Minus => "-",
                    UnaryOp::Plus => "+",
                    _ => "~",
                };
                let message = format!(
                    "bad operand type for unary {symbol}: '{}'",
                    self.type_name(value)
                );
                Err(self.error("TypeError", message))
            }
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Res<Value> {
        match (op, left, right) {
            (BinaryOp::Add, Value::Int(a), Value::Int(b)) => {
                if let Some(sum) = a.checked_add(*b) {
                    return Ok(Value::Int(sum));
                }
            }
            (BinaryOp::Sub, Value::Int(a), Value::Int(b)) => {
                if let Some(difference) = a.checked_sub(*b) {
                    return Ok(Value::Int(difference));
                }
            }
            (BinaryOp::Add, Value::Float(a), Value::Float(b)) => return Ok(Value::Float(a + b)),
            (BinaryOp::Mul, Value::Float(a), Value::Float(b)) => return Ok(Value::Float(a * b)),
            (BinaryOp::Add, Value::Str(a), Value::Str(b)) => {
                self.room(a.len() + b.len())?;
                return Ok(Value::str(format!("{a}{b}")));
            }
            _ => {}
        }
        let (name, reflected, symbol) = names(op);
        if matches!(left, Value::Object(_)) || matches!(right, Value::Object(_)) {
            // The class of the right side goes first where it is the more special one.
            let is_below = match (left, right) {
                (Value::Object(a), Value::Object(b)) => {
                    !Rc::ptr_eq(&a.class, &b.class) && b.class.is_below(&a.class)
                }
                _ => false,
            };
            let first = (left, right, name);
            let second = (right, left, reflected);
            let order = if is_below {
                [second, first]
            } else {
                [first, second]
            };
            for (one, other, name) in order {
                match self.special(one, name, vec![other.clone()])? {
                    None | Some(Value::NotImplemented) => {}
                    Some(found) => return Ok(found),
                }
            }
        }
        let (one, other) = (left.plain(), right.plain());
        match self.plain_binary(op, &one, &other)? {
            Some(value) => Ok(value),
            None => Err(self.unsupported(symbol, left, right)),
        }
    }

    fn unsupported(&mut self, symbol: &str, left: &Value, right: &Value) -> Fault {
        let (one, other) = (self.type_name(left), self.type_name(right));
        let message = match (symbol, left, right) {
            ("+", Value::Str(_), _) => {
                format!("can only concatenate str (not \"{other}\") to str")
            }
            ("+", Value::List(_), _) => {
                format!("can only concatenate list (not \"{other}\") to list")
            }
            ("*", left, _) if is_sequence(left) => {
                format!("can't multiply sequence by non-int of type '{other}'")
            }
            ("*", _, right) if is_sequence(right) => {
                format!("can't multiply sequence by non-int of type '{one}'")
            }
            _ => format!("unsupported operand type(s) for {symbol}: '{one}' and '{other}'"),
        };
        self.error("TypeError", message)
    }

    pub(crate) fn in_place(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Res<Value> {
        match (op, left) {
            (BinaryOp::Add, Value::List(list)) => {
                let items = self.collect_items(right)?;
                self.room((list.borrow().len() + items.len()) * size_of::<Value>())?;
                list.borrow_mut().extend(items);
                return Ok(left.clone());
            }
            (BinaryOp::Or, Value::Dict(_)) => {
                let update = Self::method_of(left.kind(), "update");
                if let Some(update) = update {
                    let plain = vec![left.clone(), right.clone()];
                    update(self, crate::python::value::Args::plain(plain))?;
                    return Ok(left.clone());
                }
            }
            (BinaryOp::Or | BinaryOp::And | BinaryOp::Sub | BinaryOp::Xor, Value::Set(set)) => {
                if let Value::Set(new) = self.binary(op, left, right)? {
                    let new = new.borrow().clone();
                    *set.borrow_mut() = new;
                }
                return Ok(left.clone());
            }
            (_, Value::Object(_)) => {
                let (name, ..) = names(op);
                let name = name.replacen("__", "__i", 1);
                match self.special(left, &name, vec![right.clone()])? {
                    None | Some(Value::NotImplemented) => {}
                    Some(found) => return Ok(found),
                }
            }
            _ => {}
        }
        self.binary(op, left, right)
    }

    /// Operators between values of the interpreter; nothing if there is no such operator.
    fn plain_binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Res<Option<Value>> {
        if let (Some(a), Some(b)) = (Number::of(left), Number::of(right)) {
            let both = matches!((left, right), (Value::Bool(_), Value::Bool(_)));
            if both && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
                let (a, b) = (self.truth(left)?, self.truth(right)?);
                return Ok(Some(Value::Bool(match op {
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    _ => a ^ b,
                })));
            }
            return self.arithmetic(op, &a, &b);
        }
        match (op, left, right) {
            (BinaryOp::Mod, Value::Str(text), _) => {
                let text = self.percent(text, right)?;
                Ok(Some(Value::str(text)))
            }
            (BinaryOp::Add, Value::Str(a), Value::Str(b)) => {
                self.room(a.len() + b.len())?;
                Ok(Some(Value::str(format!("{a}{b}"))))
            }
            (BinaryOp::Add, Value::Bytes(a), Value::Bytes(b)) => {
                self.room(a.len() + b.len())?;
                Ok(Some(Value::Bytes([&**a, &**b].concat().into())))
            }
            (BinaryOp::Add, Value::Tuple(a), Value::Tuple(b)) => {
                self.room((a.len() + b.len()) * size_of::<Value>())?;
                Ok(Some(Value::tuple(
                    a.iter().chain(b.iter()).cloned().collect(),
                )))
            }
            (BinaryOp::Add, Value::List(a), Value::List(b)) => {
                let (a, b) = (a.borrow(), b.borrow());
                self.room((a.len() + b.len()) * size_of::<Value>())?;
                Ok(Some(Value::list(
                    a.iter().chain(b.iter()).cloned().collect(),
                )))
            }
            (BinaryOp::Mul, sequence, count) | (BinaryOp::Mul, count, sequence)
                if is_sequence(sequence) && count.as_int().is_some() =>
            {
                let count = usize::try_from(count.as_int().unwrap_or(0)).unwrap_or(0);
                self.repeat(sequence, count).map(Some)
            }
            (BinaryOp::Or, Value::Dict(a), Value::Dict(b)) => {
                let mut all = a.borrow().clone();
                for (key, (name, value)) in &*b.borrow() {
                    super::exec::put(&mut all, key.clone(), name.clone(), value.clone());
                }
                Ok(Some(Value::dict(all)))
            }
            (BinaryOp::Or, Value::Class(_) | Value::Union(_), Value::None)
            | (BinaryOp::Or, Value::None, Value::Class(_) | Value::Union(_))
            | (
                BinaryOp::Or,
                Value::Class(_) | Value::Union(_),
                Value::Class(_) | Value::Union(_),
            ) => {
                let mut all: Vec<Value> = Vec::new();
                for side in [left, right] {
                    let parts = match side {
                        Value::Union(parts) => parts.to_vec(),
                        other => vec![other.clone()],
                    };
                    for part in parts {
                        if !all.iter().any(|known| known.is(&part)) {
                            all.push(part);
                        }
                    }
                }
                Ok(Some(match all.as_slice() {
                    [only] => only.clone(),
                    _ => Value::Union(all.into()),
                }))
            }
            (BinaryOp::Or | BinaryOp::And | BinaryOp::Sub | BinaryOp::Xor, ..) => {
                let (Some(a), Some(b)) = (self.as_set(left)?, self.as_set(right)?) else {
                    return Ok(None);
                };
                let set = combine(op, a, b);
                Ok(Some(match left {
                    Value::FrozenSet(_) => Value::FrozenSet(Rc::new(set)),
                    _ => Value::set(set),
                }))
            }
            _ => Ok(None),
        }
    }

    fn repeat(&mut self, sequence: &Value, count: usize) -> Res<Value> {
        let size = |length: usize, unit: usize| length.saturating_mul(unit).saturating_mul(count);
        Ok(match sequence {
            Value::Str(text) => {
                self.room(size(text.len(), 1))?;
                Value::str(text.repeat(count))
            }
            Value::Bytes(bytes) => {
                self.room(size(bytes.len(), 1))?;
                Value::Bytes(bytes.repeat(count).into())
            }
            Value::List(list) => {
                let list = list.borrow();
                self.room(size(list.len(), size_of::<Value>()))?;
                let all = list.iter().cloned().cycle().take(list.len() * count);
                Value::list(all.collect())
            }
            Value::Tuple(items) => {
                self.room(size(items.len(), size_of::<Value>()))?;
                let all = items.iter().cloned().cycle().take(items.len() * count);
                Value::tuple(all.collect())
            }
            other => other.clone(),
        })
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Number, right: &Number) -> Res<Option<Value>> {
        if left.is_float() || right.is_float() {
            return self.float_arithmetic(op, left.to_float(), right.to_float());
        }
        if let (Number::Int(a), Number::Int(b)) = (left, right)
            && let Some(value) = self.small(op, *a, *b)?
        {
            return Ok(Some(value));
        }
        let (a, b) = (left.to_big(), right.to_big());
        Ok(Some(match op {
            BinaryOp::Add => self.bounded(a + b)?,
            BinaryOp::Sub => self.bounded(a - b)?,
            BinaryOp::Mul => {
                self.bits(a.bits() + b.bits())?;
                Value::big(a * b)
            }
            BinaryOp::Div => {
                if b.sign() == Sign::NoSign {
                    return Err(self.error("ZeroDivisionError", "division by zero"));
                }
                let quotient = number::quotient(&a, &b);
                if quotient.is_infinite() {
                    let message = "integer division result too large for a float";
                    return Err(self.error("OverflowError", message));
                }
                Value::Float(quotient)
            }
            BinaryOp::FloorDiv | BinaryOp::Mod => {
                if b.sign() == Sign::NoSign {
                    let message = match op {
                        BinaryOp::Mod => "integer modulo by zero",
                        _ => "integer division or modulo by zero",
                    };
                    return Err(self.error("ZeroDivisionError", message));
                }
                let (quotient, rest) = floor_divide(&a, &b);
                Value::big(if op == BinaryOp::Mod { rest } else { quotient })
            }
            BinaryOp::Pow => return self.power(&a, &b).map(Some),
            BinaryOp::And => Value::big(a & b),
            BinaryOp::Or => Value::big(a | b),
            BinaryOp::Xor => Value::big(a ^ b),
            BinaryOp::LeftShift | BinaryOp::RightShift => {
                let Ok(by) = u64::try_from(&b) else {
                    let message = match b.sign() {
                        Sign::Minus => "negative shift count",
                        _ => "too large a shift count",
                    };
                    return Err(self.error("ValueError", message));
                };
                if op == BinaryOp::RightShift {
                    Value::big(a >> by.min(MOST_BITS * 2))
                } else {
                    self.bits(a.bits().saturating_add(by))?;
                    Value::big(a << by)
                }
            }
            BinaryOp::MatMul => return Ok(None),
        }))
    }

    fn small(&mut self, op: BinaryOp, a: i64, b: i64) -> Res<Option<Value>> {
        let value = match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::And => Some(a & b),
            BinaryOp::Or => Some(a | b),
            BinaryOp::Xor => Some(a ^ b),
            BinaryOp::FloorDiv | BinaryOp::Mod if b != 0 && b != -1 => {
                let (quotient, rest) = (a.div_euclid(b), a.rem_euclid(b));
                // The rest has the sign of the divisor.
                let (quotient, rest) = match b < 0 && rest != 0 {
                    true => (quotient - 1, rest + b),
                    false => (quotient, rest),
                };
                Some(if op == BinaryOp::Mod { rest } else { quotient })
            }
            BinaryOp::Div if b != 0 && a.abs() < 1 << 53 && b.abs() < 1 << 53 => {
                return Ok(Some(Value::Float(a as f64 / b as f64)));
            }
            BinaryOp::Pow if (0..=62).contains(&b) => a.checked_pow(u32::try_from(b).unwrap_or(0)),
            _ => None,
        };
        Ok(value.map(Value::Int))
    }

    fn bits(&mut self, bits: u64) -> Res<()> {
        if bits > MOST_BITS {
            return Err(self.error(
                "OverflowError",
                "the integer is larger than the sandbox permits",
            ));
        }
        Ok(())
    }

    fn bounded(&mut self, value: BigInt) -> Res<Value> {
        self.bits(value.bits())?;
        Ok(Value::big(value))
    }

    fn power(&mut self, base: &BigInt, exponent: &BigInt) -> Res<Value> {
        if exponent.sign() == Sign::Minus {
            let (base, exponent) = (Number::Big(base.clone()), Number::Big(exponent.clone()));
            if base.to_float() == 0.0 {
                let message = "zero to a negative power";
                return Err(self.error("ZeroDivisionError", message));
            }
            return Ok(Value::Float(base.to_float().powf(exponent.to_float())));
        }
        let is_trivial = base.bits() <= 1 && *base <= BigInt::from(1) && *base >= BigInt::from(-1);
        let Ok(by) = u32::try_from(exponent) else {
            if is_trivial {
                let is_odd = exponent.bit(0);
                return Ok(Value::big(match is_odd {
                    true => base.clone(),
                    false => base * base,
                }));
            }
            self.bits(u64::MAX)?;
            return Ok(Value::None);
        };
        if !is_trivial {
            self.bits(base.bits().saturating_mul(u64::from(by)))?;
        }
        Ok(Value::big(base.pow(by)))
    }

    fn float_arithmetic(&mut self, op: BinaryOp, a: f64, b: f64) -> Res<Option<Value>> {
        let divides = matches!(op, BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod);
        if divides && b == 0.0 {
            let message = match op {
                BinaryOp::Div => "float division by zero",
                BinaryOp::Mod => "float modulo",
                _ => "float floor division by zero",
            };
            return Err(self.error("ZeroDivisionError", message));
        }
        Ok(Some(Value::Float(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            BinaryOp::Mod => modulo(a, b),
            BinaryOp::FloorDiv => match (a - modulo(a, b)) / b {
                0.0 => 0.0_f64.copysign(a / b),
                quotient => quotient.round(),
            },
            BinaryOp::Pow => {
                if a == 0.0 && b < 0.0 {
                    let message = "0.0 cannot be raised to a negative power";
                    return Err(self.error("ZeroDivisionError", message));
                }
                let value = a.powf(b);
                if value.is_nan() && !a.is_nan() && !b.is_nan() {
                    let message = "complex numbers are not supported in this sandbox";
                    return Err(self.error("NotImplementedError", message));
                }
                if value.is_infinite() && a.is_finite() && b.is_finite() {
                    return Err(
                        self.error("OverflowError", "(34, 'Numerical result out of range')")
                    );
                }
                value
            }
            _ => return Ok(None),
        })))
    }
}

fn modulo(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        return 0.0_f64.copysign(b);
    }
    match rest != 0.0 && (rest < 0.0) != (b < 0.0) {
        true => rest + b,
        false => rest,
    }
}

/// Quotient and rest; the rest has the sign of the divisor.
pub(crate) fn floor_divide(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (a / b, a % b);
    let is_off =
        rest.sign() != Sign::NoSign && (rest.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    match is_off {
        true => (quotient - 1, rest + b),
        false => (quotient, rest),
    }
}

fn combine(op: BinaryOp, a: Set, b: Set) -> Set {
    match op {
        BinaryOp::Or => {
            let mut all = a;
            for (key, value) in b {
                all.entry(key).or_insert(value);
            }
            all
        }
        BinaryOp::And => a
            .into_iter()
            .filter(|(key, _)| b.contains_key(key))
            .collect(),
        BinaryOp::Sub => a
            .into_iter()
            .filter(|(key, _)| !b.contains_key(key))
            .collect(),
        _ => {
            let only_b: Vec<_> = b
                .iter()
                .filter(|(key, _)| !a.contains_key(*key))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            let only_a = a.into_iter().filter(|(key, _)| !b.contains_key(key));
            only_a.chain(only_b).collect()
        }
    }
}

fn is_sequence(value: &Value) -> bool {
    matches!(
        value,
        Value::Str(_) | Value::Bytes(_) | Value::List(_) | Value::Tuple(_)
    )
}

fn names(op: BinaryOp) -> (&'static str, &'static str, &'static str) {
    match op {
        BinaryOp::Add => ("__add__", "__radd__", "+"),
        BinaryOp::Sub => ("__sub__", "__rsub__", "-"),
        BinaryOp::Mul => ("__mul__", "__rmul__", "*"),
        BinaryOp::Div => ("__truediv__", "__rtruediv__", "/"),
        BinaryOp::FloorDiv => ("__floordiv__", "__rfloordiv__", "//"),
        BinaryOp::Mod => ("__mod__", "__rmod__", "%"),
        BinaryOp::Pow => ("__pow__", "__rpow__", "** or pow()"),
        BinaryOp::And => ("__and__", "__rand__", "&"),
        BinaryOp::Or => ("__or__", "__ror__", "|"),
        BinaryOp::Xor => ("__xor__", "__rxor__", "^"),
        BinaryOp::LeftShift => ("__lshift__", "__rlshift__", "<<"),
        BinaryOp::RightShift => ("__rshift__", "__rrshift__", ">>"),
        BinaryOp::MatMul => ("__matmul__", "__rmatmul__", "@"),
    }
}
