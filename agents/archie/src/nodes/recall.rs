//! Node `graph_extraction`: recalls what the memory knows about the query.
//!
//! Whatever fails here becomes a notice and the thread continues: an analysis without a memory is worth more than none.

use std::path::Path;

use superstep::{Ctx, NodeError, Res, Snap, Store, store::Store as LongTerm};

use crate::{
    memory::{self, MemoryPlace, Recalled},
    progress::{About, Notice, Progress},
    services::{Services, blocking},
    state::{Analysis, AnalysisUpdate},
};

pub(crate) async fn graph_extraction(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let (known, notices) = recall(&state, &services, &*store, &ctx).await?;
    let update = Analysis::update().system_context(known);
    Ok(update.notices(notices))
}

/// What is known about the query of a thread, in words.
pub(super) async fn recall(
    state: &Analysis,
    services: &Services,
    store: &dyn LongTerm,
    ctx: &Ctx,
) -> Result<(String, Vec<Notice>), NodeError> {
    let Some(place) = services.settings.memory.clone() else {
        return Ok((String::new(), Vec::new()));
    };
    let inputs = state.inputs.clone();
    let note = |code: &str, error: String| Notice::new(About::Memory, format!("[{code}] {error}"));
    let mut notices = Vec::new();
    let recalled = match place {
        MemoryPlace::Store => memory::recall_kept(store, &inputs)
            .await
            .map_err(|error| note(error.code(), error.to_string())),
        place => blocking(move |_| place.recall(&inputs))
            .await?
            .map_err(|error| note(error.code(), error.to_string())),
    };
    let Recalled {
        mut memories,
        damaged,
    } = recalled.unwrap_or_else(|notice| {
        notices.push(notice);
        Recalled::default()
    });
    for (path, aside) in damaged {
        notices.push(set_aside(&path, &aside));
    }
    for notice in &notices {
        ctx.emit(Progress::Notice(notice.clone())).await;
    }
    if let Some(thread) = ctx.thread().map(ToString::to_string) {
        for (_, memory) in &mut memories {
            memory.forget(&thread);
        }
    }
    let name = state.context_name.as_deref().unwrap_or_default();
    let query = format!("{name} {}", state.user_input);
    Ok((memory::relevant(&memories, &query), notices))
}

/// The notice about a file of the memory that made no sense.
pub(super) fn set_aside(path: &Path, aside: &Path) -> Notice {
    let [path, aside] = [path, aside].map(crate::error::shown);
    let why = format!("the memory file `{path}` made no sense; it is kept as `{aside}`");
    Notice::new(About::Memory, why)
}
