//! The forecast: no run takes more than it says.

use std::sync::{Arc, Mutex};

use serde_json::json;
use superstep::{
    future::BoxFuture,
    model::{
        Caps, Deltas, Model, ModelError, ModelId, Request as ModelRequest, ToolChoice,
        script::{Script, Step},
    },
};
use superstep_docgen::{Docgen, Request};

use crate::support::{backends, document, only, shop};

/// A model that looks up as often as it may, and whose data is good only at the second try.
struct Eager {
    script: Script,
    seen: Mutex<Vec<ModelRequest>>,
}

impl Eager {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            script: Script::new([]),
            seen: Mutex::default(),
        })
    }

    fn calls(&self) -> Vec<ModelRequest> {
        self.seen.lock().unwrap().clone()
    }

    fn step(&self, request: &ModelRequest) -> Step {
        let seen = self.calls();
        let of = |name: &str| {
            let is_it = |it: &&ModelRequest| it.output.as_ref().is_some_and(|it| it.name == name);
            seen.iter().filter(is_it).count()
        };
        let wanted = request.output.as_ref().map(|it| it.name.as_str());
        match wanted {
            Some(name) if of(name) % 2 == 0 => Step::text("no data"),
            Some(_) => {
                let grade = 10 * of("grade");
                Step::data(json!({
                    "completeness": grade, "clarity": grade, "depth": grade, "accuracy": grade,
                    "missing_information": ["all"], "questions": ["Which?"], "look_up": ["Cart"],
                }))
            }
            None if request.tool_choice == ToolChoice::None => Step::text(format!(
                "## Overview\n\n{}\n",
                "The cart has items. ".repeat(200)
            )),
            None => {
                let mut step = Step::call("read_file", json!({"path": "src/cart.rs"}));
                for call in &mut step.calls {
                    call.id = Some(format!("look-{}", seen.len()));
                }
                step
            }
        }
    }
}

impl Model for Eager {
    fn id(&self) -> &ModelId {
        self.script.id()
    }

    fn caps(&self) -> Caps {
        self.script.caps()
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        let script = Script::new([self.step(request).always()]);
        self.seen.lock().unwrap().push(request.clone());
        Box::pin(async move { script.stream(request).await })
    }
}

#[tokio::test]
async fn a_run_with_all_look_ups_and_repairs_takes_as_many_calls_as_were_forecast() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let script = Eager::new();
    let docgen = Docgen::new(Some(script.clone()), only(&["kpi"]), backends()).unwrap();
    let forecast = docgen.forecast(&request).unwrap();
    let agent = &forecast.agents[0];
    // Five for each of four versions, two for each grade.
    assert_eq!((agent.fewest_calls, agent.most_calls), (2, 28));
    assert_eq!(agent.usual.calls, 4);
    assert_eq!(script.calls().len(), 0);
    let outcome = document(Some(script.clone()), only(&["kpi"]), &request).await;
    let result = superstep_docgen::Metadata::read(&request.output)
        .unwrap()
        .unwrap();
    let about = &result.agents[0].metadata;
    assert_eq!(outcome.calls, 28, "{:?} {:?}", outcome.failed, about.ended);
    assert!(outcome.tokens <= agent.most_tokens);
    assert!(agent.usual.usage.total() < agent.most_tokens);
    assert_eq!(
        agent.most_tokens,
        agent.most.usage.input + agent.most.usage.output
    );
    assert_eq!(agent.most.usage.output, 28 * 4_000);
}

#[tokio::test]
async fn look_ups_end_when_they_gave_as_much_as_was_forecast() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let mut settings = only(&["kpi"]);
    settings.room = 300;
    settings.refine.enable_self_questioning = false;
    let script = Eager::new();
    document(Some(script.clone()), settings, &request).await;
    let seen = script.calls();
    let last = seen.last().unwrap();
    let told = |text: &str| {
        last.messages
            .iter()
            .filter(|it| it.text().contains(text))
            .count()
    };
    assert_eq!(told("nothing more can be looked up"), 3);
    assert_eq!(told("pub struct Cart"), 1);
}

#[tokio::test]
async fn facts_alone_and_what_is_kept_are_forecast_to_take_nothing() {
    let folder = shop();
    let mut request = Request::new(folder.path(), None).unwrap();
    request.no_model = true;
    let docgen = Docgen::new(None, only(&["kpi"]), backends()).unwrap();
    let forecast = docgen.forecast(&request).unwrap();
    let agent = &forecast.agents[0];
    assert_eq!((agent.fewest_calls, agent.most_calls), (0, 0));
    assert_eq!((forecast.most_tokens, forecast.usual_tokens), (0, 0));
}
