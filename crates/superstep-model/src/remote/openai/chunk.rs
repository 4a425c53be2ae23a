//! The answer of chat completions, in chunks or whole.

use serde_json::Value as Json;

use super::calls::Calls;
use crate::{
    delta::Delta,
    remote::{
        fault::ProviderError,
        sse::Event,
        stream::{Out, Protocol, Wrong},
    },
    usage::{Finish, Usage},
};

/// Reads chunks.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    calls: Calls,
    has_begun: bool,
    has_spoken: bool,
    has_refused: bool,
    is_thinking: bool,
}

impl Protocol for Chunks {
    fn event(&mut self, event: &Event, out: &mut Out) -> Result<(), Wrong> {
        if event.data.trim() == "[DONE]" {
            out.over();
            return self.close(out);
        }
        let chunk: Json = serde_json::from_str(&event.data)
            .map_err(|error| Wrong::Malformed(format!("a chunk that is not JSON: {error}")))?;
        if event.name == "error" || chunk.get("error").is_some_and(|error| !error.is_null()) {
            let reported =
                ProviderError::of(&chunk).unwrap_or_else(|| ProviderError::bare(&event.data));
            return Err(Wrong::Reported(reported));
        }
        if !chunk.is_object() {
            return Err("a chunk that is no object".into());
        }
        self.answer(&chunk, "delta", out)
    }

    fn whole(&mut self, answer: &Json, out: &mut Out) -> Result<(), Wrong> {
        if first_choice(answer).is_none() {
            return Err("an answer without choices".into());
        }
        self.answer(answer, "message", out)?;
        self.close(out)
    }

    fn end(&mut self, out: &mut Out) -> Result<(), Wrong> {
        if out.is_finished() {
            return Ok(());
        }
        Err(Wrong::Cut)
    }
}

impl Chunks {
    fn answer(&mut self, answer: &Json, said_in: &str, out: &mut Out) -> Result<(), Wrong> {
        if let Some(Json::String(model)) = answer.get("model")
            && !std::mem::replace(&mut self.has_begun, true)
        {
            out.push(Delta::From {
                model: model.clone(),
                weights: None,
            });
        }
        if let Some(choice) = first_choice(answer) {
            if let Some(said) = choice.get(said_in) {
                self.said(said, out)?;
            }
            // Some servers say nothing with every piece instead of leaving it out.
            if let Some(Json::String(reason)) = choice.get("finish_reason")
                && !reason.is_empty()
                && !out.is_finished()
            {
                self.finish(reason, out)?;
            }
        }
        if let Some(usage) = answer.get("usage").filter(|usage| usage.is_object()) {
            out.push(Delta::Usage(read_usage(usage)));
        }
        Ok(())
    }

    fn said(&mut self, said: &Json, out: &mut Out) -> Result<(), Wrong> {
        let words = |name: &str| said.get(name).map(text).filter(|text| !text.is_empty());
        // The same thoughts, under the name of one server or of another, or of both at once.
        if let Some(thought) = words("reasoning_content").or_else(|| words("reasoning")) {
            self.is_thinking = true;
            out.push(Delta::Reasoning(thought));
        }
        if let Some(text) = words("content") {
            self.speak(out);
            out.push(Delta::Text(text));
        }
        if let Some(refusal) = words("refusal") {
            self.speak(out);
            self.has_refused = true;
            out.push(Delta::Text(refusal));
        }
        match said.get("tool_calls") {
            None | Some(Json::Null) => Ok(()),
            Some(Json::Array(pieces)) => {
                if !pieces.is_empty() {
                    self.speak(out);
                }
                pieces
                    .iter()
                    .try_for_each(|piece| self.calls.add(piece, out))
            }
            Some(_) => Err("tool calls that are no list".into()),
        }
    }

    fn speak(&mut self, out: &mut Out) {
        self.has_spoken = true;
        if std::mem::take(&mut self.is_thinking) {
            out.push(Delta::ReasoningEnd {
                signature: None,
                hidden: None,
            });
        }
    }

