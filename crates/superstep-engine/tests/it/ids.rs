//! Ids name things and decide nothing: a run does the same whatever its ids are.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::{Value as Json, json};
use superstep_core::{
    Failure, Value,
    command::{Command, Goto, Output, Send},
    edit::Update,
    id::{CheckpointId, GraphPath, IdSource, RunId, ThreadId},
    message::Unknown,
    reducer::Reducer,
    run::{Halt, RunInput},
    runs::{ClaimGraph, ClaimRuns, EnqueueRun},
    saver::{HistoryQuery, RunQueue as _},
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions, input,
    memory::MemorySaver, state::Depth,
};

/// Ids that grow by chance, with a tail of their own.
struct Seeded {
    random: AtomicU64,
    last: AtomicU64,
}

impl Seeded {
    fn new(seed: u64) -> Self {
        Self {
            random: AtomicU64::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            last: AtomicU64::new(1),
        }
    }

    fn random(&self) -> u64 {
        let mut x = self.random.load(Ordering::SeqCst);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random.store(x, Ordering::SeqCst);
        x
    }
}

impl IdSource for Seeded {
    fn next(&self, floor: Option<CheckpointId>) -> CheckpointId {
        let floor = floor.map_or(0, |id| (id.0 >> 64) as u64);
        let last = self.last.load(Ordering::SeqCst).max(floor);
        let next = last + 1 + self.random() % 1000;
        self.last.store(next, Ordering::SeqCst);
        CheckpointId(u128::from(next) << 64 | u128::from(self.random()))
    }
}

/// A subgraph in which two tasks ask.
fn inner() -> DynGraph {
    let ask = |question: &'static str| {
        move |ctx: DynCtx| async move {
            let answer = ctx.ask(question)?;
            Ok::<_, Halt>(Value::map([("said", Value::list([answer]))]))
        }
    };
    DynGraphBuilder::new()
        .reduce("said", Reducer::Add, json!([]))
        .node("left", ask("left?"))
        .node("right", ask("right?"))
        .edge("__start__", "left")
        .edge("__start__", "right")
        .build()
        .unwrap()
}

/// Sends work, some of which fails or asks, beside a subgraph that asks.
fn graph(seed: u64, fails: &'static [i64]) -> DynGraph {
    let split = |_: DynCtx| async {
        let mut goto: Vec<Goto> = (0..6)
            .map(|n| Goto::Send(Send::new("work", json!({ "n": n }))))
            .collect();
        goto.push(Goto::from("inner"));
        let update = vec![(
            "messages".into(),
            json!([{ "role": "user", "content": "begin" }]).into(),
        )];
        let command = Command {
            goto,
            update,
            ..Command::default()
        };
        Ok::<_, Halt>(Output::from(command))
    };
    let work = move |ctx: DynCtx| async move {
        let n = ctx.get("n").as_i64().unwrap();
        match n {
            n if fails.contains(&n) => Err(Failure::new("Bad", "this one fails").into()),
            2 | 3 => {
                let said = ctx.ask(format!("and {n}?"))?;
                Ok::<_, Halt>(Value::map([("said", Value::list([said]))]))
            }
            _ => {
                let message = json!([{ "role": "assistant", "content": format!("{n}") }]);
                Ok(Value::map([
                    ("said", Value::list([n.into()])),
                    ("messages", message.into()),
                ]))
            }
        }
    };
    DynGraphBuilder::new()
        .reduce("said", Reducer::Add, json!([]))
        .reduce("messages", Reducer::Messages(Unknown::Refuse), json!([]))
        .node("split", split)
        .node("work", work)
        .subgraph("inner", inner(), DynNodeOptions::default())
        .node("end", |_: DynCtx| async { Ok::<_, Halt>(()) })
        .edge("__start__", "split")
        .edge("work", "end")
        .edge("inner", "end")
        .backends(Backends {
            ids: Some(Arc::new(Seeded::new(seed))),
            ..Backends::on(MemorySaver::new())
        })
        .build()
        .unwrap()
}

/// What a caller sees of a thread, with every id replaced by its number in order of appearance.
#[derive(Default)]
struct Story {
    lines: Vec<Json>,
    known: HashMap<String, usize>,
}

impl Story {
    fn tell(&mut self, shown: &impl serde::Serialize) {
        let mut shown = serde_json::to_value(shown).unwrap();
        self.number(&mut shown);
        self.lines.push(shown);
    }

    fn number(&mut self, shown: &mut Json) {
        match shown {
            Json::String(text) => *text = self.numbered(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.number(item)),
            Json::Object(fields) => {
                for (name, mut value) in std::mem::take(fields) {
                    self.number(&mut value);
                    fields.insert(self.numbered(&name), value);
                }
            }
            _ => {}
        }
    }

