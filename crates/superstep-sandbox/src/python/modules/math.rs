//! The module `math`.

use num_bigint::BigInt;

use crate::python::{
    fault::Res,
    number::{Number, float_to_big},
    value::{Args, Function, Value},
    vm::Vm,
};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("sqrt", |vm, args| real(vm, &args, f64::sqrt)),
    ("exp", |vm, args| real(vm, &args, f64::exp)),
    ("sin", |vm, args| real(vm, &args, f64::sin)),
    ("cos", |vm, args| real(vm, &args, f64::cos)),
    ("tan", |vm, args| real(vm, &args, f64::tan)),
    ("asin", |vm, args| real(vm, &args, f64::asin)),
    ("acos", |vm, args| real(vm, &args, f64::acos)),
    ("atan", |vm, args| real(vm, &args, f64::atan)),
    ("sinh", |vm, args| real(vm, &args, f64::sinh)),
    ("cosh", |vm, args| real(vm, &args, f64::cosh)),
    ("tanh", |vm, args| real(vm, &args, f64::tanh)),
    ("log10", |vm, args| real(vm, &args, f64::log10)),
    ("log2", |vm, args| real(vm, &args, f64::log2)),
    ("log1p", |vm, args| real(vm, &args, f64::ln_1p)),
    ("expm1", |vm, args| real(vm, &args, f64::exp_m1)),
    ("cbrt", |vm, args| real(vm, &args, f64::cbrt)),
    ("fabs", |vm, args| real(vm, &args, f64::abs)),
    ("degrees", |vm, args| real(vm, &args, f64::to_degrees)),
    ("radians", |vm, args| real(vm, &args, f64::to_radians)),
    ("log", |vm, args| {
        let value = float(vm, &args.get(0))?;
        let base = match args.plain.get(1) {
            Some(base) => Some(float(vm, base)?),
            None => None,
        };
        if value <= 0.0 {
            return Err(vm.error("ValueError", "math domain error"));
        }
        Ok(Value::Float(match base {
            Some(base) => value.ln() / base.ln(),
            None => value.ln(),
        }))
    }),
    ("asinh", |vm, args| real(vm, &args, f64::asinh)),
    ("acosh", |vm, args| real(vm, &args, f64::acosh)),
    ("atanh", |vm, args| real(vm, &args, f64::atanh)),
    ("exp2", |vm, args| real(vm, &args, f64::exp2)),
    ("ulp", |vm, args| {
        real(vm, &args, |it| it.abs().next_up() - it.abs())
    }),
    ("nextafter", |vm, args| {
        two(vm, &args, |from, to| match from.partial_cmp(&to) {
            Some(std::cmp::Ordering::Less) => from.next_up(),
            Some(std::cmp::Ordering::Greater) => from.next_down(),
            _ => to,
        })
    }),
    ("remainder", |vm, args| {
        two(vm, &args, |a, b| {
            let rest = (a % b).abs();
            let other = b.abs() - rest;
            let is_odd = ((a.abs() - rest) / b.abs()) % 2.0 == 1.0;
            let nearest = if rest > other || rest == other && is_odd {
                -other
            } else {
                rest
            };
            nearest * a.signum()
        })
    }),
    ("frexp", |vm, args| {
        let value = float(vm, &args.get(0))?;
        if value == 0.0 || !value.is_finite() {
            return Ok(Value::tuple(vec![Value::Float(value), Value::Int(0)]));
        }
        let (mut part, mut power) = (value, 0_i64);
        while part.abs() >= 1.0 {
            part /= 2.0;
            power += 1;
        }
        while part.abs() < 0.5 {
            part *= 2.0;
            power -= 1;
        }
        Ok(Value::tuple(vec![Value::Float(part), Value::Int(power)]))
    }),
    ("ldexp", |vm, args| {
        let (value, power) = (float(vm, &args.get(0))?, vm.int_argument(&args.get(1))?);
        let mut result = value;
        for _ in 0..power.unsigned_abs().min(2200) {
            result = if power > 0 {
                result * 2.0
            } else {
                result / 2.0
            };
        }
        match result.is_infinite() && value.is_finite() {
            true => Err(vm.error("OverflowError", "math range error")),
            false => Ok(Value::Float(result)),
        }
    }),
    ("pow", |vm, args| two(vm, &args, f64::powf)),
    ("atan2", |vm, args| two(vm, &args, f64::atan2)),
    ("fmod", |vm, args| two(vm, &args, |a, b| a % b)),
    ("copysign", |vm, args| two(vm, &args, f64::copysign)),
    ("hypot", |vm, args| {
        let mut total = 0.0;
        for value in &args.plain {
            total = f64::hypot(total, float(vm, value)?);
        }
        Ok(Value::Float(total))
    }),
    ("floor", |vm, args| {
        whole(vm, &args, "__floor__", f64::floor)
    }),
    ("ceil", |vm, args| whole(vm, &args, "__ceil__", f64::ceil)),
    ("trunc", |vm, args| {
        whole(vm, &args, "__trunc__", f64::trunc)
    }),
    ("isnan", |vm, args| {
        Ok(Value::Bool(float(vm, &args.get(0))?.is_nan()))
    }),
    ("isinf", |vm, args| {
        Ok(Value::Bool(float(vm, &args.get(0))?.is_infinite()))
    }),
    ("isfinite", |vm, args| {
        Ok(Value::Bool(float(vm, &args.get(0))?.is_finite()))
    }),
    ("isclose", |vm, mut args| {
        let (a, b) = (float(vm, &args.get(0))?, float(vm, &args.get(1))?);
        let relative = args.named("rel_tol").unwrap_or(Value::Float(1e-9));
        let absolute = args.named("abs_tol").unwrap_or(Value::Float(0.0));
        let (relative, absolute) = (float(vm, &relative)?, float(vm, &absolute)?);
        let tolerance = (relative * a.abs().max(b.abs())).max(absolute);
        Ok(Value::Bool(a == b || (a - b).abs() <= tolerance))
    }),
    ("modf", |vm, args| {
        let value = float(vm, &args.get(0))?;
        Ok(Value::tuple(vec![
            Value::Float(value.fract()),
            Value::Float(value.trunc()),
        ]))
    }),
    ("factorial", |vm, args| {
        let count = vm.int_argument(&args.get(0))?;
        if count < 0 {
            let message = "factorial() not defined for negative values";
            return Err(vm.error("ValueError", message));
        }
        if count > 5000 {
            let message = "factorials of more than 5000 are larger than the sandbox permits";
            return Err(vm.error("OverflowError", message));
        }
        let mut value = BigInt::from(1);
        for each in 2..=count {
            value *= each;
        }
        Ok(Value::big(value))
    }),
    ("gcd", |vm, args| {
        let mut found = BigInt::from(0);
        for value in &args.plain {
            found = gcd(found, integer(vm, value)?);
        }
        Ok(Value::big(found))
    }),
    ("lcm", |vm, args| {
        let mut found = BigInt::from(1);
        for value in &args.plain {
            let value = integer(vm, value)?;
            let common = gcd(found.clone(), value.clone());
            if common == BigInt::from(0) {
                return Ok(Value::Int(0));
            }
            found = found * value / common;
        }
        Ok(Value::big(BigInt::from(found.magnitude().clone())))
    }),
    ("comb", |vm, args| {
        let (all, some) = (
            vm.int_argument(&args.get(0))?,
            vm.int_argument(&args.get(1))?,
        );
        if !(0..=5000).contains(&all) || some < 0 {
            return Err(vm.error("ValueError", "comb() is defined for 0 to 5000 here"));
        }
        let mut value = BigInt::from(i64::from(some <= all));
        for each in 0..some.min(all) {
            value = value * (all - each) / (each + 1);
        }
        Ok(Value::big(value))
    }),
    ("perm", |vm, args| {
        let all = vm.int_argument(&args.get(0))?;
        let some = match args.plain.get(1) {
            Some(some) => vm.int_argument(some)?,
            None => all,
        };
        if !(0..=5000).contains(&all) || some < 0 {
            return Err(vm.error("ValueError", "perm() is defined for 0 to 5000 here"));
        }
        let mut value = BigInt::from(i64::from(some <= all));
        for each in 0..some.min(all) {
            value *= all - each;
        }
        Ok(Value::big(value))
    }),
    ("isqrt", |vm, args| {
        let value = integer(vm, &args.get(0))?;
        if value < BigInt::from(0) {
            return Err(vm.error("ValueError", "isqrt() argument must be nonnegative"));
        }
        Ok(Value::big(value.sqrt()))
    }),
    ("fsum", |vm, args| {
        let (mut total, mut lost) = (0.0_f64, 0.0_f64);
        for item in vm.collect_items(&args.get(0))? {
            let next = float(vm, &item)?;
            let new = total + next;
            lost += match total.abs() >= next.abs() {
                true => (total - new) + next,
                false => (next - new) + total,
            };
            total = new;
        }
        Ok(Value::Float(total + lost))
    }),
    ("prod", |vm, mut args| {
        let mut value = args.named("start").unwrap_or(Value::Int(1));
        for item in vm.collect_items(&args.get(0))? {
            value = vm.binary(crate::syntax::ast::BinaryOp::Mul, &value, &item)?;
        }
        Ok(value)
    }),
    ("dist", |vm, args| {
        let (a, b) = (
            vm.collect_items(&args.get(0))?,
            vm.collect_items(&args.get(1))?,
        );
        let mut total = 0.0;
        for (a, b) in a.iter().zip(&b) {
            total += (float(vm, a)? - float(vm, b)?).powi(2);
        }
        Ok(Value::Float(total.sqrt()))
    }),
];

