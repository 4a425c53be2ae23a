//! Dialects of chat completions: how servers differ.

use superstep_http::Address;

use crate::{model::Structured, remote::schema::Subset};

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
    /// The words of schemas that it takes.
    pub schema: Subset,
    /// Which field says how much to think.
    pub effort: EffortField,
    /// What becomes of that field in a request with tools.
    pub effort_beside_tools: BesideTools,
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

/// What becomes of the wish to think in a request with tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BesideTools {
    /// It is sent.
    Kept,
    /// It is left out: the server refuses it.
    Absent,
    /// Thinking is switched off: the server thinks unasked, and refuses tools then.
    Off,
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
                reasoning_room: REASONING_ROOM,
                effort: match model.contains("gpt-oss") {
                    true => EffortField::ReasoningEffort,
                    false => EffortField::None,
                },
                ..Self::compatible("groq")
            }
        } else if is_of("openrouter.ai") {
            Self {
                effort: EffortField::Reasoning,
                images: true,
                reasoning_room: REASONING_ROOM,
                ..Self::compatible("openrouter")
            }
        } else if is_of("googleapis.com") {
            Self {
                structured: Structured::Schema,
                schema: Subset::Gemini,
                effort: EffortField::ReasoningEffort,
                reasoning_room: REASONING_ROOM,
                ..Self::compatible("compatible")
            }
        } else if is_of("x.ai") {
            Self {
                effort: match version_after(model, "grok-") >= Some((4, 3)) {
                    true => EffortField::ReasoningEffort,
                    false => EffortField::None,
                },
                reasoning_room: REASONING_ROOM,
                ..Self::compatible("compatible")
            }
        } else if is_of("deepseek.com") || is_of("mistral.ai") {
            // Their models reason unasked, and read far more than this.
            Self {
                reasoning_room: REASONING_ROOM,
                ..Self::compatible("compatible")
            }
        } else if address.is_local() && address.port() == Some(11434) {
            Self {
                structured: Structured::Schema,
                schema: Subset::All,
                effort: EffortField::ReasoningEffort,
                ..Self::compatible("ollama")
            }
        } else if address.is_local() {
            // vLLM, llama-server and LM Studio build a grammar from the schema.
            Self {
                structured: Structured::Schema,
                schema: Subset::All,
                ..Self::compatible("compatible")
            }
        } else {
            Self::compatible("compatible")
        }
    }

    /// OpenAI itself.
    fn openai(model: &str) -> Self {
        let version = version_after(model, "gpt-");
        let is_o = ["o1", "o3", "o4"].iter().any(|it| model.starts_with(it));
        let thinks = is_o || version >= Some((5, 0));
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
            // Chat completions of newer models take no tools beside thinking.
            effort_beside_tools: match version {
                Some(new) if new >= (5, 6) => BesideTools::Off,
                Some(middle) if middle >= (5, 4) => BesideTools::Absent,
                _ => BesideTools::Kept,
            },
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
            schema: Subset::OpenAi,
            effort: EffortField::None,
            effort_beside_tools: BesideTools::Kept,
            sampling: Sampling::Free,
            stream_usage: true,
        }
    }
}

/// The version in a name such as `gpt-5.6-terra`, behind the name of its family.
fn version_after(model: &str, family: &str) -> Option<(u32, u32)> {
    let version = model.strip_prefix(family)?.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
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
        assert_eq!(of(address, "gpt-4o").sampling, Sampling::Free);
        assert_eq!(of(address, "gpt-6.1-terra").sampling, Sampling::Fixed);
    }

    #[test]
    fn models_that_take_no_tools_beside_thinking_are_known_by_their_version() {
        let openai = "https://api.openai.com/v1";
        for (model, expected) in [
            ("gpt-4.1", BesideTools::Kept),
            ("gpt-5-mini", BesideTools::Kept),
            ("gpt-5.2", BesideTools::Kept),
            ("gpt-5.4-mini", BesideTools::Absent),
            ("gpt-5.6-terra", BesideTools::Off),
            ("gpt-6-sol", BesideTools::Off),
            ("gpt-6.1-terra", BesideTools::Off),
        ] {
            assert_eq!(of(openai, model).effort_beside_tools, expected, "{model}");
        }
        let xai = "https://api.x.ai/v1";
        assert_eq!(of(xai, "grok-4").effort, EffortField::None);
        assert_eq!(of(xai, "grok-4.7").effort, EffortField::ReasoningEffort);
    }
}
