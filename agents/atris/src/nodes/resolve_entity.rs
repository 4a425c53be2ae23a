//! Node `resolve_entity`: what a name stands for. A handle, a link and an id name one thing; a name is
//! searched for, and if it fits several things or none exactly, the person is asked. A name of which the
//! question does not say what it is, is looked for among other kinds of things too. A word such as `their`
//! is what the last answer was about, which is told with the answer, or the person is asked.

use serde_json::Value as Json;
use superstep::{Ctx, NodeError, Res, Snap, model::did_you_mean};

use super::{extract_params::refit, get_apis::understood, request::unanswered};
use crate::{
    catalogue::{Catalogue, EntityType, Operation, Parameters},
    error::Error,
    question::{Account, Aspect, Maker, Reference, maker_of, said_kind},
    recall::{self, entity_of},
    reply::clean,
    services::Services,
    state::{ACTING, AtrisState, AtrisStateUpdate, Entity, Pending, RecordCounts, Secondary},
    tools::{Response, Source},
};

const NODE: &str = "resolve_entity";

/// How many results of a search are looked at.
const LOOKED_AT: u64 = 10;

/// The most things that a person is given to choose from.
const MAX_OPTIONS: usize = 10;

/// The most words of a name that are searched for one by one.
const MAX_WORDS: usize = 3;

