//! Node `resolve_entity`: what a name stands for. A handle, a link and an id name one thing; a name is
//! searched for, and if it fits several things or none exactly, the person is asked. A name of which the
//! question does not say what it is, is looked for among other kinds of things too. A word such as `their`
//! is what the last answer was about, which is told with the answer, or the person is asked.

use serde_json::Value as Json;
use superstep::{Ctx, NodeError, Res, Snap};

use super::request::unanswered;
use crate::{
    catalogue::{Catalogue, EntityType, Operation, Parameters, twins},
    error::Error,
    question::{Aspect, Reference, said_kind},
    recall::{self, entity_of},
    services::Services,
    state::{AtrisState, AtrisStateUpdate, Entity, Pending, Secondary, Seen},
    tools::{Response, Source},
};

const NODE: &str = "resolve_entity";

/// How many results of a search are looked at.
const LOOKED_AT: u64 = 10;

/// The most things that a person is given to choose from.
const MAX_OPTIONS: usize = 10;

/// What looking a name up gave.
enum Found {
    One(Entity),
    /// All are called so.
    Several(Vec<Entity>),
    /// None is called so.
    Near(Vec<Entity>),
    /// A word for something earlier, and nothing earlier that it fits.
    Nothing,
}

pub(crate) async fn resolve_entity(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let mut lookup = Lookup {
        state: &state,
        services: &services,
        ctx: &ctx,
        sources: state.sources.clone().unwrap_or_default(),
        host: state.selected_host.clone(),
        calls: 0,
        twin: None,
        reading: state.reading.clone().unwrap_or_default(),
    };
    let mut entity_name = state.entity_name.clone();
    let mut entity = state.entity.clone();
    let mut second = state.secondary_api.clone();
    let mut pending = None;
    let failed =
        |error: &Error, sources: Vec<Source>| unanswered(error, NODE, &state).sources(sources);
    if let (None, Some(name)) = (&entity, &state.entity_name) {
        match lookup.find_anywhere(name).await? {
            Ok(Found::One(found)) => entity = Some(found),
            Ok(Found::Several(options) | Found::Near(options)) => {
                let name = name.text().to_owned();
                pending = Some(Pending::Choose {
                    name,
                    options,
                    is_second: false,
                });
            }
            Ok(Found::Nothing) => {
                let kind = lookup.kind();
                pending = lookup.parameter().map(|parameter| Pending::Missing {
                    parameter,
                    entity_type: Some(kind),
                    word: Some(name.text().to_owned()),
                });
                // The answer is what is looked up then.
                entity_name = None;
            }
            Err(error) => return Ok(failed(&error, lookup.sources)),
        }
    }
    if let (None, Some(other)) = (&pending, &mut second)
        && other.entity.is_none()
    {
        match lookup.find(&other.entity_name).await? {
            Ok(Found::One(found)) => other.entity = Some(found),
            Ok(Found::Several(options) | Found::Near(options)) => {
                let name = other.entity_name.text().to_owned();
                pending = Some(Pending::Choose {
                    name,
                    options,
                    is_second: true,
                });
            }
            Ok(Found::Nothing) => {
                let word = other.entity_name.text();
                let what = format!("what \"{word}\" could be: no answer before says so");
                return Ok(failed(&Error::Missing { what }, lookup.sources));
            }
            Err(error) => return Ok(failed(&error, lookup.sources)),
        }
    }
    // What was looked up is called at the host that knows it.
    let bound = lookup
        .operation()
        .and_then(|operation| services.bound(operation, lookup.host.as_deref()));
    let update = match lookup.twin {
        Some(twin) => AtrisState::update().best_api(twin.api()),
        None => AtrisState::update(),
    };
    Ok(update
        .sources(lookup.sources)
        .selected_host(lookup.host)
        .bound_host(bound)
        .entity(entity)
        .entity_name(entity_name)
        .reading(lookup.reading)
        .secondary_api(second)
        .pending(pending))
}

/// The parameters of the calls once everything is known: ids are put in.
pub(crate) fn with_ids(
    operation: &Operation,
    parameters: &Parameters,
    entity: Option<&Entity>,
) -> Parameters {
    let mut parameters = parameters.clone();
    if let (Some((_, name)), Some(entity)) = (operation.entity(), entity) {
        let value = match (name, &entity.handle) {
            ("handle", Some(handle)) => handle.clone(),
            _ => entity.id.clone(),
        };
        parameters.insert(name.to_owned(), value.into());
    }
    parameters
}

