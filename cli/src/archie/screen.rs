//! Rendering of a run: text of the model on stdout, all else on stderr; or one line of JSON per
//! event.

use serde_json::{Value as Json, json};
use superstep::{
    AskId, Event, Put, Value,
    model::Message,
    text::{Hidden, reveal, single_line},
};
use superstep_archie::{
    Analysis, Node, Progress, Question, Spent,
    documents::{Entry, Fate},
};

use crate::{
    error::Error,
    output::{Form, Output, bad, count, faint, plain, shown, strong},
    stream::TextStream,
    units,
};

/// How many files that were left out, or lines with hidden characters, are named.
const MOST_NAMED: usize = 8;

/// How much of a line with hidden characters is shown.
const LONGEST: usize = 500;

/// What is shown.
pub(super) struct Screen<'a> {
    output: &'a Output,
    stream: TextStream<'a>,
    /// Whether words of the current turn were shown as they came.
    has_streamed: bool,
    /// How many calls were shown.
    shown_calls: usize,
    /// Whether the progress line is shown.
    is_waiting: bool,
}

impl<'a> Screen<'a> {
    pub(super) fn new(output: &'a Output) -> Self {
        Self {
            output,
            stream: TextStream::new(output),
            has_streamed: false,
            shown_calls: 0,
            is_waiting: false,
        }
    }

    pub(super) fn thread(&self, thread: &str) -> Result<(), Error> {
        if self.is_json() {
            return self.event("thread", json!({"thread": thread}));
        }
        self.output.note(&[faint("thread "), strong(shown(thread))]);
        Ok(())
    }

    /// Calls of earlier processes are not shown again.
    pub(super) fn knows(&mut self, state: &Analysis) {
        self.shown_calls = state.usage.len();
    }

    /// Shows a progress line after some seconds of silence.
    pub(super) fn wait(&mut self, seconds: u64) {
        if self.output.is_watched() && !self.is_json() && !self.stream.is_open() {
            let line = format!("… {seconds} s, waiting for the model; Ctrl-C stops it");
            self.output.status().redraw(&[faint(line)]);
            self.is_waiting = true;
        }
    }

    fn comes(&mut self) {
        if std::mem::take(&mut self.is_waiting) {
            self.output.status().clear();
        }
    }

