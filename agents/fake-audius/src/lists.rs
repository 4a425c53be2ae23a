//! What operations answer from the world. What is not here is answered by `sample`.

use serde_json::{Value as Json, json};

use crate::{
    orders::{Sound, ordered},
    request::ApiRequest,
    world::World,
};

/// The `data` of a reply; an error says that what was asked for is not there.
pub(crate) enum Data {
    /// One thing, or a number.
    One(Json),
    /// A list that is cut by `offset` and `limit`.
    Many(Vec<Json>),
    /// What was asked for is not there.
    Missing,
    /// The world knows nothing about it.
    Unknown,
}

impl World {
    /// Whether everything that a call names is there.
    pub(crate) fn has_all(&self, asked: &ApiRequest<'_>) -> bool {
        let is_user = asked.operation.path.starts_with("/users/{id}");
        let ids = asked.values.iter().filter(|(_, value)| !value.is_empty());
        ids.into_iter().all(|(name, id)| match name.as_str() {
            "track_id" => self.track(id).is_some(),
            "playlist_id" => self.playlist(id).is_some(),
            "user_id" => self.user(id).is_some(),
            "id" if is_user => self.user(id).is_some(),
            _ => true,
        })
    }

    pub(crate) fn data(&self, asked: &ApiRequest<'_>) -> Data {
        let id = asked.operation.id.as_str();
        let id = id.strip_suffix("WithVersion").unwrap_or(id);
        match id {
            _ if asked.has("track_id") => self.about_track(asked),
            _ if asked.has("playlist_id") => self.about_playlist(asked),
            _ if asked.operation.path.starts_with("/users/{id}") => {
                match self.user(&asked.text("id")) {
                    Some(user) => self.about_user(asked, user),
                    None => Data::Missing,
                }
            }
            _ if asked.has("handle") && asked.operation.path.contains("{handle}") => {
                match self.user_by_handle(&asked.text("handle")) {
                    Some(user) => self.about_user(asked, user),
                    None => Data::Missing,
                }
            }
            "resolve" => self.resolved(&asked.text("url")),
            "search" | "searchAutocomplete" | "searchTags" => self.search(asked),
            "searchUsers" => self.many_users(self.users_like(asked)),
            "searchTracks" => self.many_tracks(self.tracks_like(asked)),
            "searchPlaylists" => self.many_playlists(self.playlists_like(asked, None)),
            "getTopUsers" | "getTopUsersInGenre" => {
                let mut users: Vec<usize> = (0..self.users.len()).collect();
                let genres = asked.all("genre");
                if !genres.is_empty() {
                    users.retain(|user| {
                        let tracks = self.tracks_of(*user);
                        let mut tracks = tracks.iter().filter_map(|track| self.tracks.get(*track));
                        tracks.any(|track| genres.iter().any(|genre| genre == track.genre))
                    });
                }
                users.sort_by_key(|user| std::cmp::Reverse(self.followers(*user).len()));
                self.many_users(users)
            }
            "getBulkUsers" => {
                let ids = asked.all("id");
                self.many_users(ids.iter().filter_map(|id| self.user(id)).collect())
            }
            "getBulkTracks" => {
                let ids = asked.all("id");
                self.many_tracks(ids.iter().filter_map(|id| self.track(id)).collect())
            }
            "getBulkPlaylists" => {
                let ids = asked.all("id");
                self.many_playlists(ids.iter().filter_map(|id| self.playlist(id)).collect())
            }
            "getTrendingPlaylists" | "getPlaylistsNewReleases" => {
                let album = match asked.text("type").as_str() {
                    "album" => Some(true),
                    "playlist" => Some(false),
                    _ => None,
                };
                let mut found = self.playlists_like(asked, album);
                if id == "getPlaylistsNewReleases" {
                    let day = |number: &usize| self.playlists.get(*number).map(|it| it.day);
                    found.sort_by_key(|number| std::cmp::Reverse(day(number)));
                }
                self.many_playlists(found)
            }
            "getPopularGenres" => {
                let mut counts: Vec<(&str, usize)> = Vec::new();
                for track in &self.tracks {
                    match counts.iter_mut().find(|(genre, _)| *genre == track.genre) {
                        Some((_, count)) => *count += 1,
                        None => counts.push((track.genre, 1)),
                    }
                }
                counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                let genres = counts.into_iter();
                Data::Many(
                    genres
                        .map(|(name, count)| json!({"name": name, "count": count}))
                        .collect(),
                )
            }
            "getRemixContests" | "getAllEvents" => {
                let status = asked.text("status");
                let kind = asked.text("event_type");
                let contests = self.contests.iter().enumerate().filter(|(_, contest)| {
                    let fits = match status.as_str() {
                        "active" => !contest.is_over,
                        "ended" => contest.is_over,
                        _ => true,
                    };
                    fits && (kind.is_empty() || kind == "remix_contest")
                });
                Data::Many(
                    contests
                        .map(|(number, _)| self.show_contest(number))
                        .collect(),
                )
            }
            "getCoins" => {
                let mut coins: Vec<usize> = (0..self.coins.len()).collect();
                let tickers = asked.all("ticker");
                coins.retain(|number| {
                    let coin = self.coins.get(*number);
                    tickers.is_empty() || coin.is_some_and(|coin| tickers.contains(&coin.ticker))
                });
                let mut coins: Vec<Json> = coins.into_iter().map(|it| self.show_coin(it)).collect();
                let field = match asked.text("sort_method").as_str() {
                    "market_cap" => "marketCap",
                    "holder" => "holder",
                    // They are all of one day.
                    "created_at" | "volume" => "created_at",
                    _ => "price",
                };
                let value = |coin: &Json| coin.get(field).and_then(Json::as_f64).unwrap_or(0.0);
                coins.sort_by(|a, b| match asked.text("sort_direction").as_str() {
                    "asc" => value(a).total_cmp(&value(b)),
                    _ => value(b).total_cmp(&value(a)),
                });
                Data::Many(coins)
            }
            "getCoin" | "getCoinByTicker" => {
                let (mint, ticker) = (asked.text("mint"), asked.text("ticker"));
                let mut coins = self.coins.iter();
                let found = coins.position(|coin| coin.mint == mint || coin.ticker == ticker);
                found.map_or(Data::Missing, |number| Data::One(self.show_coin(number)))
            }
            "getTips" => {
                let tips = self.tips.iter().map(|tip| {
                    json!({
                        "amount": tip.amount.to_string(),
                        "sender": self.show_user(tip.sender),
                        "receiver": self.show_user(tip.receiver),
                        "created_at": "2025-06-01T00:00:00Z",
                        "slot": 1, "followee_supporters": [], "tx_signature": "sample",
                    })
                });
                Data::Many(tips.collect())
            }
            "getBestSelling" => {
                let albums = asked.text("type") == "album";
                let items = self
                    .playlists
                    .iter()
                    .filter(|playlist| playlist.is_album == albums);
                let items = items.map(|playlist| {
                    json!({
                        "content_id": playlist.id,
                        "content_type": if albums { "album" } else { "track" },
                        "title": playlist.name,
                        "owner_id": self.users.get(playlist.owner).map(|user| user.id.clone()),
                    })
                });
                Data::Many(items.collect())
            }
            "getComment" => {
                let id = asked.text("comment_id");
                let found = self.comments.iter().position(|comment| comment.id == id);
                // The API answers with a list here.
                found.map_or(Data::Missing, |number| {
                    Data::Many(vec![self.show_comment(number)])
                })
            }
            "getCommentReplies" => Data::Many(Vec::new()),
            _ if asked.is_list_of("Track") => self.many_tracks(self.ranked(asked, id)),
            _ => Data::Unknown,
        }
    }

