//! What is on its way between two states when a newer version of the program comes: results in an open step, input that
//! no node has taken, and runs in the queue.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superstep::{
    RunQuery, RunStatus,
    dynamic::{DynUpdate, END, Worker},
    prelude::*,
};

use crate::plain::{PlainSaver, saver};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Count,
    Check,
}

#[derive(Serialize, Ask)]
#[ask(answer = bool)]
struct Go;

mod v1 {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Till {
        pub(super) euros: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }
}

mod v2 {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2, migrate(1 => to_cents))]
    pub(super) struct Till {
        pub(super) cents: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }

    fn to_cents(mut data: Value) -> Result<Value, String> {
        let fields = data.as_object_mut().ok_or("no object")?;
        let euros = fields.remove("euros").and_then(|it| it.as_u64());
        fields.insert("cents".to_owned(), (euros.unwrap_or_default() * 100).into());
        Ok(data)
    }
}

macro_rules! program {
    ($saver:expr, $version:ident, $field:ident) => {{
        let count = || async { $version::Till::update().$field(5u32) };
        let check = |ctx: Ctx| async move {
            ctx.ask(Go)?;
            Ok::<_, NodeError>($version::Till::update().log(["checked".to_owned()]))
        };
        Graph::<$version::Till, Node>::builder()
            .name("till")
            .saver($saver.clone())
            .node(Node::Count, count)
            .node(Node::Check, check)
            .start(Node::Count)
            .start(Node::Check)
            .finish(Node::Count)
            .finish(Node::Check)
            .build()
            .unwrap()
    }};
}

fn old(saver: &Arc<PlainSaver>) -> Graph<v1::Till, Node> {
    program!(saver, v1, euros)
}

fn new(saver: &Arc<PlainSaver>) -> Graph<v2::Till, Node> {
    program!(saver, v2, cents)
}

#[tokio::test]
async fn a_newer_version_does_not_take_over_results_of_a_step_that_has_not_ended() {
    let saver = saver();
    let (old, new) = (old(&saver), new(&saver));
    let asked = old.run("t", v1::Till::update()).await.unwrap();
    let answer = || [(asked.asks()[0].id, true)];
    let end = DynUpdate {
        as_node: Some(END.into()),
        ..DynUpdate::default()
    };
    let refused = [
        new.resume("t").await.map(drop),
        new.answer("t", answer()).await.map(drop),
        new.check_thread("t").await.map(drop),
        new.dynamic()
            .update_state(&"t".into(), None, end)
            .await
            .map(drop),
        new.update_state("t", v2::Till::update().cents(1u32), Some(Node::Check))
            .await
            .map(drop),
    ];
    for refused in refused {
        let error = refused.unwrap_err();
        assert_eq!(error.code(), "SS1201", "{error}");
        assert!(error.to_string().contains("has not ended"), "{error}");
    }
    // The program that began the step ends it, and the newer one continues from there.
    let done = old.answer("t", answer()).await.unwrap();
    assert_eq!(done.done().unwrap().euros, 5);
    assert_eq!(new.state("t").await.unwrap().state.cents, 500);
}

#[tokio::test]
async fn a_newer_version_does_not_take_input_that_waits_for_the_first_node() {
    let saver = saver();
    let (old, new) = (old(&saver), new(&saver));
    let input = DynUpdate {
        output: superstep::dynamic::Output::Update(json!({ "euros": 3 }).into()),
        as_node: Some("__input__".into()),
    };
    let edited = old.dynamic().update_state(&"t".into(), None, input).await;
    edited.unwrap();
    let error = new.resume("t").await.unwrap_err();
    assert_eq!(error.code(), "SS1201");
    assert!(error.to_string().contains("input"), "{error}");
    assert_eq!(old.resume("t").await.unwrap().state().euros, 5);
}

