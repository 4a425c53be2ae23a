//! What a node returns: an update of the state, and where to go next.

use std::sync::Arc;

use serde::Serialize;
use superstep_core::{
    command::{self, Goto, Output},
    error::ErrorKind,
    table::{ChannelIx, Key},
    value::Value,
};

use super::{
    error::NodeError,
    nodes::Nodes,
    state::{State, Update},
};

/// A node's whole effect: an update, and where to go besides its edges.
///
/// An update makes one too: `Mail::update().decision(Triage::Ignore).end()`.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::{Command, prelude::*};
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// async fn check(mail: Snap<Mail>) -> Command<Mail, Node> {
///     match mail.reply.len() {
///         0 => Command::goto(Node::Draft),
///         1..100 => Mail::update().log(["fine".to_owned()]).goto(Node::Send),
///         _ => Command::end(), // nowhere, apart from the node's own edges
///     }
/// }
/// # let _ = check;
/// ```
#[derive(Clone, Debug)]
pub struct Command<S: State, N> {
    update: S::Update,
    targets: Vec<Target<N>>,
    /// For the graph above, in place of the rest.
    parent: Option<Box<command::Command>>,
}

#[derive(Clone, Debug)]
enum Target<N> {
    Node(N),
    Send(N, Value),
}

impl<S: State, N> Default for Command<S, N> {
    fn default() -> Self {
        Self::update(S::Update::default())
    }
}

impl<S: State, N> Command<S, N> {
    /// Just an update.
    pub fn update(update: S::Update) -> Self {
        Self {
            update,
            targets: Vec::new(),
            parent: None,
        }
    }

    /// Goes to a node.
    pub fn goto(node: N) -> Self {
        Self::default().and_goto(node)
    }

    /// Goes nowhere: this branch ends here, apart from the node's own edges.
    pub fn end() -> Self {
        Self::default()
    }

    /// Runs a node with a payload of its own.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::{Command, prelude::*};
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft() -> Command<Mail, Node> {
    ///     Command::send(Node::Send, &"ann").and_send(Node::Send, &"bob")
    /// }
    /// # let _ = draft;
    /// ```
    pub fn send<T>(node: N, payload: &T) -> Self
    where
        T: Serialize + Clone + Send + Sync + 'static,
    {
        Self::default().and_send(node, payload)
    }

    /// Goes to a node too.
    #[must_use]
    pub fn and_goto(mut self, node: N) -> Self {
        self.targets.push(Target::Node(node));
        self
    }

    /// Runs a node with a payload of its own too; any number may run at once, of one node too.
    #[must_use]
    pub fn and_send<T>(mut self, node: N, payload: &T) -> Self
    where
        T: Serialize + Clone + Send + Sync + 'static,
    {
        self.targets
            .push(Target::Send(node, Value::typed(payload.clone())));
        self
    }
}

/// A command for the graph that runs this one, whose state is `P` and whose nodes are `M`: the node of
/// a subgraph may return it, and a [`Command`] of its own graph may be made of it.
///
/// The graph above takes it as the result of the node that runs the subgraph, which must have declared
/// where it may go (`may_goto`, `may_send`). That is all the graph above gets: what the subgraph wrote to its own state
/// before, shared fields too, and what it was about to do is not handed over.
///
#[doc = include_str!("docs/to_parent.md")]
#[derive(Clone)]
pub struct ToParent<P: State, M>(pub Command<P, M>);

impl<P: State, M: Nodes> Command<P, M> {
    /// Hands the command over to the graph above, whose types it has.
    pub fn to_parent(self) -> ToParent<P, M> {
        ToParent(self)
    }
}

impl<S: State, N: Nodes, P: State, M: Nodes> From<ToParent<P, M>> for Command<S, N> {
    fn from(ToParent(command): ToParent<P, M>) -> Self {
        let goto = command.targets.into_iter().map(|target| match target {
            Target::Node(node) => Goto::Node(node.name().into()),
            Target::Send(node, arg) => Goto::Send(command::Send {
                node: node.name().into(),
                arg,
                timeout: None,
            }),
        });
        let field = |at| P::FIELDS.get(at).map(|(name, _)| Arc::from(*name));
        let update = command.update.into_writes().into_iter();
        let above = command::Command {
            update: update
                .filter_map(|(at, value)| Some((field(at)?, value)))
                .collect(),
            goto: goto.collect(),
            target: command::Target::Parent,
        };
        Self {
            parent: Some(Box::new(above)),
            ..Self::default()
        }
    }
}

impl<S: State, N: Nodes, P: State, M: Nodes> IntoCommand<S, N> for ToParent<P, M> {
    fn into_command(self) -> Result<Command<S, N>, NodeError> {
        Ok(self.into())
    }
}

impl<S: State, N: Nodes> Command<S, N> {
    /// What the loop understands, once every target is a declared one.
    pub(crate) fn into_output(self, reach: &Reach) -> Result<Output, ErrorKind> {
        if let Some(above) = self.parent {
            return Ok(Output::Command(*above));
        }
        let writes = writes(self.update);
        if self.targets.is_empty() {
            return Ok(writes.into());
        }
        let mut goto = Vec::with_capacity(self.targets.len());
        for target in self.targets {
            goto.push(match target {
                Target::Node(node) => Goto::Node(reach.name(node, Reached::ByCommand)?),
                Target::Send(node, arg) => {
                    let node = reach.name(node, Reached::BySend)?;
                    Goto::Send(command::Send {
                        node,
                        arg,
                        timeout: None,
                    })
                }
            });
        }
        let command = command::Command {
            goto,
            ..command::Command::default()
        };
        Ok(Output::Many(vec![
            Output::Writes(writes),
            Output::Command(command),
        ]))
    }
}

pub(crate) fn writes<U: Update>(update: U) -> Vec<(ChannelIx, Value)> {
    update
        .into_writes()
        .into_iter()
        .map(|(field, value)| (ChannelIx::at(field), value))
        .collect()
}

/// How a command reaches a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    ByCommand,
    BySend,
}