    /// Tracks in the order of an operation.
    fn ranked(&self, asked: &ApiRequest<'_>, id: &str) -> Vec<usize> {
        let mut tracks = self.tracks_like(asked);
        let track = |number: &usize| self.tracks.get(*number);
        match id {
            "getUndergroundTrendingTracks"
            | "getUnderTheRadarTracks"
            | "getTrendingUndergroundWinners" => {
                tracks.retain(|number| {
                    track(number).is_some_and(|it| self.followers(it.owner).len() < 8)
                });
            }
            "getTrendingUSDCPurchaseTracks" | "getRecentPremiumTracks" => {
                tracks.retain(|number| track(number).is_some_and(|it| it.is_premium));
            }
            "getRemixableTracks" => {
                tracks.retain(|number| track(number).is_some_and(|it| it.is_downloadable))
            }
            _ => {}
        }
        match id {
            "getLatestTracks" | "getBestNewReleases" | "getRecentPremiumTracks" => {
                tracks.sort_by_key(|number| std::cmp::Reverse(track(number).map(|it| it.day)));
            }
            "getMostLovedTracks" => {
                tracks.sort_by_key(|number| std::cmp::Reverse(self.favorited_by(*number).len()));
            }
            "getMostSharedTracks" => {
                tracks.sort_by_key(|number| std::cmp::Reverse(self.reposted_by(*number).len()));
            }
            "getTracksWithRecentComments" => {
                tracks.retain(|number| !self.comments_on(*number).is_empty());
            }
            _ => tracks.sort_by_key(|number| std::cmp::Reverse(self.heat(asked, *number))),
        }
        tracks
    }

