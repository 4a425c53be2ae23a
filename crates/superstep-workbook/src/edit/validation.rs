//! What may be entered into cells, and what people read about it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Refusal, condition::check_comparison};
use crate::{address::Area, book::Workbook, xml};

/// What may be entered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
#[allow(missing_docs)] // The fields are named for what they are.
pub enum Validation {
    /// One of these.
    List(Vec<String>),
    /// One of the values in cells: `Sheet2!$A$1:$A$9`.
    Source(String),
    /// A number, `kind` being `whole`, `decimal`, `date`, `time` or `textLength`.
    Range {
        kind: String,
        operator: String,
        formulas: Vec<String>,
    },
    /// What makes a formula true.
    Custom(String),
}

/// What people read when they enter something, and what happens to what is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValidationMessages {
    /// The title over the message about what is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_title: Option<String>,
    /// The message about what is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `stop`, `warning` or `information`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_style: Option<String>,
    /// The title over the hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_title: Option<String>,
    /// The hint beside the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Whether what is not valid is refused.
    pub shows_error: bool,
    /// Whether the hint is shown.
    pub shows_prompt: bool,
    /// Whether a cell may be empty.
    pub allows_blank: bool,
    /// Whether a list has no arrow to choose from it.
    pub hides_arrow: bool,
}

impl Default for ValidationMessages {
    fn default() -> Self {
        Self {
            error_title: None,
            error: None,
            error_style: None,
            prompt_title: None,
            prompt: None,
            shows_error: true,
            shows_prompt: false,
            allows_blank: true,
            hides_arrow: false,
        }
    }
}

impl ValidationMessages {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    fn check(&self) -> Result<(), Refusal> {
        let texts = [
            (&self.error_title, 32),
            (&self.prompt_title, 32),
            (&self.error, 255),
            (&self.prompt, 255),
        ];
        for (text, most) in texts {
            let length = text.as_ref().map_or(0, |text| text.encode_utf16().count());
            if length > most {
                return Err(format!(
                    "a message of a validation has {most} characters at most here, not {length}"
                ));
            }
        }
        match self.error_style.as_deref() {
            None | Some("stop" | "warning" | "information") => Ok(()),
            Some(other) => Err(format!(
                "`{other}` is no style of errors; there are stop, warning, information"
            )),
        }
    }

    fn write(&self, item: &mut String) {
        let mut text = |name: &str, value: &Option<String>| {
            if let Some(value) = value {
                xml::attribute(item, name, value);
            }
        };
        text("errorStyle", &self.error_style);
        text("errorTitle", &self.error_title);
        text("error", &self.error);
        text("promptTitle", &self.prompt_title);
        text("prompt", &self.prompt);
        let switches = [
            ("allowBlank", self.allows_blank),
            ("showDropDown", self.hides_arrow),
            ("showInputMessage", self.shows_prompt),
            ("showErrorMessage", self.shows_error),
        ];
        for (name, is_on) in switches {
            if is_on {
                xml::attribute(item, name, "1");
            }
        }
    }
}

impl Workbook {
    pub(super) fn validate(
        &mut self,
        sheet: &str,
        area: Area,
        validation: &Validation,
        messages: &ValidationMessages,
    ) -> Result<(), Refusal> {
        messages.check()?;
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let mut item = String::from("<dataValidation");
        let bare = |text: &String| text.strip_prefix('=').unwrap_or(text).to_owned();
        let formulas = match validation {
            Validation::List(values) => {
                let joined = values.join(",");
                if values.iter().any(|value| value.contains([',', '"']))
                    || joined.chars().count() > 255
                {
                    return Err("a list has 255 characters at most, no commas and quotes in a value; put it into cells and name them".to_owned());
                }
                xml::attribute(&mut item, "type", "list");
                vec![format!("\"{joined}\"")]
            }
            Validation::Source(source) => {
                xml::attribute(&mut item, "type", "list");
                vec![bare(source)]
            }
            Validation::Custom(formula) => {
                xml::attribute(&mut item, "type", "custom");
                vec![bare(formula)]
            }
            Validation::Range {
                kind,
                operator,
                formulas,
            } => {
                if !["whole", "decimal", "date", "time", "textLength"].contains(&kind.as_str()) {
                    return Err(format!(
                        "`{kind}` cannot be validated; there are whole, decimal, date, time, textLength"
                    ));
                }
                check_comparison(operator, formulas)?;
                xml::attribute(&mut item, "type", kind);
                xml::attribute(&mut item, "operator", operator);
                formulas.iter().map(bare).collect()
            }
        };
        messages.write(&mut item);
        xml::attribute(&mut item, "sqref", &area.to_string());
        item.push('>');
        for (number, formula) in formulas.iter().enumerate() {
            let _ = write!(item, "<formula{}>", number + 1);
            xml::escape(&mut item, &crate::future::stored(formula));
            let _ = write!(item, "</formula{}>", number + 1);
        }
        item.push_str("</dataValidation>");
        let grid = self.grid(sheet)?;
        grid.blocks.entry("dataValidations").or_default().push(item);
        Ok(())
    }
}
