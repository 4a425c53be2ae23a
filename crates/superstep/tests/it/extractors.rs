//! What nodes take, and tasks they call.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use superstep::{
    Call, Command, Context, ErrorKind, Failed, Input, Store,
    prelude::*,
    schemars::{self, JsonSchema},
    store::{Item, Namespace, PutOptions, TtlOnRead},
};

use crate::{plain::saver, support::finished};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Log {
    #[reduce(Append)]
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Only,
}

fn one<Args>(
    build: impl FnOnce(superstep::GraphBuilder<Log, One>) -> superstep::GraphBuilder<Log, One>,
    handler: impl superstep::Handler<Log, One, Args>,
) -> Graph<Log, One> {
    let builder = Graph::<Log, One>::builder()
        .saver(saver())
        .node(One::Only, handler);
    build(builder.start(One::Only).finish(One::Only))
        .build()
        .unwrap()
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct User {
    name: String,
}

#[tokio::test]
async fn nodes_see_the_context_of_the_run() {
    let graph = one(
        |builder| builder,
        |user: Context<User>| async move { Log::update().lines([user.name.clone()]) },
    );
    let user = User { name: "eva".into() };
    let done = graph
        .with_context(user)
        .run("t", Log::update())
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.lines, ["eva"]);
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1013");
}

#[tokio::test]
async fn a_context_that_does_not_fit_is_refused_before_a_run_begins_also_by_a_stream() {
    let graph = one(
        |builder| builder.context::<User>(),
        |user: Context<User>| async move { Log::update().lines([user.name.clone()]) },
    );
    let graph = graph.with_context(7);
    let mut stream = graph.stream("t", Log::update());
    assert!(stream.next().await.is_none());
    assert_eq!(stream.outcome().await.unwrap_err().code(), "SS1013");
    let threads = graph.dynamic().threads().await.unwrap();
    assert!(threads.is_empty(), "{threads:?}");
}

#[tokio::test]
async fn a_declared_context_is_checked_whoever_reads_it() {
    let graph = one(
        |builder| builder.context::<User>(),
        |ctx: Ctx| async move {
            let user: User = ctx.context()?;
            Ok::<_, NodeError>(Log::update().lines([user.name]))
        },
    );
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1013");
    let threads = graph.dynamic().threads().await.unwrap();
    assert!(threads.is_empty(), "{threads:?}");
    let done = graph.with_context(User { name: "eva".into() });
    let done = done.run("t", Log::update()).await.unwrap();
    assert_eq!(done.state().lines, ["eva"]);
}

#[tokio::test]
async fn a_task_that_is_called_runs_once_across_a_failure() {
    let runs = Arc::new(AtomicU32::new(0));
    let counted = runs.clone();
    let double = Call::new("double", move |_: Ctx, n: u32| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move { Ok(n * 2) }
    });
    let graph = one(
        |builder| builder,
        move |ctx: Ctx| {
            let double = double.clone();
            async move {
                let (a, b) = (ctx.call(&double, 4), ctx.call(&double, 5));
                let (a, b) = tokio::join!(a, b);
                let sum = a? + b?;
                match ctx.thread() {
                    Some(thread) if thread.as_str() == "fails" => Err(NodeError::msg("no")),
                    _ => Ok(Log::update().lines([sum.to_string()])),
                }
            }
        },
    );
    let done = finished(&graph, "t", Log::update()).await;
    assert_eq!(
        (&*done.lines, runs.load(Ordering::SeqCst)),
        (&["18".to_owned()][..], 2)
    );
    graph.run("fails", Log::update()).await.unwrap_err();
    graph.resume("fails").await.unwrap_err();
    assert_eq!(runs.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_drained_run_stops_between_steps_and_goes_on() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    enum Two {
        First,
        Second,
    }
    let graph = Graph::<Log, Two>::builder()
        .saver(saver())
        .node(Two::First, |ctx: Ctx| async move {
            ctx.drain("the host restarts");
            Log::update().lines(["first".to_owned()])
        })
        .node(Two::Second, || async {
            Log::update().lines(["second".to_owned()])
        })
        .start(Two::First)
        .edge(Two::First, Two::Second)
        .finish(Two::Second)
        .build()
        .unwrap();
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert!(matches!(&*error.kind, ErrorKind::Drained { reason } if reason.contains("restarts")));
    let graph = graph.with_options(|options| options.drain = superstep::Drain::default());
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.lines, ["first", "second"]);
}

