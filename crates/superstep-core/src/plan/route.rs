//! What a node's result means: writes to channels, fired triggers, sends.

use std::sync::Arc;

use super::{Plan, ReadKey, Reads, Role, Router};
use crate::{
    channel_state::ChannelState,
    command::{Command, END, Goto, Output, START, Send, Target},
    error::{ErrorKind, Failure},
    record::{StartValue, Write},
    table::{ChannelIx, NodeIx},
    value::{Map, Value},
};

/// What a router decided, before its map.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// A key of the map, or without one the name of a node.
    Key(Value),
    /// Run a node with its own input.
    Send(Send),
}

impl From<&str> for Destination {
    fn from(name: &str) -> Self {
        Self::Key(name.into())
    }
}
impl From<String> for Destination {
    fn from(name: String) -> Self {
        Self::Key(name.into())
    }
}
impl From<bool> for Destination {
    fn from(key: bool) -> Self {
        Self::Key(key.into())
    }
}
/// What a channel holds, as a key of the map.
impl From<Value> for Destination {
    fn from(key: Value) -> Self {
        Self::Key(key)
    }
}
impl From<Send> for Destination {
    fn from(send: Send) -> Self {
        Self::Send(send)
    }
}

/// What a router may return: a node's name, a key of its map, a send, or several of them.
#[diagnostic::on_unimplemented(
    message = "a router cannot return `{Self}`",
    label = "not a destination",
    note = "return the name of a node, a key of the router's map (text, bool or Value), a Send, a Vec of them, or a Result of these with Failure"
)]
pub trait IntoDestinations {
    /// All of them, or why there are none.
    fn into_destinations(self) -> Result<Vec<Destination>, Failure>;
}

#[diagnostic::do_not_recommend]
impl<D: Into<Destination>> IntoDestinations for D {
    fn into_destinations(self) -> Result<Vec<Destination>, Failure> {
        Ok(vec![self.into()])
    }
}
impl<D: Into<Destination>> IntoDestinations for Vec<D> {
    fn into_destinations(self) -> Result<Vec<Destination>, Failure> {
        Ok(self.into_iter().map(Into::into).collect())
    }
}
impl<D: IntoDestinations> IntoDestinations for Result<D, Failure> {
    fn into_destinations(self) -> Result<Vec<Destination>, Failure> {
        self?.into_destinations()
    }
}

/// Decides where to go after a node.
pub type RouteFn =
    Arc<dyn Fn(&RouteView<'_>) -> Result<Vec<Destination>, Failure> + std::marker::Send + Sync>;

/// The step window a computed key depends on.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The step.
    pub step: i64,
    /// The last step the limit allows.
    pub stop: i64,
}

impl Window {
    /// The value of a computed key.
    pub fn managed(self, managed: super::Managed) -> Value {
        match managed {
            super::Managed::RemainingSteps => Value::Int(self.stop - self.step),
            super::Managed::IsLastStep => Value::Bool(self.step == self.stop - 1),
        }
    }
}

/// Why a result has no writes.
#[derive(Debug)]
pub enum Unwritten {
    /// It makes no sense.
    Error(ErrorKind),
    /// It is for the graph above.
    Parent(Box<Command>),
}

impl From<ErrorKind> for Unwritten {
    fn from(kind: ErrorKind) -> Self {
        Self::Error(kind)
    }
}

/// What a router sees: the state with the writes of its own node, not those of siblings.
pub struct RouteView<'a> {
    /// The graph.
    pub plan: &'a Plan,
    /// The state when the step began.
    pub channels: &'a dyn ChannelState,
    /// The node's own writes.
    pub writes: &'a [Write],
    /// The object the node returned; keys that are no channels are passed on to routers.
    pub returned: Option<&'a Map>,
    reads: &'a Reads,
    window: Window,
}

