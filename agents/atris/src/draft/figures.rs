//! Figures of a text, traced to values: what a text writes, and whether a value is that, rounded or not.
//!
//! A number may be written with thousands separators, rounded, with `k` or `M`, as a percentage, or as minutes and
//! seconds; a date in any order of its parts. Digits that are part of a name are found in the name.

use serde_json::Value as Json;

/// The figures of a text, as it writes them. Numbers of list items are none.
pub(super) fn figures(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let apart = |c: char| c.is_whitespace() || "()[]{}\"“”„«»|—–…".contains(c);
        for chunk in without_item(line.trim_start()).split(apart) {
            let shown = chunk.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
            let has_digit = shown.bytes().any(|byte| byte.is_ascii_digit());
            if has_digit && !found.iter().any(|it| it == shown) {
                found.push(shown.to_owned());
            }
        }
    }
    found
}

/// A line without the number of its list item, such as `1.` or `2)`.
fn without_item(line: &str) -> &str {
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match behind.strip_prefix(['.', ')']) {
        Some(rest) if behind.len() < line.len() && rest.starts_with(' ') => rest,
        _ => line,
    }
}

/// A text without these names, so that digits in them are no figures.
pub(super) fn without_names<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> String {
    let is_name = |name: &&str| {
        name.chars().any(char::is_alphabetic) && name.bytes().any(|it| it.is_ascii_digit())
    };
    let mut names: Vec<&str> = names.filter(is_name).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut text = text.to_owned();
    for name in names {
        text = text.replace(name, " ");
    }
    text
}

/// Tells whether a text, which may be longer than the figure, writes this value.
pub(super) fn writes(text: &str, value: &Json) -> bool {
    match value {
        Json::Number(_) => value.as_f64().is_some_and(|value| {
            let mut written = figures(text).into_iter();
            let scale = scale_in(text);
            written.any(|figure| readings(&figure).iter().any(|it| it.is(value, scale)))
        }),
        // A date is written in any order, a text as it is.
        Json::String(known) => {
            let known_runs = runs(known);
            let mut own = runs(text).into_iter().peekable();
            let is_dated = own.peek().is_some() && own.all(|run| known_runs.contains(&run));
            is_dated || known.to_lowercase().contains(&text.to_lowercase())
        }
        Json::Array(items) => items.iter().any(|item| writes(text, item)),
        _ => false,
    }
}

/// Compares two figures as numbers.
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b
        || readings(a)
            .iter()
            .any(|a| readings(b).iter().any(|b| a.number == b.number))
}

/// The runs of digits of a text, without zeros before them.
fn runs(text: &str) -> Vec<String> {
    let runs = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|it| !it.is_empty());
    let runs = runs.map(|run| run.trim_start_matches('0').to_owned());
    runs.collect()
}

/// A possible meaning of a figure.
#[derive(Debug)]
struct Reading {
    number: f64,
    /// Half of its last place.
    half: f64,
    is_percent: bool,
}

impl Reading {
    /// Compares a value, rounded to as many places. A difference may be written without its sign.
    fn is(&self, value: f64, scale: f64) -> bool {
        let near = |value: f64| {
            let half = self.half * scale;
            (value.abs() - self.number * scale).abs() <= half.max(1e-9) * 1.000_001
        };
        near(value) || self.is_percent && near(value * 100.0)
    }
}

/// The factor of a word such as `million`.
fn scale_in(text: &str) -> f64 {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    words
        .find_map(|word| match word {
            "thousand" | "tausend" => Some(1e3),
            "million" | "millions" | "millionen" | "mio" => Some(1e6),
            "billion" | "billions" | "milliarden" => Some(1e9),
            _ => None,
        })
        .unwrap_or(1.0)
}

/// All meanings of a figure: a point may part thousands or decimals, as a comma may.
fn readings(figure: &str) -> Vec<Reading> {
    let is_percent = figure.ends_with('%');
    let bare = figure.trim_matches(|c: char| !c.is_alphanumeric());
    if let Some(seconds) = seconds(bare) {
        return vec![Reading {
            number: seconds,
            half: 0.5,
            is_percent: false,
        }];
    }
    let digits_end = bare
        .char_indices()
        .rev()
        .find(|(_, c)| c.is_ascii_digit())
        .map_or(0, |(at, _)| at + 1);
    let (bare, unit) = bare.split_at(digits_end);
    let factor = match unit.to_lowercase().as_str() {
        "k" => 1e3,
        "m" => 1e6,
        "b" => 1e9,
        "" | "x" | "s" | "st" | "nd" | "rd" | "th" | "bpm" | "min" | "sec" => 1.0,
        _ => return Vec::new(),
    };
    let ways = [(',', '.'), ('.', ','), ('\'', '.')];
    let read = ways.iter().filter_map(|(group, point)| {
        let (whole, decimals) = bare.split_once(*point).unwrap_or((bare, ""));
        let mut groups = whole.split(*group);
        let first = groups.next()?;
        let is_grouped =
            groups.all(|it| it.len() == 3) && (!whole.contains(*group) || first.len() <= 3);
        let digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
        let plain: String = whole.chars().filter(|c| c != group).collect();
        if !is_grouped || plain.is_empty() || !digits(&plain) || !digits(decimals) {
            return None;
        }
        let number: f64 = format!("{plain}.{decimals}0").parse().ok()?;
        let places = i32::try_from(decimals.len()).ok()?;
        let is_exact = decimals.is_empty() && factor == 1.0;
        Some(Reading {
            number: number * factor,
            half: match is_exact {
                // A whole number is one, or a rounded mean.
                true => 0.5,
                false => 0.5 * factor * 10f64.powi(-places),
            },
            is_percent,
        })
    });
    read.collect()
}

/// Hours, minutes and seconds as seconds.
fn seconds(figure: &str) -> Option<f64> {
    let parts: Vec<&str> = figure.split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    let parts = parts.into_iter().map(|part| part.parse::<u32>().ok());
    let all = parts.collect::<Option<Vec<u32>>>()?;
    Some(
        all.into_iter()
            .fold(0.0, |sum, part| sum * 60.0 + f64::from(part)),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_found_and_items_are_none() {
        let text = "1. Blue Door has 12,345 plays (34.5%),\n2) lasts 3:45 and 4k";
        assert_eq!(figures(text), ["12,345", "34.5%", "3:45", "4k"]);
        let names = ["Route 66", "99"].into_iter();
        assert_eq!(
            figures(&without_names("Route 66 has 66 plays", names)),
            ["66"]
        );
    }

    #[test]
    fn a_value_is_written_whole_rounded_or_as_people_write_it() {
        for (text, value) in [
            ("12,345", json!(12345)),
            ("12.345", json!(12345)),
            ("12.3k", json!(12345)),
            ("1.2 million", json!(1_234_567)),
            ("34.6%", json!(0.3456)),
            ("34.6%", json!(34.56)),
            ("3:45", json!(225)),
            ("1,234.6", json!(1234.5678)),
            ("7", json!(-7)),
            ("May 3, 2025", json!("2025-05-03T00:00:00Z")),
            ("128 bpm", json!(128)),
        ] {
            assert!(writes(text, &value), "{text} {value}");
        }
        for (text, value) in [
            ("12,346", json!(12345)),
            ("12.4k", json!(12345)),
            ("3:46", json!(225)),
            ("June 3, 2025", json!("2024-06-03")),
            ("100", json!(1000)),
            ("5", json!(true)),
        ] {
            assert!(!writes(text, &value), "{text} {value}");
        }
    }
}
