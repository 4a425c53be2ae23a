//! The refining analysis: its rounds, its calls, its endings.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Graph, MemorySaver, Modes, Outcome,
    model::{
        Budget, ManagedModel, Model, Policy,
        call::Limits,
        script::{Script, Step, When},
    },
    tools::{
        Refine, RefineConfig, Refinement,
        refine::{ApproveIteration, Brief, EarlierAnalysis, Ended, RefineNode, Review},
    },
};

type Loop = Graph<Refinement, RefineNode>;

/// A model whose versions are called `version 0`, `version 1` and so on, and get these scores.
fn model(scores: &[f64]) -> Arc<Script> {
    let grade = |schema: &str, text: &str| When {
        schema: Some(schema.into()),
        anywhere: Some(text.into()),
        ..When::default()
    };
    let mut steps = Vec::new();
    for (number, score) in scores.iter().enumerate() {
        let data = json!({
            "completeness": score, "clarity": score, "depth": score, "accuracy": score,
            "missing_information": [format!("gap {number}")],
            "questions": ["Which?", "Where?", "Why?"], "look_up": [],
        });
        steps.push(
            Step::data(data)
                .when(grade("grade", &format!("version {number}.")))
                .always(),
        );
        // The newest version is the one that is refined.
        let next = Step::text(format!("version {}.", number + 1));
        let refined = When {
            schema: Some(String::new()),
            anywhere: Some(format!("version {number}.")),
            ..When::default()
        };
        steps.push(next.when(refined).always());
    }
    let first = When {
        schema: Some(String::new()),
        anywhere: Some("the thing".into()),
        ..When::default()
    };
    steps.push(Step::text("version 0.").when(first).always());
    Arc::new(Script::new(steps))
}

fn graph(model: Arc<dyn Model>, config: RefineConfig) -> Loop {
    built(Refine::new("thing", model).config(config))
}

fn built(refine: Refine) -> Loop {
    refine
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap()
}

fn brief() -> superstep::tools::RefinementUpdate {
    Refinement::update().context(Brief {
        system: "Describe it.".into(),
        human: "This is the thing.".into(),
        ..Brief::default()
    })
}

async fn refined(scores: &[f64], config: RefineConfig) -> (Refinement, usize) {
    let script = model(scores);
    let graph = graph(script.clone(), config);
    let done = graph.run("t", brief()).await.unwrap().done().unwrap();
    ((*done).clone(), script.seen().len())
}

#[tokio::test]
async fn it_is_refined_until_it_is_clear_and_n_rounds_cost_2_plus_2n_calls() {
    let (state, calls) = refined(&[60.0, 72.0, 85.0], RefineConfig::default()).await;
    assert_eq!(state.final_analysis.as_deref(), Some("version 2."));
    assert_eq!(
        (state.iteration, state.clarity_score, state.ended),
        (2, Some(85.0), Some(Ended::Clear))
    );
    assert_eq!(
        state.refinement_notes,
        [
            "Iteration 1: Addressed 3 questions",
            "Iteration 2: Addressed 3 questions"
        ]
    );
    assert_eq!(state.self_questions.len(), 6);
    assert_eq!(state.missing_information, ["gap 2"]);
    assert_eq!((calls, state.usage.calls), (2 + 2 * 2, 6));
}

#[tokio::test]
async fn every_number_of_rounds_costs_2_plus_2n_calls() {
    let scores = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0];
    for rounds in 0..=4_u32 {
        let config = RefineConfig {
            max_iterations: rounds,
            ..RefineConfig::default()
        };
        let (state, calls) = refined(&scores, config).await;
        assert_eq!(
            (state.iteration, state.ended),
            (rounds, Some(Ended::MaxIterations))
        );
        assert_eq!(calls, usize::try_from(2 + 2 * rounds).unwrap());
    }
}

