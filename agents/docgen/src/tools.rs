//! Tools of the agents: lines of a file, places of a symbol, lines that have a text. All of them look up in the [`Library`] alone.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Map, Value as Json, json};
use superstep::{
    future::BoxFuture,
    model::ToolSpec,
    tools::{
        Access, Capabilities, ParsedCall, Tool, ToolCtx, ToolError, ToolOutput, Tools, ToolsError,
    },
};

use crate::{
    agent::AgentContext,
    library::{Library, MOST_LINES},
};

/// How many lines are read unless the call says more.
const LINES: u32 = 80;

/// Said when a model has looked up as much as it may.
pub(crate) const ENOUGH: &str = "nothing more can be looked up: answer with what you have";

/// How many bytes all look-ups of an agent may give: twice the material of its prompt.
pub(crate) fn most_bytes(context: &AgentContext) -> usize {
    context.room.saturating_mul(2)
}

/// The kinds of look-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought {
    File,
    Symbol,
    Text,
}

impl Sought {
    pub(crate) const ALL: [Self; 3] = [Self::File, Self::Symbol, Self::Text];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::File => "read_file",
            Self::Symbol => "find_symbol",
            Self::Text => "search",
        }
    }

    /// The argument that it needs.
    fn key(self) -> &'static str {
        match self {
            Self::File => "path",
            Self::Symbol => "name",
            Self::Text => "text",
        }
    }

    pub(crate) fn spec(self) -> ToolSpec {
        let about = match self {
            Self::File => "Reads lines of a file of the code base, with their numbers",
            Self::Symbol => {
                "Says where a symbol of this name is defined, and shows it if there is one alone"
            }
            Self::Text => {
                "Finds the lines of all files that have a text, whatever its case, as path:line: text"
            }
        };
        let wanted = match self {
            Self::File => "the path, as the material has it",
            Self::Symbol => "the name",
            Self::Text => "a word or a few letters of code, no pattern",
        };
        let mut properties = json!({ self.key(): {"type": "string", "description": wanted} });
        if let (Self::File, Some(properties)) = (self, properties.as_object_mut()) {
            let first = json!({"type": "integer", "minimum": 1, "description": "the first line"});
            let lines = json!({"type": "integer", "minimum": 1, "maximum": MOST_LINES, "description": "how many lines"});
            properties.extend([("from".to_owned(), first), ("lines".to_owned(), lines)]);
        }
        ToolSpec {
            name: self.name().into(),
            description: about.into(),
            parameters: json!({
                "type": "object",
                "properties": properties,
                "required": [self.key()],
                "additionalProperties": false,
            }),
        }
    }
}

/// One look-up.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    what: Sought,
    name: String,
    first: u32,
    count: u32,
}

impl Wanted {
    pub(crate) fn read(what: Sought, args: &Map<String, Json>) -> Result<Self, Vec<String>> {
        let number = |key: &str, usual: u32| {
            let said = args.get(key).and_then(Json::as_u64);
            said.map_or(usual, |it| u32::try_from(it).unwrap_or(u32::MAX))
        };
        let key = what.key();
        let name = args.get(key).and_then(Json::as_str);
        let name = name.ok_or_else(|| vec![format!("`{key}` must be a text")])?;
        Ok(Self {
            what,
            name: name.to_owned(),
            first: number("from", 1).max(1),
            count: number("lines", LINES).clamp(1, MOST_LINES),
        })
    }

    /// What is found, in words if nothing is.
    pub(crate) fn found(&self, library: &Library) -> String {
        let name = &self.name;
        let last = self.first.saturating_add(self.count - 1);
        match self.what {
            Sought::File => library
                .lines(name, self.first, last)
                .unwrap_or_else(|| format!("there is no file {name} that may be read")),
            Sought::Symbol => library
                .definitions(name)
                .unwrap_or_else(|| format!("nothing is called {name}")),
            Sought::Text => library
                .search(name)
                .unwrap_or_else(|| format!("no line has {name}")),
        }
    }
}

/// The tools of one agent over a code base.
pub(crate) fn tools(context: &AgentContext, library: &Library) -> Result<Tools, ToolsError> {
    let left = Arc::new(AtomicUsize::new(most_bytes(context)));
    let all = Sought::ALL.into_iter();
    let all = all.fold(Tools::builder(), |tools, what| {
        tools.tool(LookUp {
            spec: what.spec(),
            what,
            library: library.clone(),
            left: left.clone(),
        })
    });
    all.build()
}

struct LookUp {
    spec: ToolSpec,
    what: Sought,
    library: Library,
    left: Arc<AtomicUsize>,
}

impl Tool for LookUp {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        Access {
            capabilities: Capabilities::READ,
            ..Access::default()
        }
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        Ok(Box::new(LookingUp {
            wanted: Wanted::read(self.what, args)?,
            library: self.library.clone(),
            left: self.left.clone(),
        }))
    }
}

struct LookingUp {
    wanted: Wanted,
    library: Library,
    left: Arc<AtomicUsize>,
}

impl ParsedCall for LookingUp {
    fn run(&self, _: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let found = self.wanted.found(&self.library);
            let less = |left: usize| left.checked_sub(found.len());
            let is_within = (self.left)
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
                .is_ok();
            Ok(match is_within {
                true => found.into(),
                false => ENOUGH.to_owned().into(),
            })
        })
    }
}
