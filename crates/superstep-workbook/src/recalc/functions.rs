//! Functions of our own in the calculation. They stand in the copy under names that it does not know
//! otherwise; a workbook that uses these names itself is told that they are not known.

use std::sync::{Arc, LazyLock, Once};

use formualizer_common::{ExcelError, LiteralValue};
use formualizer_eval::{
    args::ArgSchema,
    function::{FnCaps, Function},
    function_registry,
    traits::{ArgumentHandle, CalcValue, FunctionContext},
};

/// A number with the 15 digits that comparisons look at.
pub(super) const COMPARED: &str = "BAHTTEXT";

/// A text, or an error if a cell cannot hold it.
pub(super) const HELD: &str = "DBCS";

/// What `VALUE` is in the copy.
pub(super) const VALUE: &str = "FILTERXML";

/// The longest text of a cell, in the units that Excel counts.
pub(super) const LONGEST: usize = 32_767;

static ONE: LazyLock<Vec<ArgSchema>> = LazyLock::new(|| vec![ArgSchema::any()]);

/// Makes the functions known, once.
pub(super) fn register() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        formualizer_workbook::ensure_builtins_loaded();
        function_registry::register_function(Arc::new(Compared));
        function_registry::register_function(Arc::new(Held));
        if let Some(usual) = function_registry::get("", "VALUE") {
            function_registry::register_function(Arc::new(ValueOf { usual }));
        }
    });
}

/// Whether a function can be calculated.
pub(super) fn is_known(name: &str) -> bool {
    let plain = name.rsplit('.').next().unwrap_or(name);
    let is_own = [COMPARED, HELD, VALUE]
        .iter()
        .any(|own| own.eq_ignore_ascii_case(plain));
    !is_own && function_registry::get_for_planning("", name).is_some()
}

struct Compared;

impl Function for Compared {
    fn caps(&self) -> FnCaps {
        FnCaps::PURE
    }

    fn name(&self) -> &'static str {
        COMPARED
    }

    fn min_args(&self) -> usize {
        1
    }

    fn arg_schema(&self) -> &'static [ArgSchema] {
        &ONE
    }

    fn eval<'a, 'b, 'c>(
        &self,
        args: &'c [ArgumentHandle<'a, 'b>],
        _: &dyn FunctionContext<'b>,
    ) -> Result<CalcValue<'b>, ExcelError> {
        let value = argument(args)?.into_literal();
        Ok(CalcValue::Scalar(fifteen_digits(value)))
    }
}

fn argument<'b>(args: &[ArgumentHandle<'_, 'b>]) -> Result<CalcValue<'b>, ExcelError> {
    match args {
        [first, ..] => first.value(),
        [] => Err(ExcelError::new_value()),
    }
}

fn fifteen_digits(value: LiteralValue) -> LiteralValue {
    match value {
        LiteralValue::Number(number) => LiteralValue::Number(rounded(number)),
        LiteralValue::Array(rows) => LiteralValue::Array(
            rows.into_iter()
                .map(|row| row.into_iter().map(fifteen_digits).collect())
                .collect(),
        ),
        other => other,
    }
}

fn rounded(number: f64) -> f64 {
    if !number.is_finite() || (number.fract() == 0.0 && number.abs() < 1e15) {
        return number;
    }
    format!("{number:.14e}").parse().unwrap_or(number)
}

struct Held;

impl Function for Held {
    fn caps(&self) -> FnCaps {
        FnCaps::PURE
    }

    fn name(&self) -> &'static str {
        HELD
    }

    fn min_args(&self) -> usize {
        1
    }

    fn arg_schema(&self) -> &'static [ArgSchema] {
        &ONE
    }

    fn eval<'a, 'b, 'c>(
        &self,
        args: &'c [ArgumentHandle<'a, 'b>],
        _: &dyn FunctionContext<'b>,
    ) -> Result<CalcValue<'b>, ExcelError> {
        let value = argument(args)?;
        let is_long = match value.as_scalar() {
            Some(LiteralValue::Text(text)) => {
                text.len() > LONGEST && text.encode_utf16().count() > LONGEST
            }
            _ => false,
        };
        match is_long {
            true => Err(ExcelError::new_value()),
            false => Ok(value),
        }
    }
}

/// `VALUE` that reads `1,234.5`, too.
struct ValueOf {
    usual: Arc<dyn Function>,
}

impl Function for ValueOf {
    fn caps(&self) -> FnCaps {
        FnCaps::PURE
    }

    fn name(&self) -> &'static str {
        VALUE
    }

    fn min_args(&self) -> usize {
        1
    }

    fn arg_schema(&self) -> &'static [ArgSchema] {
        &ONE
    }

    fn eval<'a, 'b, 'c>(
        &self,
        args: &'c [ArgumentHandle<'a, 'b>],
        context: &dyn FunctionContext<'b>,
    ) -> Result<CalcValue<'b>, ExcelError> {
        if let Some(LiteralValue::Text(text)) = argument(args)?.as_scalar()
            && let Some(number) = grouped(text)
        {
            return Ok(CalcValue::Scalar(LiteralValue::Number(number)));
        }
        self.usual.eval(args, context)
    }
}

/// A number whose thousands are set off by commas.
fn grouped(text: &str) -> Option<f64> {
    let text = text.trim();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = (1..=3).contains(&first.len()) && is_digits(first);
    let mut count = 0;
    for group in groups {
        count += 1;
        if group.len() != 3 || !is_digits(group) {
            return None;
        }
    }
    if !is_first || count == 0 || !is_digits(part) {
        return None;
    }
    let plain = text.replace(',', "");
    plain.parse::<f64>().ok().map(|number| sign * number)
}
