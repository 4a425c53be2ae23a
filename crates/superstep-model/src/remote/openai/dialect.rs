//! Dialects of chat completions: how servers differ.

use superstep_http::Address;

use crate::model::Structured;

/// What a server takes and what its models can do. [`Dialect::of`] guesses from the address; a
/// struct update says it better: `Dialect { images: true, ..Dialect::of(&address, model) }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Whose interface it is, as the first part of the model's id.
    pub provider: String,
    /// Its models can call tools.
    pub tools: bool,
    /// How they are held to a schema.
    pub structured: Structured,
    /// They understand pictures.
    pub images: bool,
    /// How many tokens a call may have in all, if that is known.
    pub context: Option<u32>,
    /// Which field limits what is written.
    pub limit: LimitField,
    /// Tokens added to that limit, because the model's reasoning counts against it.
    pub reasoning_room: u32,
    /// Which field says how much to think.
    pub effort: EffortField,
    /// Whether temperature and stop words may be chosen.
    pub sampling: Sampling,
    /// It reports tokens of a stream when asked to.
    pub stream_usage: bool,
}

/// Room for the thoughts of a model that reasons. With less, a short answer may be cut before its first word.
const REASONING_ROOM: u32 = 8_192;

/// Which field limits what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitField {
    /// `max_completion_tokens`, which counts reasoning.
    MaxCompletionTokens,
    /// `max_tokens`, the older one.
    MaxTokens,
}

/// Which field says how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffortField {
    /// `reasoning_effort`.
    ReasoningEffort,
    /// `reasoning.effort`.
    Reasoning,
    /// None: the wish is left out.
    None,
}

/// Whether temperature and stop words may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// They may.
    Free,
    /// The model refuses requests that choose: the wish is left out.
    Fixed,
}

impl Dialect {
    /// The dialect that an address and the name of a model suggest.
    pub fn of(address: &Address, model: &str) -> Self {
        let host = address.host();
        let is_of = |domain: &str| {
            host == domain || host.strip_suffix(domain).is_some_and(|h| h.ends_with('.'))
        };
        if is_of("openai.com") {
            Self::openai(model)
        } else if is_of("groq.com") {
            Self {
                limit: LimitField::MaxCompletionTokens,
                structured: Structured::Json,
                ..Self::compatible("groq")
            }
        } else if is_of("openrouter.ai") {
            Self {
                effort: EffortField::Reasoning,
                images: true,
                reasoning_room: REASONING_ROOM,
                ..Self::compatible("openrouter")
            }
        } else if is_of("googleapis.com") || is_of("x.ai") {
            // Their models reason unasked, and read far more than this.
            Self {
                reasoning_room: REASONING_ROOM,
                ..Self::compatible("compatible")
            }
        } else if address.is_local() && address.port() == Some(11434) {
            Self {
                structured: Structured::Schema,
                effort: EffortField::ReasoningEffort,
                ..Self::compatible("ollama")
            }
        } else if address.is_local() {
            // vLLM, llama-server and LM Studio build a grammar from the schema.
            Self {
                structured: Structured::Schema,
                ..Self::compatible("compatible")
            }
        } else {
            Self::compatible("compatible")
        }
    }

    /// OpenAI itself.
    fn openai(model: &str) -> Self {
        let thinks = ["o1", "o3", "o4", "gpt-5"]
            .iter()
            .any(|family| model.starts_with(family));
        let (effort, sampling, reasoning_room) = if thinks {
            (
                EffortField::ReasoningEffort,
                Sampling::Fixed,
                REASONING_ROOM,
            )
        } else {
            (EffortField::None, Sampling::Free, 0)
        };
        Self {
            structured: if model.starts_with("gpt-3.5") || model == "gpt-4" {
                Structured::Tool
            } else {
                Structured::Schema
            },
            images: true,
            limit: LimitField::MaxCompletionTokens,
            effort,
            sampling,
            reasoning_room,
            ..Self::compatible("openai")
        }
    }

    /// What every server that claims the protocol should take.
    fn compatible(provider: &str) -> Self {
        Self {
            provider: provider.into(),
            tools: true,
            structured: Structured::Tool,
            images: false,
            context: None,
            limit: LimitField::MaxTokens,
            reasoning_room: 0,
            effort: EffortField::None,
            sampling: Sampling::Free,
            stream_usage: true,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn of(address: &str, model: &str) -> Dialect {
        Dialect::of(&Address::given(address).unwrap(), model)
    }

    #[test]
    fn addresses_suggest_a_dialect() {
        for (address, provider) in [
            ("https://api.openai.com/v1", "openai"),
            ("https://api.groq.com/openai/v1", "groq"),
            ("https://openrouter.ai/api/v1", "openrouter"),
            ("http://127.0.0.1:11434/v1", "ollama"),
            ("http://127.0.0.1:8000/v1", "compatible"),
            ("https://notopenai.com", "compatible"),
            ("https://openai.com.evil.test", "compatible"),
        ] {
            assert_eq!(of(address, "m").provider, provider, "{address}");
        }
    }

    #[test]
    fn models_that_think_choose_their_own_words() {
        let address = "https://api.openai.com/v1";
        assert_eq!(of(address, "gpt-5-mini").sampling, Sampling::Fixed);
        assert_eq!(of(address, "gpt-4.1").sampling, Sampling::Free);
        assert!(of(address, "gpt-5-mini").reasoning_room > 0);
        assert_eq!(of(address, "gpt-4.1").reasoning_room, 0);
        assert_eq!(of(address, "gpt-4").structured, Structured::Tool);
    }
}
