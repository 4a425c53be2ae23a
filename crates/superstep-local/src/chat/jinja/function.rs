//! Functions that do not belong to a value.

use std::sync::Arc;

use super::{
    meter::{Fault, Meter},
    value::Value,
};

/// Jinja2's own bound of `range` in its sandbox.
const LONGEST_RANGE: usize = 100_000;

/// What a function gives. `namespace` belongs to the render, which keeps them.
pub(super) fn call(
    name: &str,
    args: &[Value],
    named: Vec<(Arc<str>, Value)>,
    meter: &Meter,
) -> Result<Value, Fault> {
    match name {
        "range" => range(args, meter),
        "dict" => Value::dict(named),
        "raise_exception" => {
            let mut why = String::new();
            args.first()
                .unwrap_or(&Value::Undefined)
                .print(&mut why, meter)?;
            Err(Fault::Refused(why))
        }
        other => Err(Fault::refused(format!("there is no function `{other}`"))),
    }
}

fn range(args: &[Value], meter: &Meter) -> Result<Value, Fault> {
    let numbers: Vec<i64> = args.iter().map(Value::as_int).collect::<Result<_, _>>()?;
    let (from, to, step) = match *numbers.as_slice() {
        [to] => (0, to, 1),
        [from, to] => (from, to, 1),
        [from, to, step] if step != 0 => (from, to, step),
        _ => return Err(Fault::refused("`range` needs one to three numbers")),
    };
    let mut items = Vec::new();
    let mut at = from;
    while (step > 0 && at < to) || (step < 0 && at > to) {
        if items.len() == LONGEST_RANGE {
            return Err(Fault::Stopped(format!(
                "a range has more than {LONGEST_RANGE} numbers"
            )));
        }
        meter.pay_items(1)?;
        items.push(Value::Int(at));
        at = at.saturating_add(step);
    }
    Value::list(items)
}
