//! Answers in words, made of records alone, every number with the field it comes from.
//!
//! `lines` is the text of one record, `understood` what the question was taken for, `both` what two things have, `worked_out` what is counted or compared over all of them, `more` the
//! remark that a list is not the whole of it.

mod both;
mod lines;
mod more;
mod understood;
mod worked_out;

use serde_json::Value as Json;

use crate::{
    answer::{Answer, Fact, Status},
    catalogue::{Catalogue, Method, Operation, has_words},
    error::Error,
    problem::Problem,
    question::Aspect,
    recall::mentions_of,
    state::AtrisState,
    tools::{Response, Source},
};

pub(crate) use lines::text as cell;
pub(crate) use understood::of as understood;

/// The answer to the question of a state.
pub(crate) fn of(state: &AtrisState) -> Answer {
    let sources = state.sources.clone().unwrap_or_default();
    let mut answer = Answer {
        question: crate::reply::clean(state.query.as_deref().unwrap_or_default()),
        operation: state.best_api.as_ref().map(|api| api.id.clone()),
        parameters: state.parameters.clone(),
        sources,
        error: state.error.clone(),
        understood: understood::of(state),
        reading: state.reading.clone().unwrap_or_default(),
        ..Answer::default()
    };
    if let Some(problem) = &state.error {
        failed(&mut answer, problem);
        return answer;
    }
    let Some(response) = &state.response else {
        let operation = answer.operation.clone().unwrap_or_default();
        let why = "there is none".to_owned();
        let error = Error::Malformed { operation, why };
        let problem = Problem::new(&error, "format", answer.operation.as_deref());
        failed(&mut answer, &problem);
        return answer;
    };
    let mut words = Words {
        facts: Vec::new(),
        sources: &answer.sources,
    };
    let second = state.secondary_response.as_ref();
    let is_write = state
        .best_api
        .as_ref()
        .is_some_and(|api| api.method != Method::Get);
    let (text, table) = match second {
        _ if is_write => (format!("Done: {}.", response.source.operation), None),
        Some(second) if is_record(response) => (words.comparison(state, response, second), None),
        Some(second) => (words.both(state, response, second), None),
        None => match words
            .field(state, response)
            .or_else(|| words.worked_out(state, response))
        {
            Some(text) => (text, None),
            None => {
                let mut text = words.list(state, response);
                if let Some(more) = words.more(state, response) {
                    text.push('\n');
                    text.push_str(&more);
                }
                (text, lines::table(&response.data, more::skipped_of(state)))
            }
        },
    };
    answer.facts = words.facts;
    answer.mentions = mentions_of(state, response, &answer.facts);
    answer.table = table;
    let notes: Vec<&String> = std::iter::once(response)
        .chain(second)
        .flat_map(|it| &it.notes)
        .collect();
    let is_empty =
        response.data.is_empty() && second.is_none_or(|it| it.data.is_empty()) && !is_write;
    answer.status = match (is_empty, notes.is_empty()) {
        (true, true) => Status::Empty,
        (_, true) => Status::Answered,
        (_, false) => Status::Partial,
    };
    answer.answer = text;
    if !notes.is_empty() {
        let notes: Vec<&str> = notes.into_iter().map(String::as_str).collect();
        answer.answer.push_str(&format!(
            "\nThe reply is not complete: {}.",
            notes.join("; ")
        ));
    }
    answer
}

fn failed(answer: &mut Answer, problem: &Problem) {
    answer.status = match problem.code.as_str() {
        "SS8004" | "SS8005" | "SS8015" => Status::Refused,
        _ => Status::Failed,
    };
    let hint = problem
        .hint
        .as_deref()
        .map(|hint| format!("\nWhat to do: {hint}."));
    answer.answer = format!(
        "No answer: {} [{}].{}",
        problem.message,
        problem.code,
        hint.unwrap_or_default()
    );
}

/// Which of two values is more: numbers, or dates as they are written.
fn compared(a: &Json, b: &Json) -> Option<std::cmp::Ordering> {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => Some(a.total_cmp(&b)),
        _ => Some(a.as_str()?.cmp(b.as_str()?)),
    }
}

/// What is said of two things: that they are as much, that one is less, that one is more.
fn comparatives(aspect: Aspect) -> [&'static str; 3] {
    match aspect {
        Aspect::Duration => ["are as long", "is shorter", "is longer"],
        Aspect::Bpm => ["are as fast", "is slower", "is faster"],
        Aspect::ReleaseDate => ["came out then", "is older", "is newer"],
        _ => ["have as many", "has fewer", "has more"],
    }
}

/// Whether a reply is the record of one thing, not a list that belongs to it.
fn is_record(response: &Response) -> bool {
    let operation = Catalogue::get().ok();
    let operation = operation.and_then(|it| it.operation(&response.source.operation));
    operation.is_some_and(Operation::is_record)
}

/// What an overview says of a record, as far as it has it.
const OVERVIEW: [Aspect; 20] = {
    use Aspect::*;
    [
        Location, Verified, Bio, Followers, Following, Tracks, Albums, Playlists, Supporters,
        Plays, Favorites, Reposts, Comments, Genre, Mood, Bpm, Key, Duration, ReleaseDate,
        Description,
    ]
};

/// Words, and where they come from.
struct Words<'a> {
    facts: Vec<Fact>,
    sources: &'a [Source],
}

