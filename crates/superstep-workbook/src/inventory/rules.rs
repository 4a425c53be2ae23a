//! Links, validations and conditional formats as lines, from the elements that define them.

use std::collections::BTreeMap;

use super::{Feature, Features, address};
use crate::{
    book::Workbook,
    edit::Blocks,
    error::Error,
    frame::Frame,
    relations::Relation,
    xml::{Tag, Token, Xml},
};

/// The elements of a sheet that are kept as they are written.
pub(super) fn blocks(frame: Option<&Frame>, part: &str) -> Result<Blocks, Error> {
    match frame {
        Some(frame) => crate::edit::blocks_in(frame, part),
        None => Ok(BTreeMap::new()),
    }
}

pub(super) fn link(address: &str, tooltip: Option<&str>) -> String {
    match tooltip {
        Some(tooltip) => format!("{address}, {tooltip:?}"),
        None => address.to_owned(),
    }
}

pub(super) fn stored_link(
    raw: &str,
    related: &[Relation],
    found: &mut Features,
) -> Result<(), Error> {
    let mut xml = Xml::new("sheet", raw);
    while let Some(token) = xml.next()? {
        let (Token::Open(tag) | Token::Empty(tag)) = token else {
            continue;
        };
        let mut attributes = tag.attributes();
        let id = attributes.find_map(|(key, value)| key.ends_with(":id").then_some(value));
        let target = id.and_then(|id| address(related, &id).map(str::to_owned));
        let inside = tag
            .get("location")
            .map(|place| format!("#{}", plain(&place)));
        let target = match (target, inside) {
            (Some(target), Some(inside)) => format!("{target}{inside}"),
            (target, inside) => target.or(inside).unwrap_or_default(),
        };
        found.insert(Feature {
            kind: "link",
            at: tag.get("ref").unwrap_or_default().into_owned(),
            what: link(&target, tag.get("tooltip").as_deref()),
        });
    }
    Ok(())
}

pub(super) fn validation(raw: &str, found: &mut Features) -> Result<(), Error> {
    let mut xml = Xml::new("sheet", raw);
    let mut at = String::new();
    let mut words: Vec<String> = Vec::new();
    while let Some(token) = xml.next()? {
        let Token::Open(tag) = token else {
            if let Token::Empty(tag) = token
                && tag.local() == "dataValidation"
            {
                (at, words) = validated(&tag);
            }
            continue;
        };
        match tag.local() {
            "dataValidation" => (at, words) = validated(&tag),
            "formula1" | "formula2" => {
                let text = plain(&xml.text()?);
                words.push(text.strip_prefix('=').unwrap_or(&text).to_owned());
            }
            _ => {}
        }
    }
    for area in at.split_whitespace() {
        found.insert(Feature {
            kind: "validation",
            at: area.to_owned(),
            what: words.join(" "),
        });
    }
    Ok(())
}

fn validated(tag: &Tag<'_>) -> (String, Vec<String>) {
    let kind = tag.get("type").unwrap_or_else(|| "any".into()).into_owned();
    let compares = !matches!(kind.as_str(), "list" | "custom" | "any");
    let mut words = vec![kind];
    if compares {
        let operator = tag.get("operator").unwrap_or_else(|| "between".into());
        words.push(operator.into_owned());
    }
    for name in ["errorTitle", "error", "promptTitle", "prompt"] {
        if let Some(text) = tag.get(name) {
            words.push(format!("{name} {text:?}"));
        }
    }
    if let Some(style) = tag.get("errorStyle").filter(|style| style != "stop") {
        words.push(format!("errorStyle {style}"));
    }
    for name in [
        "allowBlank", "showErrorMessage", "showInputMessage", "showDropDown",
    ] {
        if tag.is(name) {
            words.push(name.to_owned());
        }
    }
    let at = tag.get("sqref").unwrap_or_default().into_owned();
    (at, words)
}

pub(super) fn conditions(book: &Workbook, raw: &str, found: &mut Features) -> Result<(), Error> {
    let mut xml = Xml::new("sheet", raw);
    let mut areas = String::new();
    let mut rule: Option<Vec<String>> = None;
    let mut depth = 0_usize;
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    end(rule.take(), &areas, found);
                }
                continue;
            }
            Token::Text(_) => continue,
        };
        match tag.local() {
            "conditionalFormatting" => {
                areas = tag.get("sqref").unwrap_or_default().into_owned();
            }
            "cfRule" => {
                rule = Some(rule_words(book, &tag));
                if !is_open {
                    end(rule.take(), &areas, found);
                }
            }
            "formula" if is_open => {
                let text = plain(&xml.text()?);
                if let Some(rule) = &mut rule {
                    rule.push(text);
                }
                continue;
            }
            _ => {
                if let Some(rule) = &mut rule {
                    rule.extend(look_words(&tag));
                }
            }
        }
        depth += usize::from(is_open);
    }
    Ok(())
}

fn end(rule: Option<Vec<String>>, areas: &str, found: &mut Features) {
    let Some(rule) = rule else {
        return;
    };
    for area in areas.split_whitespace() {
        found.insert(Feature {
            kind: "conditional format",
            at: area.to_owned(),
            what: rule.join(" "),
        });
    }
}

fn rule_words(book: &Workbook, tag: &Tag<'_>) -> Vec<String> {
    let mut words = vec![tag.get("type").unwrap_or_default().into_owned()];
    for name in ["operator", "rank", "timePeriod", "stdDev"] {
        if let Some(value) = tag.get(name) {
            words.push(value.into_owned());
        }
    }
    if let Some(text) = tag.get("text") {
        words.push(format!("{text:?}"));
    }
    for name in ["percent", "bottom", "equalAverage", "stopIfTrue"] {
        if tag.is(name) {
            words.push(name.to_owned());
        }
    }
    if tag.get("aboveAverage").is_some() && !tag.is("aboveAverage") {
        words.push("below".to_owned());
    }
    if let Some(id) = tag.number("dxfId") {
        words.push(format!("({})", book.styles.difference_look(id)));
    }
    words
}

/// Color scales, bars and icons.
fn look_words(tag: &Tag<'_>) -> Vec<String> {
    match tag.local() {
        "cfvo" => {
            let kind = tag.get("type").unwrap_or_default().into_owned();
            let has_value = !matches!(kind.as_str(), "min" | "max");
            let value = tag.get("val").filter(|_| has_value);
            let number = value.as_ref().and_then(|value| value.parse::<f64>().ok());
            let value = match (number, value) {
                (Some(number), _) => format!(" {number}"),
                (None, Some(text)) => format!(" {text}"),
                (None, None) => String::new(),
            };
            vec![format!("{kind}{value}")]
        }
        "color" => tag.get("rgb").map(|rgb| digits(&rgb)).into_iter().collect(),
        "iconSet" | "dataBar" => {
            let mut words: Vec<String> = tag.get("iconSet").map(String::from).into_iter().collect();
            if tag.is("reverse") {
                words.push("reversed".to_owned());
            }
            if tag.get("showValue").is_some() && !tag.is("showValue") {
                words.push("alone".to_owned());
            }
            words
        }
        _ => Vec::new(),
    }
}

/// The six digits of a color, without its opacity.
pub(super) fn digits(color: &str) -> String {
    let start = color.len().saturating_sub(6);
    color.get(start..).unwrap_or(color).to_ascii_uppercase()
}

/// A formula without what programs write or leave out: apostrophes around names of sheets.
pub(super) fn plain(formula: &str) -> String {
    formula.replace('\'', "")
}
