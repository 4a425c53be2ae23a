//! Gmail as a mailbox.
//!
//! Mails are fetched as they came. A list is of ids alone, the newest first; the trait wants the
//! oldest first, so all ids are read and the token of a page is what is left of them.
//!
//! **Sent once.** A send is one call that is never repeated. If its answer does not come, the mail
//! is looked for among the sent ones: by its `Message-ID` through the search, and, as the index
//! of the search may lag behind and a service may give a mail another id, among the newest that
//! were sent, by `Message-ID`, by the original id that Google keeps, or by all of `Date`,
//! `Subject` and `To`, which are the same on every attempt. One that is not there, also after
//! [`GoogleSettings::settle`](super::GoogleSettings::settle), may still appear: a person has to look.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::http::Method;

use super::{
    api::{Api, Call, MAX_ANSWER},
    fault::Failed,
};
use crate::{
    Address, Arrival, Later, Lookup, MailError, MailId, Mailbox, Outgoing, Page, PageToken, Query,
    RawMail, SendError, Sent, ThreadKey, header, parse::MAX_HEAD,
};

/// How many ids are asked for at once.
const IDS_AT_ONCE: &str = "500";

/// The most ids of one list.
const MOST_IDS: usize = 20_000;

/// The most mails of one thread.
const MOST_OF_THREAD: usize = 500;

/// The headers of a thread's mails that say who wrote and got them, and which they are.
const HEADERS: [&str; 8] = [
    "From", "Sender", "Reply-To", "To", "Cc", "Message-ID", "In-Reply-To", "References",
];

/// The most bytes of the headers of one thread.
const MAX_HEADERS: usize = 16 << 20;

/// How many of the mails sent last are looked at.
const NEWEST_SENT: &str = "25";

/// How many are on a page unless it is said.
const PAGE: usize = 100;

/// A mailbox at Gmail.
#[derive(Clone, Debug)]
pub struct Gmail {
    api: Api,
    owner: Address,
}

impl Gmail {
    pub(super) fn new(api: Api, owner: Address) -> Self {
        Self { api, owner }
    }

