//! What is learnt: by acts of people, in targeted changes, with a way back.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use superstep::{
    model::{
        Label,
        script::{Step, When},
    },
    store::{
        BoxFuture, Expected, Namespace, Op, Outcome, PutOptions, Store, StoreError, TtlOnRead,
        UnixMillis,
    },
};
use superstep_agent::Change;
use superstep_mail::{Answer, Memory, Topic};

use crate::fixture::{Fixture, answer, asked, done, mail, reply, responder, turns};

fn notes(text: &str) -> Step {
    let data = json!({"chain_of_thought": "so", "user_preferences": text});
    Step::data(data)
        .when(When::schema("user_preferences"))
        .always()
}

async fn taught(
    note: impl Fn(&str) -> String,
) -> (
    Fixture,
    superstep_mail::MailAgent,
    Arc<superstep::model::Script>,
) {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("secret-subject", "secret-body"));
    let memory = Memory::new(fixture.backends().store.unwrap());
    let old = memory.show(Topic::Response).await.unwrap();
    let steps = [turns(&[reply("a.eml", "secret-draft")]), turns(&[done()])];
    let model = Arc::new(responder(steps, vec![notes(&note(&old))]));
    let agent = fixture.agent(model.clone());
    let (_, items) = asked(&agent).await;
    answer(&agent, &items[0], Answer::response("Please be brief.")).await;
    (fixture, agent, model)
}