    /// How hot a track is: its plays in a time are a share of all its plays.
    fn heat(&self, asked: &ApiRequest<'_>, number: usize) -> u64 {
        let Some(track) = self.tracks.get(number) else {
            return 0;
        };
        let share = |times: u64| track.plays / (1 + (track.day * times) % 17);
        match asked.text("time").as_str() {
            "allTime" => track.plays,
            "year" => share(1),
            "month" => share(3),
            _ => share(7),
        }
    }

    fn about_track(&self, asked: &ApiRequest<'_>) -> Data {
        let Some(number) = self.track(&asked.text("track_id")) else {
            return Data::Missing;
        };
        let Some(track) = self.tracks.get(number) else {
            return Data::Missing;
        };
        match asked.operation.id.as_str() {
            "getTrack" => Data::One(self.show_track(number)),
            "getTrackComments" => {
                let comments = self.comments_on(number);
                Data::Many(
                    comments
                        .into_iter()
                        .map(|it| self.show_comment(it))
                        .collect(),
                )
            }
            "getTrackCommentCount" => Data::One(self.comments_on(number).len().into()),
            "getTrackDownloadCount" => {
                Data::One(json!({"id": track.id, "download_count": track.downloads}))
            }
            "getTrackRemixes" => {
                let all = self.tracks.iter().enumerate();
                let remixes = all.filter(|(_, it)| it.remix_of == Some(number));
                let remixes: Vec<Json> = remixes.map(|(it, _)| self.show_track(it)).collect();
                let count = remixes.len();
                Data::One(json!({"count": count, "tracks": asked.page(ordered(remixes, asked))}))
            }
            "getTrackRemixParents" => self.many_tracks(track.remix_of.into_iter().collect()),
            "getUsersFromFavorites" => self.many_users(self.favorited_by(number)),
            "getUsersFromReposts" => self.many_users(self.reposted_by(number)),
            "getTrackTopListeners" => {
                let users = self.favorited_by(number).into_iter().enumerate();
                let users = users.map(|(place, user)| {
                    json!({"count": 500 / (place + 1), "user": self.show_user(user)})
                });
                Data::Many(users.collect())
            }
            "getTrackStems" => Data::Many(Vec::new()),
            "streamTrack" => {
                Data::One(format!("https://content.audius.co/tracks/{}.mp3", track.id).into())
            }
            _ => Data::Unknown,
        }
    }

    fn about_playlist(&self, asked: &ApiRequest<'_>) -> Data {
        let Some(number) = self.playlist(&asked.text("playlist_id")) else {
            return Data::Missing;
        };
        let Some(playlist) = self.playlists.get(number) else {
            return Data::Missing;
        };
        match asked.operation.id.as_str() {
            // The API answers with a list here.
            "getPlaylist" => Data::Many(vec![self.show_playlist(number)]),
            "getPlaylistTracks" => self.many_tracks(playlist.tracks.clone()),
            "getUsersFromPlaylistFavorites" => self.many_users(playlist.favorites.clone()),
            "getUsersFromPlaylistReposts" => self.many_users(playlist.reposts.clone()),
            _ => Data::Unknown,
        }
    }

