//! The nodes. Each is a span of the name that the analysis has, with its calls inside.

use serde::Deserialize;
use serde_json::json;
use superstep_core::event::{SpanEnd, SpanError, SpanKind};
use superstep_derive::Nodes;
use superstep_engine::typed::{Command, Ctx, Input, NodeError, Res, Snap};
use superstep_model::{Label, Message, Schema};

use super::{
    approve::ApproveIteration,
    calling::{Caller, Failed},
    config::{Form, Refine},
    decide::better,
    state::{
        AnsweredQuestion, Ended, Evaluation, Grades, LookedUp, RefineProgress, Refinement,
        RefinementUpdate, Spending, Version,
    },
};

const EVALUATE: &str = include_str!("prompts/evaluate.md");
const ANSWER: &str = include_str!("prompts/answer.md");
const REFINE: &str = include_str!("prompts/refine.md");
const UPDATE: &str = include_str!("prompts/update.md");

/// The bytes of all of them.
pub(super) const INSTRUCTIONS: usize = EVALUATE.len() + ANSWER.len() + REFINE.len() + UPDATE.len();

/// How many questions and look-ups a round has at most.
pub(super) const MOST_QUESTIONS: usize = 5;

/// The longest list of gaps, and the longest entry of a list.
pub(super) const MOST_GAPS: usize = 10;
pub(super) const LONGEST: usize = 400;

/// The nodes of a refining analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum RefineNode {
    /// Writes the first version.
    #[node(name = "analyzeInitial")]
    AnalyzeInitial,
    /// Grades the newest version, has it checked, and decides.
    #[node(name = "evaluateClarity")]
    EvaluateClarity,
    /// Asks what is missing.
    #[node(name = "generateQuestions")]
    GenerateQuestions,
    /// Answers one question.
    #[node(name = "answerQuestion")]
    AnswerQuestion,
    /// Writes a better version.
    #[node(name = "refineAnalysis")]
    RefineAnalysis,
    /// Takes the best version.
    #[node(name = "finalizeOutput")]
    FinalizeOutput,
}

type Onward = Command<Refinement, RefineNode>;

fn to(update: RefinementUpdate, node: RefineNode) -> Onward {
    Command::update(update).and_goto(node)
}

pub(super) async fn analyze_initial(
    state: Snap<Refinement>,
    refine: Res<Refine>,
    ctx: Ctx,
) -> Result<Onward, NodeError> {
    let name = format!("{}-InitialAnalysis", refine.name);
    let mut messages = asked(&state);
    if let Some(earlier) = &state.context.earlier {
        let told = format!("{UPDATE}{}", list("What changed", &earlier.changes));
        messages.push(Message::model(earlier.text.clone()));
        messages.push(Message::user(told).labeled(Label::Model));
    }
    let form = refine.form.as_deref();
    let written = write(&refine, &ctx, &name, messages, form, false).await?;
    let update = written.update();
    let text = match written.text {
        Ok(text) => text,
        Err(stopped) => return Ok(to(stopped.told(update), RefineNode::FinalizeOutput)),
    };
    ctx.emit(RefineProgress::Analyzed {
        agent: refine.name.clone(),
    })
    .await;
    let update = update.current_analysis(text);
    Ok(match refine.config.enable_self_questioning {
        true => to(update, RefineNode::EvaluateClarity),
        false => to(
            update.ended(Some(Ended::NotQuestioned)),
            RefineNode::FinalizeOutput,
        ),
    })
}

/// What a model says about a version.
#[derive(Deserialize)]
struct Graded {
    #[serde(flatten)]
    grades: Grades,
    missing_information: Vec<String>,
    questions: Vec<String>,
    look_up: Vec<String>,
}

