//! How a cell looks, in words: the same struct says what a style is and what to change.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Styles;
use crate::xml::{Tag, Token, Xml};

/// How a cell looks. What is absent is as usual, or stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Style {
    /// The style of the workbook with this name, in place of all that a cell had; the rest is put over it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
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
    /// The color of the text: `FF0000` or `FFFF0000`, or one of the theme or the palette: `theme:4`,
    /// `theme:4:0.4` with a tint, `indexed:10`; `none` is the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The color of the cell; `none` removes it.
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
    /// By how many degrees text is turned: 0 to 180, where more than 90 is downwards; 255 stacks letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<u32>,
    /// How far text is indented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indent: Option<u32>,
    /// Whether text is made smaller until it fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrink: Option<bool>,
    /// Whether the cell cannot be changed once its sheet is protected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
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
    /// Its color.
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
        look.named = self.name_of(xf);
        let format = self.number_format(style);
        if format != "General" {
            look.number_format = Some(format.to_owned());
        }
        each(xf, |tag| {
            if tag.local() == "protection" && tag.get("locked").is_some() {
                look.locked = (!tag.is("locked")).then_some(false);
            }
            if tag.local() != "alignment" {
                return;
            }
            look.horizontal = tag.get("horizontal").map(String::from);
            look.vertical = tag.get("vertical").map(String::from);
            look.wrap = tag.is("wrapText").then_some(true);
            look.rotation = tag.number("textRotation").filter(|it| *it != 0);
            look.indent = tag.number("indent").filter(|it| *it != 0);
            look.shrink = tag.is("shrinkToFit").then_some(true);
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

impl Styles {
    /// How cells look to which a conditional format applies, as it is stored by number.
    pub(crate) fn difference_look(&self, id: u32) -> Style {
        let mut look = Style::default();
        let Some(entry) = self.differences.get(id) else {
            return look;
        };
        look.read_font(entry);
        // The color of a line or of a background is none of the text.
        look.color = None;
        let mut place = String::new();
        each(entry, |tag| match tag.local() {
            name @ ("font" | "fill" | "border") => place = name.to_owned(),
            "color" if place == "font" => look.color = color(tag).map(short),
            "fgColor" if look.fill.is_none() => look.fill = color(tag).map(short),
            "bgColor" => look.fill = color(tag).map(short),
            "numFmt" => look.number_format = tag.get("formatCode").map(String::from),
            _ => {}
        });
        if let Some(at) = entry.find("<border") {
            look.border = entry.get(at..).and_then(read_border);
        }
        for edge in look.border.iter_mut().flat_map(Border::edges_mut).flatten() {
            edge.color = edge.color.take().map(short);
        }
        look
    }
}

/// A color without its opacity, which programs write as they like.
fn short(color: String) -> String {
    match color.len() == 8 && color.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => color.get(2..).unwrap_or(&color).to_ascii_uppercase(),
        false => color,
    }
}

impl Border {
    fn edges_mut(&mut self) -> [Option<&mut Edge>; 4] {
        [
            self.left.as_mut(),
            self.right.as_mut(),
            self.top.as_mut(),
            self.bottom.as_mut(),
        ]
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

pub(super) fn read_border(border: &str) -> Option<Border> {
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

/// A color as it is written: by its parts, or by its place in the theme or the palette.
fn color(tag: &Tag<'_>) -> Option<String> {
    if let Some(rgb) = tag.get("rgb") {
        return Some(rgb.into_owned());
    }
    if let Some(theme) = tag.get("theme") {
        let tint = tag.number::<f64>("tint").filter(|tint| *tint != 0.0);
        return Some(match tint {
            Some(tint) => format!("theme:{theme}:{tint}"),
            None => format!("theme:{theme}"),
        });
    }
    Some(format!("indexed:{}", tag.get("indexed")?))
}

impl fmt::Display for Style {
    /// What is said, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.named.as_ref().map(|name| format!("style {name:?}")));
        let switches = [
            ("bold", self.bold),
            ("italic", self.italic),
            ("underline", self.underline),
            ("strike", self.strike),
            ("wrap", self.wrap),
            ("shrink", self.shrink),
            ("locked", self.locked),
        ];
        for (name, switch) in switches {
            match switch {
                Some(true) => words.push(name.to_owned()),
                Some(false) => words.push(format!("not {name}")),
                None => {}
            }
        }
        let texts = [
            ("font", &self.font),
            ("color", &self.color),
            ("fill", &self.fill),
            ("number format", &self.number_format),
            ("horizontal", &self.horizontal),
            ("vertical", &self.vertical),
        ];
        for (name, text) in texts {
            words.extend(text.as_ref().map(|text| format!("{name} {text}")));
        }
        words.extend(self.size.map(|size| format!("size {size}")));
        words.extend(self.rotation.map(|it| format!("rotation {it}")));
        words.extend(self.indent.map(|it| format!("indent {it}")));
        if let Some(border) = &self.border {
            let edges = [
                ("left", &border.left),
                ("right", &border.right),
                ("top", &border.top),
                ("bottom", &border.bottom),
            ];
            for (side, edge) in edges {
                if let Some(edge) = edge {
                    let color = edge.color.as_ref();
                    let color = color.map_or(String::new(), |color| format!(" {color}"));
                    words.push(format!("{side} {}{color}", edge.style));
                }
            }
        }
        f.write_str(&words.join(", "))
    }
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
