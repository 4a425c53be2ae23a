//! Things of the world as they are in replies. The wire is snake_case.

use serde_json::{Value as Json, json};

use crate::world::World;

impl World {
    pub(crate) fn show_user(&self, number: usize) -> Json {
        let Some(user) = self.users.get(number) else {
            return Json::Null;
        };
        let supporters = self
            .tips
            .iter()
            .filter(|tip| tip.receiver == number)
            .count();
        let reposts = user.reposts.len();
        json!({
            "id": user.id,
            "handle": user.handle,
            "handle_lc": user.handle.to_lowercase(),
            "name": user.name,
            "bio": format!("Music from {}", user.location),
            "location": user.location,
            "is_verified": user.is_verified,
            "follower_count": self.followers(number).len(),
            "followee_count": user.follows.len(),
            "track_count": self.tracks_of(number).len(),
            "playlist_count": self.playlists_of(number, false).len(),
            "album_count": self.playlists_of(number, true).len(),
            "repost_count": reposts,
            "supporter_count": supporters,
            "supporting_count": self.tips.iter().filter(|tip| tip.sender == number).count(),
            "is_deactivated": false,
            "is_available": true,
            "profile_picture": picture("user", &user.id),
            "created_at": "2024-03-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
            "wallet": format!("0x{:0>40}", number + 1),
        })
    }

    pub(crate) fn show_track(&self, number: usize) -> Json {
        let Some(track) = self.tracks.get(number) else {
            return Json::Null;
        };
        let owner = self.users.get(track.owner);
        let handle = owner.map(|owner| owner.handle.clone()).unwrap_or_default();
        let remix_of = track.remix_of.and_then(|parent| self.tracks.get(parent)).map(|parent| {
            json!({"tracks": [{"parent_track_id": parent.id, "has_remix_author_saved": false}]})
        });
        json!({
            "id": track.id,
            "title": track.title,
            "user": self.show_user(track.owner),
            "user_id": owner.map(|owner| owner.id.clone()),
            "genre": track.genre,
            "mood": track.mood,
            "tags": track.tags.join(","),
            "description": format!("{} at {} bpm", track.genre, track.bpm),
            "play_count": track.plays,
            "favorite_count": self.favorited_by(number).len(),
            "repost_count": self.reposted_by(number).len(),
            "comment_count": self.comments_on(number).len(),
            "duration": track.duration,
            "bpm": track.bpm,
            "musical_key": "A minor",
            "release_date": date(track.day),
            "created_at": date(track.day),
            "updated_at": date(track.day),
            "permalink": format!("/{handle}/{}", Self::slug(&track.title)),
            "artwork": picture("track", &track.id),
            "remix_of": remix_of,
            "is_downloadable": track.is_downloadable,
            "is_streamable": true,
            "is_stream_gated": track.is_premium,
            "is_download_gated": track.is_premium,
            "is_unlisted": false,
            "is_available": true,
            "access": {"stream": !track.is_premium, "download": track.is_downloadable},
        })
    }

    pub(crate) fn show_playlist(&self, number: usize) -> Json {
        let Some(playlist) = self.playlists.get(number) else {
            return Json::Null;
        };
        let handle = self
            .users
            .get(playlist.owner)
            .map(|owner| owner.handle.clone());
        let kind = if playlist.is_album {
            "album"
        } else {
            "playlist"
        };
        let plays: u64 = playlist
            .tracks
            .iter()
            .filter_map(|track| self.tracks.get(*track))
            .map(|track| track.plays)
            .sum();
        let slug = Self::slug(&playlist.name);
        json!({
            "id": playlist.id,
            "playlist_name": playlist.name,
            "description": format!("A {kind} with {} tracks", playlist.tracks.len()),
            "is_album": playlist.is_album,
            "user": self.show_user(playlist.owner),
            "track_count": playlist.tracks.len(),
            "total_play_count": plays,
            "favorite_count": playlist.favorites.len(),
            "repost_count": playlist.reposts.len(),
            "permalink": format!("/{}/{kind}/{slug}", handle.unwrap_or_default()),
            "artwork": picture("playlist", &playlist.id),
            "release_date": date(playlist.day),
            "created_at": date(playlist.day),
            "playlist_contents": [],
            "is_private": false,
            "is_delete": false,
        })
    }

    pub(crate) fn show_comment(&self, number: usize) -> Json {
        let Some(comment) = self.comments.get(number) else {
            return Json::Null;
        };
        json!({
            "id": comment.id,
            "entity_id": self.tracks.get(comment.track).map(|track| track.id.clone()),
            "entity_type": "Track",
            "user_id": self.users.get(comment.user).map(|user| user.id.clone()),
            "message": comment.message,
            "react_count": number % 5,
            "reply_count": 0,
            "is_edited": false,
            "created_at": date(comment.day),
        })
    }

    pub(crate) fn show_coin(&self, number: usize) -> Json {
        let Some(coin) = self.coins.get(number) else {
            return Json::Null;
        };
        let supply = 1_000_000.0;
        json!({
            "mint": coin.mint,
            "ticker": coin.ticker,
            "decimals": 9,
            "name": format!("{} coin", coin.ticker),
            "owner_id": self.users.get(coin.owner).map(|user| user.id.clone()),
            "price": coin.price,
            "marketCap": coin.price * supply,
            "totalSupply": supply,
            "holder": coin.holders.len(),
            "created_at": date(10),
        })
    }

    pub(crate) fn show_contest(&self, number: usize) -> Json {
        let Some(contest) = self.contests.get(number) else {
            return Json::Null;
        };
        let track = self.tracks.get(contest.track);
        let owner = track.and_then(|track| self.users.get(track.owner));
        json!({
            "event_id": contest.id,
            "event_type": "remix_contest",
            "user_id": owner.map(|owner| owner.id.clone()),
            "entity_type": "track",
            "entity_id": track.map(|track| track.id.clone()),
            "end_date": if contest.is_over { "2026-01-01T00:00:00Z" } else { "2030-01-01T00:00:00Z" },
            "is_deleted": false,
            "created_at": date(20),
            "updated_at": date(20),
            "event_data": {},
        })
    }
}

/// A day of the year of the world, from 0.
fn date(day: u64) -> String {
    const MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut left = day.min(364);
    for (month, days) in (1..).zip(MONTHS) {
        if left < days {
            return format!("2025-{month:0>2}-{:0>2}T00:00:00Z", left + 1);
        }
        left -= days;
    }
    "2025-12-31T00:00:00Z".to_owned()
}

fn picture(kind: &str, id: &str) -> Json {
    json!({
        "150x150": format!("https://content.audius.co/{kind}/{id}/150x150.jpg"),
        "480x480": format!("https://content.audius.co/{kind}/{id}/480x480.jpg"),
    })
}
