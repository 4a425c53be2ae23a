//! The answer of the Messages API, in events or whole.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::{
    delta::Delta,
    remote::{
        fault::ProviderError,
        sse::Event,
        stream::{Out, Protocol, Wrong},
    },
    usage::{Finish, Usage},
};

/// The most blocks one answer may have.
const MAX_BLOCKS: usize = 4096;

/// Reads events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    blocks: BTreeMap<u64, Block>,
    calls: u32,
    usage: Counts,
}

#[derive(Debug)]
enum Block {
    Text,
    Thought {
        signature: String,
    },
    Call {
        index: u32,
        given: Json,
        has_args: bool,
    },
    Other,
}

/// Counts as they stand; later events replace earlier ones.
#[derive(Debug, Default)]
struct Counts {
    input: u64,
    cache_read: u64,
    cache_written: u64,
    output: u64,
}

impl Protocol for Events {
    fn event(&mut self, event: &Event, out: &mut Out) -> Result<(), Wrong> {
        let data: Json = serde_json::from_str(&event.data)
            .map_err(|error| Wrong::Malformed(format!("an event that is not JSON: {error}")))?;
        let kind = data.get("type").and_then(Json::as_str);
        match kind.unwrap_or(&event.name) {
            "message_start" => {
                let message = data.get("message").unwrap_or(&Json::Null);
                self.start(message, out);
                Ok(())
            }
            "content_block_start" => {
                let block = data.get("content_block").unwrap_or(&Json::Null);
                self.open(number(&data, "index"), block, out)
            }
            "content_block_delta" => {
                let delta = data.get("delta").unwrap_or(&Json::Null);
                self.add(number(&data, "index"), delta, out)
            }
            "content_block_stop" => {
                self.close(number(&data, "index"), out);
                Ok(())
            }
            "message_delta" => {
                let delta = data.get("delta").unwrap_or(&Json::Null);
                let usage = data.get("usage").unwrap_or(&Json::Null);
                self.stop(delta, usage, out);
                Ok(())
            }
            "message_stop" => {
                out.over();
                self.end(out)
            }
            "error" => {
                let reported =
                    ProviderError::of(&data).unwrap_or_else(|| ProviderError::bare(&event.data));
                Err(Wrong::Reported(reported))
            }
            // Pings, and what later versions may add.
            _ => Ok(()),
        }
    }

    fn whole(&mut self, answer: &Json, out: &mut Out) -> Result<(), Wrong> {
        let Some(Json::Array(blocks)) = answer.get("content") else {
            return Err("an answer without content".into());
        };
        self.start(answer, out);
        for (index, block) in (0..).zip(blocks) {
            self.open(index, block, out)?;
            self.close(index, out);
        }
        self.stop(answer, answer.get("usage").unwrap_or(&Json::Null), out);
        if out.is_finished() {
            return Ok(());
        }
        Err("an answer that does not say why it stopped".into())
    }

    fn end(&mut self, out: &mut Out) -> Result<(), Wrong> {
        if out.is_finished() {
            return Ok(());
        }
        Err(Wrong::Cut)
    }
}

impl Events {
    fn start(&mut self, message: &Json, out: &mut Out) {
        if let Some(Json::String(model)) = message.get("model") {
            out.push(Delta::From {
                model: model.clone(),
                weights: None,
            });
        }
        if let Some(usage) = message.get("usage") {
            self.usage.add(usage);
        }
    }