#[tokio::test]
async fn the_best_version_is_the_result_not_the_last() {
    let (state, _) = refined(&[70.0, 60.0, 55.0], RefineConfig::default()).await;
    assert_eq!(state.final_analysis.as_deref(), Some("version 0."));
    assert_eq!(
        (state.clarity_score, state.ended),
        (Some(70.0), Some(Ended::LowImprovement))
    );
    let patient = RefineConfig {
        min_improvement: -100.0,
        max_iterations: 2,
        ..RefineConfig::default()
    };
    let (state, calls) = refined(&[70.0, 60.0, 55.0], patient).await;
    assert_eq!(
        (state.final_analysis.as_deref(), state.iteration, calls),
        (Some("version 0."), 2, 6)
    );
    assert_eq!(state.clarity_score, Some(70.0));
}

#[tokio::test]
async fn threshold_and_limit_are_honoured() {
    let config = RefineConfig {
        clarity_threshold: 95.0,
        max_iterations: 1,
        ..RefineConfig::default()
    };
    let (state, calls) = refined(&[80.0, 90.0], config).await;
    assert_eq!(
        (state.iteration, state.ended, calls),
        (1, Some(Ended::MaxIterations), 4)
    );
    let (state, calls) = refined(&[80.0], RefineConfig::default()).await;
    assert_eq!(
        (state.iteration, state.ended, calls),
        (0, Some(Ended::Clear), 2)
    );
}

#[tokio::test]
async fn a_round_that_improves_too_little_is_the_last() {
    let (state, _) = refined(&[60.0, 64.0, 90.0], RefineConfig::default()).await;
    assert_eq!(
        (state.iteration, state.ended),
        (1, Some(Ended::LowImprovement))
    );
    assert_eq!(state.final_analysis.as_deref(), Some("version 1."));
}

#[tokio::test]
async fn without_self_questioning_it_is_one_call_and_no_grade() {
    let config = RefineConfig {
        enable_self_questioning: false,
        ..RefineConfig::default()
    };
    let (state, calls) = refined(&[60.0], config).await;
    assert_eq!(
        (state.final_analysis.as_deref(), calls),
        (Some("version 0."), 1)
    );
    assert_eq!(
        (state.clarity_score, state.ended),
        (None, Some(Ended::NotQuestioned))
    );
}

#[tokio::test]
async fn questions_are_answered_side_by_side_if_that_is_wanted() {
    let script = Arc::new(Script::new([
        Step::data(json!({"completeness": 50, "clarity": 50, "depth": 50, "accuracy": 50, "missing_information": [], "questions": ["Which?", "Where?", "Why?"], "look_up": []}))
            .when(When { schema: Some("grade".into()), anywhere: Some("first".into()), ..When::default() })
            .always(),
        Step::data(json!({"completeness": 90, "clarity": 90, "depth": 90, "accuracy": 90, "missing_information": [], "questions": ["Which?", "Where?", "Why?"], "look_up": []}))
            .when(When::schema("grade"))
            .always(),
        Step::text("It is the blue one.").when(When::contains("\n\nWhich?")).always(),
        Step::text("Over there.").when(When::contains("\n\nWhere?")).always(),
        Step::text("Because.").when(When::contains("\n\nWhy?")).always(),
        Step::text("second").when(When::contains("Answered: Where?\nOver there.")).always(),
        Step::text("first").when(When::contains("the thing")).always(),
    ]));
    let config = RefineConfig {
        parallel_answers: true,
        ..RefineConfig::default()
    };
    let graph = graph(script.clone(), config);
    let state = graph.run("t", brief()).await.unwrap().done().unwrap();
    assert_eq!(state.final_analysis.as_deref(), Some("second"));
    let answers: Vec<&str> = state.answers.iter().map(|it| it.answer.as_str()).collect();
    assert_eq!(answers, ["It is the blue one.", "Over there.", "Because."]);
    assert_eq!(script.seen().len(), 2 + 3 + 2);
}

#[tokio::test]
async fn a_grade_that_cannot_be_read_is_asked_for_once_more_and_then_there_is_none() {
    let script = Arc::new(Script::new([
        Step::text("very good!")
            .when(When::schema("grade"))
            .always(),
        Step::text("version 0.")
            .when(When::contains("the thing"))
            .always(),
    ]));
    let state = graph(script.clone(), RefineConfig::default())
        .run("t", brief())
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(
        (state.clarity_score, state.ended),
        (None, Some(Ended::Unscored))
    );
    assert_eq!(state.final_analysis.as_deref(), Some("version 0."));
    assert_eq!(script.seen().len(), 3);
}

