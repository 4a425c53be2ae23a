//! Language models: messages, the `Model` trait, providers, scripts, recordings, call policies.
//!
//! [`open`] takes the name of a model, [`from_env`] takes the model that the environment offers. Both return a
//! [`ManagedModel`] with deadlines, retries, a concurrency limit and a circuit breaker.
//!
//! [`Message`] is what state holds, [`Request`] what a model gets, [`Delta`] a part of its reply as it
//! streams in. [`Model`] is the trait of anything that answers.

use superstep_model::select::Providers;
#[doc(inline)]
pub use superstep_model::*;

/// Opens a model by its name.
///
/// | name | model |
/// |---|---|
/// | `anthropic:claude-sonnet-5-5`, `openai:gpt-6.1-terra`, `gemini:…`, `mistral:…`, `groq:…`, `deepseek:…`, `xai:…`, `openrouter:…` | a model of a provider (feature `remote`) |
/// | `ollama:qwen3:8b` | a model of the Ollama server on this machine (feature `remote`) |
/// | `openai@http://127.0.0.1:8080/v1:qwen3` | a model at an address that speaks chat completions (feature `remote`) |
/// | `local:default`, `local:tiny`, `local:weights.gguf` | a model inside the process (feature `local`) |
/// | `script:replies.jsonl` | a script |
/// | `cassette:tape.jsonl`, `cassette:tape.jsonl?record=openai` | a recording |
///
/// A provider without a name stands for its usual model. Its key is in its usual variable, such as
/// `ANTHROPIC_API_KEY`; `OPENAI_BASE_URL` is another address for `openai` models. A missing key is SS5001, an
/// unknown provider SS5019.
///
/// ```no_run
/// use superstep::model::{self, Message, Model, Request};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = model::open("anthropic:claude-sonnet-4-5").await?;
/// let reply = model.invoke(&Request::new([Message::user("Name a prime.")])).await?;
/// println!("{}", reply.content.text());
/// # Ok(()) }
/// ```
pub async fn open(name: &str) -> Result<ManagedModel, ModelError> {
    providers().open_named(name).await
}

/// Opens the model that the environment offers. The first of these decides:
///
/// 1. `SUPERSTEP_MODEL`, a name as [`open`] takes it
/// 2. `OPENAI_BASE_URL`, with `OPENAI_MODEL`
/// 3. `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, then the keys of the other providers
/// 4. an Ollama server on this machine
/// 5. weights on this machine: `SUPERSTEP_MODEL_FILE`, or those in the cache
///
/// Without any of them it fails with SS5016, which lists why each was not taken. Settings files are not read:
/// [`config`] and [`select`] are for programs that use them.
pub async fn from_env() -> Result<ManagedModel, ModelError> {
    providers().open_from_env().await
}

/// The providers of this build: scripts, recordings, providers over HTTP (`remote`) and the embedded model (`local`).
pub fn providers() -> Providers {
    #[cfg_attr(not(feature = "local"), allow(unused_mut, reason = "nothing to add"))]
    let mut providers = Providers::built_in();
    #[cfg(feature = "local")]
    superstep_local::register(&mut providers);
    providers
}
