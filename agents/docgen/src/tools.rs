//! Tools of the agents: lines of a file, places of a symbol. Both read facts and files of the code base alone.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Map, Value as Json, json};
use superstep::{
    future::BoxFuture,
    model::ToolSpec,
    sync::lock,
    tools::{
        Access, Capabilities, ParsedCall, Tool, ToolCtx, ToolError, ToolOutput, Tools, ToolsError,
    },
};

use crate::{agent::AgentContext, facts::Lookup, material::excerpt};

/// The most lines of one call.
const MOST_LINES: u64 = 200;

/// Said when a model has looked up as much as it may.
const ENOUGH: &str = "nothing more can be looked up: answer with what you have";

/// The most places of a symbol.
const MOST_PLACES: usize = 40;

/// Which files were read, by whom.
pub(crate) type ReadFiles = Arc<Mutex<std::collections::BTreeSet<String>>>;

/// How many bytes all look-ups of an agent may give: twice the material of its prompt.
pub(crate) fn most_bytes(context: &AgentContext) -> usize {
    context.room.saturating_mul(2)
}

/// The tools of one agent over a code base.
pub(crate) fn tools(context: &Arc<AgentContext>, read: &ReadFiles) -> Result<Tools, ToolsError> {
    let left = Arc::new(AtomicUsize::new(most_bytes(context)));
    let text = |about: &str| json!({"type": "string", "description": about});
    let files = Lookups {
        spec: ToolSpec {
            name: "read_file".into(),
            description: "Reads lines of a file of the code base, with their numbers".into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": text("the path, as the material has it"),
                    "from": {"type": "integer", "minimum": 1, "description": "the first line"},
                    "lines": {"type": "integer", "minimum": 1, "maximum": MOST_LINES},
                },
                "required": ["path"],
                "additionalProperties": false,
            }),
        },
        what: Sought::File,
        context: context.clone(),
        read: read.clone(),
        left: left.clone(),
    };
    let symbols = Lookups {
        spec: ToolSpec {
            name: "find_symbol".into(),
            description: "Says where a symbol of this name is defined".into(),
            parameters: json!({
                "type": "object",
                "properties": {"name": text("the name")},
                "required": ["name"],
                "additionalProperties": false,
            }),
        },
        what: Sought::Symbol,
        context: context.clone(),
        read: read.clone(),
        left,
    };
    Tools::builder().tool(files).tool(symbols).build()
}

#[derive(Clone, Copy)]
enum Sought {
    File,
    Symbol,
}

struct Lookups {
    spec: ToolSpec,
    what: Sought,
    context: Arc<AgentContext>,
    read: ReadFiles,
    left: Arc<AtomicUsize>,
}

impl Tool for Lookups {
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
        let number = |key: &str, usual: u64| args.get(key).and_then(Json::as_u64).unwrap_or(usual);
        let key = match self.what {
            Sought::File => "path",
            Sought::Symbol => "name",
        };
        let name = args.get(key).and_then(Json::as_str);
        let name = name.ok_or_else(|| vec![format!("`{key}` must be a text")])?;
        Ok(Box::new(Looking {
            what: self.what,
            name: name.to_owned(),
            from: usize::try_from(number("from", 1)).unwrap_or(1),
            lines: usize::try_from(number("lines", 80).min(MOST_LINES)).unwrap_or(80),
            context: self.context.clone(),
            read: self.read.clone(),
            left: self.left.clone(),
        }))
    }
}

struct Looking {
    what: Sought,
    name: String,
    from: usize,
    lines: usize,
    context: Arc<AgentContext>,
    read: ReadFiles,
    left: Arc<AtomicUsize>,
}

impl ParsedCall for Looking {
    fn run(&self, _: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let found = match self.what {
                Sought::File => {
                    let path = self.name.trim_start_matches("./");
                    let shown = excerpt(&self.context, path, self.from, self.lines);
                    if shown.is_some() {
                        let mut read = lock(&self.read);
                        read.insert(path.to_owned());
                    }
                    shown.unwrap_or_else(|| format!("there is no file {path} that may be read"))
                }
                Sought::Symbol => {
                    let lookup = Lookup::new(&self.context.facts);
                    let places = lookup.symbol(&self.name).iter().take(MOST_PLACES);
                    let places = places.map(|(file, it)| {
                        format!("{} {}:{}", it.kind.as_str(), file.path, it.line)
                    });
                    let places: Vec<String> = places.collect();
                    match places.is_empty() {
                        true => format!("nothing is called {}", self.name),
                        false => places.join("\n"),
                    }
                }
            };
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