#[tokio::test]
async fn nodes_take_the_long_term_store() {
    let graph = one(
        |builder| builder.store(MemoryStore::default()),
        |memory: Store| async move {
            let place = Namespace::new(["users"])?;
            let value = serde_json::from_value(serde_json::json!({"likes": "tea"}))?;
            memory
                .put(&place, "eva", value, PutOptions::default())
                .await?;
            let found: Option<Item> = memory.get(&place, "eva", TtlOnRead::default()).await?;
            Ok::<_, NodeError>(Log::update().lines([format!("{}", found.is_some())]))
        },
    );
    let done = finished(&graph, "t", Log::update()).await;
    assert_eq!(done.lines, ["true"]);
}

#[superstep::node(Log, One)]
async fn checked(log: Snap<Log>, _ctx: Ctx) -> Result<LogUpdate, NodeError> {
    Ok(Log::update().lines([format!("{} lines", log.lines.len())]))
}

#[tokio::test]
async fn a_checked_node_is_a_node() {
    let done = one(|builder| builder, checked)
        .run("t", Log::update())
        .await
        .unwrap();
    assert_eq!(done.done().unwrap().lines, ["0 lines"]);
}

trait Mailer: Send + Sync {
    fn send(&self, text: &str) -> String;
}

struct Loud;