/// Refutes what says `bad` and takes it out.
struct NoBad;

impl Review for NoBad {
    fn refuted(&self, analysis: &str) -> Vec<String> {
        analysis
            .matches("bad")
            .map(|it| format!("{it} is wrong"))
            .collect()
    }

    fn corrected(&self, analysis: &str) -> String {
        analysis.replace("bad ", "")
    }
}

#[tokio::test]
async fn refuted_claims_cost_points_and_keep_it_going_whatever_the_model_says() {
    let full = json!({"completeness": 100, "clarity": 100, "depth": 100, "accuracy": 100, "missing_information": [], "questions": ["Which?", "Where?", "Why?"], "look_up": []});
    let script = Arc::new(Script::new([
        Step::data(full).when(When::schema("grade")).always(),
        Step::text("one bad thing")
            .when(When::contains("Wrong, to be put right"))
            .always(),
        Step::text("bad bad thing")
            .when(When::contains("the thing"))
            .always(),
    ]));
    let refine = Refine::new("thing", script).review(Arc::new(NoBad));
    let config = RefineConfig {
        max_iterations: 1,
        ..RefineConfig::default()
    };
    let state = built(refine.config(config))
        .run("t", brief())
        .await
        .unwrap()
        .done()
        .unwrap();
    let scores: Vec<Option<f64>> = state.score_history.iter().map(|it| it.score).collect();
    assert_eq!(scores, [Some(90.0), Some(95.0)]);
    assert_eq!(
        (state.iteration, state.ended),
        (1, Some(Ended::MaxIterations))
    );
    assert_eq!(state.final_analysis.as_deref(), Some("one thing"));
}

#[tokio::test]
async fn a_person_is_asked_before_a_round_that_takes_much() {
    let script = model(&[60.0, 90.0]);
    let config = RefineConfig {
        approve_above: Some(0),
        ..RefineConfig::default()
    };
    let graph = graph(script.clone(), config);
    let outcome = graph.run("t", brief()).await.unwrap();
    let ask = outcome.ask::<ApproveIteration>().unwrap();
    assert_eq!(
        (ask.question.iteration, ask.question.score),
        (1, Some(60.0))
    );
    assert_eq!(script.seen().len(), 2);
    let declined = graph.answer("t", [ask.answer(false)]).await.unwrap();
    let Outcome::Done(state) = declined else {
        panic!("it is not done");
    };
    assert_eq!(
        (state.ended, state.final_analysis.as_deref()),
        (Some(Ended::Declined), Some("version 0."))
    );
    assert_eq!(script.seen().len(), 2);
    let outcome = graph.run("u", brief()).await.unwrap();
    let ask = outcome.ask::<ApproveIteration>().unwrap();
    let done = graph
        .answer("u", [ask.answer(true)])
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.ended, Some(Ended::Clear));
}

#[tokio::test]
async fn a_budget_that_is_used_up_ends_it_with_the_best_there_is() {
    let script = model(&[60.0, 72.0, 85.0]);
    let managed = ManagedModel::new(script.clone(), Policy::default());
    let probe = graph(script, RefineConfig::default())
        .run("p", brief())
        .await
        .unwrap()
        .done()
        .unwrap();
    let limits = Limits {
        tokens: Some(probe.usage.usage.total() / 2),
        ..Limits::default()
    };
    let within = Arc::new(managed.within(Budget::new(limits)));
    let state = graph(within, RefineConfig::default())
        .run("t", brief())
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(state.ended, Some(Ended::Budget));
    assert!(
        state
            .final_analysis
            .as_deref()
            .unwrap()
            .starts_with("version ")
    );
    assert!(state.usage.calls < probe.usage.calls);
}

