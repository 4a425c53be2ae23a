//! New styles made from old ones.

use std::fmt::Write as _;

use super::{Border, Edge, List, Style, Styles, builtin_id, look};
use crate::xml;

/// The styles of a workbook that has none: what every program assumes.
pub(crate) const TEMPLATE: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
    "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">",
    "<fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>",
    "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>",
    "<fill><patternFill patternType=\"gray125\"/></fill></fills>",
    "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>",
    "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>",
    "<cellXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/></cellXfs>",
    "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>",
    "</styleSheet>"
);

/// The first number that workbooks give to formats of their own.
const FIRST_OWN: u32 = 164;

/// Elements of a font in the order of the schema.
const FONT: [&str; 15] = [
    "b", "i", "strike", "condense", "extend", "outline", "shadow", "u", "vertAlign", "sz", "color",
    "name", "family", "charset", "scheme",
];

const LINES: [&str; 14] = [
    "none", "thin", "medium", "thick", "dashed", "dotted", "double", "hair", "mediumDashed",
    "dashDot", "mediumDashDot", "dashDotDot", "mediumDashDotDot", "slantDashDot",
];

impl Styles {
    /// The number of a style like another, changed; the reason if the change makes no sense.
    pub(crate) fn changed(&mut self, base: u32, change: &Style) -> Result<u32, String> {
        change.check()?;
        let base = match &change.named {
            Some(name) => self.with_name(name)?,
            None => base,
        };
        let xf = self.cells.get(base).unwrap_or("<xf/>").to_owned();
        let entry = self.entry(&xf, change);
        Ok(self.cells.put(entry))
    }

    /// A format like another, changed.
    pub(super) fn entry(&mut self, xf: &str, change: &Style) -> String {
        let old = |name| look::id(xf, name).unwrap_or(0);
        let mut ids = [
            ("numFmtId", "applyNumberFormat", old("numFmtId"), false),
            ("fontId", "applyFont", old("fontId"), false),
            ("fillId", "applyFill", old("fillId"), false),
            ("borderId", "applyBorder", old("borderId"), false),
        ];
        let [format, font, fill, border] = &mut ids;
        if let Some(code) = &change.number_format {
            (format.2, format.3) = (self.format_id(code), true);
        }
        if change.has_font() {
            let entry = change.font_entry(self.fonts.get(font.2).unwrap_or("<font/>"));
            (font.2, font.3) = (self.fonts.put(entry), true);
        }
        if let Some(color) = &change.fill {
            (fill.2, fill.3) = (self.fills.put(fill_entry(color)), true);
        }
        if let Some(lines) = &change.border {
            let raw = self.borders.get(border.2).unwrap_or_default();
            let old = look::read_border(raw).unwrap_or_default();
            let entry = border_entry(&lines.over(old), raw);
            (border.2, border.3) = (self.borders.put(entry), true);
        }
        xf_entry(xf, &ids, change)
    }

    /// The number of a format for conditional formats.
    pub(crate) fn difference(&mut self, look: &Style) -> Result<u32, String> {
        look.check()?;
        let mut entry = String::from("<dxf>");
        if look.has_font() {
            entry.push_str(&look.font_entry("<font/>"));
        }
        if let Some(color) = &look.fill {
            // Of a difference the background is what shows.
            let color = colored(color);
            let _ = write!(
                entry,
                "<fill><patternFill patternType=\"solid\"><fgColor {color}/><bgColor {color}/></patternFill></fill>"
            );
        }
        if let Some(border) = &look.border {
            entry.push_str(&border_entry(border, ""));
        }
        entry.push_str("</dxf>");
        Ok(self.differences.put(entry))
    }

    fn format_id(&mut self, code: &str) -> u32 {
        if let Some(id) = builtin_id(code) {
            return id;
        }
        let known = self.formats.iter().find(|(_, known)| *known == code);
        if let Some((id, _)) = known {
            return *id;
        }
        let last = self.formats.keys().next_back().copied().unwrap_or(0);
        let id = (last + 1).max(FIRST_OWN);
        self.formats.insert(id, code.to_owned());
        self.new_formats.push(id);
        id
    }

