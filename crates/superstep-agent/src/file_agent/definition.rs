//! The file of an agent, read: every key known, every mistake listed with the key that it is about.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value as Json, json};
use superstep::{
    model::{did_you_mean, spec::Spec},
    schema::Schema,
    tools::{
        Capabilities,
        mcp::{At, Command, Endpoint, Server},
    },
};

const KEYS: [&str; 10] = [
    "name", "about", "instructions", "model", "message", "memory", "max_turns", "input", "servers",
    "output",
];
const SERVER_KEYS: [&str; 5] = ["command", "pass", "url", "can", "tools"];
const FIELD_KEYS: [&str; 2] = ["type", "about"];
const TOOL_KEYS: [&str; 2] = ["can", "approval"];

/// Types of fields, and the JSON type of each.
const TYPES: [(&str, &str); 4] = [
    ("text", "string"),
    ("whole", "integer"),
    ("number", "number"),
    ("yes_no", "boolean"),
];

pub(super) struct Definition {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) instructions: String,
    pub(super) model: Option<String>,
    /// The first message, with places for the fields.
    pub(super) message: String,
    pub(super) has_memory: bool,
    pub(super) max_turns: Option<u32>,
    /// The schemas of the fields.
    pub(super) form: Map<String, Json>,
    pub(super) servers: Vec<McpServer>,
    pub(super) output: Option<Schema>,
}

/// An MCP server of an agent, and the rules of its tools.
pub struct McpServer {
    pub(super) server: Server,
    /// The allowed tools, by the server's names; all of them if it is empty.
    pub(super) rules: BTreeMap<String, Rule>,
}

/// The approval of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// By what it can do.
    Usual,
    /// A person approves every call.
    Ask,
    /// It is never called.
    Deny,
}

impl McpServer {
    /// Its name in the file, which its tools begin with.
    pub fn alias(&self) -> &str {
        &self.server.alias
    }

    /// The command line that starts it, or its address.
    pub fn started(&self) -> String {
        match &self.server.at {
            At::Command(command) => {
                let mut words = vec![command.program.display().to_string()];
                words.extend(command.args.iter().cloned());
                words.join(" ")
            }
            At::Url(endpoint) => endpoint.url.clone(),
        }
    }

    /// The name that models know a tool by.
    pub(super) fn given(&self, tool: &str) -> String {
        let plain = |c: char| match c.is_ascii_alphanumeric() || c == '-' {
            true => c,
            false => '_',
        };
        let plain: String = tool.chars().map(plain).collect();
        format!("{}_{plain}", self.alias())
    }
}

