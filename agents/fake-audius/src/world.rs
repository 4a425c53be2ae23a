//! The world: users, tracks, playlists, comments and coins, made from a seed.

use fastrand::Rng;

/// Who and what there is. Everything else follows from it, so that no two replies contradict.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) users: Vec<User>,
    pub(crate) tracks: Vec<Track>,
    pub(crate) playlists: Vec<Playlist>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) coins: Vec<Coin>,
    pub(crate) tips: Vec<Tip>,
    pub(crate) contests: Vec<Contest>,
}

#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) id: String,
    pub(crate) handle: String,
    pub(crate) name: String,
    pub(crate) location: String,
    pub(crate) is_verified: bool,
    pub(crate) follows: Vec<usize>,
    pub(crate) favorites: Vec<usize>,
    pub(crate) reposts: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) owner: usize,
    pub(crate) genre: &'static str,
    pub(crate) mood: &'static str,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) plays: u64,
    pub(crate) downloads: u64,
    pub(crate) duration: u64,
    pub(crate) bpm: u64,
    pub(crate) day: u64,
    pub(crate) remix_of: Option<usize>,
    pub(crate) is_downloadable: bool,
    pub(crate) is_premium: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Playlist {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) owner: usize,
    pub(crate) tracks: Vec<usize>,
    pub(crate) is_album: bool,
    pub(crate) favorites: Vec<usize>,
    pub(crate) reposts: Vec<usize>,
    pub(crate) day: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub(crate) id: String,
    pub(crate) track: usize,
    pub(crate) user: usize,
    pub(crate) message: String,
    pub(crate) day: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Coin {
    pub(crate) mint: String,
    pub(crate) ticker: String,
    pub(crate) owner: usize,
    pub(crate) price: f64,
    pub(crate) holders: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tip {
    pub(crate) sender: usize,
    pub(crate) receiver: usize,
    pub(crate) amount: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub(crate) id: String,
    pub(crate) track: usize,
    pub(crate) is_over: bool,
}

/// Users that every world has. Two of them share a name.
const KNOWN: [(&str, &str, &str); 8] = [
    ("novakane", "Nova Kane", "Lisbon"),
    ("miravoss", "Mira Voss", "Rotterdam"),
    ("orbittheory", "Orbit Theory", "Osaka"),
    ("lowtide", "Low Tide Collective", "Bristol"),
    ("solrivera", "Sol Rivera", "Medellin"),
    ("solriveramusic", "Sol Rivera", "Austin"),
    ("glasshouse", "Glass House", "Berlin"),
    ("papertiger", "Paper Tiger", "Minneapolis"),
];

const FIRST: [&str; 12] = [
    "Velvet", "Static", "Amber", "Neon", "Hollow", "Cobalt", "Silent", "Solar", "Misty", "Broken",
    "Golden", "Distant",
];
const SECOND: [&str; 12] = [
    "Rivers", "Signals", "Harbor", "Engines", "Gardens", "Mirrors", "Summer", "Windows", "Pilots",
    "Rain", "Satellite", "Streets",
];
const GENRES: [&str; 8] = [
    "Electronic", "Hip-Hop/Rap", "Deep House", "Techno", "Jazz", "Ambient", "Pop", "Rock",
];
const MOODS: [&str; 5] = ["Peaceful", "Energizing", "Melancholy", "Upbeat", "Brooding"];
const TAGS: [&str; 7] = [
    "ambient", "summer", "night", "vocal", "club", "lofi", "live",
];
const WORDS: [&str; 5] = [
    "this one stays with me", "the bass in the second half", "played it all week", "what a mix",
    "needs a longer intro",
];

impl World {
    /// The world of a seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut world = Self {
            users: Vec::new(),
            tracks: Vec::new(),
            playlists: Vec::new(),
            comments: Vec::new(),
            coins: Vec::new(),
            tips: Vec::new(),
            contests: Vec::new(),
        };
        world.people(&mut rng);
        world.music(&mut rng);
        world.collections(&mut rng);
        world.opinions(&mut rng);
        world.money(&mut rng);
        world
    }

    fn people(&mut self, rng: &mut Rng) {
        let known = KNOWN.iter().map(|(handle, name, place)| {
            (
                (*handle).to_owned(),
                (*name).to_owned(),
                (*place).to_owned(),
            )
        });
        let made = (0..22).map(|number| {
            let (first, second) = (pick(&FIRST, number * 5), pick(&SECOND, number * 7));
            let handle = format!("{first}{second}{number}").to_lowercase();
            (
                handle,
                format!("{first} {second} {number}"),
                "Somewhere".to_owned(),
            )
        });
        for (number, (handle, name, location)) in known.chain(made).enumerate() {
            self.users.push(User {
                id: id('u', number),
                handle,
                name,
                location,
                is_verified: number % 3 == 0,
                follows: Vec::new(),
                favorites: Vec::new(),
                reposts: Vec::new(),
            });
        }
        let count = self.users.len();
        for (number, user) in self.users.iter_mut().enumerate() {
            user.follows = some(rng, count, 9)
                .into_iter()
                .filter(|other| *other != number)
                .collect();
        }
    }

    fn music(&mut self, rng: &mut Rng) {
        let users = self.users.len();
        let fixed = ["First Light", "Paper Moons", "Midnight Rain", "Glass"];
        for number in 0..120 {
            let title = match fixed.get(number) {
                Some(title) => (*title).to_owned(),
                None => {
                    let (first, second) =
                        (pick(&FIRST, number), pick(&SECOND, number / 12 + number));
                    format!("{first} {second} {number}")
                }
            };
            let owner = match number {
                0 | 4 | 8 => 0,
                1 | 5 => 1,
                _ => rng.usize(..users),
            };
            self.tracks.push(Track {
                id: id('t', number),
                title,
                owner,
                genre: pick(&GENRES, number),
                mood: pick(&MOODS, number),
                tags: vec![pick(&TAGS, number), pick(&TAGS, number + 3)],
                plays: rng.u64(1_000..2_000_000),
                downloads: rng.u64(..5_000),
                duration: rng.u64(90..420),
                bpm: rng.u64(80..160),
                day: rng.u64(..365),
                // Every tenth is a remix of one of the first four.
                remix_of: (number % 10 == 9).then_some(number / 10 % 4),
                is_downloadable: number % 4 == 0,
                is_premium: number % 11 == 5,
            });
        }
    }

    fn collections(&mut self, rng: &mut Rng) {
        let (users, tracks) = (self.users.len(), self.tracks.len());
        for number in 0..18 {
            let is_album = number % 3 == 2;
            let name = match number {
                0 => "Night Drive".to_owned(),
                1 => "Summer Rooftops".to_owned(),
                _ => format!("{} {}", pick(&SECOND, number), pick(&FIRST, number + 4)),
            };
            let owner = if number == 0 || number == 2 {
                0
            } else {
                rng.usize(..users)
            };
            self.playlists.push(Playlist {
                id: id('p', number),
                name,
                owner: if number == 5 { 2 } else { owner },
                tracks: some(rng, tracks, 12),
                is_album,
                favorites: some(rng, users, 8),
                reposts: some(rng, users, 4),
                day: rng.u64(..365),
            });
        }
    }

    fn opinions(&mut self, rng: &mut Rng) {
        let tracks = self.tracks.len();
        for user in &mut self.users {
            user.favorites = some(rng, tracks, 14);
            user.reposts = some(rng, tracks, 8);
        }
        // Every world has opinions about the first two.
        for number in [2, 3, 6] {
            if let Some(user) = self.users.get_mut(number) {
                for track in [0, 1] {
                    if !user.favorites.contains(&track) {
                        user.favorites.push(track);
                    }
                    if !user.reposts.contains(&track) {
                        user.reposts.push(track);
                    }
                }
            }
        }
        let users = self.users.len();
        for number in 0..160 {
            let track = if number < 6 {
                number % 2
            } else {
                rng.usize(..tracks)
            };
            self.comments.push(Comment {
                id: id('c', number),
                track,
                user: if number == 3 { 1 } else { rng.usize(..users) },
                message: pick(&WORDS, number).to_owned(),
                day: rng.u64(..365),
            });
        }
    }

    fn money(&mut self, rng: &mut Rng) {
        let users = self.users.len();
        for (number, ticker) in ["NOVA", "TIDE", "GLASS", "ORBIT"].iter().enumerate() {
            self.coins.push(Coin {
                mint: format!("{}Mint{:0>30}", ticker, number + 1),
                ticker: (*ticker).to_owned(),
                owner: number,
                price: f64::from(rng.u32(1..900)) / 100.0,
                holders: some(rng, users, 12),
            });
        }
        for number in 0..24 {
            let receiver = if number < 4 { 0 } else { rng.usize(..users) };
            self.tips.push(Tip {
                sender: (receiver + 1 + number) % users,
                receiver,
                amount: rng.u64(1..500),
            });
        }
        for number in 0..5 {
            self.contests.push(Contest {
                id: id('e', number),
                track: number,
                is_over: number % 2 == 1,
            });
        }
    }

    pub(crate) fn user(&self, id: &str) -> Option<usize> {
        self.users.iter().position(|user| user.id == id)
    }

    pub(crate) fn user_by_handle(&self, handle: &str) -> Option<usize> {
        let same = |user: &User| user.handle.eq_ignore_ascii_case(handle);
        self.users.iter().position(same)
    }

    pub(crate) fn track(&self, id: &str) -> Option<usize> {
        self.tracks.iter().position(|track| track.id == id)
    }

    pub(crate) fn playlist(&self, id: &str) -> Option<usize> {
        self.playlists.iter().position(|playlist| playlist.id == id)
    }

    pub(crate) fn followers(&self, user: usize) -> Vec<usize> {
        self.those(|other| other.follows.contains(&user))
    }

    pub(crate) fn favorited_by(&self, track: usize) -> Vec<usize> {
        self.those(|user| user.favorites.contains(&track))
    }

    pub(crate) fn reposted_by(&self, track: usize) -> Vec<usize> {
        self.those(|user| user.reposts.contains(&track))
    }

    fn those(&self, wanted: impl Fn(&User) -> bool) -> Vec<usize> {
        let users = self.users.iter().enumerate();
        users
            .filter(|(_, user)| wanted(user))
            .map(|(number, _)| number)
            .collect()
    }

    pub(crate) fn tracks_of(&self, user: usize) -> Vec<usize> {
        let tracks = self.tracks.iter().enumerate();
        tracks
            .filter(|(_, track)| track.owner == user)
            .map(|(number, _)| number)
            .collect()
    }

    pub(crate) fn playlists_of(&self, user: usize, is_album: bool) -> Vec<usize> {
        let wanted = |playlist: &Playlist| playlist.owner == user && playlist.is_album == is_album;
        let playlists = self.playlists.iter().enumerate();
        playlists
            .filter(|(_, it)| wanted(it))
            .map(|(number, _)| number)
            .collect()
    }

    pub(crate) fn comments_on(&self, track: usize) -> Vec<usize> {
        let comments = self.comments.iter().enumerate();
        comments
            .filter(|(_, it)| it.track == track)
            .map(|(number, _)| number)
            .collect()
    }

    /// The address of a track behind the host, as in its permalink.
    pub(crate) fn slug(title: &str) -> String {
        let words = title.to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-")
    }
}