/// What looking a name up gave.
enum Resolved {
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
    // What something new is called is not looked up.
    let named = state
        .entity_name
        .as_ref()
        .filter(|_| lookup.wanted().is_some());
    if let (None, Some(name)) = (&entity, named) {
        match lookup.find_anywhere(name).await? {
            Ok(Resolved::One(found)) => entity = Some(found),
            Ok(Resolved::Several(options) | Resolved::Near(options)) => {
                pending = Some(choice(name, options, false));
            }
            Ok(Resolved::Nothing) => {
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
    let mut parameters = state.parameters.clone();
    let mut signed_as = state.signed_as.clone();
    let is_acting = parameters
        .as_ref()
        .is_some_and(|it| it.contains_key(ACTING));
    if let (Some(who), false, None) = (&state.acting, is_acting, &pending) {
        match lookup.find_as(who, EntityType::User).await? {
            Ok(Resolved::One(found)) => {
                lookup.reading.push(format!("you are {}", called(&found)));
                signed_as = Some(who.clone());
                let given = parameters.get_or_insert_default();
                given.insert(ACTING.to_owned(), found.id.into());
            }
            Ok(_) => {
                let what = format!("the user \"{}\"", clean(who.text()));
                return Ok(failed(&Error::Missing { what }, lookup.sources));
            }
            Err(error) => return Ok(failed(&error, lookup.sources)),
        }
    }
    if let (None, Some(other)) = (&pending, &mut second)
        && other.entity.is_none()
    {
        match lookup.find(&other.entity_name).await? {
            Ok(Resolved::One(found)) => other.entity = Some(found),
            Ok(Resolved::Several(options) | Resolved::Near(options)) => {
                pending = Some(choice(&other.entity_name, options, true));
            }
            Ok(Resolved::Nothing) => {
                let word = other.entity_name.text();
                let what = format!("what \"{word}\" could be: no answer before says so");
                return Ok(failed(&Error::Missing { what }, lookup.sources));
            }
            Err(error) => return Ok(failed(&error, lookup.sources)),
        }
    }
    if let Some(twin) = lookup.twin {
        parameters = parameters.map(|given| refit(given, twin));
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
        .parameters(parameters)
        .signed_as(signed_as)
        .selected_host(lookup.host)
        .bound_host(bound)
        .entity(entity)
        .entity_name(entity_name)
        .reading(lookup.reading)
        .secondary_api(second)
        .pending(pending))
}

/// Which of several things is meant by a name.
fn choice(name: &Reference, options: Vec<Entity>, is_second: bool) -> Pending {
    let name = name.text().to_owned();
    Pending::Choose {
        name,
        options,
        is_second,
    }
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
    /// Looks a name up, also among other kinds of things if the question does not say what it names: what is
    /// asked for with the name alone may be any of them, else one after the other until something is called so.
    async fn find_anywhere(
        &mut self,
        name: &Reference,
    ) -> Result<Result<Resolved, Error>, NodeError> {
        let question = self.state.query.as_deref().unwrap_or_default();
        let names = std::slice::from_ref(name);
        if let (Some(Maker::Subject(_)), EntityType::User) =
            (maker_of(question, names), self.kind())
        {
            return self.find_maker(name).await;
        }
        let found = self.find(name).await?;
        let is_said = said_kind(question, names).is_some();
        let Some(operation) = self.operation() else {
            return Ok(found);
        };
        let is_name = matches!(
            name,
            Reference::Name(_) | Reference::Id(_) | Reference::By { .. }
        );
        if is_said || !is_name {
            return Ok(found);
        }
        let catalogue = match Catalogue::get() {
            Ok(catalogue) => catalogue,
            Err(error) => return Ok(Err(error)),
        };
        let aspect = self.state.aspect;
        let is_bare = aspect.is_none() && operation.is_record();
        let is_missing = |found: &Result<Resolved, Error>| {
            matches!(found, Ok(Resolved::Near(_)) | Err(Error::Missing { .. }))
        };
        if !is_missing(&found) && !is_bare {
            return Ok(found);
        }
        let mut exact: Vec<Entity> = Vec::new();
        let mut near: Vec<Entity> = Vec::new();
        let mut ends = vec![(None, found)];
        for (kind, twin) in catalogue.twins(operation) {
            let has_field = aspect.is_none_or(|it| it.field(kind).is_some());
            if !has_field || !self.uses_all(catalogue, twin) {
                continue;
            }
            self.twin = Some(twin);
            let other = self.find(name).await?;
            self.twin = None;
            let is_found = !is_missing(&other);
            ends.push((Some(twin), other));
            if is_found && !is_bare {
                break;
            }
        }
        let mut failed = None;
        for (twin, end) in ends {
            match end {
                Ok(Resolved::One(one)) => {
                    // One alone needs its own operation.
                    self.twin = twin;
                    exact.push(one);
                }
                Ok(Resolved::Several(several)) => {
                    self.twin = twin;
                    exact.extend(several);
                }
                Ok(Resolved::Near(several)) => near.extend(several),
                Ok(Resolved::Nothing) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let several = |mut options: Vec<Entity>| {
            options.truncate(MAX_OPTIONS);
            options
        };
        Ok(match (exact.as_slice(), near.is_empty(), failed) {
            ([one], _, _) => Ok(Resolved::One(one.clone())),
            ([], true, Some(Error::Missing { .. })) if is_bare => Err(Error::Missing {
                what: format!("anything called \"{}\"", clean(name.text())),
            }),
            ([], true, Some(error)) => Err(self.unknown(name, error).await?),
            ([], true, None) => Ok(Resolved::Nothing),
            ([], false, _) => Ok(Resolved::Near(several(near))),
            (_, _, _) => {
                let first = exact.first().map(|it| it.entity_type);
                if exact.iter().any(|it| Some(it.entity_type) != first) {
                    self.twin = None;
                }
                Ok(Resolved::Several(several(exact)))
            }
        })
    }

    /// Whether another operation uses every word of the question too.
    fn uses_all(&self, catalogue: &Catalogue, twin: &Operation) -> bool {
        let question = self.state.query.as_deref().unwrap_or_default();
        let account = Account::of(catalogue, question, &understood(self.state), twin);
        account.left.is_empty()
    }

    /// Whoever made what is named. It is told.
    async fn find_maker(&mut self, name: &Reference) -> Result<Result<Resolved, Error>, NodeError> {
        let mut missing = None;
        for kind in [EntityType::Track, EntityType::Playlist] {
            let made = match self.find_as(name, kind).await? {
                Ok(Resolved::One(made)) => made,
                Ok(Resolved::Several(_)) => {
                    let what = format!(
                        "whose \"{}\" is meant: there are several; name the artist",
                        clean(name.text())
                    );
                    return Ok(Err(Error::NotUnderstood { what }));
                }
                Ok(Resolved::Near(_) | Resolved::Nothing) => continue,
                Err(error) => {
                    missing = missing.or(Some(error));
                    continue;
                }
            };
            let Some(handle) = &made.handle else {
                continue;
            };
            let owner = Reference::Handle(handle.clone());
            let found = self.find_as(&owner, EntityType::User).await?;
            if let Ok(Resolved::One(user)) = &found {
                self.reading
                    .push(format!("{} is by {}", called(&made), called(user)));
            }
            return Ok(found);
        }
        Ok(Err(missing.unwrap_or_else(|| Error::Missing {
            what: format!("the track \"{}\"", clean(name.text())),
        })))
    }

    /// Why a name has no answer. If somebody or something else is called so of which Audius does not say what is asked for,
    /// that is why.
    async fn unknown(&mut self, name: &Reference, error: Error) -> Result<Error, NodeError> {
        let Some(operation) = self.operation() else {
            return Ok(error);
        };
        // What looks like an id may be a name.
        if let Reference::Id(text) = name {
            let name = Reference::Name(text.clone());
            return Ok(match self.find(&name).await? {
                Ok(_) => Error::NotUnderstood {
                    what: format!(
                        "\"{text}\" is no id that Audius has; if it is a name, put it in quotes"
                    ),
                },
                Err(_) => error,
            });
        }
        let kinds = [EntityType::User, EntityType::Track, EntityType::Playlist];
        let (own, aspect) = (self.kind(), self.state.aspect);
        for kind in kinds.into_iter().filter(|kind| *kind != own) {
            if aspect.is_some_and(|it| it.field(kind).is_some()) {
                continue;
            }
            if let Ok(Resolved::One(other)) = self.find_as(name, kind).await? {
                let (known, kind, wanted) = (called(&other), kind.name(), own.name());
                let what = match aspect {
                    Some(aspect) => format!(
                        "{known} is a {kind}, and Audius says no {} of {kind}s; ask about a {wanted}",
                        aspect.label()
                    ),
                    None => format!(
                        "{known} is a {kind}, and this is asked of a {wanted}: {}",
                        Catalogue::get()
                            .map_or_else(|_| String::new(), |it| it.in_words(operation))
                    ),
                };
                return Ok(Error::NotUnderstood { what });
            }
        }
        Ok(error)
    }

    async fn find(&mut self, name: &Reference) -> Result<Result<Resolved, Error>, NodeError> {
        self.find_as(name, self.kind()).await
    }

    async fn find_as(
        &mut self,
        name: &Reference,
        kind: EntityType,
    ) -> Result<Result<Resolved, Error>, NodeError> {
        let (id, parameter, text) = match (name, kind) {
            (Reference::Earlier(word), kind) => return self.earlier(word, kind).await,
            (Reference::Url(url), _) => ("resolve", "url", url),
            (Reference::Handle(handle), _) => ("getUserByHandle", "handle", handle),
            (Reference::Id(id), EntityType::User) => ("getUser", "id", id),
            (Reference::Id(id), EntityType::Track) => ("getTrack", "track_id", id),
            (Reference::Id(id), EntityType::Playlist) => ("getPlaylist", "playlist_id", id),
            (Reference::Name(name) | Reference::By { name, .. }, kind) => {
                let id = match kind {
                    EntityType::User => "searchUsers",
                    EntityType::Track => "searchTracks",
                    EntityType::Playlist => "searchPlaylists",
                };
                (id, "query", name)
            }
        };
        let is_search = matches!(name, Reference::Name(_) | Reference::By { .. });
        let mut response = match self.look_for(id, parameter, text, is_search).await? {
            Ok(response) => response,
            Err(error) => return Ok(Err(error)),
        };
        let owner = match name {
            Reference::By { by, .. } => Some(by.to_lowercase()),
            _ => None,
        };
        let missing = || Error::Missing {
            what: match &owner {
                Some(owner) => format!(
                    "the {} \"{}\" by \"{}\"",
                    kind.name(),
                    clean(text),
                    clean(owner)
                ),
                None => format!("the {} \"{}\"", kind.name(), clean(text)),
            },
        };
        if let Some(owner) = &owner {
            response.data.retain(|record| is_by(record, owner));
            if response.data.is_empty() {
                return Ok(Err(missing()));
            }
        }
        let mut found = self.entities(&response);
        // A link may lead to something else than the operation is about.
        if self.wanted().is_some() {
            found.retain(|it| it.entity_type == kind);
        }
        if !is_search {
            return Ok(found
                .into_iter()
                .next()
                .map(Resolved::One)
                .ok_or_else(missing));
        }
        let same = |entity: &&Entity| {
            let is = |text: &str| text.to_lowercase() == name.text().to_lowercase();
            is(&entity.name)
                || entity.entity_type == EntityType::User
                    && entity.handle.as_deref().is_some_and(is)
        };
        let exact: Vec<Entity> = found.iter().filter(same).cloned().collect();
        Ok(match (exact.len(), found.len()) {
            (1, _) => exact
                .into_iter()
                .next()
                .map(Resolved::One)
                .ok_or_else(missing),
            (0, 0) => match self.misspelt((id, parameter), text).await? {
                near if near.is_empty() => Err(missing()),
                near => Ok(Resolved::Near(near)),
            },
            (0, _) => Ok(Resolved::Near(found)),
            _ => Ok(Resolved::Several(exact)),
        })
    }

    /// What is nearly called so: a search for each word of a name that finds nothing as a whole.
    async fn misspelt(
        &mut self,
        (id, parameter): (&str, &str),
        name: &str,
    ) -> Result<Vec<Entity>, NodeError> {
        let words: Vec<&str> = name.split_whitespace().filter(|it| it.len() > 2).collect();
        let mut near: Vec<Entity> = Vec::new();
        if words.len() < 2 {
            return Ok(near);
        }
        for word in words.into_iter().take(MAX_WORDS) {
            if let Ok(response) = self.look_for(id, parameter, word, true).await? {
                let found = self.entities(&response).into_iter();
                let known: Vec<&str> = near.iter().map(|it| it.id.as_str()).collect();
                let new: Vec<Entity> = found
                    .filter(|it| !known.contains(&it.id.as_str()))
                    .collect();
                near.extend(new);
            }
        }
        near.retain(|it| did_you_mean::nearest(name, [it.name.as_str()]).is_some());
        near.truncate(MAX_OPTIONS);
        Ok(near)
    }

    async fn look_for(
        &mut self,
        id: &str,
        parameter: &str,
        text: &str,
        is_search: bool,
    ) -> Result<Result<Response, Error>, NodeError> {
        let mut parameters = Parameters::new();
        parameters.insert(parameter.to_owned(), text.into());
        if is_search {
            parameters.insert("limit".into(), LOOKED_AT.into());
        }
        self.get(id, &parameters).await
    }

    fn entities(&self, response: &Response) -> Vec<Entity> {
        let source = self.sources.len().saturating_sub(1);
        let records = response.data.iter();
        records.filter_map(|it| looked_up(it, source)).collect()
    }

    /// What a word stands for: what the last answer named and what fits. It is told.
    async fn earlier(
        &mut self,
        word: &str,
        kind: EntityType,
    ) -> Result<Result<Resolved, Error>, NodeError> {
        let Some(before) = recall::last_for(self.state, word) else {
            return Ok(Ok(Resolved::Nothing));
        };
        let meant = before.mentions.meant(word, kind);
        let found = match meant.as_slice() {
            [] => return Ok(Ok(Resolved::Nothing)),
            [one] => match (&one.id, &one.handle) {
                (Some(_), _) => recall::found(one).map_or(Resolved::Nothing, Resolved::One),
                // Only a handle is known: it is looked up as if it had been written.
                (None, Some(handle)) => {
                    let name = Reference::Handle(handle.clone());
                    match Box::pin(self.find(&name)).await? {
                        Ok(found) => found,
                        Err(error) => return Ok(Err(error)),
                    }
                }
                (None, None) => return Ok(Ok(Resolved::Nothing)),
            },
            several => {
                let options = several.iter().filter_map(recall::found);
                let options: Vec<Entity> = options.take(MAX_OPTIONS).collect();
                match options.is_empty() {
                    true => Resolved::Nothing,
                    false => Resolved::Several(options),
                }
            }
        };
        if let Resolved::One(entity) = &found {
            self.reading.push(format!(
                "\"{word}\" is {}, from the answer to \"{}\"",
                called(entity),
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

/// Whether a record belongs to somebody of this name or handle, in lower case.
fn is_by(record: &Json, owner: &str) -> bool {
    let user = record.get("user");
    let mut names = ["name", "handle"].into_iter();
    names.any(|name| {
        let known = user.and_then(|it| it.get(name)?.as_str());
        known.is_some_and(|it| it.to_lowercase() == owner)
    })
}

/// How a thing is called in remarks.
fn called(entity: &Entity) -> String {
    match (entity.entity_type, &entity.handle) {
        (EntityType::User, Some(handle)) => format!("{} (@{handle})", entity.name),
        (_, Some(handle)) => format!("\"{}\" (@{handle})", entity.name),
        (_, None) => entity.name.clone(),
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
        let count = record.get(crate::reply::name_of(wire))?.as_u64()?;
        Some((wire.to_owned(), count))
    });
    let counts = counts.collect();
    Some(Entity {
        seen: Some(RecordCounts { source, at, counts }),
        ..entity
    })
}
