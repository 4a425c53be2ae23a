//! Operators that only compute on evaluated arguments.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Number;

use super::{ExprError, bug};
use crate::value::{Val, compare_numbers};

/// Whether the operator is written with a list of arguments; all others take a single one.
pub(super) fn takes_list(name: &str) -> bool {
    const LISTED: [&str; 14] = [
        "$add", "$sub", "$mul", "$mod", "$cat", "$merge", "$eq", "$ne", "$lt", "$le", "$gt", "$ge",
        "$in", "$join",
    ];
    LISTED.contains(&name)
}

/// Applies an operator to its arguments.
pub(super) fn of_list(name: &str, args: Vec<Val>) -> Result<Val, ExprError> {
    match name {
        "$add" => {
            let sum = args
                .into_iter()
                .map(Ok)
                .reduce(|sum, next| add(sum?, next?));
            sum.unwrap_or_else(|| Err(bug("$add needs arguments".to_owned())))
        }
        "$cat" => Ok(Val::Str(args.iter().map(Val::text).collect())),
        "$merge" => merge(args),
        "$sub" | "$mul" | "$mod" => {
            let [a, b] = two(name, args)?;
            arithmetic(name, &a, &b)
        }
        "$eq" => two(name, args).map(|[a, b]| a.same(&b).into()),
        "$ne" => two(name, args).map(|[a, b]| (!a.same(&b)).into()),
        "$lt" | "$le" | "$gt" | "$ge" => {
            let [a, b] = two(name, args)?;
            ordered(name, &a, &b)
        }
        "$in" => {
            let [wanted, list] = two(name, args)?;
            let found = items(name, list)?.iter().any(|item| item.same(&wanted));
            Ok(found.into())
        }
        "$join" => {
            let [list, separator] = two(name, args)?;
            let Val::Str(separator) = separator else {
                return Err(misfit(name, &separator));
            };
            let parts: Vec<String> = items(name, list)?.iter().map(Val::text).collect();
            Ok(Val::Str(parts.join(&separator)))
        }
        _ => Err(unknown(name)),
    }
}

/// Applies an operator to its only argument.
pub(super) fn of_one(name: &str, arg: Val) -> Result<Val, ExprError> {
    match name {
        "$not" => Ok((!arg.truthy()).into()),
        "$str" => Ok(Val::Str(arg.text())),
        "$len" => length(&arg),
        "$last" => last(arg),
        "$sum" => {
            let zero = Val::from(0);
            items(name, arg)?
                .into_iter()
                .try_fold(zero, |sum, item| match item {
                    Val::Num(_) => add(sum, item),
                    other => Err(misfit(name, &other)),
                })
        }
        "$sort" => {
            let mut items = items(name, arg)?;
            items.sort_by(sort_order);
            Ok(Val::List(items))
        }
        "$keys" => match arg {
            Val::Map(map) => Ok(Val::List(map.into_keys().map(Val::Str).collect())),
            other => Err(misfit(name, &other)),
        },
        "$range" => {
            let Some(end) = integer(&arg) else {
                return Err(misfit(name, &arg));
            };
            Ok(Val::List((0..end).map(Val::from).collect()))
        }
        _ => Err(unknown(name)),
    }
}

/// The elements of a list; null has none.
pub(super) fn items(name: &str, value: Val) -> Result<Vec<Val>, ExprError> {
    match value {
        Val::Null => Ok(Vec::new()),
        Val::List(items) => Ok(items),
        other => Err(misfit(name, &other)),
    }
}

fn add(a: Val, b: Val) -> Result<Val, ExprError> {
    match (a, b) {
        (a @ Val::Num(_), b @ Val::Num(_)) => arithmetic("$add", &a, &b),
        (Val::Str(a), Val::Str(b)) => Ok(Val::Str(a + &b)),
        (Val::List(mut a), Val::List(b)) => {
            a.extend(b);
            Ok(Val::List(a))
        }
        (a, b) => Err(bug(format!("$add of {} and {}", a.text(), b.text()))),
    }
}