#[tokio::test]
async fn steps_are_spans_of_the_names_of_the_analysis() {
    let graph = graph(model(&[60.0, 85.0]), RefineConfig::default()).with_options(|options| {
        options.modes = Modes::SPANS;
    });
    let mut stream = graph.stream("t", brief());
    let mut names = Vec::new();
    while let Some(event) = stream.next().await {
        if let superstep::Event::Span(span) = event
            && matches!(span.phase, superstep::SpanPhase::Started(_))
        {
            names.push((span.name.to_string(), span.parent.is_some()));
        }
    }
    let steps: Vec<&str> = names
        .iter()
        .filter(|(_, within)| !within)
        .map(|(name, _)| &**name)
        .collect();
    assert_eq!(
        steps,
        [
            "thing-InitialAnalysis", "thing-EvaluateClarity", "thing-GenerateQuestions",
            "thing-Refinement-1", "thing-EvaluateClarity", "thing-Finalize",
        ]
    );
    assert_eq!(names.iter().filter(|(_, within)| *within).count(), 4);
}

/// Finds `door` and cites what it reviews.
struct Library;

impl Review for Library {
    fn refuted(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn corrected(&self, analysis: &str) -> String {
        analysis.to_owned()
    }

    fn cited(&self, analysis: &str) -> String {
        format!("7 the line of {analysis}")
    }

    fn look_up(&self, wanted: &str) -> Option<String> {
        (wanted == "door").then(|| "9 fn door() {}".to_owned())
    }
}

fn grade(score: u32, missing: &str, look_up: &[&str]) -> serde_json::Value {
    json!({
        "completeness": score, "clarity": score, "depth": score, "accuracy": score,
        "missing_information": [missing], "questions": [], "look_up": look_up,
    })
}

#[tokio::test]
async fn a_review_reads_the_cited_lines_and_what_it_wants_looked_up_is_in_the_next_prompt() {
    let at = |schema: &str, text: &str| When {
        schema: Some(schema.into()),
        anywhere: Some(text.into()),
        ..When::default()
    };
    let script = Arc::new(Script::new([
        Step::data(grade(50, "the door", &["door", "window"]))
            .when(at("grade", "version 0."))
            .always(),
        Step::data(grade(90, "nothing", &[]))
            .when(When::schema("grade"))
            .always(),
        Step::text("version 1.").when(at("", "version 0.")).always(),
        Step::text("version 0.").when(When::schema("")).always(),
    ]));
    let refine = Refine::new("thing", script.clone()).review(Arc::new(Library));
    let state = built(refine)
        .run("t", brief())
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(state.final_analysis.as_deref(), Some("version 1."));
    let seen = script.seen();
    let text = |call: usize, message: usize| seen[call].messages[message].text();
    assert!(
        text(1, 1).contains("7 the line of version 0."),
        "{}",
        text(1, 1)
    );
    assert_eq!(
        text(2, 1),
        "This is the thing.\n\n# Looked up: door\n9 fn door() {}"
    );
    assert!(
        text(2, 3).contains("Missing:\n- the door"),
        "{}",
        text(2, 3)
    );
}

#[tokio::test]
async fn what_is_missing_is_that_of_the_version_that_is_the_result() {
    let (state, _) = refined(&[70.0, 60.0], RefineConfig::default()).await;
    assert_eq!(state.final_analysis.as_deref(), Some("version 0."));
    assert_eq!(state.missing_information, ["gap 0"]);
}

#[tokio::test]
async fn an_earlier_analysis_is_brought_up_to_date_in_place_of_written_anew() {
    let script = Arc::new(Script::new([
        Step::data(grade(90, "", &[])).when(When::schema("grade")),
        Step::text("version 1.").when(When::contains("What changed:\n- the door is gone")),
    ]));
    let input = Refinement::update().context(Brief {
        system: "Describe it.".into(),
        human: "This is the thing.".into(),
        earlier: Some(EarlierAnalysis {
            text: "It has a door.".into(),
            changes: vec!["the door is gone".into()],
        }),
        ..Brief::default()
    });
    let graph = graph(script.clone(), RefineConfig::default());
    let state = graph.run("t", input).await.unwrap().done().unwrap();
    assert_eq!(state.final_analysis.as_deref(), Some("version 1."));
    assert_eq!(script.seen()[0].messages[2].text(), "It has a door.");
}