/// Whether a second call is made: the same operation for another thing.
pub(crate) fn compared<'a>(state: &'a AtrisState, operation: &Operation) -> Option<&'a Secondary> {
    operation.entity()?;
    state.secondary_api.as_ref()
}

struct Lookup<'a> {
    state: &'a AtrisState,
    services: &'a Services,
    ctx: &'a Ctx,
    sources: Vec<Source>,
    host: Option<String>,
    calls: usize,
    /// The operation for the kind of thing that the name was found to be, if it is another one.
    twin: Option<&'static Operation>,
    reading: Vec<String>,
}

impl Lookup<'_> {
    /// Looks a name up, also among other kinds of things if the question does not say what it names and
    /// nothing is called so.
    async fn find_anywhere(&mut self, name: &Reference) -> Result<Result<Found, Error>, NodeError> {
        let found = self.find(name).await?;
        let is_found = !matches!(found, Ok(Found::Near(_)) | Err(Error::Missing { .. }));
        let question = self.state.query.as_deref().unwrap_or_default();
        let is_said = said_kind(question, std::slice::from_ref(name)).is_some();
        let Some(operation) = self.operation() else {
            return Ok(found);
        };
        if is_found || is_said || !matches!(name, Reference::Name(_)) {
            return Ok(found);
        }
        let catalogue = match Catalogue::get() {
            Ok(catalogue) => catalogue,
            Err(error) => return Ok(Err(error)),
        };
        for (kind, id) in twins(&operation.id) {
            let has_field = self.state.aspect.is_none_or(|it| it.field(kind).is_some());
            let Some(twin) = catalogue.operation(id).filter(|_| has_field) else {
                continue;
            };
            self.twin = Some(twin);
            if let Ok(other @ (Found::One(_) | Found::Several(_))) = self.find(name).await? {
                return Ok(Ok(other));
            }
            self.twin = None;
        }
        Ok(found)
    }

    async fn find(&mut self, name: &Reference) -> Result<Result<Found, Error>, NodeError> {
        let kind = self.kind();
        let (id, parameter, text) = match (name, kind) {
            (Reference::Earlier(word), kind) => return self.earlier(word, kind).await,
            (Reference::Url(url), _) => ("resolve", "url", url),
            (Reference::Handle(handle), _) => ("getUserByHandle", "handle", handle),
            (Reference::Id(id), EntityType::User) => ("getUser", "id", id),
            (Reference::Id(id), EntityType::Track) => ("getTrack", "track_id", id),
            (Reference::Id(id), EntityType::Playlist) => ("getPlaylist", "playlist_id", id),
            (Reference::Name(name), EntityType::User) => ("searchUsers", "query", name),
            (Reference::Name(name), EntityType::Track) => ("searchTracks", "query", name),
            (Reference::Name(name), EntityType::Playlist) => ("searchPlaylists", "query", name),
        };
        let mut parameters = Parameters::new();
        parameters.insert(parameter.to_owned(), text.clone().into());
        let is_search = matches!(name, Reference::Name(_));
        if is_search {
            parameters.insert("limit".into(), LOOKED_AT.into());
        }
        let response = match self.get(id, &parameters).await? {
            Ok(response) => response,
            Err(error) => return Ok(Err(error)),
        };
        let missing = || Error::Missing {
            what: format!("the {} \"{}\"", kind.name(), crate::reply::clean(text)),
        };
        let source = self.sources.len().saturating_sub(1);
        let records = response.data.iter();
        let mut found: Vec<Entity> = records.filter_map(|it| looked_up(it, source)).collect();
        // A link may lead to something else than the operation is about.
        if self.wanted().is_some() {
            found.retain(|it| it.entity_type == kind);
        }
        if !is_search {
            return Ok(found.into_iter().next().map(Found::One).ok_or_else(missing));
        }
        let same = |entity: &&Entity| {
            let is = |text: &str| text.to_lowercase() == name.text().to_lowercase();
            is(&entity.name)
                || entity.entity_type == EntityType::User
                    && entity.handle.as_deref().is_some_and(is)
        };
        let exact: Vec<Entity> = found.iter().filter(same).cloned().collect();
        Ok(match (exact.len(), found.len()) {
            (1, _) => exact.into_iter().next().map(Found::One).ok_or_else(missing),
            (0, 0) => Err(missing()),
            (0, _) => Ok(Found::Near(found)),
            _ => Ok(Found::Several(exact)),
        })
    }

    /// What a word stands for: what the last answer named and what fits. It is told.
    async fn earlier(
        &mut self,
        word: &str,
        kind: EntityType,
    ) -> Result<Result<Found, Error>, NodeError> {
        let Some(before) = recall::last(self.state) else {
            return Ok(Ok(Found::Nothing));
        };
        let meant = before.mentions.meant(word, kind);
        let found = match meant.as_slice() {
            [] => return Ok(Ok(Found::Nothing)),
            [one] => match (&one.id, &one.handle) {
                (Some(id), handle) => Found::One(Entity {
                    entity_type: one.entity_type,
                    id: id.clone(),
                    name: one.name.clone(),
                    handle: handle.clone(),
                    seen: None,
                }),
                // Only a handle is known: it is looked up as if it had been written.
                (None, Some(handle)) => {
                    let name = Reference::Handle(handle.clone());
                    match Box::pin(self.find(&name)).await? {
                        Ok(found) => found,
                        Err(error) => return Ok(Err(error)),
                    }
                }
                (None, None) => return Ok(Ok(Found::Nothing)),
            },
            several => {
                let options = several.iter().filter_map(|one| {
                    Some(Entity {
                        entity_type: one.entity_type,
                        id: one.id.clone()?,
                        name: one.name.clone(),
                        handle: one.handle.clone(),
                        seen: None,
                    })
                });
                let options: Vec<Entity> = options.take(MAX_OPTIONS).collect();
                match options.is_empty() {
                    true => Found::Nothing,
                    false => Found::Several(options),
                }
            }
        };
        if let Found::One(entity) = &found {
            let shown = match (entity.entity_type, &entity.handle) {
                (EntityType::User, Some(handle)) => format!("{} (@{handle})", entity.name),
                (_, Some(handle)) => format!("\"{}\" (@{handle})", entity.name),
                (_, None) => entity.name.clone(),
            };
            self.reading.push(format!(
                "\"{word}\" is {shown}, from the answer to \"{}\"",
                before.question
            ));
        }
        Ok(Ok(found))
    }

    fn operation(&self) -> Option<&'static Operation> {
        if self.twin.is_some() {
            return self.twin;
        }
        let api = self.state.best_api.as_ref()?;
        Catalogue::get().ok()?.operation(&api.id)
    }

    fn wanted(&self) -> Option<EntityType> {
        self.operation()?.entity().map(|(kind, _)| kind)
    }

    /// The parameter that names what is looked for.
    fn parameter(&self) -> Option<String> {
        let (_, name) = self.operation()?.entity()?;
        Some(name.to_owned())
    }

    /// What is looked for: what the operation is about, or what the question says.
    fn kind(&self) -> EntityType {
        let said = self.state.entity_type;
        self.wanted().or(said).unwrap_or(EntityType::User)
    }

    async fn get(
        &mut self,
        id: &str,
        parameters: &Parameters,
    ) -> Result<Result<Response, Error>, NodeError> {
        let operation = match Catalogue::get().and_then(|it| it.require(id)) {
            Ok(operation) => operation,
            Err(error) => return Ok(Err(error)),
        };
        self.calls += 1;
        let called = self
            .services
            .call(self.ctx, self.state, operation, parameters, self.calls);
        let called = called.await?;
        if let Ok(response) = &called {
            self.host = Some(response.source.host.clone());
            self.sources.push(response.source.clone());
        }
        Ok(called)
    }
}

/// A record that was looked up, with the counts it has.
fn looked_up(record: &Json, source: usize) -> Option<Entity> {
    let entity = entity_of(record)?;
    let at = record.get("at").and_then(Json::as_str)?.to_owned();
    let kinds = [
        Aspect::Followers,
        Aspect::Following,
        Aspect::Tracks,
        Aspect::Playlists,
        Aspect::Albums,
        Aspect::Supporters,
        Aspect::Reposts,
        Aspect::Favorites,
        Aspect::Comments,
    ];
    let counts = kinds.into_iter().filter_map(|aspect| {
        let wire = aspect.field(entity.entity_type)?;
        let count = record.get(crate::reply::camel(wire))?.as_u64()?;
        Some((wire.to_owned(), count))
    });
    let counts = counts.collect();
    Some(Entity {
        seen: Some(Seen { source, at, counts }),
        ..entity
    })
}