impl Definition {
    pub(super) fn parse(text: &str, folder: &Path) -> Result<Self, Vec<String>> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.unwrap_or_default().matches('\n').count() + 1;
            vec![format!("line {line}: {}", error.message())]
        })?;
        let Ok(Json::Object(table)) = serde_json::to_value(table) else {
            return Err(vec!["it is no table".into()]);
        };
        let mut reader = Reader::default();
        reader.known(&table, "", &KEYS);
        let name = reader.text(&table, "", "name");
        if let Some(name) = name.as_deref().filter(|name| !is_name(name)) {
            reader.wrong(format!(
                "`name` starts with a lowercase letter and has only lowercase letters, digits and `-`, not `{name}`"
            ));
        }
        let instructions = reader.text(&table, "", "instructions");
        for (key, value) in [("name", &name), ("instructions", &instructions)] {
            if value.is_none() && !table.contains_key(key) {
                reader.wrong(format!("`{key}` is missing"));
            }
        }
        let form = reader.form(&table);
        let servers = reader.servers(&table, folder);
        let read = Self {
            about: reader.text(&table, "", "about").unwrap_or_default(),
            model: reader.model(&table),
            message: reader.message(&table, &form),
            has_memory: reader.flag(&table, "memory"),
            max_turns: reader.count(&table, "max_turns"),
            output: reader.output(&table),
            name: name.unwrap_or_default(),
            instructions: instructions.unwrap_or_default(),
            form,
            servers,
        };
        match reader.problems.is_empty() {
            true => Ok(read),
            false => Err(reader.problems),
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_first = name.starts_with(|c: char| c.is_ascii_lowercase());
    is_first
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Reads values, and notes what is wrong with them.
#[derive(Default)]
struct Reader {
    problems: Vec<String>,
}

impl Reader {
    fn wrong(&mut self, why: impl Into<String>) {
        self.problems.push(why.into());
    }

    fn known(&mut self, table: &Map<String, Json>, place: &str, keys: &[&str]) {
        for key in table.keys().filter(|key| !keys.contains(&key.as_str())) {
            let hint = did_you_mean::hint(key, keys.iter().copied());
            self.wrong(format!("unknown key `{place}{key}`{hint}"));
        }
    }

    fn text(&mut self, table: &Map<String, Json>, place: &str, key: &str) -> Option<String> {
        match table.get(key)? {
            Json::String(text) if !text.trim().is_empty() => return Some(text.trim().to_owned()),
            Json::String(_) => self.wrong(format!("`{place}{key}` is empty")),
            _ => self.wrong(format!("`{place}{key}` must be a text")),
        }
        None
    }

    fn texts(&mut self, table: &Map<String, Json>, place: &str, key: &str) -> Option<Vec<String>> {
        let value = table.get(key)?;
        let items = value.as_array().into_iter().flatten();
        let texts: Option<Vec<String>> = items.map(|it| it.as_str().map(str::to_owned)).collect();
        match texts.filter(|_| value.is_array()) {
            Some(texts) => Some(texts),
            None => {
                self.wrong(format!("`{place}{key}` must be a list of texts"));
                None
            }
        }
    }

    /// The tables of a table, by name.
    fn tables<'a>(
        &mut self,
        table: &'a Map<String, Json>,
        place: &str,
        key: &str,
    ) -> Vec<(&'a str, &'a Map<String, Json>)> {
        let Some(value) = table.get(key) else {
            return Vec::new();
        };
        let Some(entries) = value.as_object() else {
            self.wrong(format!("`{place}{key}` must be a table"));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for (name, value) in entries {
            match value.as_object() {
                Some(value) => tables.push((name.as_str(), value)),
                None => self.wrong(format!("`{place}{key}.{name}` must be a table")),
            }
        }
        tables
    }

    fn flag(&mut self, table: &Map<String, Json>, key: &str) -> bool {
        match table.get(key) {
            None => false,
            Some(Json::Bool(value)) => *value,
            Some(_) => {
                self.wrong(format!("`{key}` must be true or false"));
                false
            }
        }
    }

    fn count(&mut self, table: &Map<String, Json>, key: &str) -> Option<u32> {
        let value = table.get(key)?;
        let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
        let count = count.filter(|count| *count > 0);
        if count.is_none() {
            self.wrong(format!("`{key}` must be a whole number from 1"));
        }
        count
    }

    /// The model. An address would send the conversation anywhere, so it belongs into the user's settings.
    fn model(&mut self, table: &Map<String, Json>) -> Option<String> {
        let name = self.text(table, "", "model")?;
        match name.parse::<Spec>() {
            Ok(spec) if spec.base.is_some() => {
                self.wrong("`model` must not have an address: that belongs in your settings (`superstep model use`)");
            }
            Ok(_) => return Some(name),
            Err(error) => self.wrong(format!("`model`: {error}")),
        }
        None
    }

    fn form(&mut self, table: &Map<String, Json>) -> Map<String, Json> {
        let mut form = Map::new();
        for (name, field) in self.tables(table, "", "input") {
            let place = format!("input.{name}.");
            self.known(field, &place, &FIELD_KEYS);
            let about = self.text(field, &place, "about").unwrap_or_default();
            let kind = self.text(field, &place, "type");
            let kind = kind.as_deref().unwrap_or("text");
            let Some((_, json)) = TYPES.iter().find(|(known, _)| *known == kind) else {
                self.wrong(format!(
                    "`{place}type` must be text, whole, number or yes_no, not `{kind}`"
                ));
                continue;
            };
            form.insert(name.to_owned(), json!({"type": json, "description": about}));
        }
        form
    }

    /// The message: that of the file, or the fields line by line.
    fn message(&mut self, table: &Map<String, Json>, form: &Map<String, Json>) -> String {
        let Some(message) = self.text(table, "", "message") else {
            let lines = form.keys().map(|name| format!("{name}: {{{{{name}}}}}"));
            return lines.collect::<Vec<_>>().join("\n");
        };
        let named = message.split("{{").skip(1);
        for name in named.filter_map(|rest| Some(rest.split_once("}}")?.0)) {
            if !form.contains_key(name) {
                self.wrong(format!(
                    "`message` names `{name}`, which is no field of [input]"
                ));
            }
        }
        message
    }

    fn servers(&mut self, table: &Map<String, Json>, folder: &Path) -> Vec<McpServer> {
        let mut servers = Vec::new();
        for (alias, entry) in self.tables(table, "", "servers") {
            let place = format!("servers.{alias}.");
            self.known(entry, &place, &SERVER_KEYS);
            if !alias.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                self.wrong(format!(
                    "`servers.{alias}`: a name has only letters, digits and `_`"
                ));
            }
            let pass = self.texts(entry, &place, "pass").unwrap_or_default();
            let at = match (entry.contains_key("command"), entry.contains_key("url")) {
                (true, false) => self.texts(entry, &place, "command").and_then(|words| {
                    let Some((program, args)) = words.split_first() else {
                        self.wrong(format!("`{place}command` is empty"));
                        return None;
                    };
                    Some(At::Command(Command {
                        pass,
                        dir: Some(folder.to_owned()),
                        ..Command::new(program, args.to_vec())
                    }))
                }),
                (false, true) => self
                    .text(entry, &place, "url")
                    .map(|url| At::Url(Endpoint::new(url))),
                _ => {
                    self.wrong(format!("`servers.{alias}` needs either `command` or `url`"));
                    None
                }
            };
            let usual = self.capabilities(entry, &place);
            let (mut rules, mut capabilities) = (BTreeMap::new(), BTreeMap::new());
            for (tool, about) in self.tables(entry, &place, "tools") {
                let place = format!("{place}tools.{tool}.");
                self.known(about, &place, &TOOL_KEYS);
                capabilities.extend(
                    self.capabilities(about, &place)
                        .map(|can| (tool.to_owned(), can)),
                );
                rules.insert(tool.to_owned(), self.rule(about, &place));
            }
            let Some(at) = at else { continue };
            let mut server = Server::new(alias, at);
            server.capabilities = usual.unwrap_or(server.capabilities);
            server.tool_capabilities = capabilities;
            servers.push(McpServer { server, rules });
        }
        servers
    }

    fn capabilities(&mut self, table: &Map<String, Json>, place: &str) -> Option<Capabilities> {
        let names = self.texts(table, place, "can")?;
        match Capabilities::try_from(names) {
            Ok(can) => Some(can),
            Err(why) => {
                self.wrong(format!(
                    "`{place}can`: {why}; there are read, net, write, send and exec"
                ));
                None
            }
        }
    }

    fn rule(&mut self, table: &Map<String, Json>, place: &str) -> Rule {
        match self.text(table, place, "approval").as_deref() {
            None | Some("usual") => Rule::Usual,
            Some("ask") => Rule::Ask,
            Some("deny") => Rule::Deny,
            Some(other) => {
                self.wrong(format!(
                    "`{place}approval` must be usual, ask or deny, not `{other}`"
                ));
                Rule::Deny
            }
        }
    }

    fn output(&mut self, table: &Map<String, Json>) -> Option<Schema> {
        let schema = table.get("output")?;
        match Schema::new("output", schema.clone()) {
            Ok(schema) if schema.json().get("type").is_some_and(|it| it == "object") => {
                Some(schema)
            }
            Ok(_) => {
                self.wrong("`output` must be the JSON schema of an object: `type = \"object\"`");
                None
            }
            Err(error) => {
                self.wrong(format!("`output`: {error}"));
                None
            }
        }
    }
}
