//! The answer as a model proposes it, checked against the records: every figure is a field or a computed value.

mod figures;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use self::figures::{figures, same, without_names, writes};
use crate::{
    answer::{Answer, Fact, Status, Table},
    catalogue::Parameters,
    mention::{Mention, Mentions},
    recall::{entity_of, known},
    reply::clean_text,
    research::{AT, RecordSet, Research, SOURCE, value},
    tools::Source,
    wording::cell,
};

/// The most rows of a table, and the most things that an answer is kept to name.
const MAX_ROWS: usize = 100;
const MAX_MENTIONS: usize = 25;

/// What an answer is held against besides the records: the question, what was answered before, and the calls.
pub(crate) struct AnswerContext<'a> {
    pub(crate) question: &'a str,
    pub(crate) before: &'a [Answer],
    pub(crate) sources: &'a [Source],
    pub(crate) parameters: Option<&'a Parameters>,
}

/// An answer as a model proposes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    understood: String,
    answered: Answered,
    text: String,
    #[serde(default)]
    figures: Vec<Figure>,
    #[serde(default)]
    table: Option<Rows>,
    #[serde(default)]
    limits: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answered {
    Yes,
    Partly,
    No,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    text: String,
    record: String,
    field: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    records: String,
    columns: Vec<Column>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    title: String,
    field: String,
}

/// The result of tracing a draft.
#[derive(Default)]
pub(crate) struct Traced {
    facts: Vec<Fact>,
    table: Option<Table>,
    mentions: Mentions,
    /// Faults, for the model to correct.
    pub(crate) faults: Vec<String>,
    /// The figures that nothing says.
    unverified: Vec<String>,
    /// Why there is no table, if one was wanted.
    no_table: Option<String>,
}

impl Traced {
    /// Tells a traced figure from others.
    fn says(&self, figure: &str) -> bool {
        let mut written = self.facts.iter().flat_map(|fact| figures(&fact.text));
        written.any(|known| same(&known, figure))
    }
}

impl Draft {
    /// Its arguments, or what is wrong with them.
    pub(crate) fn read(args: &Map<String, Json>) -> Result<Self, String> {
        let draft: Self = serde_json::from_value(Json::Object(args.clone()))
            .map_err(|error| format!("the arguments do not fit: {error}"))?;
        match draft.text.trim().is_empty() || draft.understood.trim().is_empty() {
            true => Err("`text` and `understood` must not be empty".into()),
            false => Ok(draft),
        }
    }

    /// Traces it to what the question has brought to light.
    pub(crate) fn traced(&self, asked: &AnswerContext<'_>, research: &Research) -> Traced {
        let mut traced = Traced::default();
        for figure in &self.figures {
            if let Err(why) = figure.trace(&self.text, research, &mut traced) {
                traced
                    .faults
                    .push(format!("figure `{}`: {why}", figure.text));
            }
        }
        if let Some(rows) = &self.table
            && let Err(why) = rows.fill(research, &mut traced)
        {
            traced.faults.push(format!("table: {why}"));
            traced.no_table = Some(why);
        }
        let records = research.sets.iter().flat_map(|set| &set.records);
        let mut names = Vec::new();
        records.for_each(|record| texts(record, &mut names));
        let before = asked.before.iter().map(|it| it.answer.as_str());
        let said: Vec<String> = before.chain([asked.question]).flat_map(figures).collect();
        let is_said = |figure: &String| said.iter().any(|known| same(known, figure));
        // A condition of a computation, such as the year it filters by, may be repeated.
        let computed = research.sets.iter().filter(|set| set.id.starts_with('c'));
        let conditions: Vec<String> = computed.flat_map(|set| figures(&set.about)).collect();
        let is_condition = |figure: &String| conditions.iter().any(|known| same(known, figure));
        let text = without_names(&self.text, names.iter().copied());
        for figure in figures(&text) {
            if !traced.says(&figure) && !is_said(&figure) && !is_condition(&figure) {
                traced.unverified.push(figure);
            }
        }
        // What a limit says may also be how much was looked at.
        let looked_at = |figure: &String| {
            let mut sets = research.sets.iter();
            sets.any(|set| {
                writes(figure, &set.records.len().into()) || set.about.contains(figure.as_str())
            })
        };
        for figure in self
            .limits
            .iter()
            .flat_map(|it| figures(&without_names(it, names.iter().copied())))
        {
            let is_known = traced.says(&figure) || is_said(&figure) || looked_at(&figure);
            if !is_known && !traced.unverified.contains(&figure) {
                traced.unverified.push(figure);
            }
        }
        for figure in &traced.unverified {
            traced.faults.push(format!(
                "`{figure}` is in the text, and no entry of `figures` says which record and field has it"
            ));
        }
        traced
    }

