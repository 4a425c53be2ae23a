//! Assistants: a graph with a configuration, in versions. Each hosted graph has one; those that clients
//! make or change are recorded.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use crate::{
    refusal::Refusal,
    registry::Hosted,
    time::{self, Micros},
};

/// An assistant as it is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Assistant {
    pub(crate) graph_id: String,
    pub(crate) created: Micros,
    pub(crate) updated: Micros,
    /// The version that runs use.
    pub(crate) current: u64,
    /// Oldest first; there is always one.
    pub(crate) versions: Vec<Version>,
    /// Whose it is; everybody's without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
}

/// A version of an assistant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) version: u64,
    pub(crate) created: Micros,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) config: Map<String, Json>,
    pub(crate) context: Map<String, Json>,
    pub(crate) metadata: Map<String, Json>,
}

impl Assistant {
    pub(crate) fn new(graph_id: &str, mut first: Version) -> Self {
        let now = time::now();
        (first.version, first.created) = (1, now);
        Self {
            graph_id: graph_id.to_owned(),
            created: now,
            updated: now,
            current: 1,
            versions: vec![first],
            owner: None,
        }
    }

    /// The assistant that a hosted graph has by itself.
    pub(crate) fn of_graph(hosted: &Hosted) -> Self {
        let mut metadata = Map::from_iter([("created_by".to_owned(), "system".into())]);
        if let Some(example) = &hosted.card.example {
            metadata.insert("example_input".to_owned(), example.clone());
        }
        if let Some(follow_up) = &hosted.card.follow_up {
            metadata.insert("follow_up".to_owned(), follow_up.clone());
        }
        let own = Version {
            version: 1,
            created: hosted.since,
            name: hosted.name().to_owned(),
            description: hosted.description(),
            metadata,
            ..Version::default()
        };
        Self {
            graph_id: hosted.id.clone(),
            created: hosted.since,
            updated: hosted.since,
            current: 1,
            versions: vec![own],
            owner: None,
        }
    }

    /// The version that runs use.
    pub(crate) fn now(&self) -> Version {
        let found = self.versions.iter().find(|it| it.version == self.current);
        found.or(self.versions.last()).cloned().unwrap_or_default()
    }

    /// As clients see it.
    pub(crate) fn shown(&self, id: &str) -> Json {
        let mut shown = self.version_shown(id, &self.now());
        if let Json::Object(fields) = &mut shown {
            fields.insert("created_at".to_owned(), time::text(self.created));
            fields.insert("updated_at".to_owned(), time::text(self.updated));
        }
        shown
    }

    /// A version as clients see it.
    pub(crate) fn version_shown(&self, id: &str, version: &Version) -> Json {
        json!({
            "assistant_id": id,
            "graph_id": self.graph_id,
            "config": version.config,
            "context": version.context,
            "metadata": version.metadata,
            "name": version.name,
            "description": version.description,
            "version": version.version,
            "created_at": time::text(version.created),
        })
    }
}

/// The id of an assistant, in its usual form.
pub(crate) fn assistant_id(id: &str) -> Result<String, Refusal> {
    let wrong = |_| Refusal::invalid("Invalid assistant ID: must be a UUID");
    Ok(Uuid::parse_str(id).map_err(wrong)?.to_string())
}
