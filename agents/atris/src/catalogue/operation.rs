//! One operation: its method, path and parameters, what it needs, and how the source document's
//! catalogue shows it.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The most results that are asked for at once.
pub(crate) const MAX_LIMIT: u64 = 100;

/// How many results are asked for if nobody says.
pub(crate) const USUAL_LIMIT: u64 = 10;

/// An operation of the API.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Operation {
    /// Its id, as the API's own clients call it.
    pub id: String,
    /// The group it belongs to.
    pub tag: String,
    /// The method.
    pub method: Method,
    /// The path below `/v1`, with `{names}`.
    pub path: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The model of the body that it takes.
    #[serde(default)]
    pub body: Option<String>,
    /// The model that it answers with; none if it answers with a file.
    #[serde(default)]
    pub response: Option<String>,
}

/// A method of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "they are the methods of HTTP")]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Parameter {
    /// Its name on the wire.
    pub name: String,
    /// Where it goes.
    #[serde(rename = "in")]
    pub place: ParameterIn,
    /// Whether a call must have it.
    pub required: bool,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The values it may have, if they are listed.
    #[serde(default, rename = "enum")]
    pub values: Vec<String>,
}

/// Where a parameter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "they are the parts of a request")]
pub enum ParameterIn {
    Path,
    Query,
    Header,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[allow(missing_docs, reason = "they are the types of JSON")]
pub enum Kind {
    #[serde(rename = "string")]
    Text,
    #[serde(rename = "number")]
    Number,
    #[serde(rename = "boolean")]
    Boolean,
    #[serde(rename = "[string]")]
    Texts,
    #[serde(rename = "[number]")]
    Numbers,
}

/// What a question can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntityType {
    /// A person or artist.
    User,
    /// A track.
    Track,
    /// A playlist or an album.
    Playlist,
}

impl EntityType {
    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Track => "track",
            Self::Playlist => "playlist",
        }
    }
}

impl Operation {
    /// Whether it changes nothing.
    pub fn is_read(&self) -> bool {
        self.method == Method::Get
    }

    /// Whether anybody may call it: it changes nothing and is for no one person alone.
    pub fn is_public(&self) -> bool {
        self.is_read() && !self.is_private()
    }

    /// Whether what it answers is for one person alone: it wants a signature or a token, or is about
    /// somebody's account.
    pub fn is_private(&self) -> bool {
        const WORDS: [&str; 14] = [
            "/transactions", "/purchases", "/sales", "/withdrawals", "/notifications", "/account/",
            "/emails/", "/authorized_apps", "/balance/", "/muted", "/managers", "/managed_users",
            "/me", "/verify_token",
        ];
        self.is_read()
            && WORDS.iter().any(|word| match *word {
                "/me" => self.path == "/me",
                word => self.path.contains(word),
            })
    }

    /// Whether it answers with a file or a stream of sound instead of data.
    pub fn is_file(&self) -> bool {
        self.response.is_none()
    }

    /// Whether it answers with the record of one thing, not with a list that belongs to it.
    pub(crate) fn is_record(&self) -> bool {
        const PATHS: [&str; 5] = [
            "/users/{id}", "/users/handle/{handle}", "/tracks/{track_id}",
            "/playlists/{playlist_id}", "/resolve",
        ];
        self.is_read() && PATHS.contains(&self.path.as_str())
    }

    /// Whether its list is in an order of rank: what comes first has the most of what the list is about.
    pub fn is_ranked(&self) -> bool {
        const RANKS: [&str; 7] = [
            "Top", "Trending", "Popular", "Best", "Most", "Coins", "Leader",
        ];
        const RANKED: [&str; 3] = ["getSupporters", "getSupportedUsers", "getCoinMembers"];
        RANKS.iter().any(|rank| self.id.contains(rank)) || RANKED.contains(&self.id.as_str())
    }