fn arithmetic(name: &str, a: &Val, b: &Val) -> Result<Val, ExprError> {
    let fail = || bug(format!("{name} of {} and {}", a.text(), b.text()));
    if let (Some(a), Some(b)) = (integer(a), integer(b)) {
        let result = match name {
            "$add" => a.checked_add(b),
            "$sub" => a.checked_sub(b),
            "$mul" => a.checked_mul(b),
            _ => floor_mod(a, b),
        };
        return result.map(Val::from).ok_or_else(fail);
    }
    let (Val::Num(x), Val::Num(y)) = (a, b) else {
        return Err(fail());
    };
    let (Some(x), Some(y)) = (x.as_f64(), y.as_f64()) else {
        return Err(fail());
    };
    let result = match name {
        "$add" => x + y,
        "$sub" => x - y,
        "$mul" => x * y,
        _ => return Err(fail()),
    };
    Number::from_f64(result).map(Val::Num).ok_or_else(fail)
}

/// The remainder with the sign of the divisor.
fn floor_mod(a: i64, b: i64) -> Option<i64> {
    let remainder = a.checked_rem(b)?;
    match remainder != 0 && (remainder < 0) != (b < 0) {
        true => Some(remainder + b),
        false => Some(remainder),
    }
}

fn ordered(name: &str, a: &Val, b: &Val) -> Result<Val, ExprError> {
    let order = match (a, b) {
        (Val::Num(a), Val::Num(b)) => compare_numbers(a, b),
        (Val::Str(a), Val::Str(b)) => a.cmp(b),
        _ => return Err(bug(format!("{name} of {} and {}", a.text(), b.text()))),
    };
    let holds = match name {
        "$lt" => order.is_lt(),
        "$le" => order.is_le(),
        "$gt" => order.is_gt(),
        _ => order.is_ge(),
    };
    Ok(holds.into())
}

fn merge(args: Vec<Val>) -> Result<Val, ExprError> {
    let mut merged = BTreeMap::new();
    for arg in args {
        match arg {
            Val::Null => {}
            Val::Map(map) => merged.extend(map),
            other => return Err(misfit("$merge", &other)),
        }
    }
    Ok(Val::Map(merged))
}

fn length(value: &Val) -> Result<Val, ExprError> {
    let length = match value {
        Val::Null => 0,
        Val::Str(text) => text.chars().count(),
        Val::List(items) => items.len(),
        Val::Map(map) => map.len(),
        other => return Err(misfit("$len", other)),
    };
    Ok(Val::Num(length.into()))
}

fn last(value: Val) -> Result<Val, ExprError> {
    match value {
        Val::Null => Ok(Val::Null),
        Val::List(mut items) => Ok(items.pop().unwrap_or_default()),
        Val::Str(text) => Ok(text
            .chars()
            .last()
            .map_or(Val::Null, |end| end.to_string().into())),
        other => Err(misfit("$last", &other)),
    }
}

fn sort_order(a: &Val, b: &Val) -> Ordering {
    match (a, b) {
        (Val::Num(a), Val::Num(b)) => compare_numbers(a, b),
        (Val::Num(_), _) => Ordering::Less,
        (_, Val::Num(_)) => Ordering::Greater,
        _ => a.text().cmp(&b.text()),
    }
}

fn integer(value: &Val) -> Option<i64> {
    match value {
        Val::Num(number) => number.as_i64(),
        _ => None,
    }
}

fn two(name: &str, args: Vec<Val>) -> Result<[Val; 2], ExprError> {
    args.try_into()
        .map_err(|_| bug(format!("{name} takes two arguments")))
}

fn unknown(name: &str) -> ExprError {
    bug(format!("there is no operator {name}"))
}

fn misfit(name: &str, value: &Val) -> ExprError {
    bug(format!("{name} of {}", value.text()))
}