    /// The new entries of each list, by the name of its element.
    pub(crate) fn additions(&self) -> [(&'static str, usize, String); 8] {
        let list = |name, list: &List| (name, list.entries.len(), list.added().concat());
        let mut formats = String::new();
        for id in &self.new_formats {
            formats.push_str("<numFmt");
            xml::attribute(&mut formats, "numFmtId", &id.to_string());
            xml::attribute(&mut formats, "formatCode", self.code(*id));
            formats.push_str("/>");
        }
        [
            ("numFmts", self.formats.len(), formats),
            list("fonts", &self.fonts),
            list("fills", &self.fills),
            list("borders", &self.borders),
            list("cellStyleXfs", &self.bases),
            list("cellXfs", &self.cells),
            list("cellStyles", &self.names),
            list("dxfs", &self.differences),
        ]
    }
}

/// A cell's format with new numbers and alignment; its other attributes and children stay.
fn xf_entry(xf: &str, ids: &[(&str, &str, u32, bool); 4], change: &Style) -> String {
    let mut attributes = String::new();
    let mut alignment = String::new();
    let mut protection = String::new();
    let mut is_first = true;
    look::each(xf, |tag| {
        if is_first {
            let mut without: Vec<&str> = ids.iter().map(|(name, ..)| *name).collect();
            let applied = ids.iter().filter(|(.., is_new)| *is_new);
            without.extend(applied.map(|(_, apply, ..)| *apply));
            if change.has_alignment() {
                without.push("applyAlignment");
            }
            if change.locked.is_some() {
                without.push("applyProtection");
            }
            attributes = tag.others(&without);
        }
        is_first = false;
        match tag.local() {
            "alignment" => {
                let mut without = Vec::new();
                let mut replace = |name, is_new: bool| is_new.then(|| without.push(name));
                replace("horizontal", change.horizontal.is_some());
                replace("vertical", change.vertical.is_some());
                replace("wrapText", change.wrap.is_some());
                replace("textRotation", change.rotation.is_some());
                replace("indent", change.indent.is_some());
                replace("shrinkToFit", change.shrink.is_some());
                alignment = tag.others(&without);
            }
            "protection" => protection = tag.others(&[]),
            _ => {}
        }
    });
    if let Some(value) = &change.horizontal {
        xml::attribute(&mut alignment, "horizontal", value);
    }
    if let Some(value) = &change.vertical {
        xml::attribute(&mut alignment, "vertical", value);
    }
    if let Some(wrap) = change.wrap {
        xml::attribute(&mut alignment, "wrapText", if wrap { "1" } else { "0" });
    }
    if let Some(rotation) = change.rotation {
        xml::attribute(&mut alignment, "textRotation", &rotation.to_string());
    }
    if let Some(indent) = change.indent {
        xml::attribute(&mut alignment, "indent", &indent.to_string());
    }
    if let Some(shrink) = change.shrink {
        xml::attribute(
            &mut alignment,
            "shrinkToFit",
            if shrink { "1" } else { "0" },
        );
    }
    if let Some(locked) = change.locked {
        let locked = if locked { "1" } else { "0" };
        protection = xml::put_attribute(&protection, "locked", Some(locked));
    }
    let mut entry = String::from("<xf");
    for (name, apply, id, is_new) in ids {
        xml::attribute(&mut entry, name, &id.to_string());
        if *is_new {
            xml::attribute(&mut entry, apply, "1");
        }
    }
    if change.has_alignment() {
        xml::attribute(&mut entry, "applyAlignment", "1");
    }
    if change.locked.is_some() {
        xml::attribute(&mut entry, "applyProtection", "1");
    }
    entry.push_str(&attributes);
    let has_children = !alignment.is_empty() || !protection.is_empty();
    if !has_children {
        entry.push_str("/>");
        return entry;
    }
    entry.push('>');
    if !alignment.is_empty() {
        let _ = write!(entry, "<alignment{alignment}/>");
    }
    if !protection.is_empty() {
        let _ = write!(entry, "<protection{protection}/>");
    }
    entry.push_str("</xf>");
    entry
}

impl Style {
    fn has_font(&self) -> bool {
        let switches = [self.bold, self.italic, self.underline, self.strike];
        switches.iter().any(Option::is_some)
            || self.size.is_some()
            || self.font.is_some()
            || self.color.is_some()
    }

