//! Node `document_retrieval`: reads the documents and puts their texts into the store.
//!
//! Once this step is stored the folder is not needed any more; before that it is read again.

use std::path::PathBuf;

use superstep::{Ctx, NodeError, Res, Snap, Store, fs::Private};

use crate::{
    documents::{self, DocumentStore, Fate, Order},
    error::Error,
    progress::{About, Notice, Progress},
    services::{Services, blocking},
    state::{Analysis, AnalysisUpdate},
};

pub(crate) async fn document_retrieval(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let inputs = &state.inputs;
    let Some(mut folder) = inputs.folder.as_ref().map(PathBuf::from) else {
        return Ok(Analysis::update());
    };
    let mut private: Option<Private> = None;
    if let Some(allowed) = &services.settings.roots {
        let refused = || Error::folder(&folder, format!("it is not in {}", allowed.named()));
        folder = allowed.below(&folder).ok_or_else(refused)?;
        private = Some(allowed.private(&folder));
    }
    let budget = services.document_tokens();
    let name = state.context_name.as_deref().unwrap_or_default();
    let order = Order {
        query: format!("{name} {}", state.user_input),
        budget,
        globs: inputs.globs.clone(),
        skip: inputs.skip.iter().map(PathBuf::from).collect(),
        private,
        limits: services.settings.limits,
        pdf: services.settings.pdf.clone(),
    };
    let reading = blocking(move |stop| documents::read(&folder, &order, stop)).await??;
    let manifest = DocumentStore(&*store).put(&reading).await?;
    let mut inputs = inputs.clone().filled(&reading, budget);
    inputs.manifest = manifest;

    ctx.emit(Progress::Read {
        included: reading.texts.len(),
        left: inputs.omitted(),
        tokens: inputs.tokens,
        budget,
    })
    .await;
    let mut notices = Vec::new();
    if reading.stopped {
        let most = services.settings.limits.files;
        let why = format!("the folder has more than {most} files; the rest was not looked at");
        notices.push(Notice::new(About::Documents, why));
    }
    let cut = inputs
        .included()
        .filter(|entry| matches!(entry.fate, Fate::Cut { .. }));
    notices.extend(cut.map(|entry| Notice::new(About::Documents, entry)));
    for notice in &notices {
        ctx.emit(Progress::Notice(notice.clone())).await;
    }
    Ok(Analysis::update().inputs(inputs).notices(notices))
}
