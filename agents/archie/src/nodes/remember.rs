//! Node `remember`: takes from the conversation what the person decided and told, once a result is there.
//!
//! Whatever fails here becomes a notice: the result is stored already.

use superstep::{
    Ctx, NodeError, Res, Snap, Store,
    model::{Body, Effort, Message, Request, structured},
    tools::{Traced, guided::Profile},
};

use crate::{
    counted::Counted,
    documents::{DocumentSet, Inputs},
    memory::{self, MemoryPlace, Stated, Statement},
    progress::{About, Notice, Progress},
    prompts::Stage,
    request::{Rest, StageRequest},
    services::{Services, blocking},
    state::{Analysis, AnalysisUpdate},
    usage::Spent,
};

pub(crate) async fn remember(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let Some(place) = services.settings.memory.clone() else {
        return Ok(Analysis::update());
    };
    // A small model cannot tell a decision from a remark.
    let is_small = services.profile(Stage::Extract) == Profile::Small;
    if is_small || !place.takes(&state.inputs) {
        return Ok(Analysis::update());
    }
    let mut work = Work::default();
    if let Some(statements) = work.statements(&services, &ctx, &state).await? {
        let inputs = &state.inputs;
        let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
        let added = match &place {
            MemoryPlace::Store => {
                let kept = memory::keep(&*store, inputs, &thread, &statements).await;
                let kept = kept.map_err(|error| (error.code(), error.to_string()));
                work.or_notice(kept)
            }
            place => work.merge(place, inputs, thread, statements).await?,
        };
        if let Some(added) = added.filter(|added| !added.is_empty()) {
            let lines = added.iter().map(ToString::to_string).collect();
            let statements = added.len();
            ctx.emit(Progress::Remembered { statements, lines }).await;
        }
    }
    for notice in &work.notices {
        ctx.emit(Progress::Notice(notice.clone())).await;
    }
    Ok(Analysis::update().usage(work.spent).notices(work.notices))
}

#[derive(Default)]
struct Work {
    spent: Vec<Spent>,
    notices: Vec<Notice>,
}

impl Work {
    /// What the person stated; nothing if that could not be had.
    async fn statements(
        &mut self,
        services: &Services,
        ctx: &Ctx,
        state: &Analysis,
    ) -> Result<Option<Vec<Statement>>, NodeError> {
        let request = StageRequest {
            stage: Stage::Extract,
            profile: Profile::Strong,
            set: &DocumentSet::default(),
            shown: &[],
            access: Rest::None,
            memory: "",
            history: &state.analysis_history,
            said: "",
            today: services.settings.surroundings.day(),
            limits: services.limits(Stage::Extract),
        };
        let (request, _) = request.request(&services.settings);
        let request = Request {
            effort: Some(Effort::Low),
            ..request
        };
        let model = Traced {
            model: services.models.of(Stage::Extract.node()),
            ctx,
        };
        let model = Counted::new(&model, Stage::Extract);
        let fitted = structured::<Stated>(&model, request, &memory::schema()?).await;
        // Replies that had to be repaired, or that nobody could use, were paid for too.
        self.spent.extend(model.spent());
        let stated = match fitted {
            Ok(fitted) => fitted.value,
            Err(error) => {
                let why = format!("nothing was remembered: [{}] {error}", error.code());
                self.notices.push(Notice::new(About::Extraction, why));
                return Ok(None);
            }
        };
        let said: Vec<String> = state
            .analysis_history
            .iter()
            .filter(|it| matches!(it.body, Body::User { .. }))
            .map(Message::text)
            .collect();
        let date = services.settings.surroundings.now().date().to_string();
        let keywords = &services.settings.keywords;
        let (statements, dropped) = stated.checked(&said, keywords, &date);
        if dropped > 0 {
            let (dropped, were, they) = match dropped {
                1 => ("1 statement".to_owned(), "was", "it rests"),
                more => (format!("{more} statements"), "were", "they rest"),
            };
            let why =
                format!("{dropped} {were} not remembered: you did not say the words {they} on");
            self.notices.push(Notice::new(About::Extraction, why));
        }
        Ok(Some(statements))
    }

    /// The statements that are new in the file of the memory; nothing if it cannot be written.
    async fn merge(
        &mut self,
        place: &MemoryPlace,
        inputs: &Inputs,
        thread: String,
        statements: Vec<Statement>,
    ) -> Result<Option<Vec<Statement>>, NodeError> {
        let Some(path) = place.file(inputs) else {
            return Ok(None);
        };
        let about = memory::label(inputs);
        let file = path.clone();
        let add = move |memory: &mut memory::Memory| memory.state(&thread, &about, &statements);
        let merged = blocking(move |_| memory::update(&file, add)).await?;
        let merged = merged.map_err(|error| (error.code(), error.to_string()));
        let Some((added, loaded)) = self.or_notice(merged) else {
            return Ok(None);
        };
        if let Some(aside) = &loaded.aside {
            self.notices.push(super::recall::set_aside(&path, aside));
        }
        Ok(Some(added))
    }

    fn or_notice<T>(&mut self, result: Result<T, (&str, String)>) -> Option<T> {
        let note = |(code, error): (&str, String)| {
            let notice = Notice::new(About::Memory, format!("[{code}] {error}"));
            self.notices.push(notice);
        };
        result.map_err(note).ok()
    }
}
