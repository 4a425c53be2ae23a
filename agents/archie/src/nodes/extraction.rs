//! Node `graph_extraction`: extracts entities and relationships into the memory, and recalls what is relevant to the query.
//!
//! Documents whose hash the memory knows are not looked through again. Whatever fails here becomes a notice
//! and the thread continues: an analysis without a memory is worth more than none.

use std::path::Path;

use superstep::{
    Ctx, NodeError, Res, Snap, Store,
    model::structured,
    store::{Store as LongTerm, StoreError},
    tools::{Traced, guided::Profile},
};

use crate::{
    counted::Counted,
    documents::{Document, DocumentSet, DocumentStore, Inputs},
    error::Error,
    memory::{self, Extracted, Grown, Memory, MemoryPlace, Recalled},
    progress::{About, Notice, Progress},
    prompts::Stage,
    request,
    services::{Services, blocking},
    state::{Analysis, AnalysisUpdate},
    usage::Spent,
};

pub(crate) async fn graph_extraction(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let Some(place) = services.settings.memory.clone() else {
        return Ok(Analysis::update());
    };
    let mut work = Work::default();
    let set = DocumentStore(&*store).document_set(&state.inputs).await?;
    let mut known = Memory::default();
    if let Some(recalled) = work.recall(&place, &*store, &state.inputs).await? {
        known = recalled;
        if let Some(new) = work.extract(&services, &ctx, &known, &set).await? {
            // This thread has use for it even if no other will.
            let before = known.clone();
            known.add(new.clone());
            let merged = match (&place, place.file(&state.inputs)) {
                (MemoryPlace::Store, _) => {
                    work.keep(&*store, &ctx, &state.inputs, &before, &new).await
                }
                (_, Some(path)) => work.merge(&path, &ctx, before, new).await?,
                (_, None) => None,
            };
            known = merged.unwrap_or(known);
        }
    }
    for notice in &work.notices {
        ctx.emit(Progress::Notice(notice.clone())).await;
    }
    Ok(Analysis::update()
        .system_context(memory::relevant(&known, &query(&state)))
        .usage(Vec::from_iter(work.spent))
        .notices(work.notices))
}

/// What is known about the query of a thread, for a node that needs no more of the memory.
pub(super) async fn recall(
    state: &Analysis,
    services: &Services,
    store: &dyn LongTerm,
    ctx: &Ctx,
) -> Result<(String, Vec<Notice>), NodeError> {
    let Some(place) = services.settings.memory.clone() else {
        return Ok((String::new(), Vec::new()));
    };
    let mut work = Work::default();
    let recalled = work.recall(&place, store, &state.inputs).await?;
    let known = recalled.unwrap_or_default();
    for notice in &work.notices {
        ctx.emit(Progress::Notice(notice.clone())).await;
    }
    Ok((memory::relevant(&known, &query(state)), work.notices))
}

fn query(state: &Analysis) -> String {
    let name = state.context_name.as_deref().unwrap_or_default();
    format!("{name} {}", state.user_input)
}

#[derive(Default)]
struct Work {
    spent: Option<Spent>,
    notices: Vec<Notice>,
}

impl Work {
    fn note(&mut self, about: About, message: impl std::fmt::Display) {
        self.notices.push(Notice::new(about, message));
    }

    fn set_aside(&mut self, path: &Path, aside: &Path) {
        let [path, aside] = [path, aside].map(crate::error::shown);
        let why = format!("the memory file `{path}` made no sense; it is kept as `{aside}`");
        self.note(About::Memory, why);
    }