#[tokio::test]
async fn a_run_in_the_queue_waits_for_a_worker_of_its_version() {
    let saver = saver();
    let (old, new) = (old(&saver), new(&saver));
    let run = old.to_queue("t", v1::Till::update().euros(3u32)).unwrap();
    old.enqueue_run(run).await.unwrap();
    let worker = Worker::new([new.dynamic().clone()], Default::default()).unwrap();
    let worked = worker.work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap_err().code(), "SS1201");
    let runs = new.runs("t", &RunQuery::default()).await.unwrap();
    assert_eq!(
        runs[0].status(),
        RunStatus::Queued,
        "it waits for a worker of its version"
    );
    let kept = runs[0].queued.as_ref().map(|it| it.input.clone());
    assert!(format!("{kept:?}").contains("euros"), "{kept:?}");
}

mod panics {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2, migrate(1 => fails))]
    pub(super) struct Till {
        pub(super) cents: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }

    fn fails(data: Value) -> Result<Value, String> {
        panic!("no such key in {data}")
    }
}

#[tokio::test]
async fn a_migration_that_panics_is_an_error_and_the_thread_stays_as_it_is() {
    let saver = saver();
    let asked = old(&saver).run("t", v1::Till::update()).await.unwrap();
    let answer = [(asked.asks()[0].id, true)];
    old(&saver).answer("t", answer).await.unwrap();
    let broken: Graph<panics::Till, Node> = program!(saver, panics, cents);
    let error = broken.state("t").await.unwrap_err();
    assert_eq!(error.code(), "SS1201");
    assert!(error.to_string().contains("no such key"), "{error}");
    assert_eq!(new(&saver).state("t").await.unwrap().state.cents, 500);
}

/// Two nodes that ask at once, in a program whose fields are in another order or of another version.
macro_rules! asking {
    ($saver:expr, $state:ty, $field:ident, $first:expr) => {{
        let ask = |n: u32| {
            move |ctx: Ctx| async move {
                ctx.ask(Go)?;
                Ok::<_, NodeError>(<$state>::update().$field([n]))
            }
        };
        Graph::<$state, Node>::builder()
            .name("asking")
            .saver($saver.clone())
            .node(Node::Count, ask($first))
            .node(Node::Check, ask($first + 1))
            .start(Node::Count)
            .start(Node::Check)
            .finish(Node::Count)
            .finish(Node::Check)
            .build()
            .unwrap()
    }};
}

mod before {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct List {
        #[reduce(Append)]
        pub(super) items: Vec<u32>,
        #[reduce(Append)]
        pub(super) others: Vec<u32>,
    }
}

mod reordered {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct List {
        #[reduce(Append)]
        pub(super) others: Vec<u32>,
        #[reduce(Append)]
        pub(super) items: Vec<u32>,
    }
}

mod renamed {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2, migrate(1 => rename))]
    pub(super) struct List {
        #[reduce(Append)]
        pub(super) others: Vec<u32>,
        #[reduce(Append)]
        pub(super) things: Vec<u32>,
    }

    fn rename(mut data: Value) -> Result<Value, String> {
        let fields = data.as_object_mut().ok_or("no object")?;
        let items = fields.remove("items").ok_or("no items")?;
        fields.insert("things".to_owned(), items);
        Ok(data)
    }
}

#[tokio::test]
async fn answers_given_one_by_one_to_a_newer_program_have_their_results_in_their_fields() {
    let saver = saver();
    let old = asking!(saver, before::List, items, 10);
    let asks = old.run("t", before::List::update()).await.unwrap();
    let asks = asks.asks().to_vec();
    let new = asking!(saver, reordered::List, items, 20);
    new.answer("t", [(asks[0].id, true)]).await.unwrap();
    let seen = new.state("t").await.unwrap();
    assert_eq!((seen.state.items.len(), seen.asks.len()), (1, 1));
    let done = new.answer("t", [(asks[1].id, true)]).await.unwrap();
    let done = done.done().unwrap();
    // Tasks of a step are in order of their names.
    assert_eq!((&*done.items, &*done.others), (&[21, 20][..], &[][..]));
}

#[tokio::test]
async fn results_of_a_newer_version_are_finished_by_that_version_and_by_no_other() {
    let saver = saver();
    let old = asking!(saver, before::List, items, 10);
    let asks = old.run("t", before::List::update()).await.unwrap();
    let asks = asks.asks().to_vec();
    let new = asking!(saver, renamed::List, things, 20);
    new.answer("t", [(asks[0].id, true)]).await.unwrap();
    let error = old.answer("t", [(asks[1].id, true)]).await.unwrap_err();
    assert_eq!(error.code(), "SS1201");
    assert!(error.to_string().contains("of version 2"), "{error}");
    let done = new.answer("t", [(asks[1].id, true)]).await.unwrap();
    assert_eq!(done.done().unwrap().things, [21, 20]);
}

