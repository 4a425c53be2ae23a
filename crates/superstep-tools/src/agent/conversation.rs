//! A state that holds a conversation, with any other fields.

use serde::de::DeserializeOwned;
use superstep_core::error::{Error, ErrorKind};
use superstep_engine::typed::State;
use superstep_model::{Finish, Message};

/// The state of an agent: a conversation, and whatever fields a program has besides.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::{model::Message, prelude::*, tools::{Chat, Conversation}};
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Desk {
///     #[reduce(Chat)]
///     messages: Vec<Message>,
///     customer: Option<String>,
/// }
///
/// impl Conversation for Desk {
///     fn messages(&self) -> &[Message] {
///         &self.messages
///     }
///     fn said(messages: Vec<Message>) -> DeskUpdate {
///         Desk::update().messages(messages)
///     }
/// }
///
/// let input = Desk::said(vec![Message::user("hello")]).customer("ann".to_owned());
/// # drop(input);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no conversation",
    note = "implement `superstep::tools::Conversation` for it: where its messages are"
)]
pub trait Conversation: State {
    /// The conversation.
    fn messages(&self) -> &[Message];

    /// An update that adds messages to it. Its reducer is [`Chat`](crate::Chat).
    fn said(messages: Vec<Message>) -> Self::Update;

    /// The update with how far the agent has come, for a state that keeps it.
    fn noted(update: Self::Update, progress: Progress) -> Self::Update {
        let _ = progress;
        update
    }

    /// The last answer of an agent whose answers are data; see
    /// [`Agent::answer_as`](super::Agent::answer_as).
    fn answer<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let last = self
            .messages()
            .iter()
            .rfind(|message| message.reply().is_some());
        let text = last.map(Message::text).unwrap_or_default();
        serde_json::from_str(&text).map_err(|error| {
            let what = "the answer of the agent".to_owned();
            let why = error.to_string();
            ErrorKind::Decode { what, why }.into()
        })
    }
}

/// How far an agent has come since the user spoke.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// How many turns the model took.
    pub turns: u32,
    /// How many replies in a row were invalid.
    pub repairs: u32,
    /// Why the model stopped, once it has.
    pub finish: Option<Finish>,
}