    fn open(&mut self, index: u64, block: &Json, out: &mut Out) -> Result<(), Wrong> {
        let words = |name: &str| block.get(name).and_then(Json::as_str).unwrap_or_default();
        let opened = match words("type") {
            "text" => {
                say(words("text"), Delta::Text, out);
                Block::Text
            }
            "thinking" => {
                say(words("thinking"), Delta::Reasoning, out);
                Block::Thought {
                    signature: words("signature").to_owned(),
                }
            }
            "redacted_thinking" => {
                out.push(Delta::ReasoningEnd {
                    signature: None,
                    hidden: Some(words("data").to_owned()),
                });
                Block::Other
            }
            "tool_use" => {
                let name = words("name");
                if name.is_empty() {
                    return Err("a tool call without a name".into());
                }
                let number = self.calls;
                self.calls = number.saturating_add(1);
                out.push(Delta::Call {
                    index: number,
                    id: Some(words("id").to_owned()).filter(|id| !id.is_empty()),
                    name: name.to_owned(),
                });
                Block::Call {
                    index: number,
                    given: block.get("input").cloned().unwrap_or(Json::Null),
                    has_args: false,
                }
            }
            // Tools that the provider runs itself are none of ours.
            _ => Block::Other,
        };
        if self.blocks.len() >= MAX_BLOCKS {
            return Err("too many blocks".into());
        }
        match self.blocks.insert(index, opened) {
            None => Ok(()),
            Some(_) => Err("a block that begins twice".into()),
        }
    }

    fn add(&mut self, index: u64, delta: &Json, out: &mut Out) -> Result<(), Wrong> {
        let words = |name: &str| delta.get(name).and_then(Json::as_str).unwrap_or_default();
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err("a piece of a block that has not begun".into());
        };
        match (words("type"), block) {
            ("text_delta", _) => say(words("text"), Delta::Text, out),
            ("thinking_delta", _) => say(words("thinking"), Delta::Reasoning, out),
            ("signature_delta", Block::Thought { signature }) => {
                signature.push_str(words("signature"));
            }
            (
                "input_json_delta",
                Block::Call {
                    index, has_args, ..
                },
            ) => {
                let index = *index;
                let json = words("partial_json");
                *has_args |= !json.is_empty();
                say(json, |json| Delta::Args { index, json }, out);
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, index: u64, out: &mut Out) {
        // The place stays taken: no block begins under the same number again.
        let Some(block) = self.blocks.get_mut(&index) else {
            return;
        };
        match std::mem::replace(block, Block::Other) {
            Block::Thought { signature } => out.push(Delta::ReasoningEnd {
                signature: Some(signature).filter(|signature| !signature.is_empty()),
                hidden: None,
            }),
            Block::Call {
                index,
                given,
                has_args: false,
            } if !given.is_null() && given != json!({}) => out.push(Delta::Args {
                index,
                json: given.to_string(),
            }),
            Block::Call { .. } | Block::Text | Block::Other => {}
        }
    }

    fn stop(&mut self, delta: &Json, usage: &Json, out: &mut Out) {
        self.usage.add(usage);
        out.push(Delta::Usage(self.usage.total()));
        let reason = delta.get("stop_reason").and_then(Json::as_str);
        let Some(reason) = reason.filter(|reason| !reason.is_empty()) else {
            return;
        };
        out.push(Delta::Finish(match reason {
            "end_turn" | "stop_sequence" => Finish::Stop,
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "tool_use" => Finish::ToolCalls,
            "refusal" => Finish::Refusal,
            // `pause_turn` among them: it can only follow tools that the provider runs itself.
            other => Finish::Other(other.chars().take(64).collect()),
        }));
    }
}

impl Counts {
    fn add(&mut self, usage: &Json) {
        let read = |name: &str, place: &mut u64| {
            if let Some(count) = usage.get(name).and_then(Json::as_u64) {
                *place = count;
            }
        };
        read("input_tokens", &mut self.input);
        read("cache_read_input_tokens", &mut self.cache_read);
        read("cache_creation_input_tokens", &mut self.cache_written);
        read("output_tokens", &mut self.output);
    }

    /// The provider counts what it had in its cache beside the input; we count it in.
    fn total(&self) -> Usage {
        let cache = self.cache_read.saturating_add(self.cache_written);
        Usage {
            input: self.input.saturating_add(cache),
            cached: self.cache_read,
            output: self.output,
            reasoning: 0,
        }
    }
}

fn say(words: &str, delta: impl FnOnce(String) -> Delta, out: &mut Out) {
    if !words.is_empty() {
        out.push(delta(words.to_owned()));
    }
}

fn number(data: &Json, name: &str) -> u64 {
    data.get(name).and_then(Json::as_u64).unwrap_or(0)
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]
mod tests {
    use super::*;
    use crate::{ModelError, Reply, remote::stream::tests::decode};

