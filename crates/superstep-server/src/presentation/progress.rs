//! Progress of a run in one form, whatever its nodes emit: the stream mode `progress`.

use serde_json::{Value as Json, json};
use superstep::dynamic::{DynEvent, EventKind};
use superstep_agent::{Block, Notice, OpenAgent, Span};

use super::ui::label;
use crate::{app::App, runs::wire::Frame};

/// The most characters of a label.
const LABEL: usize = 500;

impl App {
    /// The progress that an event is: a node of the run's own graph begins, or a node says how far it is.
    pub(crate) async fn progress(&self, graph: &str, event: &DynEvent) -> Option<Frame> {
        let hosted = self.registry.graph(graph).ok()?;
        let (phase, label, told) = match &event.kind {
            EventKind::TaskStart { name, .. } if event.namespace.is_root() => {
                (json!(name), Some(label(name)), Json::Null)
            }
            EventKind::Custom(data) => {
                let told = data.to_json();
                let text = told.get("label").and_then(Json::as_str).map(str::to_owned);
                let text = match text {
                    Some(text) => Some(text),
                    None => first_line(&mut **hosted.agent().await, event),
                };
                let phase = told.get("phase").cloned().unwrap_or_default();
                (phase, text, told)
            }
            _ => return None,
        };
        let number = |name: &str| told.get(name).filter(|value| value.is_u64());
        let agent = told.get("agent").and_then(Json::as_str);
        let counted = number("done").or(number("total")).is_some();
        let label = label.map(|text| text.chars().take(LABEL).collect::<String>());
        (label.is_some() || counted).then(|| {
            let progress = json!({
                "phase": phase,
                "label": label,
                "done": number("done"),
                "total": number("total"),
                "agent": agent,
                "waiting": null,
            });
            Frame::new("progress", progress)
        })
    }
}

/// The first line of what the agent shows of an event.
fn first_line(agent: &mut dyn OpenAgent, event: &DynEvent) -> Option<String> {
    let notices: Vec<Notice> = agent.progress(event);
    let blocks = notices.iter().flat_map(|notice| &notice.blocks);
    let lines = blocks.filter_map(|block| match block {
        Block::Line(_, spans) => Some(text(spans)),
        _ => None,
    });
    lines.into_iter().find(|line| !line.is_empty())
}

fn text(spans: &[Span]) -> String {
    spans.iter().map(Span::text).collect()
}
