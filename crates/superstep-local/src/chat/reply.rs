//! Streaming parser of a reply: text, reasoning and tool calls.

use serde_json::Value as Json;
use superstep_model::Delta;

use super::template::CALL;

const THOUGHT: (&str, &str) = ("<think>", "</think>");

/// A reply on its way.
pub(super) struct ReplyParser {
    within: Within,
    /// Text that may be the beginning of a mark, or a call that is not complete.
    held: String,
    stops: Vec<String>,
    has_begun: bool,
    calls: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Words; marks are looked for.
    Words,
    Thought,
    Call,
    /// Data, in which marks mean nothing.
    Data,
    /// Behind a stop word.
    Stopped,
}

impl ReplyParser {
    /// A reply that may have reasoning and calls in it, and ends at any of `stops`.
    pub(super) fn words(stops: &[String]) -> Self {
        let stops = stops.iter().filter(|stop| !stop.is_empty()).cloned();
        Self::new(Within::Words, stops.collect())
    }

    /// A reply that is data.
    pub(super) fn data() -> Self {
        Self::new(Within::Data, Vec::new())
    }

    fn new(within: Within, stops: Vec<String>) -> Self {
        Self {
            within,
            held: String::new(),
            stops,
            has_begun: false,
            calls: 0,
        }
    }

    /// Adds text, and returns what can be shown of it.
    pub(super) fn push(&mut self, text: &str) -> Vec<Delta> {
        self.held.push_str(text);
        let mut out = Vec::new();
        while self.step(&mut out) {}
        out
    }

    /// Whether a stop word was met.
    pub(super) fn is_stopped(&self) -> bool {
        self.within == Within::Stopped
    }

    /// Whether what is written now is reasoning.
    pub(super) fn is_thinking(&self) -> bool {
        self.within == Within::Thought
    }

    /// How many calls there were.
    pub(super) fn calls(&self) -> u32 {
        self.calls
    }

    /// What is left when the reply ends, wherever it ends.
    pub(super) fn finish(&mut self) -> Vec<Delta> {
        let held = std::mem::take(&mut self.held);
        let mut out = Vec::new();
        match self.within {
            Within::Words | Within::Data => out.extend(words(held)),
            Within::Thought => {
                out.extend(thought(held));
                out.push(end_of_thought());
            }
            Within::Call => self.call(&held, &mut out),
            Within::Stopped => {}
        }
        out
    }

    /// Takes one piece off what is held; false when more text is needed.
    fn step(&mut self, out: &mut Vec<Delta>) -> bool {
        match self.within {
            Within::Stopped => {
                self.held.clear();
                false
            }
            Within::Data => {
                out.extend(words(std::mem::take(&mut self.held)));
                false
            }
            Within::Call => {
                let Some((call, rest)) = self.held.split_once(CALL.1) else {
                    return false;
                };
                let (call, rest) = (call.to_owned(), rest.trim_start().to_owned());
                self.held = rest;
                self.within = Within::Words;
                self.call(&call, out);
                true
            }
            Within::Thought => {
                let (before, found) = cut(&mut self.held, &[THOUGHT.1]);
                out.extend(thought(before));
                if found.is_some() {
                    out.push(end_of_thought());
                    self.within = Within::Words;
                }
                found.is_some()
            }
            Within::Words => {
                let mut marks = vec![CALL.0];
                if !self.has_begun {
                    marks.push(THOUGHT.0);
                }
                let others = marks.len();
                marks.extend(self.stops.iter().map(String::as_str));
                let (before, found) = cut(&mut self.held, &marks);
                self.has_begun |= !before.trim().is_empty();
                out.extend(words(before));
                self.within = match found {
                    None => return false,
                    Some(0) => Within::Call,
                    Some(mark) if mark < others => Within::Thought,
                    Some(_) => Within::Stopped,
                };
                true
            }
        }
    }

    fn call(&mut self, text: &str, out: &mut Vec<Delta>) {
        let Some((name, arguments)) = parts_of_call(text.trim()) else {
            return;
        };
        let index = self.calls;
        self.calls += 1;
        out.push(Delta::Call {
            index,
            id: None,
            name,
        });
        out.push(Delta::Args {
            index,
            json: arguments,
        });
    }
}

