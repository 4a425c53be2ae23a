//! Runs by a schedule.

use serde_json::json;
use superstep::{
    http::Method,
    store::{Namespace, PutOptions, TtlOnRead},
};

use crate::{
    client::Running,
    graphs::{memory, server},
};

const ID: &str = "11111111-1111-4111-8111-111111111111";

#[tokio::test]
async fn a_schedule_is_made_changed_found_and_removed() {
    let server = Running::start(server(memory())).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let body = json!({"assistant_id": "one", "schedule": "0 9 * * 1", "input": {"x": 1}, "metadata": {"k": "v"}});
    let cron = server.post("/runs/crons", body.clone()).await.ok();
    assert_eq!(
        (&cron["enabled"], &cron["thread_id"]),
        (&json!(true), &json!(null))
    );
    assert!(
        cron["next_run_date"]
            .as_str()
            .unwrap()
            .contains("T09:00:00")
    );
    let on_thread = format!("/threads/{ID}/runs/crons");
    let other = server.post(&on_thread, body).await.ok();
    let found = server
        .post("/runs/crons/search", json!({"thread_id": ID}))
        .await
        .ok();
    assert_eq!(found, json!([other]));
    assert_eq!(server.post("/runs/crons/count", json!({})).await.ok(), 2);
    let place = format!("/runs/crons/{}", cron["cron_id"].as_str().unwrap());
    let body = json!({"enabled": false, "timezone": "Europe/Rome"});
    let changed = server.call(Method::PATCH, &place, body).await.ok();
    assert_eq!(changed["enabled"], false);
    assert_ne!(changed["next_run_date"], cron["next_run_date"]);
    assert_eq!(server.get(&place).await.ok(), changed);
    assert_eq!(
        server.call(Method::DELETE, &place, json!({})).await.status,
        204
    );
    server
        .call(Method::DELETE, &place, json!({}))
        .await
        .detail(404);
}

#[tokio::test]
async fn a_schedule_that_could_start_nothing_is_refused() {
    let server = Running::start(server(memory())).await;
    for (more, says) in [
        (
            json!({"schedule": "banana"}),
            "Invalid cron schedule: 'banana'",
        ),
        (
            json!({"schedule": "* * * * *", "timezone": "Nowhere/At_All"}),
            "`timezone`",
        ),
        (
            json!({"schedule": "* * * * *", "stream_mode": "zzz"}),
            "`stream_mode`",
        ),
        (
            json!({"schedule": "* * * * *", "end_time": "soon"}),
            "`end_time`",
        ),
        (
            json!({"schedule": "* * * * *", "command": {"resume": true}}),
            "by their ids only",
        ),
    ] {
        let mut body = json!({"assistant_id": "one", "input": {"x": 1}});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let reply = server.post("/runs/crons", body).await;
        assert!(reply.detail(422).contains(says), "{reply:?}");
    }
    let nobody = json!({"schedule": "* * * * *"});
    assert!(
        server
            .post("/runs/crons", nobody)
            .await
            .detail(422)
            .contains("assistant_id")
    );
}

#[tokio::test]
async fn a_time_that_a_clock_far_ahead_recorded_is_computed_anew_and_counted() {
    let backends = memory();
    let store = backends.store.clone().unwrap();
    let server = Running::start(server(backends)).await;
    let body = json!({"assistant_id": "one", "schedule": "0 9 * * *", "input": {"x": 1}});
    let cron = server.post("/runs/crons", body.clone()).await.ok();
    let id = cron["cron_id"].as_str().unwrap();
    let place = Namespace::new(["runs", "crons"]).unwrap();
    let found = store.get(&place, id, TtlOnRead::Keep).await.unwrap();
    let mut record = found.unwrap().value;
    let (day, year) = (86_400_000_000_i64, 31_536_000_000_000_i64);
    let right = record["next"].as_i64().unwrap();
    // A clock that stepped back by less than a day leaves one time more to wait for, and that stays.
    for (ahead, is_kept) in [(day, true), (year, false)] {
        record["next"] = json!(right + ahead);
        let put = store.put(&place, id, record.clone(), PutOptions::default());
        put.await.unwrap();
        // What is made makes the server look; the other one is due before it looks again.
        let other = server.post("/runs/crons", body.clone()).await.ok();
        let other = other["cron_id"].as_str().unwrap();
        let due = store.get(&place, other, TtlOnRead::Keep).await.unwrap();
        let mut due = due.unwrap().value;
        due["next"] = json!(1);
        let put = store.put(&place, other, due, PutOptions::default());
        put.await.unwrap();
        let third = server.post("/runs/crons", body.clone()).await.ok();
        assert_eq!(third["next_run_date"], cron["next_run_date"]);
        loop {
            let seen = server.get(&format!("/runs/crons/{other}")).await.ok();
            if seen["next_run_date"] == cron["next_run_date"] {
                break;
            }
        }
        let seen = server.get(&format!("/runs/crons/{id}")).await.ok();
        assert_eq!(seen["next_run_date"] != cron["next_run_date"], is_kept);
    }
    let counted = server.get("/metrics?format=json").await.ok();
    assert_eq!(counted["schedules"]["corrected"], 1);
}
