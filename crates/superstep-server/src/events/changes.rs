//! Events of a change: what a thread, its questions and its runs are now.

use std::{collections::HashSet, mem};

use serde_json::{Value as Json, json};
use superstep::{ThreadId, sync::lock};

use crate::{
    app::{App, events::Change},
    forms::thread_name::public,
    owners::visitor::Visitor,
    runs::view,
};

impl App {
    /// Tells listeners what happens, for ever.
    pub(crate) async fn tell_listeners(&self) {
        loop {
            self.events.is_changed.notified().await;
            let changed = mem::take(&mut *lock(&self.events.changed));
            for (thread, change) in changed {
                self.tell_change(&thread, change).await;
            }
        }
    }

    async fn tell_change(&self, thread: &ThreadId, change: Change) {
        let id = public(thread);
        let Ok(found) = self.threads.find(&Visitor::SERVER, &id).await else {
            return;
        };
        let Some(record) = found else {
            let data = json!({ "thread_id": id, "status": "deleted", "title": null });
            let owner = change.owner.as_deref();
            return self.events.send(owner, "thread.changed", data);
        };
        let owner = record.owner.as_deref();
        // What cannot be read now is told with its next change.
        let Ok(row) = self.thread_row(&id, &record, true).await else {
            return;
        };
        let of_view = |name: &str| row.get("view").and_then(|view| view.get(name));
        let data = json!({
            "thread_id": id,
            "status": row.get("status"),
            "outcome": of_view("outcome"),
            "title": of_view("title"),
            "subtitle": of_view("subtitle"),
        });
        self.events.send(owner, "thread.changed", data);
        let mut ended = Vec::new();
        for run in change.ended {
            // One whose thread is busy went back to the queue.
            let found = self.saver.runs().load_run(run).await.ok().flatten();
            ended.extend(found.filter(|run| run.ending.is_some()));
        }
        let [opened, closed] = self.events.questions(thread, open_ids(&row), &ended);
        for (name, ids) in [("question.opened", opened), ("question.closed", closed)] {
            for ask in ids {
                let data = json!({ "thread_id": id, "id": ask });
                self.events.send(owner, name, data);
            }
        }
        for run in ended {
            let (run_id, status) = (run.id.to_string(), view::status(&run));
            let data = json!({ "thread_id": id, "run_id": run_id, "status": status });
            self.events.send(owner, "run.ended", data);
        }
    }
}

/// The ids of the questions in a thread as clients see it.
fn open_ids(row: &Json) -> HashSet<String> {
    let asked = row.get("interrupts").and_then(Json::as_object);
    let asked = asked.into_iter().flat_map(|asked| asked.values());
    let asked = asked.filter_map(Json::as_array).flatten();
    asked
        .filter_map(|ask| Some(ask.get("id")?.as_str()?.to_owned()))
        .collect()
}
