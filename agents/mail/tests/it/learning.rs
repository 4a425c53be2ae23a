//! What is learnt: by acts of people, in targeted changes, with a way back.

use std::sync::Arc;

use serde_json::json;
use superstep::model::script::{Step, When};
use superstep_mail::{Answer, Change, Memory, Topic};

use crate::world::{World, answer, asked, done, mail, reply, responder, turns};

fn notes(text: &str) -> Step {
    let data = json!({"chain_of_thought": "so", "user_preferences": text});
    Step::data(data)
        .when(When::schema("user_preferences"))
        .always()
}

async fn taught(
    note: impl Fn(&str) -> String,
) -> (
    World,
    superstep_mail::MailAgent,
    Arc<superstep::model::Script>,
) {
    let world = World::new();
    world.put("a.eml", mail("secret-subject", "secret-body"));
    let memory = Memory::new(world.backends().store.unwrap());
    let old = memory.show(Topic::Response).await.unwrap();
    let steps = [turns(&[reply("a.eml", "secret-draft")]), turns(&[done()])];
    let model = Arc::new(responder(steps, vec![notes(&note(&old))]));
    let agent = world.agent(model.clone());
    let (_, items) = asked(&agent).await;
    answer(&agent, &items[0], Answer::response("Please be brief.")).await;
    (world, agent, model)
}

#[tokio::test]
async fn the_first_look_writes_down_what_a_note_begins_with() {
    let world = World::new();
    let store = world.backends().store.unwrap();
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
async fn a_change_is_a_version_that_can_be_compared_and_undone() {
    let (_world, agent, _) = taught(|old| format!("{old}\n- Be brief.")).await;
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
async fn the_model_that_words_a_note_sees_the_person_and_not_the_mail() {
    let (_world, _agent, model) = taught(|old| format!("{old}\n- Be brief.")).await;
    let seen = model.seen();
    let lessons: Vec<String> = seen
        .iter()
        .filter(|it| {
            it.output
                .as_ref()
                .is_some_and(|it| it.name == "user_preferences")
        })
        .map(|it| it.messages.iter().map(|it| it.text()).collect())
        .collect();
    assert_eq!(lessons.len(), 1);
    assert!(lessons[0].contains("Please be brief."));
    assert!(!lessons[0].contains("secret"), "{}", lessons[0]);
}

#[tokio::test]
async fn a_change_that_loses_the_notes_is_refused_and_told() {
    for note in ["", "- Only this.", "- a\n- b\n- c\n- d\n- e\n- f\n- g\n- h"] {
        let (_world, agent, _) = taught(|_| note.to_owned()).await;
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
        assert!(state.remarks[0].contains("`response_preferences` was not changed"));
    }
}

#[tokio::test]
async fn an_act_that_teaches_nothing_makes_no_version() {
    let (_world, agent, _) = taught(str::to_owned).await;
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
    let (world, agent, _) = taught(|old| format!("{old}\n- Be brief.")).await;
    drop(agent);
    world.put("b.eml", mail("other", "Hello?"));
    let model = Arc::new(responder([turns(&[done()])], Vec::new()));
    let agent = world.agent(model.clone());
    crate::world::take_in(&agent).await;
    let seen = model.seen();
    let last = seen.last().unwrap().messages[0].text();
    assert!(last.contains("- Be brief."), "{last}");
}