/// Where the commands of one node may go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// By position of the node: its name, and whether commands and sends may go there.
    pub(crate) nodes: Vec<(Arc<str>, [bool; 2])>,
}

impl Reach {
    /// Whether a command that a subgraph handed over goes only where its node may.
    pub(crate) fn check(&self, handed: &command::Command) -> Result<(), ErrorKind> {
        for goto in &handed.goto {
            let (name, how) = match goto {
                Goto::Node(name) => (name, Reached::ByCommand),
                Goto::Send(send) => (&send.node, Reached::BySend),
            };
            let found = self.nodes.iter().find(|(node, _)| node == name);
            let declared = found.is_some_and(|(_, [command, send])| match how {
                Reached::ByCommand => *command,
                Reached::BySend => *send,
            });
            if !declared {
                let target = name.to_string();
                return Err(ErrorKind::Undeclared { target });
            }
        }
        Ok(())
    }

    fn name<N: Nodes>(&self, node: N, how: Reached) -> Result<Arc<str>, ErrorKind> {
        let undeclared = || ErrorKind::Undeclared {
            target: node.name().to_owned(),
        };
        let (name, [command, send]) = self.nodes.get(node.index()).ok_or_else(undeclared)?;
        let declared = match how {
            Reached::ByCommand => *command,
            Reached::BySend => *send,
        };
        if declared {
            Ok(name.clone())
        } else {
            Err(undeclared())
        }
    }
}

/// Anything a node may return.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::{Command, prelude::*};
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// async fn nothing() {}
///
/// async fn update() -> MailUpdate {
///     Mail::update().reply("hello")
/// }
///
/// async fn command() -> Command<Mail, Node> {
///     Command::goto(Node::Send)
/// }
///
/// async fn fallible() -> Result<MailUpdate, NodeError> {
///     let number: u32 = "7".parse()?;
///     Ok(Mail::update().reply(number.to_string()))
/// }
/// # let _ = (nothing, update, command, fallible);
/// ```
#[diagnostic::on_unimplemented(
    message = "a node of a graph over `{S}` cannot return `{Self}`",
    label = "not the result of a node",
    note = "return the state's update, a Command<{S}, {N}>, (), or a Result of one of them"
)]
pub trait IntoCommand<S: State, N: Nodes> {
    /// The command it means.
    fn into_command(self) -> Result<Command<S, N>, NodeError>;
}

impl<S: State, N: Nodes> IntoCommand<S, N> for Command<S, N> {
    fn into_command(self) -> Result<Command<S, N>, NodeError> {
        Ok(self)
    }
}

impl<S: State, N: Nodes> IntoCommand<S, N> for () {
    fn into_command(self) -> Result<Command<S, N>, NodeError> {
        Ok(Command::default())
    }
}

impl<S, N, T, E> IntoCommand<S, N> for Result<T, E>
where
    S: State,
    N: Nodes,
    T: IntoCommand<S, N>,
    E: Into<NodeError>,
{
    fn into_command(self) -> Result<Command<S, N>, NodeError> {
        self.map_err(Into::into)?.into_command()
    }
}
