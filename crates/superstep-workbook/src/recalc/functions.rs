//! Functions of our own in the calculation: a table of names and what they do. They stand in the copy under names that it
//! does not know otherwise; a workbook that uses these names itself is told that they are not known. `texts` and `units`
//! have those of texts, `arrays` those of many values.

use std::sync::{Arc, LazyLock, Once};

use formualizer_common::{ExcelError, LiteralValue};
use formualizer_eval::{
    args::ArgSchema,
    function::{FnCaps, Function},
    function_registry,
    interpreter::LocalBinding,
    traits::{ArgumentHandle, CalcValue, FunctionContext},
};

use super::{
    arrays,
    call::{Call, Evaluated},
    texts, units,
};

/// A value as comparisons look at it: a number with 15 digits, a text in small letters.
pub(super) const COMPARED: &str = "BAHTTEXT";

/// A text, or an error if a cell cannot hold it.
pub(super) const HELD: &str = "DBCS";

/// A value where a text is made of it.
pub(super) const TEXTED: &str = "SST_TEXT";

/// What the other arguments are applied to the last one with: names and values, one after the other.
pub(super) const EACH: &str = "SST_EACH";

/// The longest text of a cell, in the units that Excel counts.
pub(super) const LONGEST: usize = 32_767;

/// A function of ours.
struct Own {
    /// Its name in the copy.
    name: &'static str,
    /// The function in whose place it stands.
    stands_for: Option<&'static str>,
    /// Whether it takes that place only where texts have letters of two units.
    is_for_wide: bool,
    /// How many arguments it has at least.
    least: usize,
    caps: FnCaps,
    eval: for<'c, 'a, 'b> fn(&Call<'c, 'a, 'b>) -> Evaluated<'b>,
}

impl Own {
    const fn in_place_of(
        usual: &'static str,
        name: &'static str,
        least: usize,
        eval: for<'c, 'a, 'b> fn(&Call<'c, 'a, 'b>) -> Evaluated<'b>,
    ) -> Self {
        Self {
            name,
            stands_for: Some(usual),
            is_for_wide: false,
            least,
            caps: FnCaps::PURE,
            eval,
        }
    }

    /// One of ours alone.
    const fn new(
        name: &'static str,
        least: usize,
        eval: for<'c, 'a, 'b> fn(&Call<'c, 'a, 'b>) -> Evaluated<'b>,
    ) -> Self {
        Self {
            name,
            stands_for: None,
            is_for_wide: false,
            least,
            caps: FnCaps::PURE,
            eval,
        }
    }

    const fn for_wide(self) -> Self {
        Self {
            is_for_wide: true,
            ..self
        }
    }
}

static TABLE: [Own; 18] = [
    Own::new(COMPARED, 1, |call| {
        let value = call.first()?.into_literal();
        Ok(CalcValue::Scalar(compared(value)))
    }),
    Own::new(HELD, 1, held),
    Own::new(EACH, 3, each),
    Own::new(TEXTED, 1, texts::made),
    // `VALUE` that reads `1,234.5`, too.
    Own::in_place_of("VALUE", "SST_VALUE", 1, |call| {
        if let Some(LiteralValue::Text(text)) = call.first()?.as_scalar()
            && let Some(number) = grouped(text)
        {
            return Ok(CalcValue::Scalar(LiteralValue::Number(number)));
        }
        call.usual()
    }),
    Own::in_place_of("UPPER", "SST_UPPER", 1, texts::upper),
    Own::in_place_of("LOWER", "SST_LOWER", 1, texts::lower),
    Own::in_place_of("TRIM", "SST_TRIM", 1, texts::trim),
    Own::in_place_of("CEILING", "SST_CEILING", 2, arrays::ceiling),
    Own::in_place_of("SUMPRODUCT", "SST_SUMPRODUCT", 1, arrays::sum_of_products),
    Own {
        caps: FnCaps::PURE.union(FnCaps::MAY_SPILL),
        ..Own::in_place_of("UNIQUE", "SST_UNIQUE", 1, arrays::unique)
    },
    Own::in_place_of("SEARCH", "SST_SEARCH", 2, units::search),
    Own::in_place_of("LEN", "SST_LEN", 1, units::len).for_wide(),
    Own::in_place_of("LEFT", "SST_LEFT", 1, units::left).for_wide(),
    Own::in_place_of("RIGHT", "SST_RIGHT", 1, units::right).for_wide(),
    Own::in_place_of("MID", "SST_MID", 3, units::mid).for_wide(),
    Own::in_place_of("REPLACE", "SST_REPLACE", 4, units::replace).for_wide(),
    Own::in_place_of("FIND", "SST_FIND", 2, units::find).for_wide(),
];

/// The name under which a function stands in the copy, if that is another one. `is_wide` says whether texts have letters
/// of two units.
pub(super) fn renamed(name: &str, is_wide: bool) -> Option<&'static str> {
    let mut all = TABLE.iter().filter(|own| is_wide || !own.is_for_wide);
    let name = plain(name);
    let own = all.find(|own| {
        own.stands_for
            .is_some_and(|it| it.eq_ignore_ascii_case(name))
    });
    own.map(|own| own.name)
}

