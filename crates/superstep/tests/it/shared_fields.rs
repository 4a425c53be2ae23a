//! A graph as a node of another, on the fields that both states have.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use superstep::{Command, Handler, ToParent, prelude::*};

use crate::plain::saver;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
struct Team {
    topic: String,
    #[reduce(Append)]
    log: Vec<String>,
    #[reduce(Sum)]
    spent: u32,
    #[reduce(Merge)]
    notes: BTreeMap<String, String>,
    #[reduce(Max)]
    best: i32,
    owner: String,
}

/// The reducers of `log` and `spent` are others than the team's: the types are the same.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Work {
    topic: String,
    log: Vec<String>,
    spent: u32,
    #[reduce(Merge)]
    notes: BTreeMap<String, String>,
    #[reduce(Max)]
    best: i32,
    own: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Top {
    Work,
    Beside,
    Late,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Inner {
    Do,
}

fn work<Args>(handler: impl Handler<Work, Inner, Args>) -> Graph<Work, Inner> {
    Graph::builder()
        .nested()
        .node(Inner::Do, handler)
        .start(Inner::Do)
        .finish(Inner::Do)
        .build()
        .unwrap()
}

/// The child runs in one step with a node that writes the same fields; tasks of a step are folded by their names.
fn team(child: &Graph<Work, Inner>) -> Graph<Team, Top> {
    Graph::builder()
        .saver(saver())
        .subgraph_shared(Top::Work, child)
        .node(Top::Beside, || async {
            Team::update().log(["beside"]).spent(100)
        })
        .node(Top::Late, || async { Team::update().log(["late"]) })
        .start(Top::Work)
        .start(Top::Beside)
        .may_goto(Top::Work, &[Top::Late])
        .finish(Top::Late)
        .finish(Top::Work)
        .finish(Top::Beside)
        .build()
        .unwrap()
}

fn given() -> TeamUpdate {
    Team::update()
        .topic("rain")
        .log(["asked"])
        .spent(7)
        .notes([("a".to_owned(), "1".to_owned())].into())
        .best(5)
        .owner("ann")
}

async fn run(child: &Graph<Work, Inner>) -> Snap<Team> {
    let outcome = team(child).run("t", given()).await.unwrap();
    outcome.state().clone()
}

#[tokio::test]
async fn what_a_child_added_is_added_beside_the_writes_of_other_tasks() {
    let child = work(|seen: Snap<Work>| async move {
        assert_eq!((seen.spent, seen.best, &*seen.topic), (7, 5, "rain"));
        let mut log = seen.log.clone();
        log.push("worked".to_owned());
        Work::update()
            .log(log)
            .spent(seen.spent + 3)
            .notes([("b".to_owned(), "2".to_owned())].into())
            .best(9)
            .own("not shared")
    });
    let state = run(&child).await;
    assert_eq!(state.log, ["asked", "beside", "worked"]);
    assert_eq!((state.spent, state.best), (110, 9));
    assert_eq!(state.notes.len(), 2);
    assert_eq!((&*state.topic, &*state.owner), ("rain", "ann"));
}

#[tokio::test]
async fn a_child_that_changes_nothing_writes_nothing() {
    let child = work(|| async { Work::update().own("mine").topic("rain") });
    let graph = team(&child);
    let outcome = graph.run("t", given()).await.unwrap();
    let state = outcome.state();
    assert_eq!(state.log, ["asked", "beside"]);
    assert_eq!((state.spent, state.best), (107, 5));
}

#[tokio::test]
async fn what_no_addition_explains_overwrites_the_field() {
    let child = work(|| async { Work::update().log(["anew"]).spent(2) });
    let state = run(&child).await;
    // An overwrite is worth more than what others reduce into the field in that step.
    assert_eq!(state.log, ["anew"]);
    assert_eq!(state.spent, 2);
}

#[tokio::test]
async fn a_command_for_the_graph_above_goes_only_where_its_node_may() {
    let to = |node| work(move || async move { ToParent(Command::<Team, Top>::goto(node)) });
    let state = run(&to(Top::Late)).await;
    assert_eq!(state.log, ["asked", "beside", "late"]);
    let refused = team(&to(Top::Beside)).run("t", given()).await;
    assert_eq!(refused.err().unwrap().code(), "SS1014");
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Notes {
    #[reduce(Merge)]
    sorted: BTreeMap<String, u32>,
    #[reduce(Merge)]
    hashed: HashMap<String, u32>,
    #[state(ephemeral)]
    alert: Option<String>,
}

fn entry<M: FromIterator<(String, u32)>>(name: &str, value: u32) -> M {
    [(name.to_owned(), value)].into_iter().collect()
}

#[tokio::test]
async fn entries_and_alerts_that_a_child_leaves_alone_are_not_written() {
    let notes = |name: &'static str, value| {
        Graph::<Notes, Inner>::builder()
            .nested()
            .node(Inner::Do, move || async move {
                Notes::update()
                    .sorted(entry(name, value))
                    .hashed(entry(name, value))
            })
            .start(Inner::Do)
            .finish(Inner::Do)
            .build()
            .unwrap()
    };
    let graph = Graph::<Notes, Top>::builder()
        .subgraph_shared(Top::Work, &notes("a", 10))
        .subgraph_shared(Top::Beside, &notes("b", 20))
        .node(Top::Late, || async {
            Notes::update().alert("late".to_owned())
        })
        .start(Top::Work)
        .start(Top::Beside)
        .start(Top::Late)
        .finish(Top::Work)
        .finish(Top::Beside)
        .finish(Top::Late)
        .build()
        .unwrap();
    let both = |value: u32| ["a", "b"].map(|name| (name.to_owned(), value));
    let input = Notes::update()
        .sorted(both(1).into())
        .hashed(both(1).into())
        .alert("at first".to_owned());
    let outcome = graph.run("t", input).await.unwrap();
    let state = outcome.state();
    assert_eq!((state.sorted["a"], state.sorted["b"]), (10, 20));
    assert_eq!((state.hashed["a"], state.hashed["b"]), (10, 20));
    assert_eq!(state.alert.as_deref(), Some("late"));
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Kept {
    scratch: String,
    alert: String,
    step: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Lost {
    #[state(untracked)]
    scratch: String,
    #[state(ephemeral)]
    alert: String,
    step: u32,
}

#[tokio::test]
async fn what_a_child_does_not_store_is_not_reset_in_the_graph_around_it() {
    let child = Graph::<Lost, Inner>::builder()
        .nested()
        .node(Inner::Do, |ctx: Ctx| async move {
            ctx.ask(Which)?;
            Ok::<_, NodeError>(Lost::update().step(1))
        })
        .start(Inner::Do)
        .finish(Inner::Do)
        .build()
        .unwrap();
    let graph = Graph::<Kept, Inner>::builder()
        .saver(saver())
        .subgraph_shared(Inner::Do, &child)
        .start(Inner::Do)
        .finish(Inner::Do)
        .build()
        .unwrap();
    let input = Kept::update().scratch("kept").alert("fire");
    let outcome = graph.run("t", input).await.unwrap();
    let answer = outcome.asks()[0].answer::<Which>(&"this".to_owned());
    let outcome = graph.answer("t", [answer.unwrap()]).await.unwrap();
    let state = outcome.state();
    assert_eq!((&*state.scratch, &*state.alert), ("kept", "fire"));
    assert_eq!(state.step, 1);
}

#[derive(Serialize, Ask)]
#[ask(answer = String)]
struct Which;

#[tokio::test]
async fn a_child_that_asks_goes_on_from_its_answer() {
    let child = work(|seen: Snap<Work>, ctx: Ctx| async move {
        let answer = ctx.ask(Which)?;
        let log: Vec<String> = seen.log.iter().cloned().chain([answer]).collect();
        Ok::<_, NodeError>(Work::update().log(log))
    });
    let graph = team(&child);
    let outcome = graph.run("t", given()).await.unwrap();
    let answer = outcome.asks()[0].answer::<Which>(&"this".to_owned());
    let outcome = graph.answer("t", [answer.unwrap()]).await.unwrap();
    assert_eq!(outcome.state().log, ["asked", "beside", "this"]);
}

mod elsewhere {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize)]
    pub(super) struct Place;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Trip {
        place: Place,
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Place;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Trip {
    place: Place,
}

#[test]
fn types_that_only_have_one_name_are_not_one_type() {
    let child = Graph::<elsewhere::Trip, Inner>::builder()
        .nested()
        .node(Inner::Do, || async {})
        .start(Inner::Do)
        .finish(Inner::Do)
        .build()
        .unwrap();
    let refused = Graph::<Trip, Inner>::builder()
        .subgraph_shared(Inner::Do, &child)
        .start(Inner::Do)
        .finish(Inner::Do)
        .build();
    let why = refused.err().unwrap().to_string();
    assert!(why.contains("[SS4023]"), "{why}");
    assert!(why.contains("`place` has another type"), "{why}");
}
