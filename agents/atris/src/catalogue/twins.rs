//! Operations that ask the same of different kinds of things. A question does not always say which kind it
//! names: `who remixed First Light` may be about a track or a person.

use super::operation::EntityType::{self, Playlist, Track, User};

const TWINS: [&[(EntityType, &str)]; 14] = [
    &[(Track, "getTrackRemixes"), (User, "getRemixers")],
    &[(User, "getTracksByUser"), (Playlist, "getPlaylistTracks")],
    &[(Track, "getTrackComments"), (User, "getUserComments")],
    &[
        (Track, "getUsersFromReposts"),
        (Playlist, "getUsersFromPlaylistReposts"),
    ],
    &[
        (Track, "getUsersFromFavorites"),
        (Playlist, "getUsersFromPlaylistFavorites"),
    ],
    &[
        (Track, "getTrackDownloadCount"),
        (User, "getUserTracksDownloadCount"),
    ],
    &[
        (Track, "getTrackAccessInfo"),
        (Playlist, "getPlaylistAccessInfo"),
    ],
    &[(Track, "favoriteTrack"), (Playlist, "favoritePlaylist")],
    &[(Track, "unfavoriteTrack"), (Playlist, "unfavoritePlaylist")],
    &[(Track, "repostTrack"), (Playlist, "repostPlaylist")],
    &[(Track, "unrepostTrack"), (Playlist, "unrepostPlaylist")],
    &[(Track, "shareTrack"), (Playlist, "sharePlaylist")],
    &[(Track, "deleteTrack"), (Playlist, "deletePlaylist")],
    &[
        (Track, "getTrack"),
        (Playlist, "getPlaylist"),
        (User, "getUser"),
    ],
];

/// The operations that ask the same of other kinds of things.
pub(crate) fn twins(id: &str) -> impl Iterator<Item = (EntityType, &'static str)> + '_ {
    let group = TWINS
        .iter()
        .find(|group| group.iter().any(|(_, it)| *it == id));
    let group = group.copied().unwrap_or_default().iter().copied();
    group.filter(move |(_, it)| *it != id)
}
