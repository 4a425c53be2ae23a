//! Threads written by an older version of the state.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superstep::{Fidelity, Fit, prelude::*};

use crate::plain::{PlainSaver, saver};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Only,
}

#[derive(Serialize, Ask)]
#[ask(answer = bool)]
struct Go;

mod v1 {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Mail {
        pub(super) title: String,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }
}

mod v3 {
    use serde_json::Value;

    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 3, migrate(1 => rename_title, 2 => add_stars))]
    pub(super) struct Mail {
        pub(super) subject: String,
        pub(super) stars: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }

    fn rename_title(mut data: Value) -> Result<Value, String> {
        let fields = data.as_object_mut().ok_or("not an object")?;
        let title = fields.remove("title").ok_or("no title")?;
        fields.insert("subject".to_owned(), title);
        Ok(data)
    }

    fn add_stars(mut data: Value) -> Result<Value, String> {
        data.as_object_mut()
            .ok_or("not an object")?
            .insert("stars".to_owned(), 5.into());
        Ok(data)
    }
}

mod v3_without {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 3)]
    pub(super) struct Mail {
        pub(super) subject: String,
    }
}

mod v1_changed {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Mail {
        pub(super) title: Option<String>,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }
}

fn graph<S: superstep::State, Args>(
    saver: &Arc<PlainSaver>,
    handler: impl superstep::Handler<S, One, Args>,
) -> Graph<S, One> {
    Graph::<S, One>::builder()
        .saver(saver.clone())
        .node(One::Only, handler)
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap()
}

/// A thread of version 1 that waits for an answer.
async fn old_thread() -> Arc<PlainSaver> {
    let saver = saver();
    let old = graph::<v1::Mail, _>(&saver, |ctx: Ctx| async move {
        ctx.ask(Go)?;
        Ok::<_, NodeError>(())
    });
    let input = v1::Mail::update().title("hello").log(["one".to_owned()]);
    assert_eq!(old.run("t", input).await.unwrap().asks().len(), 1);
    saver
}

#[tokio::test]
async fn a_thread_of_an_older_version_is_migrated_step_by_step_and_goes_on() {
    let saver = old_thread().await;
    let new = graph(&saver, |mail: Snap<v3::Mail>, ctx: Ctx| async move {
        ctx.ask(Go)?;
        let line = format!("{} with {} stars", mail.subject, mail.stars);
        Ok::<_, NodeError>(v3::Mail::update().log([line]))
    });
    let seen = new.state("t").await.unwrap();
    assert_eq!((&*seen.state.subject, seen.state.stars), ("hello", 5));
    let done = new
        .answer("t", [(seen.asks[0].id, true)])
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.log, ["one", "hello with 5 stars"]);
    let again = new.state("t").await.unwrap();
    assert_eq!(again.state.log, done.log);
}