    fn about_user(&self, asked: &ApiRequest<'_>, number: usize) -> Data {
        let Some(user) = self.users.get(number) else {
            return Data::Missing;
        };
        let activity = |tracks: &[usize]| {
            let items = tracks.iter().map(|track| {
                json!({
                    "timestamp": "2025-06-01T00:00:00Z", "item_type": "track", "class": "track_activity",
                    "item": self.show_track(*track),
                })
            });
            Data::Many(items.collect())
        };
        match asked.operation.id.as_str() {
            "getUser" | "getUserByHandle" => Data::One(self.show_user(number)),
            "getTracksByUser" | "getTracksByUserHandle" => {
                let mut tracks = self.tracks_of(number);
                let track = |number: &usize| self.tracks.get(*number);
                tracks.sort_by_key(|it| std::cmp::Reverse(track(it).map(|it| it.day)));
                self.many_tracks(tracks)
            }
            "getTracksCountByUser" => Data::One(self.tracks_of(number).len().into()),
            "getAlbumsByUser" => self.many_playlists(self.playlists_of(number, true)),
            "getPlaylistsByUser" => self.many_playlists(self.playlists_of(number, false)),
            "getFollowers" | "getSubscribers" => self.many_users(self.followers(number)),
            "getFollowing" => self.many_users(user.follows.clone()),
            "getMutualFollowers" => {
                let mut both = self.followers(number);
                both.retain(|other| user.follows.contains(other));
                self.many_users(both)
            }
            "getRelatedUsers" => {
                let mut others = self.followers(number);
                others.truncate(5);
                self.many_users(others)
            }
            "getReposts" | "getRepostsByHandle" => activity(&user.reposts),
            "getUserFavorites" => {
                let items = user
                    .favorites
                    .iter()
                    .filter_map(|track| self.tracks.get(*track));
                let items = items.map(|track| {
                    json!({
                        "favorite_item_id": track.id, "favorite_type": "SaveType.track",
                        "user_id": user.id, "created_at": "2025-06-01T00:00:00Z",
                    })
                });
                Data::Many(items.collect())
            }
            "getUserFavoriteTracks" | "getUserLibraryTracks" | "getUsersTrackHistory" => {
                activity(&user.favorites)
            }
            "getSupporters" => {
                let mut tips: Vec<_> = self
                    .tips
                    .iter()
                    .filter(|tip| tip.receiver == number)
                    .collect();
                tips.sort_by_key(|tip| std::cmp::Reverse(tip.amount));
                let supporters = tips.into_iter().zip(1_u32..).map(|(tip, rank)| {
                    json!({"rank": rank, "amount": tip.amount.to_string(), "sender": self.show_user(tip.sender)})
                });
                Data::Many(supporters.collect())
            }
            "getSupportedUsers" => {
                let mut tips: Vec<_> = self
                    .tips
                    .iter()
                    .filter(|tip| tip.sender == number)
                    .collect();
                tips.sort_by_key(|tip| std::cmp::Reverse(tip.amount));
                let supported = tips.into_iter().zip(1_u32..).map(|(tip, rank)| {
                    json!({"rank": rank, "amount": tip.amount.to_string(), "receiver": self.show_user(tip.receiver)})
                });
                Data::Many(supported.collect())
            }
            "getTopTrackTags" => {
                let tracks = self.tracks_of(number);
                let mut tags: Vec<&str> = Vec::new();
                for track in tracks.iter().filter_map(|track| self.tracks.get(*track)) {
                    tags.extend(
                        track
                            .tags
                            .iter()
                            .filter(|tag| !tags.contains(tag))
                            .collect::<Vec<_>>(),
                    );
                }
                Data::Many(tags.into_iter().map(Into::into).collect())
            }
            "getUserComments" => {
                let all = self.comments.iter().enumerate();
                let own = all.filter(|(_, comment)| comment.user == number);
                Data::Many(own.map(|(it, _)| self.show_comment(it)).collect())
            }
            _ => Data::Unknown,
        }
    }

    fn resolved(&self, url: &str) -> Data {
        let path = url.split("audius.co/").nth(1).unwrap_or_default();
        let parts: Vec<&str> = path.split('/').collect();
        let (handle, slug, is_track) = match parts.as_slice() {
            [handle] => {
                let user = self.user_by_handle(handle);
                return user.map_or(Data::Missing, |user| Data::One(self.show_user(user)));
            }
            [handle, slug] => (handle, slug, true),
            [handle, _, slug] => (handle, slug, false),
            _ => return Data::Missing,
        };
        let Some(owner) = self.user_by_handle(handle) else {
            return Data::Missing;
        };
        if is_track {
            let fits =
                |it: &crate::world::Track| it.owner == owner && Self::slug(&it.title) == *slug;
            let track = self.tracks.iter().position(fits);
            return track.map_or(Data::Missing, |it| Data::One(self.show_track(it)));
        }
        let fits = |it: &crate::world::Playlist| it.owner == owner && Self::slug(&it.name) == *slug;
        let playlist = self.playlists.iter().position(fits);
        playlist.map_or(Data::Missing, |it| Data::Many(vec![self.show_playlist(it)]))
    }

