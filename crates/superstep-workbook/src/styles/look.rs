//! How a cell looks, in words: the same struct says what a style is and what to change.

use serde::{Deserialize, Serialize};

use super::Styles;
use crate::xml::{Tag, Token, Xml};

/// How a cell looks. What is absent is as usual, or stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Style {
    /// Bold text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bold: Option<bool>,
    /// Italic text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub italic: Option<bool>,
    /// Underlined text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline: Option<bool>,
    /// Text that is struck through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strike: Option<bool>,
    /// The size of the text in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// The name of the font.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font: Option<String>,
    /// The colour of the text: `FF0000` or `FFFF0000`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The colour of the cell; `none` removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<String>,
    /// The number format: `#,##0.00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_format: Option<String>,
    /// `left`, `center`, `right`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizontal: Option<String>,
    /// `top`, `center`, `bottom`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical: Option<String>,
    /// Whether long text is wrapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrap: Option<bool>,
    /// Lines around the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub border: Option<Border>,
}

/// Lines around a cell. What is absent is no line, or stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Border {
    /// On the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Edge>,
    /// On the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<Edge>,
    /// Above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<Edge>,
    /// Below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<Edge>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// `thin`, `medium`, `thick`, `dashed`, `dotted`, `double`, `hair`; `none` removes it.
    pub style: String,
    /// Its colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

impl Styles {
    /// How cells of a style look; only what differs from a bare cell is said.
    pub fn look(&self, style: u32) -> Style {
        let mut look = Style::default();
        let Some(xf) = self.cells.get(style) else {
            return look;
        };
        let format = self.number_format(style);
        if format != "General" {
            look.number_format = Some(format.to_owned());
        }
        each(xf, |tag| {
            if tag.local() != "alignment" {
                return;
            }
            look.horizontal = tag.get("horizontal").map(String::from);
            look.vertical = tag.get("vertical").map(String::from);
            look.wrap = tag.is("wrapText").then_some(true);
        });
        if let Some(font) = id(xf, "fontId").and_then(|id| self.fonts.get(id)) {
            look.read_font(font);
        }
        if let Some(fill) = id(xf, "fillId").and_then(|id| self.fills.get(id)) {
            look.read_fill(fill);
        }
        if let Some(border) = id(xf, "borderId").and_then(|id| self.borders.get(id)) {
            look.border = read_border(border);
        }
        look
    }
}

impl Style {
    fn read_font(&mut self, font: &str) {
        let on = |tag: &Tag<'_>| match tag.get("val") {
            Some(value) => !matches!(&*value, "0" | "false" | "none"),
            None => true,
        };
        each(font, |tag| match tag.local() {
            "b" => self.bold = on(tag).then_some(true),
            "i" => self.italic = on(tag).then_some(true),
            "u" => self.underline = on(tag).then_some(true),
            "strike" => self.strike = on(tag).then_some(true),
            "sz" => self.size = tag.number("val"),
            "name" => self.font = tag.get("val").map(String::from),
            "color" => self.color = color(tag),
            _ => {}
        });
    }

    fn read_fill(&mut self, fill: &str) {
        let mut is_solid = false;
        each(fill, |tag| match tag.local() {
            "patternFill" => is_solid = tag.get("patternType").as_deref() == Some("solid"),
            "fgColor" if is_solid => self.fill = color(tag),
            _ => {}
        });
    }
}

fn read_border(border: &str) -> Option<Border> {
    let mut read = Border::default();
    let mut side = String::new();
    each(border, |tag| {
        if tag.local() == "color" {
            let edge = match side.as_str() {
                "left" => &mut read.left,
                "right" => &mut read.right,
                "top" => &mut read.top,
                "bottom" => &mut read.bottom,
                _ => return,
            };
            if let Some(edge) = edge {
                edge.color = color(tag);
            }
            return;
        }
        side = tag.local().to_owned();
        let style = tag.get("style").filter(|style| style != "none");
        let edge = style.map(|style| Edge {
            style: style.into_owned(),
            color: None,
        });
        match side.as_str() {
            "left" => read.left = edge,
            "right" => read.right = edge,
            "top" => read.top = edge,
            "bottom" => read.bottom = edge,
            _ => {}
        }
    });
    (read != Border::default()).then_some(read)
}

/// A colour as it is written: by its parts, or by its place in the theme or the palette.
fn color(tag: &Tag<'_>) -> Option<String> {
    if let Some(rgb) = tag.get("rgb") {
        return Some(rgb.into_owned());
    }
    let named = |name: &str| Some(format!("{name}:{}", tag.get(name)?));
    named("theme").or_else(|| named("indexed"))
}

/// A number of an entry's outermost element.
pub(super) fn id(entry: &str, name: &str) -> Option<u32> {
    let mut found = None;
    let mut is_first = true;
    each(entry, |tag| {
        if is_first {
            found = tag.number(name);
        }
        is_first = false;
    });
    found
}

/// Calls a function for every element of an entry, which was read once already.
pub(super) fn each(entry: &str, mut see: impl FnMut(&Tag<'_>)) {
    let mut xml = Xml::new("styles", entry);
    while let Ok(Some(token)) = xml.next() {
        if let Token::Open(tag) | Token::Empty(tag) = token {
            see(&tag);
        }
    }
}
