//! An agent as screens introduce it: `ui` in the metadata of its assistant.

use serde_json::{Map, Value as Json, json};
use superstep::{draw::NodeKind, dynamic::DynGraph};

use crate::{app::App, records::assistant::Assistant, registry::Hosted};

/// What the name of a node may end with that says nothing to people.
const NODE: &str = "_node";

impl App {
    /// An assistant as clients see it, with the presentation of its graph.
    pub(crate) fn assistant_shown(&self, id: &str, assistant: &Assistant) -> Json {
        let mut shown = assistant.shown(id);
        let metadata = shown.get_mut("metadata").and_then(Json::as_object_mut);
        if let (Some(metadata), Ok(hosted)) = (metadata, self.registry.graph(&assistant.graph_id)) {
            metadata.insert("ui".to_owned(), ui(hosted));
        }
        shown
    }
}

fn ui(hosted: &Hosted) -> Json {
    let card = &hosted.card;
    let input = card.input.clone().or_else(|| chat_input(&hosted.graph));
    let field = card.words_place();
    let field = field.as_deref().and_then(|place| place.strip_prefix('/'));
    json!({
        "title": label(&card.name),
        "about": hosted.description(),
        "example": card.example,
        "takes": if input.is_some() { "text" } else { "form" },
        "text_field": field.filter(|field| !field.contains('/')),
        "input_template": input,
        "follow_up": card.follow_up.is_some(),
        "follow_up_template": card.follow_up,
        "state": hosted.standing.state,
        "needs": hosted.standing.needs,
        "nodes": nodes(&hosted.graph),
    })
}

/// The template of the input of a graph with messages.
fn chat_input(graph: &DynGraph) -> Option<Json> {
    let plan = graph.plan();
    let channel = plan.messages.first()?;
    let name = &plan.channels.row(*channel).name;
    let said = json!([{"role": "user", "content": "$text"}]);
    Some(json!({ (&**name): said }))
}

/// A label for each node, by its name.
fn nodes(graph: &DynGraph) -> Map<String, Json> {
    let drawing = graph.drawing();
    let nodes = drawing.nodes.iter();
    let nodes = nodes.filter(|node| node.kind == NodeKind::Plain);
    let names = nodes.map(|node| &*node.name);
    names
        .map(|name| (name.to_owned(), label(name).into()))
        .collect()
}

/// A name of a program as words: `analysis_prepare` is `Analysis prepare`.
pub(super) fn label(name: &str) -> String {
    let name = name.strip_suffix(NODE).unwrap_or(name);
    let spaced = name.replace(['_', '-'], " ");
    let mut letters = spaced.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