    fn search(&self, asked: &ApiRequest<'_>) -> Data {
        let kind = asked.text("kind");
        let wants = |wanted: &str| kind.is_empty() || kind == "all" || kind == wanted;
        let show = |is_wanted: bool, found: Vec<Json>| match is_wanted {
            true => asked.page(ordered(found, asked)),
            false => Vec::new(),
        };
        let users = self
            .users_like(asked)
            .into_iter()
            .map(|it| self.show_user(it));
        let tracks = self
            .tracks_like(asked)
            .into_iter()
            .map(|it| self.show_track(it));
        let playlists = self.playlists_like(asked, Some(false)).into_iter();
        let playlists = playlists.map(|it| self.show_playlist(it));
        let albums = self.playlists_like(asked, Some(true)).into_iter();
        let albums = albums.map(|it| self.show_playlist(it));
        Data::One(json!({
            "users": show(wants("users"), users.collect()),
            "tracks": show(wants("tracks"), tracks.collect()),
            "playlists": show(wants("playlists"), playlists.collect()),
            "albums": show(wants("albums"), albums.collect()),
        }))
    }

    fn users_like(&self, asked: &ApiRequest<'_>) -> Vec<usize> {
        let query = asked.text("query").to_lowercase();
        let is_verified = asked.text("is_verified") == "true";
        let sound = Sound::of(asked);
        let users = self.users.iter().enumerate().filter(|(number, user)| {
            let text = user.name.to_lowercase().contains(&query)
                || user.handle.to_lowercase().contains(&query);
            text && (!is_verified || user.is_verified)
                && self.has_sound(&self.tracks_of(*number), &sound)
        });
        users.map(|(number, _)| number).collect()
    }

    fn tracks_like(&self, asked: &ApiRequest<'_>) -> Vec<usize> {
        let query = asked.text("query").to_lowercase();
        let sound = Sound::of(asked);
        let bpm = |name: &str| asked.text(name).parse::<u64>().ok();
        let (least, most) = (bpm("bpm_min"), bpm("bpm_max"));
        let is_tag = asked.operation.id == "searchTags";
        let tracks = self.tracks.iter().enumerate().filter(|(_, track)| {
            let text = match is_tag {
                true => track.tags.contains(&query.as_str()),
                false => track.title.to_lowercase().contains(&query),
            };
            text && sound.fits(track)
                && least.is_none_or(|least| track.bpm >= least)
                && most.is_none_or(|most| track.bpm <= most)
        });
        tracks.map(|(number, _)| number).collect()
    }

    fn playlists_like(&self, asked: &ApiRequest<'_>, album: Option<bool>) -> Vec<usize> {
        let query = asked.text("query").to_lowercase();
        let sound = Sound::of(asked);
        let playlists = self.playlists.iter().enumerate().filter(|(_, playlist)| {
            playlist.name.to_lowercase().contains(&query)
                && album.is_none_or(|album| playlist.is_album == album)
                && self.has_sound(&playlist.tracks, &sound)
        });
        playlists.map(|(number, _)| number).collect()
    }

    /// Whether one of these tracks sounds as it is wanted.
    fn has_sound(&self, tracks: &[usize], sound: &Sound) -> bool {
        let mut tracks = tracks.iter().filter_map(|track| self.tracks.get(*track));
        sound.is_any() || tracks.any(|track| sound.fits(track))
    }

    fn many_users(&self, users: Vec<usize>) -> Data {
        Data::Many(users.into_iter().map(|it| self.show_user(it)).collect())
    }

    fn many_tracks(&self, tracks: Vec<usize>) -> Data {
        Data::Many(tracks.into_iter().map(|it| self.show_track(it)).collect())
    }

    fn many_playlists(&self, playlists: Vec<usize>) -> Data {
        Data::Many(
            playlists
                .into_iter()
                .map(|it| self.show_playlist(it))
                .collect(),
        )
    }
}
