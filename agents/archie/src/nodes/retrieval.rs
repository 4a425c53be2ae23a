//! Reads the documents and puts their texts into the store.
//!
//! Once this step is stored the folder is not needed any more; before that it is read again.

use std::path::PathBuf;

use superstep::{Ctx, NodeError, Res, Snap, Store};

use crate::{
    desk::{Desk, blocking},
    documents::{self, Fate, Keep, Order},
    state::{Analysis, AnalysisUpdate},
    told::{About, Notice, Told},
};

pub(crate) async fn document_retrieval(
    state: Snap<Analysis>,
    desk: Res<Desk>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let inputs = &state.inputs;
    let Some(folder) = inputs.folder.as_ref().map(PathBuf::from) else {
        return Ok(Analysis::update());
    };
    let budget = desk.document_tokens();
    let name = state.context_name.as_deref().unwrap_or_default();
    let order = Order {
        query: format!("{name} {}", state.user_input),
        budget,
        globs: inputs.globs.clone(),
        skip: inputs.skip.iter().map(PathBuf::from).collect(),
        limits: desk.settings.limits,
    };
    let reading = blocking(move |stop| documents::read(&folder, &order, stop)).await??;
    let manifest = Keep(&*store).put(&reading).await?;
    let mut inputs = inputs.clone().filled(&reading, budget);
    inputs.manifest = manifest;

    ctx.emit(Told::Read {
        included: reading.texts.len(),
        left: inputs.omitted(),
        tokens: inputs.tokens,
        budget,
    })
    .await;
    let mut notices = Vec::new();
    if reading.stopped {
        let most = desk.settings.limits.files;
        let why = format!("the folder has more than {most} files; the rest was not looked at");
        notices.push(Notice::new(About::Documents, why));
    }
    let cut = inputs
        .included()
        .filter(|entry| matches!(entry.fate, Fate::Cut { .. }));
    notices.extend(cut.map(|entry| Notice::new(About::Documents, entry)));
    for notice in &notices {
        ctx.emit(Told::Notice(notice.clone())).await;
    }
    Ok(Analysis::update().inputs(inputs).notices(notices))
}
