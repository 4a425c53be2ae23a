//! The tools of an agent, and the services they take.

use std::{collections::BTreeMap, sync::Arc};

use superstep_model::{ToolCall, ToolSpec};
use superstep_text::Redactor;

use crate::{
    access::Access,
    error::ToolsError,
    tool::{ParsedCall, Tool, ctx::Services},
};

/// The tools of an agent and the services they take; cheap to clone.
#[derive(Clone, Default)]
pub struct Tools {
    by_name: Arc<BTreeMap<String, Arc<dyn Tool>>>,
    services: Arc<Services>,
    redactor: Option<Arc<Redactor>>,
}

/// A call of a tool that exists, with arguments that fit it.
pub struct Checked {
    /// The call.
    pub call: ToolCall,
    /// What its tool can do.
    pub access: Access,
    /// The call with its arguments parsed.
    pub parsed: Box<dyn ParsedCall>,
}

/// Collects tools.
///
#[doc = include_str!("docs/tools.md")]
#[derive(Default)]
pub struct ToolsBuilder {
    tools: Vec<Arc<dyn Tool>>,
    services: Services,
    redactor: Option<Arc<Redactor>>,
}

impl Tools {
    /// Starts with none.
    pub fn builder() -> ToolsBuilder {
        ToolsBuilder::default()
    }

    /// A tool by its name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.by_name.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.by_name.values()
    }

    /// How they are described to a model.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.iter().map(|tool| tool.spec().clone()).collect()
    }

    /// These and one more.
    pub fn with(&self, tool: Arc<dyn Tool>) -> Result<Self, ToolsError> {
        let mut builder = ToolsBuilder {
            tools: self.by_name.values().cloned().collect(),
            services: (*self.services).clone(),
            redactor: self.redactor.clone(),
        };
        builder.tools.push(tool);
        builder.build()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Whether any of them is described by somebody the program does not know.
    pub fn has_foreign(&self) -> bool {
        self.iter().any(|tool| tool.foreign())
    }

    /// Whether any of them takes the long-term store.
    pub fn takes_store(&self) -> bool {
        let takes = |tool: &Arc<dyn Tool>| tool.needs().iter().any(|need| need.is_store());
        self.iter().any(takes)
    }

    /// Checks a call and parses its arguments, or says what is wrong to the model that made it.
    pub fn parse(&self, call: &ToolCall) -> Result<Checked, String> {
        let name = &call.name;
        let Some(tool) = self.get(name) else {
            let names: Vec<_> = self.by_name.keys().map(String::as_str).collect();
            let all = names.join(", ");
            return Err(format!("there is no tool `{name}`; there are: {all}"));
        };
        let parsed = tool.parse(&call.args).map_err(|problems| {
            let all = problems.join("; ");
            format!("the arguments do not fit `{name}`: {all}")
        })?;
        Ok(Checked {
            call: call.clone(),
            access: tool.access(),
            parsed,
        })
    }

    pub(crate) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    pub(crate) fn redactor(&self) -> &Arc<Redactor> {
        match &self.redactor {
            Some(redactor) => redactor,
            None => Redactor::standard(),
        }
    }
}

impl ToolsBuilder {
    /// Adds a tool.
    #[must_use]
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.dyn_tool(Arc::new(tool))
    }

    /// Adds a tool whose type is not known here.
    #[must_use]
    pub fn dyn_tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// Gives tools a service that they take as `Res`.
    #[must_use]
    pub fn service<T: Send + Sync + 'static>(self, service: T) -> Self {
        self.shared(Arc::new(service))
    }

    /// Gives tools a service that others hold too.
    #[must_use]
    pub fn shared<T: Send + Sync + 'static>(mut self, service: Arc<T>) -> Self {
        self.services.insert(service);
        self
    }

    /// What is taken out of outputs before they are stored or shown to a model. Without this it
    /// is what has the shape of a well-known key.
    #[must_use]
    pub fn redactor(mut self, redactor: Arc<Redactor>) -> Self {
        self.redactor = Some(redactor);
        self
    }

    /// The tools, or everything that is wrong with them.
    pub fn build(self) -> Result<Tools, ToolsError> {
        let mut problems = Vec::new();
        let mut by_name = BTreeMap::new();
        for tool in self.tools {
            let name = tool.spec().name.clone();
            if !is_name(&name) {
                problems.push(format!(
                    "`{name}` is no name for a tool: 1 to 64 letters, digits, `_` and `-`"
                ));
            }
            let missing = tool.needs().into_iter();
            for need in missing.filter(|need| !self.services.has(*need)) {
                problems.push(format!("`{name}` needs the service `{}`", need.name));
            }
            if by_name.insert(name.clone(), tool).is_some() {
                problems.push(format!("there are two tools `{name}`"));
            }
        }
        match problems.as_slice() {
            [] => Ok(Tools {
                by_name: Arc::new(by_name),
                services: Arc::new(self.services),
                redactor: self.redactor,
            }),
            _ => Err(ToolsError::bad_tools(&problems)),
        }
    }
}

/// What every provider takes as a name.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}