/// The name of a function without what files put before newer ones.
pub(super) fn plain(name: &str) -> &str {
    let prefixed = name.get(..6).filter(|it| it.eq_ignore_ascii_case("_xlfn."));
    let rest = prefixed.and(name.get(6..)).unwrap_or(name);
    let prefixed = rest.get(..6).filter(|it| it.eq_ignore_ascii_case("_xlws."));
    prefixed.and(rest.get(6..)).unwrap_or(rest)
}

/// Makes the functions known, once.
pub(super) fn register() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        formualizer_workbook::ensure_builtins_loaded();
        for own in &TABLE {
            let usual = own
                .stands_for
                .and_then(|name| function_registry::get("", name));
            function_registry::register_function(Arc::new(Registered { own, usual }));
        }
    });
}

/// Whether a function can be calculated.
pub(super) fn is_known(name: &str) -> bool {
    let plain = name.rsplit('.').next().unwrap_or(name);
    let is_own = TABLE.iter().any(|own| own.name.eq_ignore_ascii_case(plain));
    !is_own && function_registry::get_for_planning("", name).is_some()
}

struct Registered {
    own: &'static Own,
    usual: Option<Arc<dyn Function>>,
}

impl Function for Registered {
    fn caps(&self) -> FnCaps {
        self.own.caps
    }

    fn name(&self) -> &'static str {
        self.own.name
    }

    fn min_args(&self) -> usize {
        self.own.least
    }

    fn variadic(&self) -> bool {
        true
    }

    fn arg_schema(&self) -> &'static [ArgSchema] {
        static ONE: LazyLock<Vec<ArgSchema>> = LazyLock::new(|| vec![ArgSchema::any()]);
        &ONE
    }

    fn eval<'a, 'b, 'c>(
        &self,
        args: &'c [ArgumentHandle<'a, 'b>],
        context: &dyn FunctionContext<'b>,
    ) -> Evaluated<'b> {
        (self.own.eval)(&Call::new(args, context, self.usual.as_ref()))
    }
}

/// How many values a function is applied to at most.
const MOST: usize = 2_000_000;

/// Applies the last argument to each of the values that the others give, under the names that stand before them.
fn each<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let Some((body, given)) = call.args.split_last() else {
        return Err(ExcelError::new_value());
    };
    let mut locals = Vec::new();
    for pair in given.chunks(2) {
        let [name, values] = pair else {
            return Err(ExcelError::new_value());
        };
        let LiteralValue::Text(name) = name.value()?.into_literal() else {
            return Err(ExcelError::new_value());
        };
        locals.push((name, values.range_view_or_scalar()?));
    }
    let shapes = locals.iter().map(|(_, view)| view.dims());
    let (rows, columns) = shapes.fold((1, 1), |(rows, columns), (row, column)| {
        (rows.max(row), columns.max(column))
    });
    if rows.saturating_mul(columns) > MOST {
        return Err(ExcelError::new_value().with_message("it is applied to too many values"));
    }
    let mut all = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut line = Vec::with_capacity(columns);
        for column in 0..columns {
            let mut env = body.current_env();
            let mut is_missing = false;
            for (name, view) in &locals {
                let (height, width) = view.dims();
                let at = |at: usize, count: usize| if count == 1 { 0 } else { at };
                let (row, column) = (at(row, height), at(column, width));
                is_missing |= row >= height || column >= width;
                let value = LocalBinding::Value(view.get_cell(row, column));
                env = env.with_binding(name, value);
            }
            let value = match is_missing {
                true => LiteralValue::Error(ExcelError::new_na()),
                false => match body.value_with_env(env) {
                    Ok(value) => single(value),
                    Err(error) => LiteralValue::Error(error),
                },
            };
            line.push(value);
        }
        all.push(line);
    }
    Ok(CalcValue::Scalar(match (rows, columns, all.pop()) {
        (1, 1, Some(mut line)) => line.pop().unwrap_or(LiteralValue::Empty),
        (_, _, last) => {
            all.extend(last);
            LiteralValue::Array(all)
        }
    }))
}

/// One value of what a call gives.
fn single(value: CalcValue<'_>) -> LiteralValue {
    match value.into_literal() {
        LiteralValue::Array(rows) => {
            let first = rows.into_iter().next();
            let first = first.and_then(|row| row.into_iter().next());
            first.unwrap_or(LiteralValue::Empty)
        }
        value => value,
    }
}

fn held<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let value = call.first()?;
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

fn compared(value: LiteralValue) -> LiteralValue {
    match value {
        LiteralValue::Number(number) => LiteralValue::Number(rounded(number)),
        // Letters without accents are compared without regard to case in any case.
        LiteralValue::Text(text) if !text.is_ascii() => {
            LiteralValue::Text(texts::lower_case(&text))
        }
        LiteralValue::Array(rows) => LiteralValue::Array(
            rows.into_iter()
                .map(|row| row.into_iter().map(compared).collect())
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