    /// The memory; nothing if it cannot be read.
    async fn recall(
        &mut self,
        place: &MemoryPlace,
        store: &dyn LongTerm,
        inputs: &Inputs,
    ) -> Result<Option<Memory>, NodeError> {
        if *place == MemoryPlace::Store {
            let recalled = memory::recall_kept(store, inputs).await;
            return Ok(self.or_store_notice(recalled));
        }
        let (place, inputs) = (place.clone(), inputs.clone());
        let recalled = blocking(move |_| place.recall(&inputs)).await?;
        Ok(self
            .or_notice(recalled)
            .map(|Recalled { memory, damaged }| {
                for (path, aside) in damaged {
                    self.set_aside(&path, &aside);
                }
                memory
            }))
    }

    /// What is new in the documents; nothing if none is new or it could not be had.
    async fn extract(
        &mut self,
        services: &Services,
        ctx: &Ctx,
        known: &Memory,
        set: &DocumentSet,
    ) -> Result<Option<Memory>, NodeError> {
        let is_new = |document: &Document| !known.documents.contains_key(&document.sha256);
        let documents = &set.documents;
        let new = documents.iter().filter(|it| is_new(it)).count();
        // A small model takes whatever it reads for parts of a system, and reads long.
        if new == 0 || services.profile(Stage::Extract) == Profile::Small {
            return Ok(None);
        }
        ctx.emit(Progress::Extracting { documents: new }).await;
        let settings = &services.settings;
        let request = memory::extract_request(
            request::prefix(settings, set),
            documents,
            is_new,
            settings.prompts.of(Stage::Extract),
            request::at_most_a_quarter(settings.replies.extract, services.context()),
        );
        let schema = memory::schema(documents.len())?;
        let model = Traced {
            model: services.models.of(Stage::Extract.node()),
            ctx,
        };
        let model = Counted::new(&model, Stage::Extract);
        let fitted = structured::<Extracted>(&model, request, &schema).await;
        // Replies that had to be repaired, or that nobody could use, were paid for too.
        self.spent = model.spent();
        let fitted = match fitted {
            Ok(fitted) => fitted,
            Err(error) => {
                let code = error.code();
                let why = format!("no facts were extracted from the documents: [{code}] {error}");
                self.note(About::Extraction, why);
                return Ok(None);
            }
        };
        let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
        Ok(Some(memory::found(fitted.value, documents, &thread)))
    }

    /// The memory with what is new in it; nothing if it cannot be written. What was known from another file is then
    /// in this one too.
    async fn merge(
        &mut self,
        path: &Path,
        ctx: &Ctx,
        known: Memory,
        new: Memory,
    ) -> Result<Option<Memory>, NodeError> {
        let file = path.to_owned();
        let add = |memory: &mut Memory| {
            memory.add(known);
            memory.add(new)
        };
        let merged = blocking(move |_| memory::update(&file, add)).await?;
        let Some((grown, loaded)) = self.or_notice(merged) else {
            return Ok(None);
        };
        if let Some(aside) = &loaded.aside {
            self.set_aside(path, aside);
        }
        tell(ctx, grown).await;
        Ok(Some(loaded.memory))
    }

    /// The memory in the store with what is new in it; nothing if it cannot be written, or if there is no folder.
    async fn keep(
        &mut self,
        store: &dyn LongTerm,
        ctx: &Ctx,
        inputs: &Inputs,
        known: &Memory,
        new: &Memory,
    ) -> Option<Memory> {
        let kept = memory::keep(store, inputs, known, new).await;
        let (grown, memory) = self.or_store_notice(kept).flatten()?;
        tell(ctx, grown).await;
        Some(memory)
    }

    fn or_store_notice<T>(&mut self, result: Result<T, StoreError>) -> Option<T> {
        result
            .map_err(|error| self.note(About::Memory, format!("[{}] {error}", error.code())))
            .ok()
    }

    fn or_notice<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| self.note(About::Memory, format!("[{}] {error}", error.code())))
            .ok()
    }
}

/// Says how the memory has grown.
async fn tell(ctx: &Ctx, grown: Grown) {
    let Grown {
        entities,
        relationships,
    } = grown;
    ctx.emit(Progress::Remembered {
        entities,
        relationships,
    })
    .await;
}