/// A node that is done beside one that asks; what the first writes is up to the version.
macro_rules! beside {
    ($saver:expr, $state:ty, $written:expr) => {{
        let asks = |ctx: Ctx| async move {
            ctx.ask(Go)?;
            Ok::<_, NodeError>(())
        };
        Graph::<$state, Node>::builder()
            .name("beside")
            .saver($saver.clone())
            .node(Node::Count, move || {
                let written = $written.clone();
                async move { written }
            })
            .node(Node::Check, asks)
            .start(Node::Count)
            .start(Node::Check)
            .finish(Node::Count)
            .finish(Node::Check)
            .build()
            .unwrap()
    }};
}

mod updates {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2, migrate(1 => to_cents), migrate_update(1 => to_cents))]
    pub(super) struct Till {
        pub(super) cents: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }

    fn to_cents(mut data: Value) -> Result<Value, String> {
        let fields = data.as_object_mut().ok_or("no object")?;
        if let Some(euros) = fields.remove("euros").and_then(|it| it.as_u64()) {
            fields.insert("cents".to_owned(), (euros * 100).into());
        }
        Ok(data)
    }
}

/// A price in euros, then in cents, under the same name and type; the notes are in a set.
mod priced {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Old {
        pub(super) price: u32,
        #[reduce(Append)]
        pub(super) notes: Vec<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2, migrate(1 => to_cents))]
    pub(super) struct New {
        pub(super) price: u32,
        pub(super) notes: Vec<String>,
    }

    fn to_cents(mut data: Value) -> Result<Value, String> {
        let euros = data["price"].as_u64().unwrap_or_default();
        data["price"] = (euros * 100).into();
        Ok(data)
    }
}

#[tokio::test]
async fn results_beside_an_open_question_are_taken_over_where_their_fields_are_the_same() {
    let saver = saver();
    let old = beside!(saver, v1::Till, v1::Till::update().log(["counted"]));
    let asked = old.run("t", v1::Till::update().euros(3u32)).await.unwrap();
    let new = beside!(saver, v2::Till, v2::Till::update().log(["again"]));
    assert_eq!(
        new.check_thread("t").await.unwrap(),
        superstep::Fit::Migrated
    );
    let seen = new.state("t").await.unwrap().state;
    assert_eq!((seen.cents, &*seen.log), (300, &["counted".to_owned()][..]));
    let answer = [(asked.asks()[0].id, true)];
    let done = new.answer("t", answer).await.unwrap().done().unwrap();
    assert_eq!((done.cents, &*done.log), (300, &["counted".to_owned()][..]));
}

#[tokio::test]
async fn results_of_fields_that_changed_are_taken_over_by_a_declared_migration() {
    let saver = saver();
    let old = beside!(saver, v1::Till, v1::Till::update().euros(7u32));
    let asked = old.run("t", v1::Till::update().euros(3u32)).await.unwrap();
    let answer = || [(asked.asks()[0].id, true)];
    let without = beside!(saver, v2::Till, v2::Till::update().cents(1u32));
    let error = without.answer("t", answer()).await.unwrap_err();
    assert_eq!(error.code(), "SS1201");
    assert!(error.to_string().contains("migrate_update(1 =>"), "{error}");
    let with = beside!(saver, updates::Till, updates::Till::update().cents(1u32));
    let done = with.answer("t", answer()).await.unwrap().done().unwrap();
    assert_eq!(done.cents, 700);
}

