//! Runs by a schedule.

use serde_json::json;
use superstep::http::Method;

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