fn pick(from: &[&'static str], number: usize) -> &'static str {
    from.get(number % from.len()).copied().unwrap_or_default()
}

/// Some numbers below `below`, in order, each once.
fn some(rng: &mut Rng, below: usize, most: usize) -> Vec<usize> {
    let mut found: Vec<usize> = (0..most).map(|_| rng.usize(..below)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A short id that says nothing, equal in every world.
fn id(kind: char, number: usize) -> String {
    const LETTERS: &[u8] = b"abcdeFGHJKLmnpqrSTVWXyz3579";
    let mut left = number * 7919 + usize::from(u8::try_from(kind).unwrap_or(0)) * 104_729 + 500_000;
    let mut text = String::from("K");
    while left > 0 {
        let letter = LETTERS.get(left % LETTERS.len()).copied().unwrap_or(b'x');
        text.push(char::from(letter));
        left /= LETTERS.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_is_the_same_world_and_ids_are_unique() {
        let world = World::new(7);
        assert_eq!(format!("{world:?}"), format!("{:?}", World::new(7)));
        assert_ne!(format!("{world:?}"), format!("{:?}", World::new(8)));
        let mut ids: Vec<&str> = world.users.iter().map(|it| &*it.id).collect();
        ids.extend(world.tracks.iter().map(|it| &*it.id));
        ids.extend(world.playlists.iter().map(|it| &*it.id));
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