fn words(text: String) -> Option<Delta> {
    (!text.is_empty()).then_some(Delta::Text(text))
}

fn thought(text: String) -> Option<Delta> {
    (!text.is_empty()).then_some(Delta::Reasoning(text))
}

fn end_of_thought() -> Delta {
    Delta::ReasoningEnd {
        signature: None,
        hidden: None,
    }
}

/// The name and the arguments of a call, which may have been cut within its arguments.
fn parts_of_call(text: &str) -> Option<(String, String)> {
    if let Ok(Json::Object(call)) = serde_json::from_str(text) {
        let name = call.get("name")?.as_str()?.to_owned();
        let arguments = call.get("arguments").map(Json::to_string);
        return Some((name, arguments.unwrap_or_else(|| "{}".to_owned())));
    }
    let rest = text.strip_prefix("{\"name\": ")?;
    let (name, arguments) = rest.split_once(", \"arguments\": ")?;
    let name = serde_json::from_str(name).ok()?;
    Some((name, arguments.to_owned()))
}

/// Takes what comes before the first of `marks` off `held`, and the mark; says which it was. What
/// could still become a mark stays.
fn cut(held: &mut String, marks: &[&str]) -> (String, Option<usize>) {
    let found = marks
        .iter()
        .enumerate()
        .filter_map(|(index, mark)| held.find(mark).map(|at| (at, index, mark.len())))
        .min();
    if let Some((at, index, length)) = found {
        let rest = held.split_off(at);
        let before = std::mem::replace(held, rest.get(length..).unwrap_or_default().to_owned());
        return (before, Some(index));
    }
    let ends = held.char_indices().map(|(at, _)| at);
    let open = ends.into_iter().find(|at| {
        let rest = held.get(*at..).unwrap_or_default();
        marks.iter().any(|mark| mark.starts_with(rest))
    });
    let rest = held.split_off(open.unwrap_or(held.len()));
    (std::mem::replace(held, rest), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of `text`, given letter by letter, with neighbors of a kind joined.
    fn pieces(mut pieces: ReplyParser, text: &str) -> Vec<Delta> {
        let mut all = Vec::new();
        for letter in text.chars() {
            all.extend(pieces.push(&letter.to_string()));
        }
        all.extend(pieces.finish());
        let mut joined: Vec<Delta> = Vec::new();
        for piece in all {
            match (joined.last_mut(), piece) {
                (Some(Delta::Text(text)), Delta::Text(more)) => text.push_str(&more),
                (Some(Delta::Reasoning(text)), Delta::Reasoning(more)) => text.push_str(&more),
                (_, piece) => joined.push(piece),
            }
        }
        joined
    }

    fn call(index: u32, name: &str, json: &str) -> [Delta; 2] {
        [
            Delta::Call {
                index,
                id: None,
                name: name.to_owned(),
            },
            Delta::Args {
                index,
                json: json.to_owned(),
            },
        ]
    }

    #[test]
    fn words_reasoning_and_calls_are_told_apart() {
        let text = "<think>hm</think>well < then\n<tool_call>\n{\"name\": \"look\", \
                    \"arguments\": {\"at\": 1}}\n</tool_call>";
        let mut expected = vec![
            Delta::Reasoning("hm".into()),
            end_of_thought(),
            Delta::Text("well < then\n".into()),
        ];
        expected.extend(call(0, "look", "{\"at\":1}"));
        assert_eq!(pieces(ReplyParser::words(&[]), text), expected);
    }

    #[test]
    fn a_call_that_is_cut_keeps_its_name() {
        let text = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": \"no";
        assert_eq!(
            pieces(ReplyParser::words(&[]), text),
            call(0, "look", "{\"at\": \"no")
        );
    }

    #[test]
    fn nothing_is_shown_behind_a_stop_word() {
        let stops = ["END".to_owned()];
        let shown = pieces(ReplyParser::words(&stops), "a E b EN c END d");
        assert_eq!(shown, [Delta::Text("a E b EN c ".into())]);
    }

    #[test]
    fn marks_in_data_are_data() {
        let text = "{\"a\": \"<tool_call>\"}";
        assert_eq!(
            pieces(ReplyParser::data(), text),
            [Delta::Text(text.into())]
        );
    }
}
