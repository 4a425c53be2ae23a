//! Operations that ask the same of different kinds of things. A question does not always say which kind it
//! names: `who remixed First Light` may be about a track or a person.

use super::{
    Catalogue,
    operation::{
        EntityType::{self, Playlist, Track, User},
        Operation,
    },
};

/// Those that differ in more than the kind in their ids.
const TWINS: [[&str; 2]; 5] = [
    ["getTrackRemixes", "getRemixers"],
    ["getTracksByUser", "getPlaylistTracks"],
    ["getUsersFromReposts", "getUsersFromPlaylistReposts"],
    ["getUsersFromFavorites", "getUsersFromPlaylistFavorites"],
    ["getTrackDownloadCount", "getUserTracksDownloadCount"],
];

/// Kinds of things as ids name them, in the order they are looked up.
const KINDS: [(EntityType, &str); 3] = [(Track, "Track"), (Playlist, "Playlist"), (User, "User")];

impl Catalogue {
    /// The operations that ask the same of other kinds of things.
    pub(crate) fn twins(&self, operation: &Operation) -> Vec<(EntityType, &Operation)> {
        let id = operation.id.as_str();
        let pair = TWINS.iter().find(|pair| pair.contains(&id));
        let ids: Vec<String> = match pair {
            Some(pair) => pair.map(str::to_owned).into(),
            // `favoriteTrack` and `favoritePlaylist`, but not `getTrendingTracks`.
            None => match KINDS.iter().find(|(kind, name)| {
                operation.entity().is_some_and(|(own, _)| own == *kind) && id.contains(name)
            }) {
                Some((_, name)) => KINDS.map(|(_, other)| id.replace(name, other)).into(),
                None => Vec::new(),
            },
        };
        let found = ids
            .iter()
            .filter(|it| *it != id)
            .filter_map(|id| self.operation(id));
        found.filter_map(|it| Some((it.entity()?.0, it))).collect()
    }
}