    /// A parameter by its name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|known| known.name == name)
    }

    /// The parameters that a question can give: those of signatures are not among them.
    pub fn askable(&self) -> impl Iterator<Item = &Parameter> {
        let askable = |it: &&Parameter| it.place != ParameterIn::Header && it.name != "api_key";
        self.parameters.iter().filter(askable)
    }

    /// The parameters that a question must give, besides what it is about.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &Parameter> {
        let entity = self.entity().map(|(_, name)| name);
        let needs = self.askable().filter(|it| it.required);
        needs.filter(move |it| Some(&*it.name) != entity && it.default_value().is_none())
    }

    /// The names in its path.
    pub fn path_parameters(&self) -> impl Iterator<Item = &str> {
        let parts = self.path.split('/');
        parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// The entity that it is about, and the parameter that names it.
    pub fn entity(&self) -> Option<(EntityType, &str)> {
        let mut names = self.path_parameters();
        names.find_map(|name| match name {
            "track_id" => Some((EntityType::Track, name)),
            "playlist_id" => Some((EntityType::Playlist, name)),
            "handle" => Some((EntityType::User, name)),
            "id" if self.path.starts_with("/users/{id}") => Some((EntityType::User, name)),
            "user_id" => Some((EntityType::User, name)),
            "id" if self.path.starts_with("/notifications/") => Some((EntityType::User, name)),
            _ => None,
        })
    }

    /// What its replies are about, if that is one of the kinds of things.
    pub fn tag_type(&self) -> Option<EntityType> {
        match self.tag.as_str() {
            "Tracks" => Some(EntityType::Track),
            "Users" => Some(EntityType::User),
            "Playlists" => Some(EntityType::Playlist),
            _ => None,
        }
    }

    /// The words of its id: `getTrendingTracks` is `get trending tracks`.
    pub fn id_words(&self) -> String {
        let mut words = String::new();
        let mut before = 'A';
        let id = self.id.replace("IDs", "Ids");
        let mut letters = id.chars().peekable();
        while let Some(letter) = letters.next() {
            let next_is_small = letters.peek().is_some_and(|next| next.is_lowercase());
            let begins = letter.is_uppercase() && (before.is_lowercase() || next_is_small);
            if begins && !words.is_empty() {
                words.push(' ');
            }
            words.extend(letter.to_lowercase());
            before = letter;
        }
        words
    }

    /// The entry as the source document shows it.
    pub fn api(&self) -> Api {
        let name = title(&self.id_words());
        let answers = match &self.response {
            Some(model) => format!("answers with {model}"),
            None => "answers with a file".to_owned(),
        };
        let shown = |required: bool| {
            let all = self.askable().filter(move |it| it.required == required);
            all.map(Parameter::shown).collect()
        };
        Api {
            id: self.id.clone(),
            category_name: self.tag.clone(),
            tool_name: name.clone(),
            api_name: name.clone(),
            api_description: format!("{name}: {} {}, {answers}", self.method.name(), self.path),
            required_parameters: shown(true),
            optional_parameters: shown(false),
            method: self.method,
            api_url: format!("/v1{}", self.path),
        }
    }
}

impl Method {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Texts => "list of strings",
            Self::Numbers => "list of numbers",
        }
    }
}

impl Parameter {
    /// What a call gets if nobody says otherwise.
    pub fn default_value(&self) -> Option<Json> {
        let has = |value: &str| self.values.iter().any(|known| known == value);
        match self.name.as_str() {
            "limit" => Some(USUAL_LIMIT.into()),
            "time" | "time_range" | "window" if has("week") => Some("week".into()),
            // Without it the reply is sound and not data.
            "no_redirect" => Some(true.into()),
            _ => None,
        }
    }

    fn shown(&self) -> ApiParameter {
        let mut description = self.name.replace('_', " ");
        if !self.values.is_empty() {
            description = format!("{description}: {}", self.values.join(", "));
        }
        ApiParameter {
            name: self.name.clone(),
            description,
            r#type: self.kind.name().to_owned(),
            default: self.default_value(),
        }
    }
}

/// An operation as the source document shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of the document")]
pub struct Api {
    pub id: String,
    pub category_name: String,
    pub tool_name: String,
    pub api_name: String,
    pub api_description: String,
    pub required_parameters: Vec<ApiParameter>,
    pub optional_parameters: Vec<ApiParameter>,
    pub method: Method,
    pub api_url: String,
}

/// A parameter as the source document shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of the document")]
pub struct ApiParameter {
    pub name: String,
    pub description: String,
    pub r#type: String,
    pub default: Option<Json>,
}

fn title(words: &str) -> String {
    let words = words.split(' ').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use crate::catalogue::Catalogue;

    use super::*;

    #[test]
    fn an_entry_has_the_keys_and_defaults_of_the_document() {
        let catalogue = Catalogue::get().unwrap();
        let api = catalogue.operation("getTrendingTracks").unwrap().api();
        let api = serde_json::to_value(api).unwrap();
        assert_eq!(api["tool_name"], "Get Trending Tracks");
        assert_eq!(api["category_name"], "Tracks");
        assert_eq!(api["api_url"], "/v1/tracks/trending");
        assert_eq!(api["method"], "GET");
        assert_eq!(api["required_parameters"], serde_json::json!([]));
        let optional = api["optional_parameters"].as_array().unwrap();
        let default = |name: &str| {
            let found = optional.iter().find(|it| it["name"] == name).unwrap();
            found["default"].clone()
        };
        assert_eq!(default("time"), "week");
        assert_eq!(default("limit"), 10);
        assert_eq!(default("genre"), Json::Null);
    }

    #[test]
    fn ids_fall_apart_into_words() {
        let catalogue = Catalogue::get().unwrap();
        let words = |id: &str| catalogue.operation(id).unwrap().id_words();
        assert_eq!(words("getTrendingTrackIDs"), "get trending track ids");
        assert_eq!(words("getUSDCTransactions"), "get usdc transactions");
        assert_eq!(words("search"), "search");
    }

    #[test]
    fn what_is_for_one_person_alone_is_known() {
        let catalogue = Catalogue::get().unwrap();
        for (id, private) in [
            ("getMe", true),
            ("getUserEmailKey", true),
            ("getSales", true),
            ("getNotifications", true),
            ("verifyIDToken", true),
            ("getUser", false),
            ("getTracksByUser", false),
            ("getFollowers", false),
            ("deletePlaylist", false),
        ] {
            assert_eq!(
                catalogue.operation(id).unwrap().is_private(),
                private,
                "{id}"
            );
        }
    }
}