    fn has_alignment(&self) -> bool {
        let numbers = [self.rotation, self.indent];
        let switches = [self.wrap, self.shrink];
        self.horizontal.is_some()
            || self.vertical.is_some()
            || numbers.iter().any(Option::is_some)
            || switches.iter().any(Option::is_some)
    }

    /// Whether every value is one that programs understand.
    pub(crate) fn check(&self) -> Result<(), String> {
        let lines = self.border.iter().flat_map(|border| border.edges());
        let lines: Vec<&Edge> = lines.flatten().collect();
        let colors = [&self.color, &self.fill].into_iter().flatten();
        let colors = colors.chain(lines.iter().filter_map(|line| line.color.as_ref()));
        for color in colors {
            let is_hex = color.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_color = is_hex && matches!(color.len(), 6 | 8);
            let lines_none = lines.iter().any(|line| line.color.as_ref() == Some(color));
            let is_none = color == "none" && !lines_none;
            if !is_color && !is_none && !is_named(color) {
                return Err(format!("`{color}` is no color; write one such as FF0000"));
            }
        }
        for line in lines {
            if !LINES.contains(&line.style.as_str()) {
                return Err(format!(
                    "`{}` is no line; there are {}",
                    line.style,
                    LINES.join(", ")
                ));
            }
        }
        let one_of = |value: &Option<String>, all: &[&str], what: &str| match value {
            Some(value) if !all.contains(&value.as_str()) => Err(format!(
                "`{value}` is no {what} alignment; there are {}",
                all.join(", ")
            )),
            _ => Ok(()),
        };
        one_of(
            &self.horizontal,
            &[
                "general", "left", "center", "right", "fill", "justify", "centerContinuous",
                "distributed",
            ],
            "horizontal",
        )?;
        one_of(
            &self.vertical,
            &["top", "center", "bottom", "justify", "distributed"],
            "vertical",
        )?;
        if let Some(rotation) = self.rotation
            && !(0..=180).contains(&rotation)
            && rotation != 255
        {
            return Err(format!("{rotation} is no rotation; it is 0 to 180, or 255"));
        }
        if self.indent.is_some_and(|indent| indent > 250) {
            return Err("an indent is 0 to 250".to_owned());
        }
        if let Some(size) = self.size
            && !(1.0..=409.0).contains(&size)
        {
            return Err(format!("{size} is no size of a font; it is 1 to 409"));
        }
        if self
            .number_format
            .as_ref()
            .is_some_and(|code| code.is_empty() || code.chars().count() > 255)
        {
            return Err("a number format has 1 to 255 characters".to_owned());
        }
        Ok(())
    }