    pub(super) fn show(&mut self, event: Event<Analysis, Node>) -> Result<(), Error> {
        self.comes();
        match event {
            Event::Message { node, message } => self.words(node, &message),
            Event::Update {
                node: Node::DocumentRetrieval,
                update,
                ..
            } if !self.is_json() => {
                let inputs = update.inputs.as_ref().and_then(Put::written);
                self.omissions(inputs.map_or(&[], |inputs| &inputs.files));
                Ok(())
            }
            Event::Custom(data) => match data.take::<Progress>() {
                Ok(progress) => self.progress(&progress),
                Err(_) => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn words(&mut self, node: Node, message: &Value) -> Result<(), Error> {
        // What is looked up for the memory is no part of the conversation.
        if node == Node::GraphExtraction {
            return Ok(());
        }
        let json = serde_json::to_value(message).unwrap_or_default();
        let Ok(message) = serde_json::from_value::<Message>(json) else {
            return Ok(());
        };
        let text = message.text();
        if self.is_json() {
            self.has_streamed = true;
            return self.event("token", json!({"text": text}));
        }
        self.has_streamed |= !text.is_empty();
        self.stream.write(&text)
    }

    fn progress(&mut self, progress: &Progress) -> Result<(), Error> {
        if self.is_json() {
            return self.event("told", serde_json::to_value(progress).unwrap_or_default());
        }
        let line = match progress {
            Progress::Read {
                included,
                left,
                tokens,
                budget,
            } => {
                let documents = count(*included, "document");
                format!("read {documents}, about {tokens} of {budget} tokens; {left} not included")
            }
            Progress::Extracting { documents } => {
                let documents = count(*documents, "new document");
                format!("extracting entities from {documents}")
            }
            Progress::Sorting { passages } => {
                format!("sorting {}, one at a time", count(*passages, "sentence"))
            }
            Progress::Remembered {
                entities,
                relationships,
            } => {
                let relationships = count(*relationships, "relationship");
                format!("added {entities} entities and {relationships}")
            }
            Progress::Again { attempt } => {
                self.stream.end()?;
                format!("the reply was interrupted; attempt {attempt}, from the start")
            }
            Progress::Notice(notice) => {
                self.stream.end()?;
                format!("note: {}", single_line(&notice.to_string()))
            }
            _ => return Ok(()),
        };
        self.output.note(&[faint(line)]);
        Ok(())
    }

    /// Names the files that the model does not get, before its first words.
    fn omissions(&self, files: &[Entry]) {
        let left = files
            .iter()
            .filter(|entry| !matches!(entry.fate, Fate::Whole { .. }));
        let left: Vec<&Entry> = left.collect();
        for entry in left.iter().take(MOST_NAMED) {
            self.output.say(&[faint(format!("  {entry}"))]);
        }
        if left.len() > MOST_NAMED {
            let more = left.len() - MOST_NAMED;
            let line = format!("  and {more} more: /documents, or `threads show` with --json");
            self.output.say(&[faint(line)]);
        }
    }

    /// A turn of the model has ended.
    pub(super) fn end(&mut self, state: &Analysis) -> Result<(), Error> {
        self.comes();
        self.stream.end()?;
        for spent in state.usage.iter().skip(self.shown_calls) {
            if self.is_json() {
                let usage = serde_json::to_value(spent).unwrap_or_default();
                self.event("usage", units::in_micro_usd(usage))?;
            } else {
                self.output.note(&[faint(cost(spent))]);
            }
        }
        self.shown_calls = state.usage.len();
        Ok(())
    }

    /// What the person is asked, unless they have just read it.
    pub(super) fn question(&mut self, id: AskId, question: &Question) -> Result<(), Error> {
        if self.is_json() {
            let mut asked = serde_json::to_value(question).unwrap_or_default();
            if let Some(asked) = asked.as_object_mut() {
                asked.insert("id".into(), id.to_string().into());
            }
            return self.event("question", asked);
        }
        if !std::mem::take(&mut self.has_streamed) {
            self.stream.write(&question.query)?;
            self.stream.end()?;
        }
        self.warn(&question.query);
        Ok(())
    }

    /// Warns of hidden characters, which were not shown. An approval covers them as well, so the text
    /// is shown here, line by line.
    pub(super) fn warn(&self, text: &str) {
        let hidden = Hidden::of(text);
        if hidden.is_empty() || self.is_json() {
            return;
        }
        let warning = format!("! The text above contains {hidden}:");
        self.output.say(&[bad(warning)]);
        let lines = text.split('\n').zip(1..);
        let mut lines = lines.filter(|(line, _)| !Hidden::of(line).is_empty());
        for (line, number) in lines.by_ref().take(MOST_NAMED) {
            let line: String = reveal(line).chars().take(LONGEST).collect();
            self.output
                .say(&[faint(format!("  line {number}: ")), plain(line)]);
        }
        match lines.count() {
            0 => {}
            more => self
                .output
                .say(&[faint(format!("  and {more} more lines"))]),
        }
    }

    /// Whether the words that end a thread were shown as they came.
    pub(super) fn takes_streamed(&mut self) -> bool {
        std::mem::take(&mut self.has_streamed)
    }

    pub(super) fn whole(&mut self, text: &str) -> Result<(), Error> {
        self.stream.write(text)?;
        self.stream.end()
    }

    pub(super) fn answered(&self, words: &str) -> Result<(), Error> {
        if self.is_json() {
            return self.event("answer", json!({"text": words}));
        }
        Ok(())
    }

    /// A line for programs: what happened, and about it.
    pub(super) fn event(&self, name: &str, data: Json) -> Result<(), Error> {
        let mut line = json!({"event": name});
        if let (Some(line), Json::Object(data)) = (line.as_object_mut(), data) {
            line.extend(data);
        }
        self.output.json(&line)
    }

    pub(super) fn is_json(&self) -> bool {
        self.output.form == Form::Json
    }

    /// What the whole thread cost.
    pub(super) fn tokens(&self, turns: usize, spent: &Spent) {
        self.output.say(&[plain(format!(
            "{}, {}: {}",
            count(turns, "turn"),
            count(spent.calls as usize, "call"),
            cost(spent)
        ))]);
    }
}

/// What calls cost, in a line.
fn cost(spent: &Spent) -> String {
    let model = &spent.model;
    let tokens = match spent.uncounted < spent.calls {
        true => format!("{} + {} tokens", spent.tokens.input, spent.tokens.output),
        false => "tokens n/a".to_owned(),
    };
    let cached = match spent.tokens.cached {
        0 => String::new(),
        cached => format!(" ({cached} cached)"),
    };
    let cost = match spent.cost {
        Some(cost) if cost.as_micros() == 0 => "free".to_owned(),
        Some(cost) => cost.to_string(),
        None => "price n/a".to_owned(),
    };
    format!("{model} · {tokens}{cached} · {cost}")
}