    fn finish(&self, reason: &str, out: &mut Out) -> Result<(), Wrong> {
        let finish = match reason {
            "error" => {
                return Err("the server ended the reply with an error it does not name".into());
            }
            "stop" | "end_turn" | "eos" if self.has_refused => Finish::Refusal,
            "stop" | "end_turn" | "eos" => Finish::Stop,
            "length" | "max_tokens" => Finish::Length,
            "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
            "content_filter" => Finish::Filtered,
            other => Finish::Other(other.chars().take(64).collect()),
        };
        self.calls.end()?;
        out.push(Delta::Finish(finish));
        Ok(())
    }

    /// The server said that it is done. Some never say why; then it is as if they had stopped.
    fn close(&self, out: &mut Out) -> Result<(), Wrong> {
        if out.is_finished() {
            return Ok(());
        }
        if !self.has_spoken && self.calls.is_empty() {
            return Err("an end without a reply".into());
        }
        self.finish("stop", out)
    }
}

fn first_choice(answer: &Json) -> Option<&Json> {
    let choices = answer.get("choices")?.as_array()?;
    let is_first = |choice: &&Json| {
        let index = choice.get("index").filter(|index| !index.is_null());
        index.is_none_or(|index| index == 0)
    };
    choices.iter().find(is_first)
}

/// Text, or the text of parts.
fn text(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts
            .iter()
            .filter_map(|part| part.get("text").and_then(Json::as_str))
            .collect(),
        _ => String::new(),
    }
}