    /// A font like another, changed.
    fn font_entry(&self, base: &str) -> String {
        let mut elements: Vec<(String, String)> = Vec::new();
        let mut is_first = true;
        look::each(base, |tag| {
            if !is_first {
                let text = format!("<{}{}/>", tag.local(), tag.others(&[]));
                elements.push((tag.local().to_owned(), text));
            }
            is_first = false;
        });
        let mut put = |name: &str, text: Option<String>| {
            elements.retain(|(known, _)| known != name);
            elements.extend(text.map(|text| (name.to_owned(), text)));
        };
        let switches = [
            ("b", self.bold),
            ("i", self.italic),
            ("strike", self.strike),
            ("u", self.underline),
        ];
        for (name, switch) in switches {
            if let Some(is_on) = switch {
                put(name, is_on.then(|| format!("<{name}/>")));
            }
        }
        if let Some(size) = self.size {
            put("sz", Some(format!("<sz val=\"{size}\"/>")));
        }
        if let Some(color) = &self.color {
            let element = (color != "none").then(|| format!("<color {}/>", colored(color)));
            put("color", element);
        }
        if let Some(font) = &self.font {
            let mut text = String::from("<name");
            xml::attribute(&mut text, "val", font);
            text.push_str("/>");
            put("name", Some(text));
            // A font of the theme would win over the name.
            put("scheme", None);
        }
        let rank = |name: &str| FONT.iter().position(|known| *known == name);
        elements.sort_by_key(|(name, _)| rank(name));
        let inner: String = elements.into_iter().map(|(_, text)| text).collect();
        format!("<font>{inner}</font>")
    }
}

impl Border {
    fn edges(&self) -> [Option<&Edge>; 4] {
        [
            self.left.as_ref(),
            self.right.as_ref(),
            self.top.as_ref(),
            self.bottom.as_ref(),
        ]
    }

    fn over(&self, old: Self) -> Self {
        Self {
            left: self.left.clone().or(old.left),
            right: self.right.clone().or(old.right),
            top: self.top.clone().or(old.top),
            bottom: self.bottom.clone().or(old.bottom),
        }
    }
}

fn border_entry(border: &Border, base: &str) -> String {
    let mut entry = String::from("<border>");
    for (name, edge) in ["left", "right", "top", "bottom"]
        .iter()
        .zip(border.edges())
    {
        match edge.filter(|edge| edge.style != "none") {
            Some(edge) => {
                let color = edge.color.as_deref().unwrap_or("FF000000");
                let color = colored(color);
                let _ = write!(
                    entry,
                    "<{name} style=\"{}\"><color {color}/></{name}>",
                    edge.style
                );
            }
            None => {
                let _ = write!(entry, "<{name}/>");
            }
        }
    }
    // Diagonals are kept as they are.
    let diagonal = base.find("<diagonal").and_then(|at| base.get(at..));
    let diagonal = diagonal.and_then(|rest| rest.strip_suffix("</border>"));
    entry.push_str(diagonal.unwrap_or("<diagonal/>"));
    entry.push_str("</border>");
    entry
}

fn fill_entry(color: &str) -> String {
    if color == "none" {
        return "<fill><patternFill patternType=\"none\"/></fill>".to_owned();
    }
    format!(
        "<fill><patternFill patternType=\"solid\"><fgColor {}/>\
         <bgColor indexed=\"64\"/></patternFill></fill>",
        colored(color)
    )
}

/// Whether a color is one of the theme or the palette: `theme:4`, `theme:4:0.4`, `indexed:10`.
fn is_named(color: &str) -> bool {
    let mut parts = color.split(':');
    let is_kind = matches!(parts.next(), Some("theme" | "indexed"));
    let is_number = parts.next().is_some_and(|at| at.parse::<u32>().is_ok());
    let is_tint = parts.next().is_none_or(|tint| {
        tint.parse::<f64>()
            .is_ok_and(|tint| (-1.0..=1.0).contains(&tint))
    });
    is_kind && is_number && is_tint && parts.next().is_none()
}

/// The attributes that say a color.
fn colored(color: &str) -> String {
    let mut parts = color.split(':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(kind), Some(at), Some(tint)) => format!("{kind}=\"{at}\" tint=\"{tint}\""),
        (Some(kind), Some(at), None) => format!("{kind}=\"{at}\""),
        _ => format!("rgb=\"{}\"", argb(color)),
    }
}

/// A color with its opacity. `00` in front means opaque here, as programs write it.
fn argb(color: &str) -> String {
    let color = color.to_ascii_uppercase();
    match color.len() {
        6 => format!("FF{color}"),
        _ => color,
    }
}
