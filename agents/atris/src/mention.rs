//! What an answer was about, kept with it so that the next question can say `their` or `the second one`.

use serde::{Deserialize, Serialize};

use crate::{
    catalogue::EntityType,
    question::earlier::{ListPlace, owner, rank},
};

/// Somebody or something that an answer named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// What it is.
    pub entity_type: EntityType,
    /// Its id, if it is known.
    pub id: Option<String>,
    /// Its name or title.
    pub name: String,
    /// Its handle, or that of its owner.
    pub handle: Option<String>,
    /// The name of its owner, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What an answer named: what the question was about, and what its list has, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions {
    /// What the question was about.
    pub subjects: Vec<Mention>,
    /// The records of the answer.
    pub listed: Vec<Mention>,
    /// How many of the list were left out before them: `#12` may be the second.
    #[serde(default)]
    pub skipped: usize,
}

impl Mentions {
    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty() && self.listed.is_empty()
    }

    /// What a word for something earlier can stand for, if a thing of this kind is wanted.
    pub(crate) fn meant(&self, word: &str, kind: EntityType) -> Vec<Mention> {
        if let Some(rank) = rank(word) {
            let skipped = match word.starts_with("the ") {
                true => 0,
                false => self.skipped,
            };
            let one = match rank {
                ListPlace::Last => self.listed.last(),
                ListPlace::At(rank) => {
                    let place = rank.checked_sub(skipped.saturating_add(1));
                    place.and_then(|place| self.listed.get(place))
                }
            };
            return one.and_then(|one| one.as_kind(kind)).into_iter().collect();
        }
        if let Some(owner) = owner(word) {
            let is_theirs = |it: &&Mention| {
                let names = [&it.by, &it.handle];
                let mut names = names.into_iter().flatten();
                it.entity_type != EntityType::User && names.any(|name| name.to_lowercase() == owner)
            };
            let theirs = self.listed.iter().filter(is_theirs);
            return theirs.filter_map(|one| one.as_kind(kind)).collect();
        }
        // The one of a list that came first of all.
        if let ([one], Some(first)) = (self.listed.as_slice(), self.subjects.first())
            && one == first
            && one.entity_type == kind
        {
            return vec![one.clone()];
        }
        let of = |mentions: &[Mention], exactly: bool| {
            let mut found: Vec<Mention> = Vec::new();
            for mention in mentions {
                let fits = match exactly {
                    true => (mention.entity_type == kind).then(|| mention.clone()),
                    false => mention.as_kind(kind),
                };
                found.extend(fits.filter(|it| !found.contains(it)));
            }
            found
        };
        // What the question was about comes before its owner, and before what is in the list.
        let ways = [
            of(&self.subjects, true),
            of(&self.subjects, false),
            of(&self.listed, true),
            of(&self.listed, false),
        ];
        let mut ways = ways.into_iter();
        ways.find(|found| !found.is_empty()).unwrap_or_default()
    }
}

impl Mention {
    /// Itself if it is of this kind, or the user it belongs to if a user is wanted.
    fn as_kind(&self, kind: EntityType) -> Option<Self> {
        match (self.entity_type == kind, kind, &self.handle) {
            (true, _, _) => Some(self.clone()),
            (false, EntityType::User, Some(handle)) => Some(Self {
                entity_type: EntityType::User,
                id: None,
                name: format!("@{handle}"),
                handle: Some(handle.clone()),
                by: None,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mention(entity_type: EntityType, name: &str, handle: &str) -> Mention {
        Mention {
            entity_type,
            id: Some(format!("id of {name}")),
            name: name.to_owned(),
            handle: Some(handle.to_owned()),
            by: Some(format!("{handle} the artist")),
        }
    }

    #[test]
    fn what_the_question_was_about_comes_before_what_its_answer_lists() {
        use EntityType::{Track, User};
        let nova = mention(User, "Nova", "nova");
        let songs = [mention(Track, "One", "nova"), mention(Track, "Two", "mira")];
        let mentions = Mentions {
            subjects: vec![nova.clone()],
            listed: songs.to_vec(),
            skipped: 10,
        };
        assert_eq!(mentions.meant("her", User), [nova]);
        assert_eq!(mentions.meant("it", Track), songs);
        assert_eq!(mentions.meant("the second one", Track), [songs[1].clone()]);
        assert_eq!(mentions.meant("the third one", Track), []);
        assert_eq!(mentions.meant("the last one", Track), [songs[1].clone()]);
        assert_eq!(mentions.meant("#12", Track), [songs[1].clone()]);
        assert_eq!(mentions.meant("#2", Track), [], "it was not shown");
        let theirs = mentions.meant("the one by mira the artist", Track);
        assert_eq!(theirs, [songs[1].clone()]);
        assert_eq!(mentions.meant("the one by nobody", Track), []);
        let owner = mentions.meant("the second one", User);
        assert_eq!(owner[0].handle.as_deref(), Some("mira"));
        assert_eq!(mentions.meant("it", EntityType::Playlist), []);
    }

    #[test]
    fn what_came_first_of_a_list_is_meant_by_it() {
        use EntityType::{Playlist, Track};
        let (list, one) = (
            mention(Playlist, "Night", "nova"),
            mention(Track, "One", "mira"),
        );
        let mentions = Mentions {
            subjects: vec![one.clone(), list.clone()],
            listed: vec![one.clone()],
            skipped: 0,
        };
        assert_eq!(mentions.meant("it", Track), [one]);
        assert_eq!(mentions.meant("that playlist", Playlist), [list]);
    }

    #[test]
    fn the_owner_of_a_track_is_meant_by_her() {
        let mentions = Mentions {
            subjects: vec![mention(EntityType::Track, "One", "nova")],
            listed: Vec::new(),
            skipped: 0,
        };
        let found = mentions.meant("her", EntityType::User);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "@nova");
    }
}
