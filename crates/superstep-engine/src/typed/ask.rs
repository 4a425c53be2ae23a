//! Questions with a type, and the type of their answer.

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;
use superstep_core::{
    ask,
    clock::UnixMillis,
    error::{Error, ErrorKind},
    id::AskId,
    value::Value,
};

/// A question to a person or another program. Made by `#[derive(Ask)]`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::Ask;
///
/// /// The body is what a person needs to decide; the answer has a type of its own.
/// #[derive(Debug, Serialize, Deserialize, Ask)]
/// #[ask(answer = Decision)]
/// struct MaySend {
///     to: String,
///     text: String,
/// }
///
/// #[derive(Debug, Serialize, Deserialize)]
/// enum Decision {
///     Send,
///     Edit(String),
/// }
///
/// assert_eq!(MaySend::KIND, "may_send");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a question",
    note = "add `#[derive(Serialize, Ask)]` and `#[ask(answer = Type)]` to it"
)]
pub trait Ask: Serialize {
    /// What an answer is.
    type Answer: DeserializeOwned;

    /// A stable name; clients distinguish questions by it.
    const KIND: &'static str;

    /// The JSON schema of an answer, for clients; nothing if the answer's type has none. The derive
    /// takes that of a type which derives `superstep::schemars::JsonSchema`.
    fn schema() -> Option<Json> {
        None
    }

    /// What an answer is for, as data. One that was given when this was something else is refused (SS1015), and the
    /// question is open as it is asked now. It is the whole question unless `#[ask(about = …)]` says otherwise, for
    /// questions whose words change although what is decided does not.
    fn about(&self) -> Result<Json, serde_json::Error> {
        serde_json::to_value(self)
    }
}

/// A question that waits for an answer.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// # #[derive(Debug, Serialize, Deserialize, Ask)]
/// # #[ask(answer = bool)]
/// # struct Approve { text: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let graph = Graph::<Mail, Node>::builder().saver(MemorySaver::default())
/// #     .node(Node::Draft, |ctx: Ctx| async move {
/// #         Ok::<_, NodeError>(drop(ctx.ask(Approve { text: "hello".to_owned() })?))
/// #     })
/// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
/// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
/// #     .finish(Node::Send).build()?;
/// # graph.run("t", Mail::default()).await?;
/// for ask in graph.state("t").await?.asks {
///     if ask.is::<Approve>() {
///         println!("{}", ask.question::<Approve>()?.text);
///         graph.answer("t", [ask.answer::<Approve>(&true)?]).await?;
///     }
/// }
/// assert!(graph.state("t").await?.asks.is_empty());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpenAsk {
    /// Answer by it.
    pub id: AskId,
    /// Which kind of question; empty if it was asked without a type.
    pub kind: Arc<str>,
    /// The question; `value` in JSON, as in the dynamic layer.
    #[serde(rename = "value")]
    pub body: Json,
    /// The JSON schema of an answer, if the question has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// When the node continues without an answer, in milliseconds since 1970, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<UnixMillis>,
}

impl OpenAsk {
    /// Whether this is a question of that type.
    pub fn is<Q: Ask>(&self) -> bool {
        *self.kind == *Q::KIND
    }

    /// The question as it was asked.
    pub fn question<Q: Ask + DeserializeOwned>(&self) -> Result<Q, Error> {
        self.expect_kind::<Q>()?;
        Q::deserialize(&self.body).map_err(|error| {
            let what = format!("question `{}`", self.kind);
            ErrorKind::Decode {
                what,
                why: error.to_string(),
            }
            .into()
        })
    }

    /// The question with its type; an error if it is another one.
    pub fn typed<Q: Ask + DeserializeOwned>(&self) -> Result<Asked<Q>, Error> {
        Ok(Asked {
            id: self.id,
            question: self.question()?,
        })
    }

    /// An answer of the right type, as [`Graph::answer`](super::Graph::answer) takes it: for answers
    /// to questions of several types at once. [`OpenAsk::typed`] is shorter for one.
    pub fn answer<Q: Ask>(&self, answer: &Q::Answer) -> Result<(AskId, Json), Error>
    where
        Q::Answer: Serialize,
    {
        self.expect_kind::<Q>()?;
        let answer = serde_json::to_value(answer).map_err(|error| bad_answer(&error))?;
        Ok((self.id, answer))
    }

    fn expect_kind<Q: Ask>(&self) -> Result<(), Error> {
        if self.is::<Q>() {
            return Ok(());
        }
        let why = format!("the question is `{}`, not `{}`", self.kind, Q::KIND);
        Err(ErrorKind::BadArgument { why }.into())
    }
}

/// An open question of a known type.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Order { sent: bool }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Send }
/// #[derive(Serialize, Deserialize, Ask)]
/// #[ask(answer = bool)]
/// struct Approve {
///     to: String,
/// }
///
/// async fn send(ctx: Ctx) -> Result<OrderUpdate, NodeError> {
///     let sent = ctx.ask(Approve { to: "ann@example.com".to_owned() })?;
///     Ok(Order::update().sent(sent))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let graph = Graph::<Order, Node>::builder()
/// #     .saver(MemorySaver::default())
/// #     .node(Node::Send, send)
/// #     .start(Node::Send)
/// #     .finish(Node::Send)
/// #     .build()?;
/// let outcome = graph.run("order 1", Order::update()).await?;
/// let ask = outcome.ask::<Approve>()?;
/// assert_eq!(ask.question.to, "ann@example.com");
/// let outcome = graph.answer("order 1", [ask.answer(true)]).await?;
/// assert!(outcome.state().sent);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Asked<Q> {
    /// Answer by it.
    pub id: AskId,
    /// The question as it was asked.
    pub question: Q,
}

impl<Q: Ask> Asked<Q> {
    /// The answer, as [`Graph::answer`](super::Graph::answer) takes it.
    pub fn answer(&self, answer: Q::Answer) -> (AskId, Q::Answer) {
        (self.id, answer)
    }
}

pub(crate) fn bad_answer(error: &dyn std::fmt::Display) -> Error {
    ErrorKind::BadArgument {
        why: format!("the answer cannot be written as data: {error}"),
    }
    .into()
}

impl From<&ask::Ask> for OpenAsk {
    fn from(ask: &ask::Ask) -> Self {
        let kind = ask.kind.clone().unwrap_or_else(|| "".into());
        Self {
            id: ask.id,
            kind,
            body: ask.value.to_json(),
            schema: ask.schema.as_ref().map(Value::to_json),
            deadline: ask.deadline,
        }
    }
}
