//! A part as its root element and that element's children, each as it is written: what is changed is
//! replaced by child, the rest is copied.

use crate::{
    error::Error,
    xml::{Tag, Token, Xml},
};

pub(crate) const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// The order of a worksheet's children.
const SHEET: [&str; 39] = [
    "sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr",
    "sheetProtection", "protectedRanges", "scenarios", "autoFilter", "sortState",
    "dataConsolidate", "customSheetViews", "mergeCells", "phoneticPr", "conditionalFormatting",
    "dataValidations", "hyperlinks", "printOptions", "pageMargins", "pageSetup", "headerFooter",
    "rowBreaks", "colBreaks", "customProperties", "cellWatches", "ignoredErrors", "smartTags",
    "drawing", "legacyDrawing", "legacyDrawingHF", "drawingHF", "picture", "oleObjects",
    "controls", "webPublishItems", "tableParts", "extLst",
];

const BOOK: [&str; 18] = [
    "fileVersion", "fileSharing", "workbookPr", "workbookProtection", "bookViews", "sheets",
    "functionGroups", "externalReferences", "definedNames", "calcPr", "oleSize",
    "customWorkbookViews", "pivotCaches", "smartTagPr", "smartTagTypes", "webPublishing",
    "fileRecoveryPr", "extLst",
];

const SHEET_PROPERTIES: [&str; 3] = ["tabColor", "outlinePr", "pageSetUpPr"];

const HEADER_FOOTER: [&str; 6] = [
    "oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter",
];

const STYLES: [&str; 11] = [
    "numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs",
    "tableStyles", "colors", "extLst",
];

/// A part, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Everything up to the end of the root's start tag.
    head: String,
    /// The root's name, with its prefix.
    root: String,
    /// Name and text of each child.
    children: Vec<(String, String)>,
}

impl Frame {
    pub(crate) fn read(part: &str, text: &str) -> Result<Self, Error> {
        let mut xml = Xml::new(part, text);
        let mut frame: Option<Self> = None;
        while let Some(token) = xml.next()? {
            let (tag, is_open) = match token {
                Token::Open(tag) => (tag, true),
                Token::Empty(tag) => (tag, false),
                Token::Close => break,
                Token::Text(_) => continue,
            };
            let start = xml.start();
            match &mut frame {
                Some(frame) => {
                    if is_open {
                        xml.skip()?;
                    }
                    let child = xml.since(start).to_owned();
                    frame.children.push((tag.local().to_owned(), child));
                }
                None => {
                    let head = xml.since(0);
                    frame = Some(Self {
                        head: match is_open {
                            true => head.to_owned(),
                            false => format!("{}>", head.strip_suffix("/>").unwrap_or(head)),
                        },
                        root: tag.name().to_owned(),
                        children: Vec::new(),
                    });
                    if !is_open {
                        break;
                    }
                }
            }
        }
        frame.ok_or_else(|| Error::malformed(part, "it has no content"))
    }

    /// A worksheet with nothing in it.
    pub(crate) fn empty_sheet() -> Self {
        Self {
            head: format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<worksheet \
                 xmlns=\"{MAIN}\">"
            ),
            root: "worksheet".to_owned(),
            children: vec![("sheetData".to_owned(), "<sheetData/>".to_owned())],
        }
    }

    /// The children of a name.
    pub(crate) fn get(&self, name: &str) -> impl Iterator<Item = &str> {
        self.children
            .iter()
            .filter(move |(child, _)| child == name)
            .map(|(_, text)| text.as_str())
    }

    /// Puts children in place of those of a name; none removes them.
    pub(crate) fn set(&mut self, name: &str, texts: Vec<String>) {
        let old = self.children.iter().position(|(child, _)| child == name);
        let at = old.unwrap_or_else(|| self.place(name));
        self.children.retain(|(child, _)| child != name);
        let at = at.min(self.children.len());
        let declared = texts
            .into_iter()
            .map(|text| (name.to_owned(), self.declared(text)));
        let new: Vec<_> = declared.collect();
        self.children.splice(at..at, new);
    }

    /// Text in the namespace of spreadsheets, where the root gives that a prefix.
    pub(crate) fn declared(&self, text: String) -> String {
        let is_plain = !self.root.contains(':');
        if is_plain || text.contains(&format!("<{}", self.prefix())) {
            return text;
        }
        let end = text.find([' ', '/', '>']).unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end).unwrap_or((&text, ""));
        format!("{name} xmlns=\"{MAIN}\"{rest}")
    }

    fn prefix(&self) -> String {
        let prefix = self.root.split_once(':');
        prefix.map_or(String::new(), |(prefix, _)| format!("{prefix}:"))
    }

    /// Where a child of a name belongs.
    fn place(&self, name: &str) -> usize {
        let order: &[&str] = match crate::xml::local(&self.root) {
            "worksheet" => &SHEET,
            "workbook" => &BOOK,
            "sheetPr" => &SHEET_PROPERTIES,
            "headerFooter" => &HEADER_FOOTER,
            _ => &STYLES,
        };
        let rank = |name: &str| order.iter().position(|it| *it == name);
        let Some(own) = rank(name) else {
            return self.children.len();
        };
        let is_later = |(child, _): &(String, String)| rank(child).is_some_and(|it| it > own);
        self.children
            .iter()
            .position(is_later)
            .unwrap_or(self.children.len())
    }

    /// Adds an attribute to the root, unless it has one of that name.
    pub(crate) fn declare(&mut self, name: &str, value: &str) {
        if self.head.contains(&format!("{name}=")) {
            return;
        }
        if let Some(head) = self.head.strip_suffix('>') {
            let mut head = head.to_owned();
            crate::xml::attribute(&mut head, name, value);
            head.push('>');
            self.head = head;
        }
    }

    /// The prefixes that the root binds, with their addresses.
    pub(crate) fn namespaces(&self) -> Vec<(String, String)> {
        let start = self.head.rfind('<').map_or(0, |at| at + 1);
        let tag = self.head.get(start..).unwrap_or_default();
        let tag = Tag::new(tag.strip_suffix('>').unwrap_or(tag));
        let bound = tag
            .attributes()
            .filter(|(name, _)| name.starts_with("xmlns:"));
        bound
            .map(|(name, address)| (name.to_owned(), address.into_owned()))
            .collect()
    }

    pub(crate) fn write(&self) -> String {
        let length: usize = self.children.iter().map(|(_, text)| text.len()).sum();
        let mut out = String::with_capacity(self.head.len() + length + 32);
        out.push_str(&self.head);
        for (_, text) in &self.children {
            out.push_str(text);
        }
        out.push_str(&format!("</{}>", self.root));
        out
    }
}