#[tokio::test]
async fn the_first_look_writes_down_what_a_note_begins_with() {
    let fixture = Fixture::new();
    let store = fixture.backends().store.unwrap();
    let memory = Memory::new(store.clone());
    for topic in Topic::ALL {
        let text = memory.show(topic).await.unwrap();
        assert!(text.lines().count() >= 2);
        let space = superstep::store::Namespace::new(["email_assistant", topic.label()]).unwrap();
        let item = store
            .get(
                &space,
                "user_preferences",
                superstep::store::TtlOnRead::Keep,
            )
            .await
            .unwrap();
        assert_eq!(item.unwrap().value, json!(text));
        assert_eq!(memory.versions(topic).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_store_that_is_only_read_is_not_written_by_a_look() {
    let fixture = Fixture::new();
    let store = fixture.backends().store.unwrap();
    let memory = Memory::read_only(store.clone());
    for topic in Topic::ALL {
        let text = memory.show(topic).await.unwrap();
        let versions = memory.versions(topic).await.unwrap();
        assert_eq!((versions.len(), &versions[0].text), (1, &text));
    }
    let found = store.search(Default::default()).await.unwrap();
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn a_change_is_a_version_that_can_be_compared_and_undone() {
    let (_fixture, agent, _) = taught(|old| format!("{old}\n- Be brief.")).await;
    let memory = agent.memory();
    let versions = memory.versions(Topic::Response).await.unwrap();
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[1].why, "answered `send_email_tool`");
    let diff = memory.diff(Topic::Response, 1, 2).await.unwrap();
    let changed: Vec<&Change> = diff
        .iter()
        .filter(|it| !matches!(it, Change::Kept(_)))
        .collect();
    assert_eq!(changed, [&Change::Added("- Be brief.".into())]);
    let undone = memory.undo(Topic::Response).await.unwrap();
    assert_eq!((undone.number, undone.restores), (3, Some(1)));
    assert_eq!(
        memory.show(Topic::Response).await.unwrap(),
        versions[0].text
    );
    let further = memory.undo(Topic::Response).await.unwrap_err();
    assert_eq!(further.code(), "SS7013");
    let missing = memory.diff(Topic::Response, 1, 9).await.unwrap_err();
    assert_eq!(missing.code(), "SS7012");
}

#[tokio::test]
async fn the_model_that_words_a_note_sees_the_person_and_of_the_mail_only_marked_data() {
    let (_fixture, _agent, model) = taught(|old| format!("{old}\n- Be brief.")).await;
    let seen = model.seen();
    let is_lesson = |it: &&superstep::model::Request| {
        let output = it.output.as_ref();
        output.is_some_and(|it| it.name == "user_preferences")
    };
    let lessons: Vec<_> = seen.iter().filter(is_lesson).collect();
    assert_eq!(lessons.len(), 1);
    let told = |is_data: bool| -> String {
        let messages = lessons[0].messages.iter();
        let messages = messages.filter(|it| (it.label() == Label::Untrusted) == is_data);
        messages.map(|it| it.text()).collect()
    };
    assert!(told(false).contains("Please be brief."));
    assert!(!told(false).contains("secret"), "{}", told(false));
    let data = told(true);
    assert!(
        data.contains("secret-subject") && data.contains("secret-draft"),
        "{data}"
    );
    assert!(!data.contains("secret-body"), "{data}");
}

#[tokio::test]
async fn a_change_that_loses_the_notes_is_refused_and_told() {
    for note in ["", "- Only this.", "- a\n- b\n- c\n- d\n- e\n- f\n- g\n- h"] {
        let (_fixture, agent, _) = taught(|_| note.to_owned()).await;
        assert_eq!(
            agent
                .memory()
                .versions(Topic::Response)
                .await
                .unwrap()
                .len(),
            1
        );
        let thread = agent
            .arrivals(&superstep_mail::IngestOptions {
                include_read: true,
                ..Default::default()
            })
            .await
            .unwrap();
        let thread = superstep_mail::thread_name(&thread[0].thread);
        let state = agent.graph().state(thread.as_str()).await.unwrap().state;
        assert_eq!(state.remarks.len(), 1);
        let remark = &state.remarks[0];
        assert!(
            remark.contains("`response_preferences` stay as they are"),
            "{remark}"
        );
    }
}

#[tokio::test]
async fn an_act_that_teaches_nothing_makes_no_version() {
    let (_fixture, agent, _) = taught(str::to_owned).await;
    assert_eq!(
        agent
            .memory()
            .versions(Topic::Response)
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn what_was_learnt_is_told_to_the_model_that_writes() {
    let (fixture, agent, _) = taught(|old| format!("{old}\n- Be brief.")).await;
    drop(agent);
    fixture.put("b.eml", mail("other", "Hello?"));
    let model = Arc::new(responder([turns(&[done()])], Vec::new()));
    let agent = fixture.agent(model.clone());
    crate::fixture::take_in(&agent).await;
    let seen = model.seen();
    let last = seen.last().unwrap().messages[0].text();
    assert!(last.contains("- Be brief."), "{last}");
}

/// A store on which another process changes a note whenever this one is about to.
struct Rival {
    inner: Arc<dyn Store>,
    /// How often it is faster.
    wins: AtomicUsize,
}

impl Store for Rival {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        Box::pin(async move {
            for op in &ops {
                let Op::Put(put) = op else { continue };
                let is_change = matches!(put.options.expected, Expected::Value(_));
                if is_change && self.wins.load(Ordering::SeqCst) > 0 {
                    self.wins.fetch_sub(1, Ordering::SeqCst);
                    let options = PutOptions::default();
                    let (place, key) = (&put.namespace, &put.key);
                    let item = self.inner.get(place, key, TtlOnRead::Keep).await?;
                    let old = item.unwrap().value.as_str().unwrap().to_owned();
                    let new = json!(format!("{old}\n- Another line {}.", old.lines().count()));
                    self.inner.put(place, key, new, options).await?;
                }
            }
            self.inner.batch(ops).await
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.inner.sweep_expired(now)
    }
}

/// An assistant that is told to be brief while a rival is faster so many times.
async fn told_beside_a_rival(wins: usize) -> (Fixture, superstep_mail::MailAgent, usize) {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("subject", "body"));
    let mut backends = fixture.backends();
    let store = Arc::new(Rival {
        inner: backends.store.take().unwrap(),
        wins: AtomicUsize::new(wins),
    });
    backends.store = Some(store);
    let memory = Memory::new(backends.store.clone().unwrap());
    let first = memory.show(Topic::Response).await.unwrap();
    // What the model makes of the note depends on the note it is shown.
    let mut words = Vec::new();
    let mut note = first;
    for _ in 0..=wins {
        let shown = note.lines().last().unwrap().to_owned();
        let data = json!({
            "chain_of_thought": "so", "user_preferences": format!("{note}\n- Be brief."),
        });
        let lines = note.lines().count();
        let when = When {
            system: Some(format!("{shown}\n</notes>")),
            ..When::schema("user_preferences")
        };
        words.push(Step::data(data).when(when).always());
        note = format!("{note}\n- Another line {lines}.");
    }
    let steps = [turns(&[reply("a.eml", "draft")]), turns(&[done()])];
    let model = Arc::new(responder(steps, words));
    let agent = fixture.agent_with(model.clone(), backends);
    let (_, items) = asked(&agent).await;
    answer(&agent, &items[0], Answer::response("Please be brief.")).await;
    let is_wording = |it: &&superstep::model::Request| {
        let output = it.output.as_ref();
        output.is_some_and(|it| it.name == "user_preferences")
    };
    let asked = model.seen().iter().filter(is_wording).count();
    (fixture, agent, asked)
}

#[tokio::test]
async fn a_note_that_changes_while_it_is_worded_keeps_both_changes() {
    let (_fixture, agent, asked) = told_beside_a_rival(2).await;
    assert_eq!(asked, 3, "once for each note there was");
    let note = agent.memory().show(Topic::Response).await.unwrap();
    assert_eq!(note.matches("- Another line").count(), 2, "{note}");
    assert!(note.ends_with("- Be brief."), "{note}");
    let versions = agent.memory().versions(Topic::Response).await.unwrap();
    assert_eq!(versions.len(), 2);
}

#[tokio::test]
async fn a_note_that_never_stands_still_is_left_and_that_is_told() {
    let (_fixture, agent, asked) = told_beside_a_rival(9).await;
    assert_eq!(asked, 8);
    let note = agent.memory().show(Topic::Response).await.unwrap();
    assert_eq!(note.matches("- Another line").count(), 8, "{note}");
    assert!(!note.contains("Be brief"), "{note}");
    let versions = agent.memory().versions(Topic::Response).await.unwrap();
    assert_eq!(versions.len(), 1);
    let all = superstep_mail::IngestOptions {
        include_read: true,
        ..Default::default()
    };
    let arrived = agent.arrivals(&all).await.unwrap();
    let thread = superstep_mail::thread_name(&arrived[0].thread);
    let state = agent.graph().state(thread.as_str()).await.unwrap().state;
    assert!(
        state.remarks[0].contains("other processes changed them 8 times"),
        "{:?}",
        state.remarks
    );
}

#[tokio::test]
async fn an_undo_that_would_take_back_what_nobody_saw_is_refused() {
    let (fixture, agent, _) = taught(|old| format!("{old}\n- Be brief.")).await;
    drop(agent);
    let store = Arc::new(Rival {
        inner: fixture.backends().store.unwrap(),
        wins: AtomicUsize::new(1),
    });
    let memory = Memory::new(store);
    let refused = memory.undo(Topic::Response).await.unwrap_err();
    assert_eq!(refused.code(), "SS2108");
    let note = memory.show(Topic::Response).await.unwrap();
    assert!(note.contains("- Be brief.\n- Another line"), "{note}");
    assert_eq!(memory.undo(Topic::Response).await.unwrap().number, 3);
}

#[tokio::test]
async fn a_note_that_was_deleted_begins_anew_and_keeps_its_versions() {
    let (fixture, agent, _) = taught(|old| format!("{old}\n- Be brief.")).await;
    let store = fixture.backends().store.unwrap();
    let space = Namespace::new(["email_assistant", Topic::Response.label()]).unwrap();
    store.delete(&space, "user_preferences").await.unwrap();
    let note = agent.memory().show(Topic::Response).await.unwrap();
    assert!(!note.contains("Be brief"), "{note}");
    let versions = agent.memory().versions(Topic::Response).await.unwrap();
    let numbers: Vec<u64> = versions.iter().map(|version| version.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(versions[1].text.contains("Be brief"));
}
