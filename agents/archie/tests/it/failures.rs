//! Models that fail: tried again so often, then the thread waits to be resumed.

use std::sync::Arc;

use superstep::{
    Event, Outcome,
    future::BoxFuture,
    model::{
        Caps, Deltas, Model, ModelError, ModelId, Request, Script,
        script::{Break, FailureKind, Step},
    },
};
use superstep_archie::{Progress, Settings};

use crate::support::{TestEnv, answer, begin, question, ruled, said};

fn cut() -> Step {
    Step {
        chunks: vec!["half a ".into(), "sentence".into()],
        breaks: Some(Break::Cut),
        ..Step::default()
    }
}

/// A model that fails twice in its life. A script cannot: what it says next follows from what was
/// said, and an empty reply leaves nothing.
struct Twice {
    first: Script,
    then: Script,
}

impl Model for Twice {
    fn id(&self) -> &ModelId {
        self.then.id()
    }

    fn caps(&self) -> Caps {
        self.then.caps()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        if self.first.seen().len() < 2 {
            return self.first.stream(request);
        }
        self.then.stream(request)
    }
}

fn failures() -> Vec<(&'static str, Step, &'static str)> {
    vec![
        ("empty", Step::text("  "), "SS6003"),
        ("429", Step::error(FailureKind::Limited), "SS5005"),
        ("500", Step::error(FailureKind::Server), "SS5006"),
        ("cut", cut(), "SS5009"),
    ]
}

#[tokio::test]
async fn a_reply_that_fails_is_asked_for_again() {
    for (name, failure, _) in failures() {
        let env = TestEnv::with(&[("a.md", "text")]);
        let model = Arc::new(Twice {
            first: Script::new([failure.always()]),
            then: Script::new([Step::text("fine")]),
        });
        let archie = env.archie(ruled(model.clone()));
        let outcome = begin(&archie, name, &env.brief("go")).await;
        assert_eq!(question(&archie, name).await.query, "fine", "{name}");
        assert_eq!(said(outcome.state()), ["go", "fine"], "{name}");
        assert_eq!(model.first.seen().len(), 2, "{name}");
        assert_eq!(model.then.seen().len(), 1, "{name}");
    }
}

#[tokio::test]
async fn after_its_attempts_the_run_ends_and_the_thread_can_be_resumed() {
    for (name, failure, code) in failures() {
        let env = TestEnv::with(&[("a.md", "text")]);
        let broken = Arc::new(Script::new([failure.always()]));
        let archie = env.archie(ruled(broken.clone()));
        let input = archie.analyze(&env.brief("go"));
        let error = archie.graph().run("t", input).await.unwrap_err();
        assert_eq!(error.code(), code, "{name}: {error}");
        let calls = broken.seen().len();
        assert!((3..=9).contains(&calls), "{name}: {calls} calls");
        drop(archie);

        let model = Arc::new(Script::new([Step::text("fine"), Step::text("end")]));
        let archie = env.archie(ruled(model.clone()));
        let outcome = archie.graph().resume("t").await.unwrap();
        assert!(matches!(outcome, Outcome::Waiting { .. }), "{name}");
        let state = answer(&archie, "t", "/approve").await.done().unwrap();
        assert_eq!(said(&state), ["go", "fine", "/approve", "end"], "{name}");
        assert_eq!(model.seen().len(), 2, "{name}");
    }
}

#[tokio::test]
async fn words_that_are_void_are_told() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let model = Arc::new(Script::new([cut().times(1), Step::text("fine")]));
    let archie = env.archie(model);
    let input = archie.analyze(&env.brief("go"));
    let mut events = archie.graph().stream("t", input);
    let mut shown = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Event::Message { message, .. } => {
                let text = message.to_json();
                shown.push(text["content"].as_str().unwrap().to_owned());
            }
            Event::Custom(reported) => {
                if let Progress::Again { attempt } = reported.take::<Progress>().unwrap() {
                    shown.push(format!("again {attempt}"));
                }
            }
            _ => {}
        }
    }
    assert_eq!(shown, ["half a ", "sentence", "again 2", "fine"]);
}

#[tokio::test]
async fn a_reply_at_its_limit_is_kept_and_told() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let step = Step {
        finish: Some(superstep::model::Finish::Length),
        ..Step::text("and so on and so")
    };
    let archie = env.archie(Arc::new(Script::new([step])));
    let outcome = begin(&archie, "t", &env.brief("go")).await;
    let notices = &outcome.state().notices;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].message.contains("cut"), "{notices:?}");
}

#[tokio::test]
async fn tools_nobody_offered_are_no_part_of_the_history() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let odd = Step::text("hm").and_call("delete_all", serde_json::json!({}));
    let model = Arc::new(Script::new([odd, Step::text("so")]));
    let archie = env.archie_with(model, Settings::default());
    begin(&archie, "t", &env.brief("go")).await;
    let outcome = answer(&archie, "t", "on").await;
    assert_eq!(said(outcome.state()), ["go", "hm", "on", "so"]);
}
