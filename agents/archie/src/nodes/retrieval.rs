//! Node `document_retrieval`: reads the documents and puts their texts into the store.
//!
//! Once this step is stored the folder is not needed any more; before that it is read again. A later message of a thread that
//! is done reads it as it is then. New input comes here first, and takes back what was approved before.

use std::path::PathBuf;

use superstep::{Ctx, NodeError, Res, Snap, Store, fs::Private};

use crate::{
    documents::{self, DocumentStore, Fate, Order, Why, uploads::Uploaded},
    error::Error,
    progress::{About, Notice, Progress},
    prompts::Stage,
    services::{Services, blocking},
    settings::Settings,
    state::{Analysis, AnalysisUpdate, Flow},
};

/// The place of the documents of a thread.
enum Place {
    Folder(PathBuf),
    Uploads(Vec<Uploaded>),
}

impl Place {
    /// The same, if it may be read, and what of it may not.
    fn allowed(self, settings: &Settings) -> Result<(Self, Option<Private>), Error> {
        match (self, &settings.roots) {
            (Self::Folder(folder), Some(allowed)) => {
                let why = "it is not in a folder that may be read here";
                let refused = || Error::folder(&folder, why);
                let below = allowed.below(&folder).ok_or_else(refused)?;
                let private = allowed.private(&below);
                Ok((Self::Folder(below), Some(private)))
            }
            (place, _) => Ok((place, None)),
        }
    }
}

pub(crate) async fn document_retrieval(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let inputs = &state.inputs;
    let place = match (inputs.folder.as_ref().map(PathBuf::from), &*inputs.uploads) {
        (None, []) => return Ok(Analysis::update().approved(false)),
        (None, uploads) => {
            Place::Uploads(documents::uploads::fetch(uploads, services.blobs.as_ref()).await?)
        }
        (Some(folder), []) => Place::Folder(folder),
        (Some(folder), _) => {
            let why = "the input names uploads too; give one of the two";
            return Err(Error::folder(&folder, why).into());
        }
    };
    let (place, private) = place.allowed(&services.settings)?;
    let stage = match state.current_flow {
        Flow::Analysis => Stage::Initial,
        Flow::BuildContext => Stage::Context,
        Flow::Ask => Stage::Ask,
    };
    let room = services.room(stage);
    let name = state.context_name.as_deref().unwrap_or_default();
    let order = Order {
        query: format!("{name} {}", state.user_input),
        budget: room.whole,
        excerpts: room.excerpts,
        globs: inputs.globs.clone(),
        skip: inputs.skip.iter().map(PathBuf::from).collect(),
        private,
        limits: services.settings.limits,
        pdf: services.settings.pdf.clone(),
    };
    let read = blocking(move |stop| match place {
        Place::Folder(folder) => documents::read(&folder, &order, stop),
        Place::Uploads(uploads) => documents::read_uploads(uploads, &order, stop),
    });
    let reading = read.await??;
    let manifest = DocumentStore(&*store).put(&reading).await?;
    let all = reading.files.iter().take(reading.texts.len());
    let is_whole = all.clone().all(|it| matches!(it.fate, Fate::Whole { .. }));
    let budget = match room.excerpts {
        Some(excerpts) if !is_whole => excerpts,
        _ => room.whole,
    };
    let mut inputs = inputs.clone().filled(&reading, budget);
    inputs.manifest = manifest;
    let included = inputs.included().count();
    let reachable = match room.excerpts {
        Some(_) => reading.texts.len().saturating_sub(included),
        None => 0,
    };
    ctx.emit(Progress::Read {
        included,
        reachable,
        left: inputs.omitted().saturating_sub(reachable),
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
    if room.excerpts.is_none() {
        let is_cut = |entry: &&documents::Entry| matches!(entry.fate, Fate::Cut { .. });
        let cut = inputs.included().filter(is_cut);
        notices.extend(cut.map(|entry| Notice::new(About::Documents, entry)));
    }
    let is_unkept = |entry: &&documents::Entry| entry.fate == Fate::Left(Why::Budget);
    let unkept = reading.files.iter().skip(reading.texts.len());
    let unkept = unkept.filter(is_unkept).count();
    if unkept > 0 {
        let why = format!(
            "the documents have more than {} MiB of text; {unkept} that are farther from the query are left out",
            documents::MOST_TEXT >> 20
        );
        notices.push(Notice::new(About::Documents, why));
    }
    for notice in &notices {
        ctx.emit(Progress::Notice(notice.clone())).await;
    }
    Ok(Analysis::update()
        .inputs(inputs)
        .notices(notices)
        .approved(false))
}
