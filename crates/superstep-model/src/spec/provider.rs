//! Providers that are known by name: their address, the variable with their key, their usual model.

/// What is spoken with a provider over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Api {
    /// Chat completions, which OpenAI made and most others understand.
    ChatCompletions,
    /// Messages of Anthropic.
    Anthropic,
}

/// A provider that is reached over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// Its name in specs.
    pub name: &'static str,
    /// What it speaks.
    pub api: Api,
    /// Its address.
    pub base: &'static str,
    /// The variable its key is in.
    pub key_env: Option<&'static str>,
    /// The model that is taken where only the provider is named.
    pub model: Option<&'static str>,
    /// The variable with another address of it.
    pub base_env: Option<&'static str>,
    /// The variable with another usual model of it.
    pub model_env: Option<&'static str>,
}

/// The day on which the usual models in [`KNOWN`] were looked up in the documentation of their providers.
pub const USUAL_MODELS_AS_OF: &str = "2026-11-19";

/// All of them. `model` of `[providers.NAME]` in the user's file replaces a usual model. The order is the one in which their keys are looked for.
pub const KNOWN: [Known; 9] = [
    Known {
        name: "anthropic",
        api: Api::Anthropic,
        base: "https://api.anthropic.com",
        key_env: Some("ANTHROPIC_API_KEY"),
        model: Some("claude-sonnet-5-5"),
        base_env: None,
        model_env: None,
    },
    Known {
        base_env: Some("OPENAI_BASE_URL"),
        model_env: Some("OPENAI_MODEL"),
        ..openai(
            "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-6.1-terra",
        )
    },
    openai(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        "gemini-3.8-flash",
    ),
    openai(
        "mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral-medium-latest",
    ),
    openai(
        "groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        "openai/gpt-oss-120b",
    ),
    openai(
        "deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek-flash",
    ),
    openai("xai", "https://api.x.ai/v1", "XAI_API_KEY", "grok-4.7"),
    openai(
        "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openrouter/auto",
    ),
    Known {
        name: "ollama",
        api: Api::ChatCompletions,
        base: "http://127.0.0.1:11434/v1",
        key_env: None,
        model: None,
        base_env: Some("SUPERSTEP_OLLAMA"),
        model_env: None,
    },
];

const fn openai(
    name: &'static str,
    base: &'static str,
    key_env: &'static str,
    model: &'static str,
) -> Known {
    Known {
        name,
        api: Api::ChatCompletions,
        base,
        key_env: Some(key_env),
        model: Some(model),
        base_env: None,
        model_env: None,
    }
}

impl Known {
    /// The provider of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KNOWN.iter().find(|known| known.name == name)
    }
}
