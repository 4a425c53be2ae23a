//! The remark that a list is not the whole of it: a reply has as many records as were asked for, so there
//! may be more.

use super::{Words, lines};
use crate::{
    answer::Fact,
    catalogue::Catalogue,
    question::{Aspect, values_of},
    state::AtrisState,
    tools::Response,
};

/// How many records the call asked for.
pub(super) fn limit_of(state: &AtrisState) -> Option<usize> {
    let limit = state.parameters.as_ref()?.get("limit")?.as_u64()?;
    usize::try_from(limit).ok()
}

/// How many records were left out before the first one of the reply.
pub(super) fn skipped_of(state: &AtrisState) -> u64 {
    let skipped = state.parameters.as_ref().and_then(|it| it.get("offset"));
    skipped.and_then(serde_json::Value::as_u64).unwrap_or(0)
}

impl Words<'_> {
    /// What is said behind a list that may continue. Nothing if the question said how many it wants.
    pub(super) fn more(&mut self, state: &AtrisState, response: &Response) -> Option<String> {
        let limit = limit_of(state)?;
        let shown = response.data.len();
        let operation = Catalogue::get()
            .ok()?
            .operation(&response.source.operation)?;
        let question = state.query.as_deref().unwrap_or_default();
        if shown < limit || values_of(question, operation).contains_key("limit") {
            return None;
        }
        let skipped = skipped_of(state);
        let page = match (operation.parameter("offset").is_some(), limit) {
            (true, 1..) => format!(", or ask for page {}", skipped / limit as u64 + 2),
            _ => String::new(),
        };
        let ways = format!("--limit shows up to 100{page}");
        let total = self.total(state, &operation.id);
        if total.is_some_and(|total| total <= skipped + shown as u64) {
            return None;
        }
        let range = match (skipped, total) {
            (0, Some(_)) => shown.to_string(),
            (0, None) => format!("the first {shown}"),
            _ => format!("{} to {}", skipped + 1, skipped + shown as u64),
        };
        let rest = match total {
            Some(total) => format!(" of {}", lines::text(&total.into())),
            None => ", there may be more".to_owned(),
        };
        Some(format!("Shown: {range}{rest}; {ways}."))
    }

    /// How many there are, as the record of what the question is about said when it was looked up.
    fn total(&mut self, state: &AtrisState, operation: &str) -> Option<u64> {
        let entity = state.entity.as_ref()?;
        let aspect = match operation {
            "getFollowers" => Aspect::Followers,
            "getFollowing" => Aspect::Following,
            "getTracksByUser" | "getTracksByUserHandle" | "getPlaylistTracks" => Aspect::Tracks,
            "getPlaylistsByUser" => Aspect::Playlists,
            "getAlbumsByUser" => Aspect::Albums,
            "getSupporters" => Aspect::Supporters,
            "getUsersFromReposts" | "getUsersFromPlaylistReposts" => Aspect::Reposts,
            "getUsersFromFavorites" | "getUsersFromPlaylistFavorites" => Aspect::Favorites,
            "getTrackComments" => Aspect::Comments,
            _ => return None,
        };
        let seen = entity.seen.as_ref()?;
        let field = aspect.field(entity.entity_type)?;
        let total = *seen.counts.get(field)?;
        self.facts.push(Fact {
            text: lines::text(&total.into()),
            field: format!("{}/{field}", seen.at),
            source: seen.source,
        });
        Some(total)
    }
}