impl RouteView<'_> {
    /// One channel.
    pub fn channel(&self, channel: ChannelIx) -> Result<Option<Value>, ErrorKind> {
        let own: Vec<&Value> = self
            .writes
            .iter()
            .filter_map(|write| match write {
                Write::State(to, value) if *to == channel => Some(value),
                _ => None,
            })
            .collect();
        self.channels.peek(channel, &own)
    }

    /// One key of the state; reading just what is needed keeps routing cheap on a large state.
    pub fn get(&self, key: &str) -> Result<Value, Failure> {
        let visible = match self.reads {
            Reads::Keys(_) => self.reads.key(self.plan, key),
            Reads::Input | Reads::Root(_) => None,
        };
        let channel = match (visible, self.reads) {
            (Some(ReadKey::Channel(channel)), _) => Some(*channel),
            (Some(ReadKey::Managed(_, managed)), _) => return Ok(self.window.managed(*managed)),
            (None, Reads::Input) => self
                .plan
                .channel(key)
                .filter(|channel| !self.plan.channels.row(*channel).private),
            (None, _) => None,
        };
        let found = match channel {
            Some(channel) => self.channel(channel).map_err(as_failure)?,
            None => None,
        };
        let passed_on = || self.returned.and_then(|map| map.get(key)).cloned();
        Ok(found.or_else(passed_on).unwrap_or_default())
    }

    /// The whole state, as the node itself would read it.
    pub fn value(&self) -> Result<Value, Failure> {
        self.state().map_err(as_failure)
    }

    fn state(&self) -> Result<Value, ErrorKind> {
        let keys = match self.reads {
            Reads::Root(root) => return Ok(self.channel(*root)?.unwrap_or_default()),
            Reads::Keys(keys) => keys,
            Reads::Input => return self.start_state(),
        };
        let mut state = self.returned.cloned().unwrap_or_default();
        for key in keys {
            match key {
                ReadKey::Channel(channel) => self.read_into(*channel, &mut state)?,
                ReadKey::Managed(name, managed) => {
                    state.insert(name.clone(), self.window.managed(*managed));
                }
            }
        }
        Ok(Value::Map(Arc::new(state)))
    }

    fn start_state(&self) -> Result<Value, ErrorKind> {
        if let Some(root) = self.plan.root {
            return Ok(self.channel(root)?.unwrap_or_default());
        }
        let mut state = self.returned.cloned().unwrap_or_default();
        for (channel, spec) in self.plan.channels.entries() {
            if !spec.private {
                self.read_into(channel, &mut state)?;
            }
        }
        Ok(Value::Map(Arc::new(state)))
    }

    fn read_into(&self, channel: ChannelIx, state: &mut Map) -> Result<(), ErrorKind> {
        if let Some(value) = self.channel(channel)? {
            state.insert(self.plan.channels.row(channel).name.clone(), value);
        }
        Ok(())
    }
}

fn as_failure(kind: ErrorKind) -> Failure {
    match kind {
        ErrorKind::Reduce { failure, .. } => failure,
        other => Failure::new(other.code(), other.to_string()),
    }
}

impl Plan {
    /// Turns the input of a run into the writes of the start node.
    pub fn start_writes(
        &self,
        node: NodeIx,
        channels: &dyn ChannelState,
        input: &StartValue,
        window: Window,
    ) -> Result<Vec<Write>, Unwritten> {
        let output = match input {
            StartValue::Input(value) => Output::Update(value.clone()),
            StartValue::Command(command) => Output::Command(Command::clone(command)),
        };
        self.writes(node, channels, output, window)
    }

    /// Turns a node's result into writes: state, destinations, edges, joins, routers.
    pub fn writes(
        &self,
        node: NodeIx,
        channels: &dyn ChannelState,
        output: Output,
        window: Window,
    ) -> Result<Vec<Write>, Unwritten> {
        let spec = self.nodes.row(node);
        let keys = match &output {
            Output::Update(Value::Map(map)) => map.len(),
            _ => 1,
        };
        let mut writes = Vec::with_capacity(keys + spec.edges.len() + spec.joins.len());
        if spec.role == Role::Entrypoint {
            self.entrypoint_writes(output, &mut writes);
            return Ok(writes);
        }
        if self.strict && spec.role != Role::Start {
            self.refuse_unknown(&spec.name, &output)?;
        }
        self.state_writes(spec.role, &output, &mut writes)?;
        self.goto_writes(&output, &mut writes)?;
        writes.extend(spec.edges.iter().map(|trigger| Write::Fire(*trigger)));
        writes.extend(spec.joins.iter().map(|(join, at)| Write::Join(*join, *at)));
        if !spec.routers.is_empty() {
            let returned = match &output {
                Output::Update(Value::Map(map)) => Some(&**map),
                _ => None,
            };
            let reads = &spec.reads;
            let mut routed = Vec::new();
            let view = RouteView {
                plan: self,
                channels,
                writes: &writes,
                returned,
                reads,
                window,
            };
            for router in &spec.routers {
                self.route(router, &view, &mut routed)?;
            }
            writes.append(&mut routed);
        }
        Ok(writes)
    }

    fn entrypoint_writes(&self, output: Output, writes: &mut Vec<Write>) {
        let (value, save) = match output {
            Output::Final { value, save } => (value, save),
            Output::Update(value) => (value.clone(), value),
            _ => (Value::Null, Value::Null),
        };
        let end = self.channel(END).map(|end| Write::State(end, value));
        let previous = self.previous.map(|previous| Write::State(previous, save));
        writes.extend(end.into_iter().chain(previous));
    }

    fn writable(&self, role: Role, name: &str) -> Option<ChannelIx> {
        let channel = self.channel(name)?;
        (role != Role::Start || self.root.is_some() || self.input.contains(&channel))
            .then_some(channel)
    }

