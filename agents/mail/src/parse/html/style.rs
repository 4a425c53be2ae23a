//! Styles that hide an element.

use std::collections::HashSet;

use super::color::Color;

/// The most names that style sheets can hide.
const MOST: usize = 1_000;

/// The classes and ids that the style sheets of a mail hide, with their sign (`.` or `#`).
#[derive(Default)]
pub(super) struct Hiding {
    names: HashSet<String>,
}

impl Hiding {
    pub(super) fn has(&self, sign: char, name: &str) -> bool {
        self.names.contains(&format!("{sign}{name}"))
    }

    /// Reads a style sheet. Rules within another one, as those for some screens, are left out.
    pub(super) fn add(&mut self, sheet: &str) {
        let (mut depth, mut selectors, mut from) = (0_usize, "", 0);
        for (at, c) in sheet.char_indices() {
            match c {
                '{' => {
                    if depth == 0 {
                        selectors = sheet.get(from..at).unwrap_or_default();
                    }
                    depth += 1;
                    from = at + 1;
                }
                '}' => {
                    if depth == 1 && !selectors.trim_start().starts_with('@') {
                        let rule = sheet.get(from..at).unwrap_or_default();
                        self.rule(selectors, rule);
                    }
                    depth = depth.saturating_sub(1);
                    from = at + 1;
                }
                _ => {}
            }
        }
    }

    fn rule(&mut self, selectors: &str, rule: &str) {
        if !hides(rule) {
            return;
        }
        for selector in selectors.split(',').map(str::trim) {
            // One that depends on what is around the element is not understood.
            let Some(at) = selector.find(['.', '#']) else {
                continue;
            };
            let name = selector.get(at..).unwrap_or_default();
            let is_simple = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            if name.chars().skip(1).all(is_simple) && self.names.len() < MOST {
                self.names.insert(name.to_owned());
            }
        }
    }
}

/// Whether declarations hide an element.
pub(super) fn hides(style: &str) -> bool {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_ascii_lowercase().replace("!important", "");
    let (mut color, mut ground) = (None, None);
    let (mut is_flat, mut is_clipped) = (false, false);
    for (name, value) in style.split(';').filter_map(|one| one.split_once(':')) {
        let hidden = match name {
            "display" => value == "none",
            "visibility" => matches!(value, "hidden" | "collapse"),
            "opacity" => number(value).is_some_and(|it| it < 0.05),
            "filter" => value.contains("opacity(0)"),
            "clip" => value.starts_with("rect(0,0,0,0") || value.starts_with("rect(0000"),
            "font" => number(value) == Some(0.0),
            "font-size" => number(value)
                .is_some_and(|size| size == 0.0 || size <= 1.0 && value.ends_with("px")),
            "text-indent" | "left" | "top" => number(value).is_some_and(|it| it <= -500.0),
            _ => false,
        };
        match name {
            "color" => color = Color::parse(value),
            "background-color" | "background" => ground = Color::parse(value),
            "height" | "max-height" | "width" => is_flat |= number(value) == Some(0.0),
            "overflow" | "overflow-y" => is_clipped |= value == "hidden",
            _ => {}
        }
        if hidden || color.is_some_and(Color::is_unseen) {
            return true;
        }
    }
    let is_on_its_like = color
        .zip(ground)
        .is_some_and(|(text, ground)| text.is_like(ground));
    is_flat && is_clipped || is_on_its_like
}

/// The number that a value begins with.
fn number(value: &str) -> Option<f64> {
    let end = value.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-'));
    value.get(..end.unwrap_or(value.len()))?.parse().ok()
}