#[tokio::test]
async fn a_field_that_means_something_else_under_the_same_name_is_not_taken_over() {
    use priced::{New, Old};
    let saver = saver();
    let written = [Old::update().price(5u32), Old::update().notes(["n"])];
    for (at, written) in written.into_iter().enumerate() {
        let thread = format!("t{at}");
        let old = beside!(saver, Old, written.clone());
        old.run(&*thread, Old::update()).await.unwrap();
        let new = beside!(saver, New, New::update());
        let error = new.resume(&*thread).await.unwrap_err();
        assert_eq!(error.code(), "SS1201", "{error}");
        assert!(
            error.to_string().contains("may not mean the same"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn queued_runs_of_an_older_version_are_migrated_or_say_why_not() {
    let saver = saver();
    let old = beside!(saver, v1::Till, v1::Till::update().log(["counted"]));
    let new = beside!(saver, v2::Till, v2::Till::update().log(["counted"]));
    old.enqueue("same", v1::Till::update().log(["queued"]))
        .await
        .unwrap();
    old.enqueue("other", v1::Till::update().euros(3u32))
        .await
        .unwrap();
    assert!(new.stale_runs().await.unwrap().is_empty());
    let work = |graph: &Graph<v2::Till, Node>| {
        let worker = Worker::new([graph.dynamic().clone()], Default::default()).unwrap();
        async move { while worker.work_once().await.unwrap().is_some() {} }
    };
    work(&new).await;
    let seen = new.state("same").await.unwrap().state;
    assert_eq!(seen.log, ["queued", "counted"]);
    let stale = new.stale_runs().await.unwrap();
    assert_eq!(stale.len(), 1);
    let problem = stale[0].problem.as_deref().unwrap();
    assert!(
        problem.contains("version 1") && problem.contains("`euros`"),
        "{problem}"
    );
    assert_eq!(stale[0].status(), RunStatus::Queued);
}

#[tokio::test(start_paused = true)]
async fn stale_runs_begin_once_a_program_declares_their_migration() {
    let saver = saver();
    let old = beside!(saver, v1::Till, v1::Till::update().log(["counted"]));
    let new = beside!(saver, v2::Till, v2::Till::update().log(["counted"]));
    old.enqueue("t", v1::Till::update().euros(3u32))
        .await
        .unwrap();
    let worker = Worker::new([new.dynamic().clone()], Default::default()).unwrap();
    worker
        .work_once()
        .await
        .unwrap()
        .unwrap()
        .outcome
        .unwrap_err();
    let next = beside!(
        saver,
        updates::Till,
        updates::Till::update().log(["counted"])
    );
    assert_eq!(next.stale_runs().await.unwrap().len(), 1);
    tokio::time::advance(std::time::Duration::from_secs(60)).await;
    let worker = Worker::new([next.dynamic().clone()], Default::default()).unwrap();
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();
    assert!(next.stale_runs().await.unwrap().is_empty());
    assert_eq!(next.state("t").await.unwrap().state.cents, 300);
}

#[tokio::test(start_paused = true)]
async fn a_schedule_of_an_older_version_is_migrated_or_says_why_not_and_piles_up_no_runs() {
    use superstep::schedules::CronSchedule;
    let saver = saver();
    let old = beside!(saver, v1::Till, v1::Till::update().log(["counted"]));
    let new = beside!(saver, v2::Till, v2::Till::update().log(["counted"]));
    let minutely = CronSchedule {
        thread: Some("t".into()),
        ..CronSchedule::new("minutely", "* * * * *")
    };
    old.schedule(minutely, v1::Till::update().euros(3u32))
        .await
        .unwrap();
    let worker = Worker::new([new.dynamic().clone()], Default::default()).unwrap();
    for _ in 0..5 {
        tokio::time::advance(std::time::Duration::from_secs(60)).await;
        assert!(worker.work_once().await.unwrap().is_none());
    }
    assert!(
        new.runs("t", &RunQuery::default())
            .await
            .unwrap()
            .is_empty()
    );
    let problem = new.schedules().await.unwrap().remove(0).problem.unwrap();
    assert!(
        problem.contains("version 1") && problem.contains("migrate_update"),
        "{problem}"
    );
    // It was missed, and runs once.
    let next = beside!(
        saver,
        updates::Till,
        updates::Till::update().log(["counted"])
    );
    let worker = Worker::new([next.dynamic().clone()], Default::default()).unwrap();
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();
    assert!(worker.work_once().await.unwrap().is_none());
    assert_eq!(next.schedules().await.unwrap()[0].problem, None);
    assert_eq!(next.state("t").await.unwrap().state.cents, 300);
}