pub(super) async fn evaluate_clarity(
    state: Snap<Refinement>,
    refine: Res<Refine>,
    ctx: Ctx,
) -> Result<Onward, NodeError> {
    let refuted = match &refine.review {
        Some(review) => review.refuted(&state.current_analysis),
        None => Vec::new(),
    };
    let span = span(&ctx, &format!("{}-EvaluateClarity", refine.name)).await;
    let caller = Caller::new(&refine, &ctx, &span);
    let mut told = format!("The analysis:\n\n{}", fenced(&state.current_analysis));
    let cited = refine.review.as_ref();
    let cited = cited.map(|it| it.cited(&state.current_analysis));
    if let Some(cited) = cited.filter(|it| !it.is_empty()) {
        told.push_str(&format!(
            "\n\nThe lines that it cites:\n\n{}",
            fenced(&cited)
        ));
    }
    told.push_str(&list(
        "What the analysis must cover", &state.context.criteria,
    ));
    told.push_str(&list("Claims that were checked and are wrong", &refuted));
    told.push_str(&list(
        "Questions that analyses of related things asked",
        &state.context.shared_questions,
    ));
    told.push_str(&list(
        "Questions that were asked already",
        &state.self_questions,
    ));
    let messages = vec![
        Message::system(EVALUATE),
        Message::user(told).labeled(Label::Model),
    ];
    let graded = match grade_schema() {
        Ok(schema) => caller.data::<Graded>(messages, &schema).await,
        Err(error) => Err(Failed::Other(error)),
    };
    let spent = caller.spent();
    let mut evaluation = Evaluation {
        iteration: state.iteration,
        refuted: u32::try_from(refuted.len()).unwrap_or(u32::MAX),
        ..Evaluation::default()
    };
    let mut stopped = None;
    let (mut questions, mut to_look_up) = (Vec::new(), Vec::new());
    match graded {
        Ok(graded) => {
            evaluation.grades = Some(graded.grades);
            evaluation.missing = short(graded.missing_information, MOST_GAPS);
            questions = short(graded.questions, MOST_QUESTIONS);
            to_look_up = short(graded.look_up, MOST_QUESTIONS);
        }
        Err(Failed::Budget) => stopped = Some(Stopped::Budget),
        Err(Failed::Unfit) => {}
        Err(Failed::Model(error)) if refine.keeps_best => {
            stopped = Some(Stopped::failed("It could not be graded", &error));
        }
        Err(failed) => {
            let error = failed.error();
            span.fail("failed", &error).await;
            return Err(error);
        }
    }
    evaluation.score = refine.config.score(&evaluation);
    span.end(|| SpanEnd::from(plain(&evaluation))).await;
    let ended = match &stopped {
        Some(stopped) => Some(stopped.ended()),
        None => refine.config.ends(&state, &evaluation),
    };
    let newest = Version {
        iteration: state.iteration,
        score: evaluation.score,
        text: state.current_analysis.clone(),
    };
    ctx.emit(RefineProgress::Evaluated {
        agent: refine.name.clone(),
        evaluation: evaluation.clone(),
    })
    .await;
    let update = Refinement::update()
        .usage(spent)
        .clarity_score(evaluation.score)
        .missing_information(evaluation.missing.clone())
        .best_analysis(Some(better(state.best_analysis.clone(), newest)))
        .score_history([evaluation])
        .questions(questions)
        .to_look_up(to_look_up)
        .refuted(refuted)
        .ended(ended);
    let update = match stopped {
        Some(stopped) => stopped.told(update),
        None => update,
    };
    Ok(match ended {
        Some(_) => to(update, RefineNode::FinalizeOutput),
        None => to(update, RefineNode::GenerateQuestions),
    })
}

/// Begins a round: a person may be asked, and what the review wants is looked up.
pub(super) async fn generate_questions(
    state: Snap<Refinement>,
    refine: Res<Refine>,
    ctx: Ctx,
) -> Result<Onward, NodeError> {
    let iteration = state.iteration.saturating_add(1);
    if !is_approved(&state, &refine, &ctx, iteration)? {
        let update = Refinement::update().ended(Some(Ended::Declined));
        return Ok(to(update, RefineNode::FinalizeOutput));
    }
    let span = span(&ctx, &format!("{}-GenerateQuestions", refine.name)).await;
    let questions = state.questions.clone();
    let looked_up = state.to_look_up.iter().filter_map(|wanted| {
        let found = refine.review.as_ref()?.look_up(wanted)?;
        let wanted = wanted.clone();
        Some(LookedUp { wanted, found })
    });
    let looked_up: Vec<LookedUp> = looked_up.collect();
    span.end(|| SpanEnd::from(plain(&questions))).await;
    ctx.emit(RefineProgress::Questioned {
        agent: refine.name.clone(),
        iteration,
        questions: questions.clone(),
    })
    .await;
    let update = Refinement::update()
        .self_questions(questions.clone())
        .looked_up(looked_up);
    if !refine.config.parallel_answers || questions.is_empty() {
        return Ok(to(update, RefineNode::RefineAnalysis));
    }
    let all = questions.iter();
    Ok(all.fold(Command::update(update), |command, question| {
        command.and_send(RefineNode::AnswerQuestion, question)
    }))
}

