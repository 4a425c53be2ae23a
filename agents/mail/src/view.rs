//! A question as data, for inboxes that draw it: the letter or the meeting as it would be made, and warnings.
//!
//! `description` says the same in words. Everything here is text of the mail, of a model or of the program, and none of it
//! is markup.

use serde::{Deserialize, Serialize};

use crate::{Address, Urgency};

/// A question as data. Inboxes that do not know it show the description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The heading.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What a person might overlook, the first to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Why the mail has its class, as the model put it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How soon the mail needs its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urgency: Option<Urgency>,
    /// The day of the meeting in the calendar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// What is asked, or why it is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The answers to choose from. Each is sent as a response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The reply as it would be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letter: Option<Letter>,
    /// The meeting as it would be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<Invitation>,
    /// The mail that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<String>,
    /// The owner's zone, such as `Europe/Berlin`; absent in questions of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

/// Something to see before a question is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A sentence.
    pub text: String,
    /// The recipient that it is about; without that recipient it does not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Whether it is a sign of fraud.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_danger: bool,
}

impl Warning {
    /// A warning about no recipient in particular.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            address: None,
            is_danger: false,
        }
    }

    /// A sign of fraud.
    pub(crate) fn danger(text: impl AsRef<str>) -> Self {
        Self {
            is_danger: true,
            ..Self::new(format!("Danger: {}", text.as_ref()))
        }
    }

    /// A warning about a recipient.
    pub(crate) fn about(address: &Address, text: impl Into<String>) -> Self {
        Self {
            address: Some(address.email.clone()),
            ..Self::new(text)
        }
    }
}

/// Warnings as lines of a description, each marked as one of the program's.
pub(crate) fn marked(warnings: &[Warning]) -> String {
    let lines = warnings.iter();
    lines.map(|it| format!("**{}**\n", it.text)).collect()
}

/// A reply as it would be sent: its true recipients, whatever its arguments are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// The recipients.
    pub to: Vec<Address>,
    /// Who gets a copy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<Address>,
    /// The subject.
    pub subject: String,
    /// The argument that is its text: what an edit changes.
    pub text_arg: String,
    /// The argument that adds recipients.
    pub added_arg: String,
    /// The addresses that are recipients through that argument alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// What goes below the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
}

/// A meeting as it would be made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// The title.
    pub title: String,
    /// The time, in words.
    pub when: String,
    /// The attendees.
    pub attendees: Vec<Address>,
    /// The place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What those who come should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