    /// A text whose ids, wherever they stand in it, are numbers.
    fn numbered(&mut self, text: &str) -> String {
        let is_part = |c: char| c.is_ascii_hexdigit() || c == '-';
        let mut found = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            match word.chars().filter(char::is_ascii_hexdigit).count() {
                32.. => {
                    let next = self.known.len();
                    let n = *self.known.entry(word.to_owned()).or_insert(next);
                    found.push_str(&format!("#{n}"));
                }
                _ => found.push_str(word),
            }
            let mut chars = after.chars();
            found.extend(chars.next());
            rest = chars.as_str();
        }
        found
    }
}

async fn story(seed: u64) -> (Vec<Json>, usize) {
    let graph = graph(seed, &[1, 4]);
    let (thread, root) = (ThreadId::from("t"), GraphPath::default());
    let options = RunOptions {
        strict_resume: true,
        ..RunOptions::on("t")
    };
    let mut story = Story::default();
    let failed = graph.invoke(json!({}), &options).await.unwrap_err();
    story.tell(&failed.to_string());
    let go_on = graph.invoke(input::go_on(), &options).await;
    story.tell(&go_on.map(|it| it.asks).map_err(|error| error.to_string()));
    let state = graph.state(&thread, None, Depth::Subgraphs).await.unwrap();
    story.tell(&state);
    // Every id is listed, in the order of their tasks.
    let ambiguous = graph.invoke(input::resume("one"), &options).await;
    story.tell(&ambiguous.unwrap_err().to_string());
    let strict = RunOptions {
        keep_asks: true,
        ..options.clone()
    };
    let refused = graph.invoke(json!({ "said": [] }), &strict).await;
    story.tell(&refused.unwrap_err().to_string());
    let asks: Vec<_> = state.asks().cloned().collect();
    let two = asks.iter().take(2).map(|ask| (ask.id, ask.value.clone()));
    let answered: Result<_, _> = graph.invoke(input::answers(two), &options).await;
    story.tell(
        &answered
            .map(|it| it.asks)
            .map_err(|error| error.to_string()),
    );
    let state = graph.state(&thread, None, Depth::Subgraphs).await.unwrap();
    story.tell(&state);
    let by_hand = Update {
        output: Output::Update(json!({ "said": ["by hand"] }).into()),
        as_node: Some("work".into()),
    };
    graph.update_state(&thread, None, by_hand).await.unwrap();
    let all = HistoryQuery::default();
    let history = graph.history(&thread, &root, &all).await.unwrap();
    story.tell(&history);
    let ended = graph.invoke(RunInput::Nothing, &options).await.unwrap();
    story.tell(&ended.output.map(|output| output.to_json()));
    (story.lines, story.known.len())
}

#[tokio::test]
async fn a_thread_is_the_same_whatever_its_ids_are() {
    let (wanted, ids) = story(1).await;
    assert!(ids > 10, "{ids} ids");
    for seed in 2..40 {
        let (told, _) = story(seed).await;
        for (told, wanted) in told.iter().zip(&wanted) {
            assert_eq!(told, wanted, "seed {seed}");
        }
    }
}

#[tokio::test]
async fn an_update_as_a_node_of_which_several_sends_failed_is_at_the_first_of_them() {
    for seed in 1..20 {
        let graph = graph(seed, &[0, 1, 4]);
        let (thread, root) = (ThreadId::from("t"), GraphPath::default());
        let options = RunOptions::on("t");
        graph.invoke(json!({}), &options).await.unwrap_err();
        let by_hand = Update {
            output: Output::Update(json!({ "said": ["by hand"] }).into()),
            as_node: Some("work".into()),
        };
        graph.update_state(&thread, None, by_hand).await.unwrap();
        let all = HistoryQuery::default();
        let history = graph.history(&thread, &root, &all).await.unwrap();
        let results = history[1].tasks.iter().map(|task| {
            let result = task.result.as_ref().map(Value::to_json);
            result.is_some_and(|result| result["said"] == json!(["by hand"]))
        });
        let places: Vec<usize> = results.zip(0..).filter(|it| it.0).map(|it| it.1).collect();
        assert_eq!(places, [0], "seed {seed}");
    }
}

#[tokio::test]
async fn runs_that_are_due_at_the_same_time_are_claimed_in_the_order_they_came() {
    let saver = MemorySaver::new();
    let runs: Vec<RunId> = [9_u128, 3, 7, 1, 5].map(RunId).to_vec();
    for run in &runs {
        let thread = format!("thread {}", u128::MAX - run.0);
        let queued = EnqueueRun::new(thread.as_str(), *run, "graph");
        saver.enqueue(queued).await.unwrap();
    }
    let share = ClaimGraph {
        limit: usize::MAX,
        mark: CheckpointId(0),
    };
    let wanted = ClaimRuns {
        graphs: [("graph".into(), share)].into(),
        limit: usize::MAX,
    };
    let claimed = saver.claim(&wanted).await.unwrap();
    let claimed = claimed.iter().map(|it| it.record.id);
    // A clock that moved on in between keeps the order too.
    assert_eq!(claimed.collect::<Vec<_>>(), runs);
}