    /// A strict graph: a result names channels and nodes that there are.
    fn refuse_unknown(&self, node: &str, output: &Output) -> Result<(), ErrorKind> {
        let mut names: Vec<String> = Vec::new();
        let mut channel = |name: &str| {
            if self.channel(name).is_none() {
                names.push(name.to_owned());
            }
        };
        match output {
            Output::Update(Value::Map(map)) if self.root.is_none() => {
                map.keys().for_each(|name| channel(name));
            }
            Output::Command(command) if command.target == Target::Here => {
                command.update.iter().for_each(|(name, _)| channel(name));
                for goto in &command.goto {
                    let (Goto::Node(target) | Goto::Send(Send { node: target, .. })) = goto;
                    if &**target != END && self.node(target).is_none() {
                        names.push(target.to_string());
                    }
                }
            }
            Output::Many(parts) => {
                for part in parts {
                    self.refuse_unknown(node, part)?;
                }
            }
            _ => {}
        }
        if names.is_empty() {
            return Ok(());
        }
        let of = format!("the result of `{node}`");
        Err(ErrorKind::UnknownKeys { of, names })
    }

    fn state_writes(
        &self,
        role: Role,
        output: &Output,
        writes: &mut Vec<Write>,
    ) -> Result<(), Unwritten> {
        let mut named = |name: &str, value: &Value| {
            let channel = self.writable(role, name);
            writes.extend(channel.map(|channel| Write::State(channel, value.clone())));
        };
        match output {
            Output::Nothing => {}
            Output::Update(value) => match (self.root, value) {
                (Some(root), value) => writes.push(Write::State(root, value.clone())),
                (None, Value::Map(map)) => map.iter().for_each(|(name, value)| named(name, value)),
                (None, other) => {
                    return Err(ErrorKind::BadReturn {
                        got: other.kind().to_owned(),
                    }
                    .into());
                }
            },
            Output::Writes(list) => {
                writes.extend(
                    list.iter()
                        .map(|(ix, value)| Write::State(*ix, value.clone())),
                );
            }
            Output::Command(command) => {
                if command.target == Target::Here {
                    command
                        .update
                        .iter()
                        .for_each(|(name, value)| named(name, value));
                }
            }
            Output::Many(parts) => {
                for part in parts {
                    self.state_writes(role, part, writes)?;
                }
            }
            Output::Final { .. } => {
                return Err(ErrorKind::BadReturn {
                    got: "an entrypoint's result".into(),
                }
                .into());
            }
        }
        Ok(())
    }

    fn goto_writes(&self, output: &Output, writes: &mut Vec<Write>) -> Result<(), Unwritten> {
        match output {
            Output::Command(command) if command.target == Target::Parent => {
                Err(Unwritten::Parent(Box::new(command.clone())))
            }
            Output::Command(command) => {
                for goto in &command.goto {
                    self.goto_write(goto, writes);
                }
                Ok(())
            }
            Output::Many(parts) => parts
                .iter()
                .try_for_each(|part| self.goto_writes(part, writes)),
            _ => Ok(()),
        }
    }

    /// Unknown names go nowhere, as in LangGraph; the typed layer has no unknown names.
    pub(crate) fn goto_write(&self, goto: &Goto, writes: &mut Vec<Write>) {
        match goto {
            Goto::Node(name) => writes.extend(self.edge_to(name).map(Write::Fire)),
            Goto::Send(send) => writes.push(Write::Send(send.clone())),
        }
    }

    fn route(
        &self,
        router: &Router,
        view: &RouteView<'_>,
        writes: &mut Vec<Write>,
    ) -> Result<(), Unwritten> {
        let results = (router.route)(view).map_err(ErrorKind::Failed)?;
        let mut targets = Vec::with_capacity(results.len());
        for result in results {
            targets.push(match (result, &router.map) {
                (Destination::Send(send), _) => Goto::Send(send),
                (Destination::Key(key), Some(map)) => {
                    let mapped = map.iter().find(|(from, _)| *from == key);
                    let (_, to) = mapped.ok_or_else(|| ErrorKind::RouteMissing {
                        result: key.to_string(),
                    })?;
                    Goto::Node(to.clone())
                }
                (Destination::Key(Value::Str(name)), None) => Goto::Node(name),
                (Destination::Key(_), None) => return Err(ErrorKind::RouteInvalid.into()),
            });
        }
        for target in &targets {
            match target {
                Goto::Node(name) if &**name == START => return Err(ErrorKind::RouteInvalid.into()),
                Goto::Send(send) if &*send.node == END => return Err(ErrorKind::SendToEnd.into()),
                _ => {}
            }
        }
        for target in targets {
            match target {
                Goto::Send(send) => writes.push(Write::Send(send)),
                node => self.goto_write(&node, writes),
            }
        }
        Ok(())
    }
}