/// Asks a person before a round that will take as much as the last one did, if that is much.
fn is_approved(
    state: &Refinement,
    refine: &Refine,
    ctx: &Ctx,
    iteration: u32,
) -> Result<bool, NodeError> {
    let Some(most) = refine.config.approve_above else {
        return Ok(true);
    };
    // Before the first round: two calls about as large as the two that were made.
    let rounds = u64::from(state.iteration.max(1));
    let spent: Spending = state.usage;
    let tokens = spent.usage.total().checked_div(rounds).unwrap_or_default();
    if tokens <= most {
        return Ok(true);
    }
    ctx.ask(ApproveIteration {
        agent: refine.name.clone(),
        iteration,
        score: state.clarity_score,
        tokens,
        micros: spent.micros.checked_div(rounds).unwrap_or_default(),
    })
}

pub(super) async fn answer_question(
    Input(question): Input<String>,
    state: Snap<Refinement>,
    refine: Res<Refine>,
    ctx: Ctx,
) -> Result<RefinementUpdate, NodeError> {
    let name = format!("{}-AnswerQuestion", refine.name);
    let mut messages = asked(&state);
    messages.push(Message::model(state.current_analysis.clone()));
    messages.push(Message::user(format!("{ANSWER}\n\n{question}")).labeled(Label::Model));
    let answer = write(&refine, &ctx, &name, messages, None, true).await?;
    let update = answer.update();
    Ok(match answer.text {
        Ok(answer) => update.answers([AnsweredQuestion {
            iteration: state.iteration.saturating_add(1),
            question,
            answer,
        }]),
        // The round continues without it.
        Err(_) => update,
    })
}

pub(super) async fn refine_analysis(
    state: Snap<Refinement>,
    refine: Res<Refine>,
    ctx: Ctx,
) -> Result<Onward, NodeError> {
    let iteration = state.iteration.saturating_add(1);
    let mut told = REFINE.to_owned();
    told.push_str(&list("Questions", &state.questions));
    told.push_str(&list("Missing", &state.missing_information));
    told.push_str(&list("Wrong, to be put right or left out", &state.refuted));
    for answered in state.answers.iter().filter(|it| it.iteration == iteration) {
        let AnsweredQuestion {
            question, answer, ..
        } = answered;
        told.push_str(&format!("\n\nAnswered: {question}\n{answer}"));
    }
    let mut messages = asked(&state);
    messages.push(Message::model(state.current_analysis.clone()));
    messages.push(Message::user(told).labeled(Label::Model));
    let name = format!("{}-Refinement-{iteration}", refine.name);
    let form = refine.form.as_deref();
    let written = write(&refine, &ctx, &name, messages, form, true).await?;
    let update = written.update();
    let text = match written.text {
        Ok(text) => text,
        Err(stopped) => return Ok(to(stopped.told(update), RefineNode::FinalizeOutput)),
    };
    let count = match state.questions.len() {
        1 => "1 question".to_owned(),
        many => format!("{many} questions"),
    };
    let note = format!("Iteration {iteration}: Addressed {count}");
    ctx.emit(RefineProgress::Refined {
        agent: refine.name.clone(),
        iteration,
        note: note.clone(),
    })
    .await;
    let update = update
        .current_analysis(text)
        .iteration(iteration)
        .refinement_notes([note]);
    Ok(to(update, RefineNode::EvaluateClarity))
}

pub(super) async fn finalize_output(
    state: Snap<Refinement>,
    refine: Res<Refine>,
    ctx: Ctx,
) -> Result<RefinementUpdate, NodeError> {
    let span = span(&ctx, &format!("{}-Finalize", refine.name)).await;
    let newest = Version {
        iteration: state.iteration,
        score: None,
        text: state.current_analysis.clone(),
    };
    let best = state.best_analysis.clone().unwrap_or(newest);
    let text = match &refine.review {
        Some(review) => review.corrected(&best.text),
        None => best.text.clone(),
    };
    ctx.emit(RefineProgress::Finalized {
        agent: refine.name.clone(),
        iteration: best.iteration,
        score: best.score,
        ended: state.ended,
    })
    .await;
    span.end(|| {
        SpanEnd::from(plain(
            &json!({"iteration": best.iteration, "score": best.score}),
        ))
    })
    .await;
    // What is missing in the newest version may be in the best one.
    let mut graded = state.score_history.iter().rev();
    let missing = graded.find(|it| it.iteration == best.iteration);
    let missing = missing.map(|it| it.missing.clone()).unwrap_or_default();
    Ok(Refinement::update()
        .clarity_score(best.score)
        .missing_information(missing)
        .best_analysis(Some(best))
        .final_analysis(Some(text)))
}

/// Why nothing more is written: what there is must do.
enum Stopped {
    Budget,
    Failed(String),
}

impl Stopped {
    fn failed(what: &str, error: &dyn std::fmt::Display) -> Self {
        let why = superstep_text::single_line(&error.to_string());
        let why: String = why.chars().take(LONGEST).collect();
        Self::Failed(format!("{what}: {why}"))
    }

