//! Agents that are files: `superstep run FILE.toml`.
//!
//! A file that was run is recorded in the data folder with what a person approved of its MCP servers. From then on its
//! threads are listed, resumed and served like those of any agent, as the file was when it was run.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use superstep::{
    text::{reveal, single_line},
    tools::mcp::Fingerprint,
};
use superstep_agent::{Agent as _, AgentError, FileAgent};

use crate::{
    agents::Agent,
    app::App,
    consent::is_agreed,
    dirs,
    error::{Error, FileError},
    files,
    output::{count, faint, plain, shown, strong},
    private,
};

/// The template of `superstep new --agent`.
pub(crate) const TEMPLATE: &str = include_str!("agent_files/template.toml");

/// A file that was run.
#[derive(Serialize, Deserialize)]
struct Record {
    path: PathBuf,
    text: String,
    /// The servers that a person approved, by their names in the file.
    #[serde(default)]
    approved: BTreeMap<String, Fingerprint>,
}

impl Record {
    /// The record of an agent.
    fn of(name: &str) -> Option<Self> {
        let text = files::text(&place(name)?).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn store(&self, name: &str) -> Result<(), Error> {
        let Some(place) = place(name) else {
            return Err(Error::Usage(
                "there is no home folder to record the agent in".into(),
            ));
        };
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::from)?;
        Ok(private::replace(&place, &text)
            .map_err(|error| FileError::not_written(&place, error))?)
    }

    fn agent(&self) -> Result<FileAgent, Error> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        FileAgent::parse(&self.text, folder).map_err(|problems| {
            let file = self.path.display();
            let lines = problems.iter().map(|it| format!("{file}: {}", reveal(it)));
            Error::Usage(lines.collect::<Vec<_>>().join("\n"))
        })
    }
}

fn place(name: &str) -> Option<PathBuf> {
    Some(dirs::data()?.join("agents").join(format!("{name}.json")))
}

/// The agents of all files that were run.
pub(crate) fn known() -> Vec<Agent> {
    let folder = dirs::data().map(|folder| folder.join("agents"));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let entries = entries.into_iter().flatten().flatten();
    let names = entries.filter_map(|it| Some(it.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    let agents = names
        .iter()
        .filter_map(|name| Record::of(name)?.agent().ok());
    agents.map(Agent::of_file).collect()
}

/// The agent of a file, which is recorded.
pub(crate) fn opened(file: &Path) -> Result<Agent, Error> {
    let text = files::text(file)?;
    let path = std::path::absolute(file)?;
    let fresh = Record {
        path: path.clone(),
        text,
        approved: BTreeMap::new(),
    };
    let agent = fresh.agent()?;
    let name = agent.card().name.clone();
    let agent = Agent::of_file(agent);
    agent.add()?;
    match Record::of(&name) {
        Some(old) if old.path == path && old.text == fresh.text => {}
        Some(old) if old.path != path && old.path.exists() => {
            return Err(Error::Usage(shown(format!(
                "`{name}` is the agent of {}; give this one another name",
                old.path.display()
            ))));
        }
        _ => fresh.store(&name)?,
    }
    Ok(agent)
}

/// Starts the MCP servers of an agent. A person approves each of them once, and again when its tools change.
pub(crate) async fn connect(file: &FileAgent, app: &mut App<'_>) -> Result<(), Error> {
    let name = &file.card().name;
    for server in file.servers() {
        let record = Record::of(name);
        let approved = record
            .as_ref()
            .and_then(|it| it.approved.get(server.alias()));
        if approved.is_none() {
            let started = server.started();
            let started = reveal(&started);
            is_agreed(&format!("connect {name} to `{started}`"), app).await?;
        }
        let client = file.connect(server, approved.cloned()).await?;
        if let Err(changed) = client.tools() {
            if approved.is_some() {
                app.output.say(&[plain(shown(&changed))]);
            }
            let offered = client.offered();
            for tool in &offered {
                let about = single_line(&tool.description);
                let about: String = about.chars().take(100).collect();
                app.output.say(&[
                    strong(format!("  {}  ", shown(&tool.name))),
                    faint(shown(&about)),
                ]);
            }
            let tools = count(offered.len(), "tool");
            is_agreed(
                &format!("let {name} use the {tools} of {}", server.alias()),
                app,
            )
            .await?;
            let fingerprint = client.fingerprint();
            client.approve(&fingerprint).map_err(AgentError::from)?;
            if let Some(mut record) = record {
                record
                    .approved
                    .insert(server.alias().to_owned(), fingerprint);
                record.store(name)?;
            }
        }
        file.attach(server, client);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_an_agent_and_so_is_each_line_that_is_switched_on() {
        assert!(FileAgent::parse(TEMPLATE, Path::new("/")).is_ok());
        let on = TEMPLATE.replace("\n#: ", "\n");
        let agent = FileAgent::parse(&on, Path::new("/"));
        let agent = agent.map_err(|problems| problems.join("\n")).unwrap();
        assert_eq!(agent.servers().len(), 1);
        assert!(agent.model().is_some());
    }
}