    /// The answer. What is not traced is told.
    pub(crate) fn answer(&self, asked: &AnswerContext<'_>, traced: Traced) -> Answer {
        let sources = asked.sources.to_vec();
        let only = match sources.as_slice() {
            [only] => Some(only.operation.clone()),
            _ => None,
        };
        let mut limits: Vec<String> = self.limits.iter().map(|it| clean_text(it)).collect();
        limits.extend(
            traced
                .no_table
                .map(|why| format!("the table could not be filled: {why}")),
        );
        let mut answer = clean_text(&self.text);
        if !traced.unverified.is_empty() {
            let figures = clean_text(&traced.unverified.join(", "));
            answer.push_str(&format!("\nNot verified, as no record says it: {figures}."));
        }
        let is_whole = traced.faults.is_empty() && self.answered == Answered::Yes;
        Answer {
            question: clean_text(asked.question),
            parameters: asked.parameters.cloned().filter(|_| only.is_some()),
            operation: only,
            status: match self.answered {
                Answered::No => Status::Refused,
                _ if is_whole && limits.is_empty() => Status::Answered,
                _ => Status::Partial,
            },
            answer,
            sources,
            facts: traced.facts,
            table: traced.table,
            understood: Some(clean_text(&self.understood)),
            mentions: traced.mentions,
            limits,
            unverified: traced.unverified,
            ..Answer::default()
        }
    }
}

impl Figure {
    fn trace(&self, text: &str, research: &Research, traced: &mut Traced) -> Result<(), String> {
        if !text.contains(&self.text) {
            return Err("the text does not say it".into());
        }
        if !self.record.contains('.') {
            let set = research.set(&self.record)?;
            let count = Json::from(set.records.len());
            if self.field != "count" || !writes(&self.text, &count) {
                return Err(format!(
                    "`{}` is a set of {count} records; name one of them, or `count`",
                    self.record
                ));
            }
            traced.facts.push(Fact {
                text: self.text.clone(),
                field: format!("{}: how many records it has", set.about),
                source: set.source,
            });
            return Ok(());
        }
        let record = research.record(&self.record)?;
        let set = research.set(self.record.split('.').next().unwrap_or_default())?;
        let found = value(record, &self.field)
            .ok_or_else(|| format!("`{}` does not say `{}`", self.record, self.field))?;
        let has_digit = self.text.bytes().any(|it| it.is_ascii_digit());
        let is_so = match has_digit {
            true => writes(&self.text, found),
            // A word for a field, such as a name or `verified`.
            false => true,
        };
        if !is_so {
            return Err(format!("`{}` of `{}` is {found}", self.field, self.record));
        }
        traced
            .facts
            .push(fact(self.text.clone(), set, record, &self.field));
        let mention = entity_of(record).map(|entity| known(&entity));
        let subjects = &mut traced.mentions.subjects;
        let new = mention.filter(|it| !subjects.contains(it) && subjects.len() < MAX_MENTIONS);
        subjects.extend(new);
        Ok(())
    }
}

impl Rows {
    fn fill(&self, research: &Research, traced: &mut Traced) -> Result<(), String> {
        let set = research.set(&self.records)?;
        if self.columns.is_empty() {
            return Err("it has no columns".into());
        }
        self.columns
            .iter()
            .try_for_each(|it| set.require(&it.field))?;
        let mut rows = Vec::new();
        for record in set.records.iter().take(MAX_ROWS) {
            let mut row = Vec::new();
            for column in &self.columns {
                let shown = value(record, &column.field)
                    .map(in_cell)
                    .unwrap_or_default();
                if !shown.is_empty() {
                    traced
                        .facts
                        .push(fact(shown.clone(), set, record, &column.field));
                }
                row.push(shown);
            }
            rows.push(row);
        }
        let listed = set.records.iter().filter_map(entity_of);
        let listed: Vec<Mention> = listed
            .map(|entity| known(&entity))
            .take(MAX_MENTIONS)
            .collect();
        traced.mentions.listed = listed;
        let columns = self
            .columns
            .iter()
            .map(|it| clean_text(&it.title))
            .collect();
        traced.table = (!rows.is_empty()).then_some(Table {
            columns,
            rows,
            is_apart: true,
        });
        Ok(())
    }
}

/// The place of a value: in a reply, or in a computation.
fn fact(text: String, set: &RecordSet, record: &Json, field: &str) -> Fact {
    // A record that was joined to another one has its own place.
    if let Some((joined, inner)) = field.split_once('.')
        && let Some(joined) = record.get(joined).filter(|it| it.get(AT).is_some())
    {
        return fact(text, set, joined, inner);
    }
    let at = record.get(AT).and_then(Json::as_str);
    let source = record.get(SOURCE).and_then(Json::as_u64);
    let source = source
        .and_then(|it| usize::try_from(it).ok())
        .unwrap_or(set.source);
    // A field that was calculated is in no reply.
    let is_own = crate::reply::wire_name(record, field);
    let field = match (at, is_own) {
        (Some(at), Some(wire)) => format!("{at}/{wire}"),
        _ => format!("{field} of {}", set.about),
    };
    Fact {
        text,
        field,
        source,
    }
}

/// A value as a table shows it: a day without its midnight.
fn in_cell(value: &Json) -> String {
    let text = cell(value);
    match text.strip_suffix("T00:00:00Z") {
        Some(day) => day.to_owned(),
        None => text,
    }
}

/// The texts of a record.
fn texts<'a>(value: &'a Json, found: &mut Vec<&'a str>) {
    match value {
        Json::String(text) => found.push(text),
        Json::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Json::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        _ => {}
    }
}
