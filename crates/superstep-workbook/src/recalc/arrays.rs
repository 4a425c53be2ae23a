//! Functions of many values that Excel has differently: what counts as a number, and which texts are the same.

use std::collections::{HashMap, HashSet};

use formualizer_common::{ExcelError, LiteralValue};
use formualizer_eval::traits::CalcValue;

use super::{
    call::{Call, Evaluated},
    texts::lower_case,
};

/// The sum of products. Texts and truth values are nought; areas of other sizes are left to the usual function.
pub(super) fn sum_of_products<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let views = call.args.iter().map(|it| it.range_view_or_scalar());
    let views = views.collect::<Result<Vec<_>, _>>()?;
    let Some(dims) = views.first().map(|view| view.dims()) else {
        return call.usual();
    };
    if views.iter().any(|view| view.dims() != dims) {
        return call.usual();
    }
    let mut sum = 0.0;
    for row in 0..dims.0 {
        for column in 0..dims.1 {
            let mut product = 1.0;
            for view in &views {
                product *= match view.get_cell(row, column) {
                    LiteralValue::Error(error) => return Err(error),
                    LiteralValue::Boolean(_) | LiteralValue::Text(_) => 0.0,
                    value => value.as_serial_number().unwrap_or(0.0),
                };
            }
            sum += product;
        }
    }
    match sum.is_finite() {
        true => Ok(CalcValue::Scalar(LiteralValue::Number(sum))),
        false => Err(ExcelError::new_num()),
    }
}

/// Rows without those that are there already, texts without regard to case.
pub(super) fn unique<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let is_on = |at: usize| -> Result<bool, ExcelError> {
        let Some(argument) = call.args.get(at) else {
            return Ok(false);
        };
        Ok(match argument.value()?.as_scalar() {
            Some(LiteralValue::Boolean(value)) => *value,
            Some(value) => value.as_serial_number().is_some_and(|number| number != 0.0),
            None => false,
        })
    };
    let Some(first) = call.args.first().filter(|_| !is_on(1).unwrap_or(true)) else {
        return call.usual();
    };
    let view = first.range_view_or_scalar()?;
    let (rows, columns) = view.dims();
    let mut all: Vec<(Vec<LiteralValue>, Vec<LiteralValue>)> = Vec::new();
    for row in 0..rows {
        let line: Vec<_> = (0..columns).map(|at| view.get_cell(row, at)).collect();
        let folded = line.iter().map(|value| match value {
            LiteralValue::Text(text) => LiteralValue::Text(lower_case(text)),
            value => value.clone(),
        });
        let folded = folded.collect();
        all.push((folded, line));
    }
    let mut counts: HashMap<&[LiteralValue], usize> = HashMap::new();
    for (folded, _) in &all {
        *counts.entry(folded).or_default() += 1;
    }
    let exact: HashSet<&[LiteralValue]> = all.iter().map(|(_, line)| line.as_slice()).collect();
    // Case makes no difference here.
    if exact.len() == counts.len() {
        return call.usual();
    }
    let is_once = is_on(2)?;
    let mut seen: HashSet<&[LiteralValue]> = HashSet::new();
    let mut kept = Vec::new();
    for (folded, line) in &all {
        let count = counts.get(folded.as_slice()).copied().unwrap_or_default();
        if seen.insert(folded) && (!is_once || count == 1) {
            kept.push(line.clone());
        }
    }
    Ok(CalcValue::Scalar(match kept.as_slice() {
        // There is nothing, which the usual function says in its way for every text.
        [] => return call.usual(),
        [line] if columns == 1 => line.first().cloned().unwrap_or(LiteralValue::Empty),
        _ => LiteralValue::Array(kept),
    }))
}

/// Multiples of nothing are nothing.
pub(super) fn ceiling<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    if let Some(second) = call.args.get(1) {
        let number = match second.value()?.as_scalar() {
            Some(LiteralValue::Number(number)) => Some(*number),
            Some(LiteralValue::Int(0)) => Some(0.0),
            _ => None,
        };
        let first = call.first()?;
        let is_number = first
            .as_scalar()
            .is_some_and(|it| !matches!(it, LiteralValue::Text(_) | LiteralValue::Error(_)));
        if number == Some(0.0) && is_number {
            return Ok(CalcValue::Scalar(LiteralValue::Number(0.0)));
        }
    }
    call.usual()
}