pub(super) fn constants() -> Vec<(&'static str, Value)> {
    vec![
        ("pi", Value::Float(std::f64::consts::PI)),
        ("e", Value::Float(std::f64::consts::E)),
        ("tau", Value::Float(std::f64::consts::TAU)),
        ("inf", Value::Float(f64::INFINITY)),
        ("nan", Value::Float(f64::NAN)),
    ]
}

fn float(vm: &mut Vm, value: &Value) -> Res<f64> {
    if value.as_str().is_some() {
        return Err(vm.error("TypeError", "must be real number, not str"));
    }
    match vm.float_of(Some(value.clone()))? {
        Value::Float(value) => Ok(value),
        _ => Ok(f64::NAN),
    }
}

fn integer(vm: &mut Vm, value: &Value) -> Res<BigInt> {
    match Number::of(value) {
        Some(number) if !number.is_float() => Ok(number.to_big()),
        _ => {
            let message = format!(
                "'{}' object cannot be interpreted as an integer",
                vm.type_name(value)
            );
            Err(vm.error("TypeError", message))
        }
    }
}

fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b != BigInt::from(0) {
        (a, b) = (b.clone(), a % b);
    }
    BigInt::from(a.magnitude().clone())
}

fn real(vm: &mut Vm, args: &Args, function: fn(f64) -> f64) -> Res<Value> {
    let value = float(vm, &args.get(0))?;
    let result = function(value);
    if result.is_nan() && !value.is_nan() || result == f64::NEG_INFINITY && value.is_finite() {
        return Err(vm.error("ValueError", "math domain error"));
    }
    if result.is_infinite() && value.is_finite() {
        return Err(vm.error("OverflowError", "math range error"));
    }
    Ok(Value::Float(result))
}

fn two(vm: &mut Vm, args: &Args, function: fn(f64, f64) -> f64) -> Res<Value> {
    let (a, b) = (float(vm, &args.get(0))?, float(vm, &args.get(1))?);
    let result = function(a, b);
    if result.is_nan() && !a.is_nan() && !b.is_nan() {
        return Err(vm.error("ValueError", "math domain error"));
    }
    Ok(Value::Float(result))
}

fn whole(vm: &mut Vm, args: &Args, name: &str, function: fn(f64) -> f64) -> Res<Value> {
    let value = args.get(0);
    if let Some(found) = vm.special(&value, name, Vec::new())? {
        return Ok(found);
    }
    if let Some(number) = Number::of(&value)
        && !number.is_float()
    {
        return Ok(Value::big(number.to_big()));
    }
    let value = float(vm, &value)?;
    if !value.is_finite() {
        return Err(vm.error("OverflowError", "cannot convert float infinity to integer"));
    }
    Ok(Value::big(float_to_big(function(value))))
}