impl Words<'_> {
    /// Notes where a text comes from, and gives it.
    fn fact(&mut self, text: String, response: &Response, at: &str, field: &str) -> String {
        let source = self
            .sources
            .iter()
            .position(|known| *known == response.source);
        self.facts.push(Fact {
            text: text.clone(),
            field: match field {
                "" => at.to_owned(),
                field => format!("{at}/{field}"),
            },
            source: source.unwrap_or(0),
        });
        text
    }

    /// A sentence about the field that the question asks for, if it asks for one that is there.
    fn field(&mut self, state: &AtrisState, response: &Response) -> Option<String> {
        let aspect = state.aspect?;
        let [record] = response.data.as_slice() else {
            return None;
        };
        let name = self.name(response, record)?;
        match self.value(aspect, response, record) {
            Some(value) => Some(lines::sentence(aspect, &name, &value)),
            None => Some(format!(
                "Audius does not say the {} of {name}.",
                aspect.label()
            )),
        }
    }

    fn comparison(&mut self, state: &AtrisState, first: &Response, second: &Response) -> String {
        let mut said = Vec::new();
        let mut numbers = Vec::new();
        for response in [first, second] {
            let Some(record) = response.data.first() else {
                said.push("nothing was found".to_owned());
                continue;
            };
            let name = self.name(response, record).unwrap_or_else(|| "?".into());
            let value = state.aspect.and_then(|it| self.value(it, response, record));
            match value {
                Some(value) => {
                    let shown = state.aspect.map(|it| lines::measured(it, &value));
                    said.push(format!("{name}: {}", shown.unwrap_or(value)));
                    let field = state.aspect.and_then(|it| lines::field_of(it, record));
                    let value = field.and_then(|(field, _)| record.get(&field).cloned());
                    numbers.extend(value.map(|value| (name, value)));
                }
                None => said.push(lines::line(record)),
            }
        }
        let mut text = said.join("\n");
        if let ([(first, a), (second, b)], Some(aspect)) = (numbers.as_slice(), state.aspect)
            && let Some(order) = compared(a, b)
        {
            text.push('\n');
            let question = state.query.as_deref().unwrap_or_default().to_lowercase();
            let fewer_words = [
                "fewer", "less", "shorter", "slower", "older", "fewest", "least", "lowest",
                "shortest", "slowest", "oldest", "smallest",
            ];
            let is_fewer = fewer_words.iter().any(|it| has_words(&question, it));
            let (more, fewer) = match order {
                std::cmp::Ordering::Less => (second, first),
                _ => (first, second),
            };
            let [equal, has_fewer, has_more] = comparatives(aspect);
            text.push_str(&match (order.is_eq(), is_fewer) {
                (true, _) => format!("Both {equal}."),
                (false, true) => format!("{fewer} {has_fewer}."),
                (false, false) => format!("{more} {has_more}."),
            });
            let asks = ["difference", "how many more", "how many fewer"];
            if let (true, Some(a), Some(b)) = (
                asks.iter().any(|it| has_words(&question, it)),
                a.as_u64(),
                b.as_u64(),
            ) {
                let between = lines::text(&a.abs_diff(b).into());
                text.push_str(&format!(" The difference is {between}."));
            }
        }
        text
    }

    fn list(&mut self, state: &AtrisState, response: &Response) -> String {
        if response.data.is_empty() {
            return "Audius has nothing for that: the reply is empty.".to_owned();
        }
        let skipped = more::skipped_of(state);
        let title = lines::title(
            state.best_api.as_ref(),
            state.parameters.as_ref(),
            (skipped, response.data.len()),
        );
        let mut text = title;
        let question = state.query.as_deref().unwrap_or_default().to_lowercase();
        for record in &response.data {
            text.push('\n');
            if response.data.len() > 1 || skipped > 0 {
                let rank = record.get("rank").and_then(Json::as_u64).unwrap_or(0);
                text.push_str(&format!("{}. ", rank.saturating_add(skipped)));
            }
            text.push_str(&lines::line(record));
            self.facts_of(record, response);
            if is_record(response) && has_words(&question, "overview") {
                text.push_str(&self.overview(response, record));
            }
        }
        text
    }

    /// Notes where the fields come from that a line shows.
    fn facts_of(&mut self, record: &Json, response: &Response) {
        let at = record.get("at").and_then(Json::as_str).unwrap_or_default();
        // The key of a map is part of where the record is.
        for (field, wire) in lines::shown(record).into_iter().filter(|it| it.0 != "key") {
            if let Some(value) = record.get(&field) {
                self.fact(lines::text(value), response, at, &wire);
            }
        }
    }

    /// All fields of a record that can be asked for, a line each.
    fn overview(&mut self, response: &Response, record: &Json) -> String {
        let lines = OVERVIEW.iter().filter_map(|aspect| {
            let value = self.value(*aspect, response, record)?;
            let unit = match aspect {
                Aspect::Duration => " seconds",
                _ => "",
            };
            Some(format!("\n{}: {value}{unit}", aspect.label()))
        });
        lines.collect()
    }

    fn name(&mut self, response: &Response, record: &Json) -> Option<String> {
        let at = record.get("at").and_then(Json::as_str).unwrap_or_default();
        let (field, wire) = lines::name_of(record)?;
        let name = record.get(field)?.as_str()?.to_owned();
        let name = self.fact(name, response, at, wire);
        Some(match record.get("type").and_then(Json::as_str) {
            Some("user") => name,
            _ => format!("\"{name}\""),
        })
    }

    fn value(&mut self, aspect: Aspect, response: &Response, record: &Json) -> Option<String> {
        let (field, wire) = lines::field_of(aspect, record)?;
        let value = record.get(&field).filter(|value| !value.is_null())?;
        let at = record.get("at").and_then(Json::as_str).unwrap_or_default();
        let value = lines::text(value);
        Some(self.fact(value, response, at, wire))
    }
}