#[tokio::test]
async fn a_thread_without_a_migration_is_refused() {
    let saver = old_thread().await;
    let new = graph::<v3_without::Mail, _>(&saver, || async {});
    for error in [
        new.resume("t").await.unwrap_err(),
        new.state("t").await.unwrap_err(),
    ] {
        assert_eq!(error.code(), "SS1201");
        assert!(
            error.to_string().contains("from version 1 to version 3"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn changed_fields_without_a_new_version_are_refused() {
    let saver = old_thread().await;
    let new = graph::<v1_changed::Mail, _>(&saver, || async {});
    assert_eq!(new.resume("t").await.unwrap_err().code(), "SS1201");
}

/// Version 2 of `v1::Mail` with another migration each.
macro_rules! second {
    ($($module:ident: $migration:expr;)+) => {$(
        mod $module {
            #[allow(unused_imports)]
            use serde_json::{Value, json};

            use super::*;

            #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
            #[state(version = 2, migrate(1 => migrate))]
            pub(super) struct Mail {
                pub(super) title: String,
                pub(super) stars: u32,
                pub(super) note: Option<String>,
                #[reduce(Append)]
                pub(super) log: Vec<String>,
                #[state(ephemeral)]
                pub(super) alert: String,
            }

            fn migrate(data: Value) -> Result<Value, String> {
                let migration: fn(Value) -> Value = $migration;
                Ok(migration(data))
            }

            pub(super) async fn open(saver: &Arc<PlainSaver>) -> Result<Mail, superstep::Error> {
                let graph = graph::<Mail, _>(saver, || async {});
                let seen = graph.state("t").await.map(|found| found.state);
                let checked = graph.check_thread("t").await;
                assert_eq!(checked.is_ok(), seen.is_ok(), "{checked:?}");
                seen.map(|state| Mail::clone(&state))
            }
        }
    )+};
}

second! {
    whole: |mut data| {
        data["stars"] = json!(3);
        data
    };
    forgets_new: |data| data;
    forgets_old: |_| json!({"stars": 3, "title": "hello"});
    empty: |_| json!(null);
    list: |data| json!([data]);
    misspelt: |mut data| {
        data["stars"] = json!(3);
        data["subject"] = data["title"].clone();
        data
    };
}

#[tokio::test]
async fn a_migration_that_leaves_something_out_or_invents_something_is_refused_by_name() {
    let saver = old_thread().await;
    let refused = [
        (forgets_new::open(&saver).await.err(), "`stars`"),
        (forgets_old::open(&saver).await.err(), "`log`"),
        (empty::open(&saver).await.err(), "object"),
        (list::open(&saver).await.err(), "object"),
        (misspelt::open(&saver).await.err(), "`subject`"),
    ];
    for (error, names) in refused {
        let error = error.expect(names);
        assert_eq!(error.code(), "SS1201");
        assert!(error.to_string().contains(names), "{names}: {error}");
    }
    // Fields that may be absent need not be made.
    let mail = whole::open(&saver).await.unwrap();
    assert_eq!((&*mail.title, mail.stars), ("hello", 3));
    assert_eq!((mail.note, &*mail.alert), (None, ""));
    assert_eq!(mail.log, ["one"]);
}

mod v1_more {
    use super::*;

    /// Another order, other spellings, and fields that a stored state may lack.
    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Mail {
        pub(super) note: Option<String>,
        #[reduce(superstep::Append)]
        pub(super) log: ::std::vec::Vec<std::string::String>,
        #[serde(rename = "stars", default)]
        pub(super) stars: u32,
        pub(super) title: std::string::String,
        #[state(untracked)]
        pub(super) seen: u32,
    }
}

#[tokio::test]
async fn additions_that_may_be_absent_another_order_and_other_spellings_need_no_version() {
    let saver = old_thread().await;
    let new = graph::<v1_more::Mail, _>(&saver, |ctx: Ctx| async move {
        ctx.ask(Go)?;
        let update = v1_more::Mail::update().note("read".to_owned());
        Ok::<_, NodeError>(update.log(["two".to_owned()]))
    });
    assert_eq!(new.check_thread("t").await.unwrap(), Fit::ByName);
    let seen = new.state("t").await.unwrap();
    assert_eq!((&*seen.state.title, seen.state.stars), ("hello", 0));
    let done = new.answer("t", [(seen.asks[0].id, true)]).await.unwrap();
    let done = done.done().unwrap();
    assert_eq!((done.note.as_deref(), done.seen), (Some("read"), 0));
    assert_eq!(done.log, ["one", "two"]);
    assert_eq!(new.check_thread("t").await.unwrap(), Fit::Same);
    // The older program would lose the new fields.
    let old = graph::<v1::Mail, _>(&saver, || async {});
    let error = old.state("t").await.unwrap_err();
    assert_eq!(error.code(), "SS1201");
    assert!(error.to_string().contains("`note` is gone"), "{error}");
}

mod v1_required {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Mail {
        pub(super) title: String,
        pub(super) stars: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }
}

#[tokio::test]
async fn an_addition_that_must_be_there_is_refused_by_name() {
    let saver = old_thread().await;
    let new = graph::<v1_required::Mail, _>(&saver, || async {});
    let error = new.state("t").await.unwrap_err();
    assert_eq!(error.code(), "SS1201");
    assert!(error.to_string().contains("`stars` is new"), "{error}");
    assert!(error.hint().unwrap().contains("version = 2"));
}

#[tokio::test]
async fn a_newer_thread_is_refused_by_an_older_program() {
    let saver = saver();
    let new = graph::<v3::Mail, _>(&saver, || async {});
    new.run("t", v3::Mail::update()).await.unwrap();
    let old = graph::<v1::Mail, _>(&saver, || async {});
    assert_eq!(
        old.run("t", v1::Mail::update()).await.unwrap_err().code(),
        "SS1201"
    );
}

mod number {
    use super::*;
    pub(super) type Amount = u32;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Bill {
        pub(super) amount: Amount,
    }
}

mod words {
    use super::*;
    pub(super) type Amount = Vec<String>;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Bill {
        pub(super) amount: Amount,
    }
}

#[tokio::test]
async fn stored_data_of_another_type_is_an_error_that_names_the_field() {
    let saver = saver();
    let numbers = graph::<number::Bill, _>(&saver, || async {});
    numbers
        .run("t", number::Bill::update().amount(5))
        .await
        .unwrap();
    let texts = graph::<words::Bill, _>(&saver, || async {});
    let error = texts.state("t").await.unwrap_err();
    assert_eq!(error.code(), "SS1013");
    assert!(error.to_string().contains("`amount`"), "{error}");
}

#[tokio::test]
async fn a_check_says_how_a_thread_fits_without_running_it() {
    let saver = old_thread().await;
    let same = graph::<v1::Mail, _>(&saver, || async {});
    assert_eq!(same.check_thread("t").await.unwrap(), Fit::Same);
    let new = graph::<v3::Mail, _>(&saver, || async {});
    assert_eq!(new.check_thread("t").await.unwrap(), Fit::Migrated);
    let without = graph::<v3_without::Mail, _>(&saver, || async {});
    assert_eq!(
        without.check_thread("t").await.unwrap_err().code(),
        "SS1201"
    );
    let none = new.check_thread("another").await.unwrap_err();
    assert_eq!(none.code(), "SS2003");
    // Nothing was migrated in place: the old program can still continue.
    let found = same.state("t").await.unwrap();
    assert_eq!(found.asks.len(), 1);
    let numbers = graph::<number::Bill, _>(&saver, || async {});
    let bill = number::Bill::update().amount(5);
    numbers.run("bill", bill).await.unwrap();
    let texts = graph::<words::Bill, _>(&saver, || async {});
    let error = texts.check_thread("bill").await.unwrap_err();
    assert_eq!(error.code(), "SS1013");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Before {
    Write,
    Review,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum After {
    Write,
    Approve,
}

async fn write() -> v1::MailUpdate {
    v1::Mail::update().log(["written".to_owned()])
}

async fn review(ctx: Ctx) -> Result<v1::MailUpdate, NodeError> {
    ctx.ask(Go)?;
    Ok(v1::Mail::update().log(["reviewed".to_owned()]))
}

fn reviewed(saver: &Arc<PlainSaver>) -> Graph<v1::Mail, Before> {
    Graph::<v1::Mail, Before>::builder()
        .saver(saver.clone())
        .node(Before::Write, write)
        .node(Before::Review, review)
        .start(Before::Write)
        .edge(Before::Write, Before::Review)
        .finish(Before::Review)
        .build()
        .unwrap()
}

/// The same graph after `Review` was renamed.
fn approved(saver: &Arc<PlainSaver>) -> Graph<v1::Mail, After> {
    Graph::<v1::Mail, After>::builder()
        .saver(saver.clone())
        .node(After::Write, write)
        .node(After::Approve, review)
        .start(After::Write)
        .edge(After::Write, After::Approve)
        .finish(After::Approve)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_thread_that_waits_for_a_node_that_is_gone_is_refused_and_nothing_is_lost() {
    let saver = saver();
    let (old, new) = (reviewed(&saver), approved(&saver));
    let asked = old.run("t", v1::Mail::update().title("x")).await.unwrap();
    let ask = asked.asks()[0].id;
    for error in [
        new.check_thread("t").await.unwrap_err(),
        new.resume("t").await.unwrap_err(),
        new.answer("t", [(ask, true)]).await.unwrap_err(),
        new.run("t", v1::Mail::update()).await.unwrap_err(),
        new.update_state("t", v1::Mail::update().title("y"), Some(After::Write))
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.code(), "SS1203", "{error}");
        assert!(error.to_string().contains("`review`"), "{error}");
        assert!(error.to_string().contains("thread `t`"), "{error}");
    }
    // It can be looked at, and its history too.
    let seen = new.state("t").await.unwrap();
    assert_eq!(seen.state.log, ["written"]);
    let history = new.history("t").await.unwrap();
    assert_eq!(history.len(), old.history("t").await.unwrap().len());
    // A fork from before the node continues, in the new graph.
    let before = history.iter().find(|at| at.next == [After::Write]).unwrap();
    new.copy_thread("t", "forked").await.unwrap();
    new.fork("forked", before.id.unwrap()).await.unwrap();
    assert_eq!(new.check_thread("forked").await.unwrap(), Fit::Same);
    let asked = new.resume("forked").await.unwrap();
    assert_eq!(asked.asks().len(), 1);
    // And the old graph still continues where it stood.
    let done = old.answer("t", [(ask, true)]).await.unwrap();
    assert_eq!(done.done().unwrap().log, ["written", "reviewed"]);
    // A thread that is done waits for nothing.
    assert_eq!(new.check_thread("t").await.unwrap(), Fit::ByName);
    let again = new.run("t", v1::Mail::update().title("again")).await;
    assert_eq!(again.unwrap().asks().len(), 1);
}

#[tokio::test]
async fn a_run_that_is_as_faithful_as_asked_does_without_a_node_that_is_gone() {
    let saver = saver();
    let (old, new) = (reviewed(&saver), approved(&saver));
    old.run("t", v1::Mail::update().title("x")).await.unwrap();
    assert_eq!(new.resume("t").await.unwrap_err().code(), "SS1203");
    let faithful = new.with_options(|options| options.fidelity = Fidelity::LangGraph);
    let outcome = faithful.resume("t").await.unwrap();
    assert_eq!(outcome.done().unwrap().log, ["written"]);
}