    fn read(events: &[Json]) -> Result<Reply, ModelError> {
        let text: String = events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect();
        decode(Events::default(), None, [text.as_bytes()])
    }

    fn start(index: u64, block: Json) -> Json {
        json!({"type": "content_block_start", "index": index, "content_block": block})
    }

    fn piece(index: u64, delta: Json) -> Json {
        json!({"type": "content_block_delta", "index": index, "delta": delta})
    }

    fn end(index: u64) -> Json {
        json!({"type": "content_block_stop", "index": index})
    }

    fn stopped(reason: &str) -> [Json; 2] {
        let usage = json!({"output_tokens": 9});
        [
            json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}),
            json!({"type": "message_stop"}),
        ]
    }

    #[test]
    fn thoughts_calls_and_tokens_are_read() {
        let usage = json!({
            "input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20,
            "output_tokens": 1,
        });
        let mut events = vec![
            json!({"type": "message_start", "message": {"model": "m-1", "usage": usage}}),
            json!({"type": "ping"}),
            start(
                0,
                json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            piece(0, json!({"type": "thinking_delta", "thinking": "hm"})),
            piece(0, json!({"type": "signature_delta", "signature": "si"})),
            piece(0, json!({"type": "signature_delta", "signature": "gn"})),
            end(0),
            start(1, json!({"type": "redacted_thinking", "data": "dark"})),
            end(1),
            start(
                2,
                json!({"type": "tool_use", "id": "t1", "name": "look", "input": {}}),
            ),
            piece(2, json!({"type": "input_json_delta", "partial_json": ""})),
            piece(
                2,
                json!({"type": "input_json_delta", "partial_json": "{\"a\":"}),
            ),
            piece(2, json!({"type": "input_json_delta", "partial_json": "1}"})),
            end(2),
            start(
                3,
                json!({"type": "tool_use", "id": "t2", "name": "look", "input": {"b": 2}}),
            ),
            end(3),
            start(
                4,
                json!({"type": "server_tool_use", "id": "t3", "name": "theirs"}),
            ),
            end(4),
        ];
        events.extend(stopped("tool_use"));
        let reply = read(&events).unwrap();
        assert_eq!(reply.reasoning[0].text, "hm");
        assert_eq!(reply.reasoning[0].signature.as_deref(), Some("sign"));
        assert_eq!(reply.reasoning[1].hidden.as_deref(), Some("dark"));
        let args: Vec<String> = reply
            .tool_calls
            .iter()
            .map(|call| Json::Object(call.args.clone()).to_string())
            .collect();
        assert_eq!(args, [r#"{"a":1}"#, r#"{"b":2}"#]);
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input, usage.cached, usage.output), (125, 100, 9));
    }

    #[test]
    fn every_reason_to_stop_is_known() {
        for (reason, finish) in [
            ("end_turn", Finish::Stop),
            ("stop_sequence", Finish::Stop),
            ("max_tokens", Finish::Length),
            ("refusal", Finish::Refusal),
            ("pause_turn", Finish::Other("pause_turn".into())),
        ] {
            let reply = read(&stopped(reason)).unwrap();
            assert_eq!(reply.answered.unwrap().finish, finish);
        }
    }

    #[test]
    fn an_error_in_the_stream_is_one() {
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}});
        assert_eq!(
            read(&[error]).unwrap_err().to_string(),
            "the provider failed (529): x"
        );
    }

    #[test]
    fn a_stop_without_a_reason_was_cut() {
        assert_eq!(
            read(&[json!({"type": "message_stop"})]).unwrap_err().code(),
            "SS5009"
        );
    }
}
