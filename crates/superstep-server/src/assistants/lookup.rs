//! Finding assistants: those that are recorded, and those that hosted graphs have by themselves.

use uuid::Uuid;

use crate::{
    app::App,
    owners::visitor::Visitor,
    records::assistant::{Assistant, assistant_id},
    refusal::Refusal,
};

impl App {
    /// An assistant, by its id.
    pub(crate) async fn assistant(&self, id: &str) -> Result<(String, Assistant), Refusal> {
        let id = assistant_id(id)?;
        if let Some(found) = self.assistants.find(&id).await? {
            return Ok((id, found));
        }
        let own = self.registry.of_assistant(&id)?;
        Ok((id, Assistant::of_graph(own)))
    }

    /// The assistant that a run names: by its id, or by that of its graph.
    pub(crate) async fn assistant_named(&self, name: &str) -> Result<(String, Assistant), Refusal> {
        if Uuid::parse_str(name).is_ok() {
            return self.assistant(name).await;
        }
        let id = self.registry.named(name)?.assistant.to_string();
        self.assistant(&id).await
    }

    /// All assistants that a caller sees, with their ids: those of graphs, and their own.
    pub(crate) async fn all_assistants(
        &self,
        caller: &Visitor,
    ) -> Result<Vec<(String, Assistant)>, Refusal> {
        let mut all = self.assistants.all().await?;
        all.retain(|(_, it)| it.owner.is_none() || caller.sees(it.owner.as_deref()));
        let is_shown = |graph: &str| {
            let hosted = self.registry.graph(graph);
            let hosted = hosted.ok();
            hosted.is_none_or(|hosted| hosted.is_for(caller.owner().as_deref()))
        };
        all.retain(|(_, it)| is_shown(&it.graph_id));
        let own = self.registry.all().iter();
        for hosted in own.filter(|hosted| is_shown(&hosted.id)) {
            let id = hosted.assistant.to_string();
            if !all.iter().any(|(known, _)| *known == id) {
                all.push((id, Assistant::of_graph(hosted)));
            }
        }
        Ok(all)
    }
}
