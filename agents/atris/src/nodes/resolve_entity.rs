//! Node `resolve_entity`: what a name stands for. A handle, a link and an id name one thing; a name is
//! searched for, and if it fits several things or none exactly, the person is asked.

use superstep::{Ctx, NodeError, Res, Snap};

use crate::{
    catalogue::{Catalogue, EntityType, Operation, Parameters},
    error::Error,
    question::Reference,
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate, Entity, Pending, Secondary},
    tools::{Response, Source},
};

const NODE: &str = "resolve_entity";

/// How many results of a search are looked at.
const LOOKED_AT: u64 = 10;

/// What looking a name up gave.
enum Found {
    One(Entity),
    Several(Vec<Entity>),
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
    };
    let mut entity = state.entity.clone();
    let mut second = state.secondary_api.clone();
    let mut pending = None;
    let failed = |error: &Error, sources: Vec<Source>| {
        AtrisState::update()
            .error(problem(error, NODE, &state))
            .sources(sources)
    };
    if let (None, Some(name)) = (&entity, &state.entity_name) {
        match lookup.find(name).await? {
            Ok(Found::One(found)) => entity = Some(found),
            Ok(Found::Several(options)) => {
                let name = name.text().to_owned();
                pending = Some(Pending::Choose {
                    name,
                    options,
                    is_second: false,
                });
            }
            Err(error) => return Ok(failed(&error, lookup.sources)),
        }
    }
    if let (None, Some(other)) = (&pending, &mut second)
        && other.entity.is_none()
    {
        match lookup.find(&other.entity_name).await? {
            Ok(Found::One(found)) => other.entity = Some(found),
            Ok(Found::Several(options)) => {
                let name = other.entity_name.text().to_owned();
                pending = Some(Pending::Choose {
                    name,
                    options,
                    is_second: true,
                });
            }
            Err(error) => return Ok(failed(&error, lookup.sources)),
        }
    }
    Ok(AtrisState::update()
        .sources(lookup.sources)
        .selected_host(lookup.host)
        .entity(entity)
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
}

impl Lookup<'_> {
    async fn find(&mut self, name: &Reference) -> Result<Result<Found, Error>, NodeError> {
        let kind = self.kind();
        let (id, parameter, text) = match (name, kind) {
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
        let mut found: Vec<Entity> = response.data.iter().filter_map(entity_of).collect();
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
            (0, _) => Ok(Found::Several(found)),
            _ => Ok(Found::Several(exact)),
        })
    }

    fn wanted(&self) -> Option<EntityType> {
        let api = self.state.best_api.as_ref()?;
        let operation = Catalogue::get().ok()?.operation(&api.id)?;
        operation.entity().map(|(kind, _)| kind)
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

fn entity_of(record: &serde_json::Value) -> Option<Entity> {
    let text = |name: &str| record.get(name)?.as_str().map(str::to_owned);
    let (entity_type, name, handle) = match record.get("type")?.as_str()? {
        "user" => (EntityType::User, text("name")?, text("handle")),
        kind @ ("track" | "playlist") => {
            let owner = record.get("user").and_then(|it| it.get("handle"));
            let owner = owner.and_then(|it| it.as_str()).map(str::to_owned);
            let kind = match kind {
                "track" => EntityType::Track,
                _ => EntityType::Playlist,
            };
            (kind, text("title")?, owner)
        }
        _ => return None,
    };
    Some(Entity {
        entity_type,
        id: text("id")?,
        name,
        handle,
    })
}