fn read_usage(usage: &Json) -> Usage {
    // A count that is no count, such as -1, is none.
    let count = |path: &str| usage.pointer(path).and_then(Json::as_u64).unwrap_or(0);
    Usage {
        input: count("/prompt_tokens"),
        cached: count("/prompt_tokens_details/cached_tokens"),
        output: count("/completion_tokens"),
        reasoning: count("/completion_tokens_details/reasoning_tokens"),
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ModelError, Reply, assemble::MAX_CALLS, remote::stream::tests::decode};

    fn read(chunks: &[Json]) -> Result<Reply, ModelError> {
        let mut text: String = chunks
            .iter()
            .map(|chunk| format!("data: {chunk}\n\n"))
            .collect();
        text.push_str("data: [DONE]\n\n");
        decode(Chunks::default(), None, [text.as_bytes()])
    }

    fn calls(pieces: Json) -> Result<Reply, ModelError> {
        let chunks: Vec<Json> = pieces
            .as_array()
            .unwrap()
            .iter()
            .map(|piece| json!({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]}))
            .chain([json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})])
            .collect();
        read(&chunks)
    }

    fn shown(reply: Result<Reply, ModelError>) -> Vec<(String, String, String)> {
        let calls = reply.unwrap().tool_calls.into_iter();
        calls
            .map(|call| (call.id, call.name, Json::Object(call.args).to_string()))
            .collect()
    }

    fn call(id: &str, name: &str, args: &str) -> (String, String, String) {
        (id.into(), name.into(), args.into())
    }

    #[test]
    fn calls_are_put_together_however_they_are_cut() {
        let f = |name: &str, args: &str| json!({"name": name, "arguments": args});
        let two = vec![call("a", "x", r#"{"n":1}"#), call("b", "y", r#"{"n":2}"#)];
        let by_the_book = json!([
            {"index": 0, "id": "a", "type": "function", "function": f("x", "")},
            {"index": 0, "function": {"arguments": "{\"n\":"}},
            {"index": 1, "id": "b", "function": f("y", "{\"n\"")},
            {"index": 0, "function": {"arguments": "1}"}},
            {"index": 1, "function": {"arguments": ":2}"}},
        ]);
        assert_eq!(shown(calls(by_the_book)), two);
        let no_index = json!([
            {"id": "a", "function": f("x", "{\"n\":")},
            {"function": {"arguments": "1}"}},
            {"id": "b", "function": f("y", "{\"n\":2}")},
        ]);
        assert_eq!(shown(calls(no_index)), two);
        let same_index = json!([
            {"index": 0, "id": "a", "function": f("x", "{\"n\":1}")},
            {"index": 0, "id": "b", "function": f("y", "{\"n\":2}")},
        ]);
        assert_eq!(shown(calls(same_index)), two);
        let name_and_id_repeated = json!([
            {"index": 0, "id": "a", "function": f("x", "{\"n\":")},
            {"index": 0, "id": "a", "function": f("x", "1}")},
            {"index": 1, "id": "b", "function": f("y", "{\"n\":")},
            {"index": 1, "id": "", "function": f("y", "2}")},
        ]);
        assert_eq!(shown(calls(name_and_id_repeated)), two);
        let object =
            json!([{"index": 0, "id": "a", "function": {"name": "x", "arguments": {"n": 1}}}]);
        assert_eq!(shown(calls(object)), two[..1]);
        let no_id = json!([
            {"function": f("x", "{\"n\":1}")},
            {"function": f("x", "{\"n\":2}")},
            {"index": 7, "function": f("z", "")},
        ]);
        let made_up = vec![
            call("call_0", "x", r#"{"n":1}"#),
            call("call_1", "x", r#"{"n":2}"#),
            call("call_2", "z", "{}"),
        ];
        assert_eq!(shown(calls(no_id)), made_up);
        let late_name = json!([
            {"index": 0, "id": "a", "function": {"arguments": "{\"n\""}},
            {"index": 0, "function": f("x", ":1}")},
        ]);
        assert_eq!(shown(calls(late_name)), two[..1]);
    }

    #[test]
    fn calls_that_cannot_be_told_are_malformed() {
        for pieces in [
            json!([{"function": {"arguments": "{}"}}]),
            json!([{"index": 0, "id": "a", "function": {"arguments": "{}"}}]),
        ] {
            assert_eq!(calls(pieces).unwrap_err().code(), "SS5010");
        }
    }

    #[test]
    fn thoughts_refusals_and_tokens_are_read() {
        let delta =
            |delta: Json| json!({"model": "m-1", "choices": [{"index": 0, "delta": delta}]});
        let reply = read(&[
            delta(json!({"role": "assistant", "reasoning_content": "hm", "content": null})),
            delta(json!({"reasoning": "m", "reasoning_details": []})),
            delta(json!({"refusal": "I will not"})),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": null}),
            json!({"choices": [], "usage": {
                "prompt_tokens": 10, "completion_tokens": -1,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 3},
            }}),
        ]);
        let reply = reply.unwrap();
        assert_eq!(reply.reasoning[0].text, "hmm");
        assert_eq!(reply.content.text(), "I will not");
        let usage = reply.usage.unwrap();
        assert_eq!(
            (usage.input, usage.cached, usage.output, usage.reasoning),
            (10, 4, 0, 3)
        );
        let answered = reply.answered.unwrap();
        assert_eq!(
            (answered.model.as_str(), answered.finish),
            ("m-1", Finish::Refusal)
        );
    }

    #[test]
    fn an_end_without_anything_is_malformed() {
        assert_eq!(read(&[]).unwrap_err().code(), "SS5010");
        assert_eq!(
            read(&[json!({"choices": []})]).unwrap_err().code(),
            "SS5010"
        );
        assert_eq!(read(&[json!([1])]).unwrap_err().code(), "SS5010");
    }

    #[test]
    fn what_is_left_out_may_be_null_or_empty() {
        let chunk = |text: &str, reason: Json| {
            json!({"model": null, "usage": null, "error": null, "choices": [{
                "index": null, "finish_reason": reason, "logprobs": null,
                "delta": {"content": text, "tool_calls": null, "refusal": null, "role": null},
            }]})
        };
        let said = [
            chunk("a", json!("")),
            chunk("b", json!(null)),
            chunk("c", json!("stop")),
        ];
        let reply = read(&said).unwrap();
        assert_eq!(reply.content.text(), "abc");
        assert_eq!(reply.answered.unwrap().finish, Finish::Stop);
    }

    #[test]
    fn calls_without_number_are_refused() {
        let begin = |at: usize| json!({"index": at, "function": {"name": "x", "arguments": "{}"}});
        let many: Vec<Json> = (0..MAX_CALLS).map(begin).collect();
        assert_eq!(shown(calls(json!(many))).len(), MAX_CALLS);
        let more: Vec<Json> = (0..=MAX_CALLS).map(begin).collect();
        assert_eq!(calls(json!(more)).unwrap_err().code(), "SS5010");
    }

    #[test]
    fn only_the_first_choice_is_heard() {
        let said = |index: u32, text: &str| json!({"choices": [{"index": index, "delta": {"content": text}}]});
        let reply = read(&[said(1, "no"), said(0, "yes"), said(1, "no")]).unwrap();
        assert_eq!(reply.content.text(), "yes");
    }
}
