//! An agent that is a TOML file: instructions, tools of MCP servers with their approval rules, a form, memory.
//!
//! `definition` reads the file and lists its mistakes, `memory` has the tools over the long-term store. MCP servers are
//! connected by the front end, which asks a person first: a server that was not connected has no tools.

mod definition;
mod memory;

use std::{collections::BTreeMap, path::Path, sync::Mutex};

use serde_json::{Map, Value as Json, json};
use superstep::{
    sync::lock,
    tools::{
        Agent as ToolAgent, Policy, Tools,
        mcp::{Client, Fingerprint, Pin},
    },
};

use crate::{
    agent::{Agent, Site},
    card::Card,
    failure::AgentError,
    form::Form,
    open::OpenAgent,
    plain_agent::PlainAgent,
};
pub use definition::McpServer;
use definition::{Definition, Rule};

/// An agent that is a TOML file.
pub struct FileAgent {
    card: Card,
    definition: Definition,
    clients: Mutex<BTreeMap<String, Client>>,
}

impl FileAgent {
    /// Reads an agent, or lists every mistake of its file. Folders in it are relative to `folder`.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Vec<String>> {
        let definition = Definition::parse(text, folder)?;
        let mut card = Card::new(&definition.name, &definition.about).chatting();
        card.model_nodes = vec!["model".into()];
        card.example = card.input_of("What can you do?");
        Ok(Self {
            card,
            definition,
            clients: Mutex::default(),
        })
    }

    /// The model that it names.
    pub fn model(&self) -> Option<&str> {
        self.definition.model.as_deref()
    }

    /// The MCP servers that it has tools of.
    pub fn servers(&self) -> &[McpServer] {
        &self.definition.servers
    }

    /// The fields of its form; none if it takes a message alone.
    pub fn form(&self) -> Form {
        Form::of(&json!({"properties": self.definition.form}))
    }

    /// The first message, with the fields of the form in the places that name them.
    pub fn message(&self, fields: &Map<String, Json>) -> Result<String, String> {
        let mut message = self.definition.message.clone();
        for name in self.definition.form.keys() {
            let text = match fields.get(name) {
                Some(Json::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => return Err(format!("the field `{name}` is missing")),
            };
            message = message.replace(&format!("{{{{{name}}}}}"), &text);
        }
        Ok(message)
    }

    /// Starts or reaches a server. One that was approved must match its fingerprint.
    pub async fn connect(
        &self,
        server: &McpServer,
        approved: Option<Fingerprint>,
    ) -> Result<Client, AgentError> {
        let mut server = server.server.clone();
        if let Some(fingerprint) = approved {
            server.pin = Pin::Hash(fingerprint);
        }
        Ok(server.connect().await?)
    }

    /// Takes the tools of a server that was approved.
    pub fn attach(&self, server: &McpServer, client: Client) {
        lock(&self.clients).insert(server.alias().to_owned(), client);
    }

    fn tools(&self) -> Result<(Tools, Policy), AgentError> {
        let (mut tools, mut policy) = (Tools::builder(), Policy::default());
        if self.definition.has_memory {
            tools = tools
                .tool(memory::Remember)
                .tool(memory::Recall)
                .service(memory::Notes(self.definition.name.clone()));
            policy = policy.allow("remember");
        }
        for server in &self.definition.servers {
            let Some(client) = lock(&self.clients).get(server.alias()).cloned() else {
                continue;
            };
            let offered = client.tools()?;
            let named: Vec<&str> = offered.iter().map(|tool| &*tool.spec().name).collect();
            if let Some(missing) = server
                .rules
                .keys()
                .find(|it| !named.contains(&&*server.given(it)))
            {
                return Err(AgentError::unbuilt(format!(
                    "the server `{}` has no tool `{missing}`; it has {}",
                    server.alias(),
                    named.join(", ")
                )));
            }
            for (name, rule) in &server.rules {
                policy = match rule {
                    Rule::Usual => policy,
                    Rule::Ask => policy.ask(server.given(name)),
                    Rule::Deny => policy.deny(server.given(name)),
                };
            }
            // Without a list all of them are allowed, and policy asks.
            let is_listed = |name: &str| server.rules.keys().any(|it| server.given(it) == name);
            for tool in offered {
                if server.rules.is_empty() || is_listed(&tool.spec().name) {
                    tools = tools.dyn_tool(tool);
                }
            }
        }
        Ok((tools.build()?, policy))
    }
}

impl Agent for FileAgent {
    fn card(&self) -> &Card {
        &self.card
    }

    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, AgentError> {
        let (tools, policy) = self.tools()?;
        let mut agent = ToolAgent::new(site.model())
            .system(self.definition.instructions.clone())
            .tools(tools)
            .policy(policy);
        if let Some(turns) = self.definition.max_turns {
            agent = agent.max_turns(turns);
        }
        if let Some(schema) = &self.definition.output {
            agent = agent.answer_by(schema.clone());
        }
        let graph = agent.graph().name(&*self.definition.name);
        let graph = graph.backends(site.backends).build()?;
        Ok(Box::new(PlainAgent::from(graph)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        name = "clerk"
        about = "Helps customers"
        instructions = "You help customers."
        model = "ollama:qwen3:8b"
        message = "About order {{number}}: {{wish}}"
        memory = true
        max_turns = 5
        [input.number]
        type = "whole"
        [input.wish]
        about = "What the customer wants"
        [servers.shop]
        command = ["shop-server", "--read-only"]
        tools = { "find.order" = { can = ["read"] }, refund = { approval = "ask" } }
        [output]
        type = "object"
        properties = { refund = { type = "boolean" } }
    "#;

    #[test]
    fn a_file_is_an_agent_with_a_form_and_servers() {
        let agent = FileAgent::parse(WHOLE, Path::new("/")).map_err(|it| it.join("\n"));
        let agent = agent.unwrap();
        assert_eq!(agent.card().name, "clerk");
        let mut fields = Map::new();
        agent.form().set(&mut fields, "number", "7").unwrap();
        assert!(agent.message(&fields).is_err());
        agent.form().set(&mut fields, "wish", "money").unwrap();
        assert_eq!(agent.message(&fields).unwrap(), "About order 7: money");
        assert_eq!(agent.servers()[0].started(), "shop-server --read-only");
    }

    #[test]
    fn every_mistake_of_a_file_is_listed_once() {
        let wrong = r#"
            name = "Clerk!"
            instrucions = "You help."
            model = "openai@http://evil.example:x"
            memory = "yes"
            message = "About {{order}}"
            [servers.shop]
            command = "shop-server"
            tools = { refund = { approval = "never", can = ["fly"] } }
        "#;
        let problems = FileAgent::parse(wrong, Path::new("/")).err().unwrap();
        for part in [
            "`name`",
            "unknown key `instrucions`; did you mean `instructions`?",
            "`instructions` is missing",
            "`model`",
            "`memory`",
            "`message` names `order`",
            "`servers.shop.command`",
            "`servers.shop.tools.refund.approval`",
            "`fly`",
        ] {
            let found = problems.iter().filter(|it| it.contains(part)).count();
            assert_eq!(found, 1, "{part}: {problems:#?}");
        }
    }
}