impl Mailer for Loud {
    fn send(&self, text: &str) -> String {
        text.to_uppercase()
    }
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, State)]
struct Sent {
    #[reduce(Append)]
    log: Vec<String>,
    #[reduce(Append)]
    sizes: Vec<usize>,
    tags: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Only {
    Send,
}

#[tokio::test]
async fn a_service_is_known_by_its_trait_and_lists_take_literals_and_single_items() {
    async fn send(mailer: superstep::Res<dyn Mailer>) -> SentUpdate {
        let text = mailer.send("hi");
        Sent::update()
            .log(["begun"])
            .push_log("sent")
            .push_sizes(text.len())
            .push_log(text)
            .tags(["new"])
    }
    let build = |mailer: Option<std::sync::Arc<dyn Mailer>>| {
        let graph = Graph::<Sent, Only>::builder().node(Only::Send, send);
        let graph = match mailer {
            Some(mailer) => graph.shared(mailer),
            None => graph,
        };
        graph.start(Only::Send).finish(Only::Send).build()
    };
    let missing = build(None).err().unwrap().to_string();
    assert!(missing.contains("Mailer"), "{missing}");
    let graph = build(Some(std::sync::Arc::new(Loud))).unwrap();
    let outcome = graph.run("t", Sent::default()).await.unwrap();
    let sent = outcome.state();
    assert_eq!(sent.log, ["begun", "sent", "HI"]);
    assert_eq!(
        (&*sent.sizes, &*sent.tags),
        (&[2][..], &["new".to_owned()][..])
    );
}

#[test]
fn an_error_that_only_becomes_a_box_passes_the_question_mark() {
    /// Like `anyhow::Error`: no error itself.
    struct Report(String);

    impl From<Report> for Box<dyn std::error::Error + Send + Sync> {
        fn from(report: Report) -> Self {
            report.0.into()
        }
    }

    fn node() -> Result<(), NodeError> {
        Err(Report("the disk is full".to_owned()))?
    }

    let error = node().unwrap_err().to_string();
    assert!(error.contains("the disk is full"), "{error}");
}

struct Mark(&'static str);

/// Lists which of its optional arguments it has.
#[superstep::node(Log, One)]
async fn present(
    mark: Option<Res<Mark>>,
    user: Option<Context<User>>,
    store: Option<Store>,
    input: Option<Input<u32>>,
    failed: Option<Failed<One>>,
) -> LogUpdate {
    let found = [
        mark.map(|mark| mark.0.0.to_owned()),
        user.map(|user| user.name.clone()),
        store.map(|_| "store".to_owned()),
        input.map(|Input(number)| number.to_string()),
        failed.map(|failed| failed.error.message.to_string()),
    ];
    Log::update().lines(found.into_iter().flatten().collect::<Vec<_>>())
}

async fn lines(graph: &Graph<Log, One>) -> Vec<String> {
    let outcome = graph.run("t", Log::update()).await.unwrap();
    outcome.state().lines.clone()
}

#[tokio::test]
async fn a_node_takes_what_is_there_as_an_option_and_none_where_it_is_not() {
    assert!(lines(&one(|graph| graph, present)).await.is_empty());
    let all = one(
        |graph| graph.resource(Mark("mark")).store(MemoryStore::default()),
        present,
    );
    let user = User { name: "eva".into() };
    assert_eq!(
        lines(&all.with_context(user)).await,
        ["mark", "eva", "store"]
    );
}

#[tokio::test]
async fn an_optional_input_is_the_payload_of_a_send_and_none_after_an_edge() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    enum Two {
        First,
        Second,
    }
    async fn second(input: Option<Input<u32>>) -> LogUpdate {
        Log::update().lines([format!("{:?}", input.map(|Input(number)| number))])
    }
    let graph = Graph::<Log, Two>::builder()
        .node(Two::First, || async {
            Command::<Log, Two>::send(Two::Second, &7_u32)
        })
        .node(Two::Second, second)
        .start(Two::First)
        .may_send_as::<u32>(Two::First, &[Two::Second])
        .edge(Two::First, Two::Second)
        .finish(Two::Second)
        .build()
        .unwrap();
    let outcome = graph.run("t", Log::update()).await.unwrap();
    let mut lines = outcome.state().lines.clone();
    lines.sort();
    assert_eq!(lines, ["None", "Some(7)"]);
}

#[tokio::test]
async fn one_function_is_a_node_and_an_error_handler_by_an_optional_failure() {
    let failing = Graph::<Log, One>::builder()
        .node_with(
            One::Only,
            || async { Err::<(), _>(NodeError::msg("no paper")) },
            NodeOptions::default().on_error(present),
        )
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap();
    assert_eq!(lines(&failing).await, ["no paper"]);
}

#[tokio::test]
async fn a_context_that_is_there_and_does_not_fit_is_an_error_for_an_option_too() {
    let graph = one(|graph| graph, present).with_context(7_u32);
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1013");
}

#[test]
fn an_optional_input_of_another_type_than_is_sent_does_not_build() {
    let built = Graph::<Log, One>::builder()
        .node(One::Only, present)
        .start(One::Only)
        .may_send_as::<String>(One::Only, &[One::Only])
        .finish(One::Only)
        .build();
    let BuildErrors(errors) = built.err().unwrap();
    assert!(
        matches!(errors.as_slice(), [BuildError::OtherPayload { .. }]),
        "{errors:?}"
    );
}

#[test]
fn needs_of_the_options_of_a_node_are_checked_as_those_of_its_arguments() {
    let mut needs = superstep::Needs::default();
    needs.store();
    let graph = Graph::<Log, One>::builder()
        .node_with(One::Only, present, NodeOptions::default().needs(needs))
        .start(One::Only)
        .finish(One::Only);
    let BuildErrors(errors) = graph.build().err().unwrap();
    assert_eq!(errors, [BuildError::NoStore("only".into())]);
}