    fn ended(&self) -> Ended {
        match self {
            Self::Budget => Ended::Budget,
            Self::Failed(_) => Ended::Failed,
        }
    }

    /// An update that says so.
    fn told(self, update: RefinementUpdate) -> RefinementUpdate {
        let update = update.ended(Some(self.ended()));
        match self {
            Self::Budget => update,
            Self::Failed(why) => update.refinement_notes([why]),
        }
    }
}

/// What a step wrote.
struct WrittenVersion {
    text: Result<String, Stopped>,
    spent: Spending,
    looked_up: Vec<LookedUp>,
}

impl WrittenVersion {
    /// What it took and found.
    fn update(&self) -> RefinementUpdate {
        Refinement::update()
            .usage(self.spent)
            .looked_up(self.looked_up.clone())
    }
}

/// A text of the model, or one made of the form that it filled in, as a span of its own. `has_version` says whether there
/// is an analysis already, which may have to do.
async fn write(
    refine: &Refine,
    ctx: &Ctx,
    name: &str,
    messages: Vec<Message>,
    form: Option<&dyn Form>,
    has_version: bool,
) -> Result<WrittenVersion, NodeError> {
    let span = span(ctx, name).await;
    let caller = Caller::new(refine, ctx, &span);
    let written = match form {
        Some(form) => caller.filled(messages, form).await,
        None => caller.text(messages).await,
    };
    let (spent, looked_up) = (caller.spent(), caller.looked_up());
    let done = |text: Result<String, Stopped>| WrittenVersion {
        text,
        spent,
        looked_up,
    };
    match written {
        Ok(text) => {
            span.end(|| SpanEnd::from(superstep_core::Value::from(&*text)))
                .await;
            Ok(done(Ok(text)))
        }
        Err(Failed::Budget) => {
            span.end(|| SpanEnd::from(SpanError::new("budget", "the budget is used up")))
                .await;
            Ok(done(Err(Stopped::Budget)))
        }
        Err(failed) => {
            let keeps = refine.keeps_best && has_version && !matches!(failed, Failed::Other(_));
            let code = match failed {
                Failed::Unfit => "unfit",
                _ => "failed",
            };
            let error = failed.error();
            span.fail(code, &error).await;
            match keeps {
                true => Ok(done(Err(Stopped::failed(
                    "It could not be refined", &error,
                )))),
                false => Err(error),
            }
        }
    }
}

async fn span(ctx: &Ctx, name: &str) -> superstep_engine::OpenSpan {
    ctx.span(SpanKind::Chain, name, superstep_core::Value::default)
        .await
}

fn plain<T: serde::Serialize>(data: &T) -> superstep_core::Value {
    serde_json::to_value(data).unwrap_or_default().into()
}

/// The conversation that an analysis begins with, with what was looked up for it so far. What is analyzed was written by others.
fn asked(state: &Refinement) -> Vec<Message> {
    let mut human = state.context.human.clone();
    let mut known: Vec<&LookedUp> = Vec::new();
    for it in &state.looked_up {
        if !known.contains(&it) {
            known.push(it);
            let LookedUp { wanted, found } = it;
            human.push_str(&format!("\n\n# Looked up: {wanted}\n{found}"));
        }
    }
    vec![
        Message::system(state.context.system.clone()),
        Message::user(human),
    ]
}

/// A text between fences that it cannot end: data, whatever it says.
fn fenced(text: &str) -> String {
    let longest = text.lines().map(|line| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches('`').len()
    });
    let fence = "`".repeat(longest.max().unwrap_or(0).max(3) + 1);
    format!("{fence}\n{text}\n{fence}")
}

fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
    format!("\n\n{title}:\n{}", items.join("\n"))
}

/// The first items, on one line each, none of them long.
fn short(items: Vec<String>, most: usize) -> Vec<String> {
    let items = items.iter().map(|item| superstep_text::single_line(item));
    let items = items.map(|item| item.chars().take(LONGEST).collect::<String>());
    items.filter(|item| !item.is_empty()).take(most).collect()
}

fn grade_schema() -> Result<Schema, NodeError> {
    let grade = json!({"type": "number", "minimum": 0, "maximum": 100});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let schema = Schema::new(
        "grade",
        json!({
            "type": "object",
            "properties": {
                "completeness": grade, "clarity": grade, "depth": grade, "accuracy": grade,
                "missing_information": texts, "questions": texts, "look_up": texts,
            },
            "required": [
                "completeness", "clarity", "depth", "accuracy", "missing_information", "questions",
                "look_up",
            ],
            "additionalProperties": false,
        }),
    );
    schema.map_err(|error| NodeError::msg(error.to_string()).permanent())
}