    pub(super) async fn open(api: Api) -> Result<Self, MailError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Profile {
            email_address: String,
        }
        let call = Call {
            method: Method::GET,
            url: api.url(&["gmail", "v1", "users", "me", "profile"], &[]),
            body: None,
            limit: MAX_ANSWER,
            what: "such account".into(),
        };
        let profile: Profile = api.repeat(call).await.map_err(Failed::error)?;
        Ok(Self::new(api, Address::new(profile.email_address)))
    }

    fn call(&self, method: Method, path: &[&str], query: &[(&str, &str)]) -> Call {
        let mut whole = vec!["gmail", "v1", "users", "me"];
        whole.extend(path);
        Call {
            method,
            url: self.api.url(&whole, query),
            body: None,
            limit: MAX_ANSWER,
            what: format!("such {}", path.join("/")),
        }
    }

    async fn all_ids(&self, query: &Query) -> Result<Vec<Arrival>, MailError> {
        let q = question(query);
        let mut found: Vec<Arrival> = Vec::new();
        let mut next: Option<String> = None;
        loop {
            let mut asked = vec![("q", q.as_str()), ("maxResults", IDS_AT_ONCE)];
            if let Some(token) = &next {
                asked.push(("pageToken", token));
            }
            let call = self.call(Method::GET, &["messages"], &asked);
            let page: Ids = self.api.repeat(call).await.map_err(Failed::error)?;
            found.extend(page.messages.into_iter().map(Listed::arrival));
            if found.len() > MOST_IDS {
                return Err(MailError::Refused {
                    place: self.place(),
                    why: format!("more than {MOST_IDS} mails are meant; ask for fewer"),
                });
            }
            match page.next_page_token {
                Some(token) if Some(&token) != next.as_ref() => next = Some(token),
                _ => break,
            }
        }
        found.reverse();
        Ok(found)
    }

    async fn get(&self, id: &str) -> Result<RawMail, MailError> {
        let query = [("format", "raw")];
        let mut call = self.call(Method::GET, &["messages", id], &query);
        call.what = format!("mail {id}");
        let message: Message = self.api.repeat(call).await.map_err(Failed::error)?;
        message.into_raw()
    }

    /// The mails of a thread in one form, the oldest first.
    async fn mails_of(
        &self,
        thread: &str,
        query: &[(&str, &str)],
        limit: usize,
    ) -> Result<Vec<Message>, MailError> {
        #[derive(Deserialize)]
        struct Thread {
            #[serde(default)]
            messages: Vec<Message>,
        }
        let mut call = self.call(Method::GET, &["threads", thread], query);
        call.what = format!("thread {thread}");
        call.limit = limit;
        let thread: Thread = self.api.repeat(call).await.map_err(Failed::error)?;
        let is_mail = |mail: &Message| !mail.has("DRAFT") && !mail.has("TRASH");
        let mut mails: Vec<Message> = thread.messages.into_iter().filter(is_mail).collect();
        mails.sort_by_key(Message::millis);
        if mails.len() > MOST_OF_THREAD {
            return Err(MailError::Refused {
                place: self.place(),
                why: format!("the thread has more than {MOST_OF_THREAD} mails"),
            });
        }
        Ok(mails)
    }

    /// One look for a mail among the sent ones.
    async fn look(&self, mail: &Outgoing) -> Result<Option<MailId>, MailError> {
        let q = format!("rfc822msgid:{}", mail.message_id);
        let query = [("q", q.as_str()), ("includeSpamTrash", "true")];
        for listed in self.listed(&query).await? {
            let found = self.metadata(&listed.id).await?;
            if found.as_ref().is_some_and(|found| found.has("SENT")) {
                return Ok(Some(MailId(listed.id)));
            }
        }
        let query = [("labelIds", "SENT"), ("maxResults", NEWEST_SENT)];
        for listed in self.listed(&query).await? {
            let found = self.metadata(&listed.id).await?;
            if found.is_some_and(|found| found.is(mail)) {
                return Ok(Some(MailId(listed.id)));
            }
        }
        Ok(None)
    }

    async fn listed(&self, query: &[(&str, &str)]) -> Result<Vec<Listed>, MailError> {
        let call = self.call(Method::GET, &["messages"], query);
        let ids: Ids = self.api.repeat(call).await.map_err(Failed::error)?;
        Ok(ids.messages)
    }

    /// The headers that tell a mail; nothing if it has gone since it was listed.
    async fn metadata(&self, id: &str) -> Result<Option<Message>, MailError> {
        let query = [
            ("format", "metadata"),
            ("metadataHeaders", "Message-ID"),
            ("metadataHeaders", "X-Google-Original-Message-ID"),
            ("metadataHeaders", "Date"),
            ("metadataHeaders", "Subject"),
            ("metadataHeaders", "To"),
        ];
        let call = self.call(Method::GET, &["messages", id], &query);
        match self.api.repeat(call).await.map_err(Failed::error) {
            Ok(message) => Ok(Some(message)),
            Err(MailError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Mailbox for Gmail {
    fn owner(&self) -> &Address {
        &self.owner
    }

    fn place(&self) -> String {
        self.api.place.into()
    }

    fn list<'a>(
        &'a self,
        query: &'a Query,
        page: Option<&'a PageToken>,
    ) -> Later<'a, Result<Page, MailError>> {
        Box::pin(async move {
            let mut left = match page {
                Some(token) => unpacked(token).ok_or_else(|| MailError::Refused {
                    place: self.place(),
                    why: "the token of the page is not one of its own".into(),
                })?,
                None => self.all_ids(query).await?,
            };
            let size = query.page_size.unwrap_or(PAGE).max(1);
            let rest = left.split_off(size.min(left.len()));
            let next = (!rest.is_empty()).then(|| packed(&rest));
            let arrivals = left;
            Ok(Page { arrivals, next })
        })
    }

    fn fetch<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<RawMail, MailError>> {
        Box::pin(self.get(&id.0))
    }

    fn thread<'a>(&'a self, thread: &'a ThreadKey) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        Box::pin(async move {
            let mut mails = Vec::new();
            let query = [("format", "minimal")];
            for mail in self.mails_of(&thread.0, &query, MAX_ANSWER).await? {
                mails.push(self.get(&mail.id).await?);
            }
            Ok(mails)
        })
    }

    fn thread_headers<'a>(
        &'a self,
        thread: &'a ThreadKey,
    ) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        Box::pin(async move {
            let mut query = vec![("format", "metadata")];
            query.extend(HEADERS.map(|name| ("metadataHeaders", name)));
            let mails = self.mails_of(&thread.0, &query, MAX_HEADERS).await?;
            mails.into_iter().map(Message::into_head).collect()
        })
    }

    fn mark_read<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<(), MailError>> {
        Box::pin(async move {
            let mut call = self.call(Method::POST, &["messages", &id.0, "modify"], &[]);
            call.body = Some(json!({"removeLabelIds": ["UNREAD"]}));
            call.what = format!("mail {}", id.0);
            let _: Json = self.api.repeat(call).await.map_err(Failed::error)?;
            Ok(())
        })
    }

    fn send<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        Box::pin(async move {
            let mut body = json!({"raw": URL_SAFE_NO_PAD.encode(&mail.bytes)});
            if let (Json::Object(fields), Some(thread)) = (&mut body, &mail.thread) {
                fields.insert("threadId".into(), thread.0.clone().into());
            }
            let mut call = self.call(Method::POST, &["messages", "send"], &[]);
            call.body = Some(body);
            call.what = "thread that the mail belongs to".into();
            let sent: Result<Listed, Failed> = self.api.once(&call).await;
            match sent {
                Ok(sent) => Ok(Sent {
                    id: Some(MailId(sent.id)),
                }),
                Err(Failed::Unsure(error)) => Err(SendError::Unknown(error)),
                Err(Failed::Refused(error) | Failed::Duplicate(error)) => {
                    Err(SendError::NotSent(error))
                }
            }
        })
    }

    fn look_up<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        Box::pin(async move {
            if let Some(id) = self.look(mail).await? {
                return Ok(Lookup::Sent(Sent { id: Some(id) }));
            }
            // What was on its way when the answer broke off is there soon.
            tokio::time::sleep(self.api.settings.settle).await;
            let found = self.look(mail).await?;
            Ok(match found {
                Some(id) => Lookup::Sent(Sent { id: Some(id) }),
                None => Lookup::Unsure {
                    why: "Gmail does not show it among the sent mails; what was sent may show late"
                        .into(),
                },
            })
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ids {
    #[serde(default)]
    messages: Vec<Listed>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    id: String,
    thread_id: String,
}

impl Listed {
    fn arrival(self) -> Arrival {
        Arrival {
            id: MailId(self.id),
            thread: ThreadKey(self.thread_id),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: String,
    thread_id: String,
    #[serde(default)]
    internal_date: String,
    #[serde(default)]
    label_ids: Vec<String>,
    #[serde(default)]
    raw: Option<String>,
    #[serde(default)]
    payload: Payload,
}

#[derive(Default, Deserialize)]
struct Payload {
    #[serde(default)]
    headers: Vec<Header>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

impl Message {
    fn has(&self, label: &str) -> bool {
        self.label_ids.iter().any(|known| known == label)
    }

    fn millis(&self) -> i64 {
        self.internal_date.parse().unwrap_or(0)
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.payload.headers.iter();
        let found = headers.find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(found.value.trim())
    }

    /// Whether it is this mail that was to go out.
    fn is(&self, mail: &Outgoing) -> bool {
        let has_id = |name: &str| {
            let value = self.header(name).unwrap_or_default();
            value.trim_matches(['<', '>']) == mail.message_id
        };
        if has_id("Message-ID") || has_id("X-Google-Original-Message-ID") {
            return true;
        }
        // Two replies of one second can have all of this in common; each has its own id of ours.
        let domain = |id: &str| id.rsplit_once('@').map(|(_, domain)| domain.to_owned());
        let other = self.header("Message-ID").unwrap_or_default();
        if domain(other.trim_matches(['<', '>'])) == domain(&mail.message_id) {
            return false;
        }
        ["Date", "Subject", "To"].iter().all(|name| {
            let own = header::value(&mail.bytes, name).filter(|value| !value.is_empty());
            own.is_some() && own.as_deref() == self.header(name)
        })
    }

    fn malformed(&self, why: &str) -> MailError {
        MailError::Malformed {
            what: format!("mail {}", self.id),
            why: why.into(),
        }
    }

    fn into_raw(self) -> Result<RawMail, MailError> {
        let raw = self
            .raw
            .as_deref()
            .ok_or_else(|| self.malformed("it came without its bytes"))?;
        let bytes = URL_SAFE_NO_PAD
            .decode(raw.trim_end_matches('='))
            .map_err(|_| self.malformed("its bytes are not encoded as they should be"))?;
        self.with(bytes)
    }

    /// The headers that came, in the form they have in a mail.
    fn into_head(self) -> Result<RawMail, MailError> {
        let mut text = String::new();
        for header in &self.payload.headers {
            // A line end within a value would begin another header.
            let value = header.value.replace(['\r', '\n'], " ");
            let line = format!("{}: {value}\r\n", header.name);
            if text.len() + line.len() <= MAX_HEAD {
                text.push_str(&line);
            }
        }
        self.with(text.into_bytes())
    }

    fn with(self, bytes: Vec<u8>) -> Result<RawMail, MailError> {
        let arrived: i64 = self
            .internal_date
            .parse()
            .map_err(|_| self.malformed("it came without its time"))?;
        Ok(RawMail {
            arrived: arrived.div_euclid(1000),
            is_read: !self.has("UNREAD"),
            id: MailId(self.id),
            thread: ThreadKey(self.thread_id),
            bytes,
        })
    }
}

/// The question of a query, in the language of the search. What belongs together by `OR` is
/// in parentheses: it would take in what is beside it otherwise.
fn question(query: &Query) -> String {
    let mut terms = vec!["in:inbox".to_owned()];
    if !query.include_read {
        terms.push("is:unread".into());
    }
    if let Some(since) = query.since {
        // The service leaves out the second it is given.
        terms.push(format!("after:{}", since.saturating_sub(1)));
    }
    let any = |field: &str, values: &[String]| {
        let quoted = values.iter().filter_map(|value| quoted(value));
        let quoted: Vec<String> = quoted.map(|it| format!("{field}:\"{it}\"")).collect();
        match quoted.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            several => Some(format!("({})", several.join(" OR "))),
        }
    };
    terms.extend(any("from", &query.from));
    terms.extend(any("subject", &query.subject));
    terms.extend(
        query
            .words
            .iter()
            .filter_map(|word| quoted(word))
            .map(|word| format!("\"{word}\"")),
    );
    terms.join(" ")
}

/// A value as it can stand between quotes; nothing if nothing is left of it.
fn quoted(value: &str) -> Option<String> {
    let value = value.replace(|c: char| c == '"' || c.is_control(), " ");
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Arrivals as the token of a page.
fn packed(arrivals: &[Arrival]) -> PageToken {
    let pairs: Vec<String> = arrivals
        .iter()
        .map(|arrival| format!("{}:{}", arrival.id.0, arrival.thread.0))
        .collect();
    PageToken(pairs.join(","))
}

fn unpacked(token: &PageToken) -> Option<Vec<Arrival>> {
    let arrival = |pair: &str| {
        let (id, thread) = pair.split_once(':')?;
        Some(Arrival {
            id: MailId(id.to_owned()),
            thread: ThreadKey(thread.to_owned()),
        })
    };
    token.0.split(',').map(arrival).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_stand_in_parentheses() {
        let query = Query {
            since: Some(1_700_000_000),
            from: vec!["a@x.example".into(), "b@x.example".into()],
            subject: vec!["in\"voice".into()],
            ..Query::default()
        };
        assert_eq!(
            question(&query),
            "in:inbox is:unread after:1699999999 (from:\"a@x.example\" OR from:\"b@x.example\") \
             subject:\"in voice\""
        );
    }

    #[test]
    fn a_token_of_somebody_else_is_not_understood() {
        assert_eq!(unpacked(&PageToken("page-5".into())), None);
    }
}
