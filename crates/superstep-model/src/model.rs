//! The `Model` trait.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superstep_core::future::BoxFuture;

use crate::{
    assemble::Assembly, delta::Deltas, error::ModelError, message::Reply, model_id::ModelId,
    request::Request,
};

/// A language model.
///
/// An implementation makes one attempt of one call: no retries, no limits, no repairs. Those are the
/// same for all models; see [`call`](crate::call).
pub trait Model: Send + Sync {
    /// Whose model it is and what it is called.
    fn id(&self) -> &ModelId;

    /// What it can do.
    fn caps(&self) -> Caps;

    /// Starts a call. The reply comes as it is made; dropping it cancels the call.
    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>>;

    /// Makes a call and waits for the whole reply.
    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let mut deltas = self.stream(request).await?;
            let mut reply = Assembly::new(self.id());
            while let Some(delta) = deltas.next().await {
                reply.add(delta?)?;
            }
            reply.finish()
        })
    }
}

/// A [`Model`] around another one: every method forwards to [`ModelLayer::inner`] unless it is overridden. A layer that changes
/// what is asked or replied overrides `stream` and `invoke`.
///
/// ```
/// use superstep_model::{Model, ModelId, ModelLayer, Script};
///
/// /// A model under another name.
/// struct Renamed<M>(ModelId, M);
///
/// impl<M: Model> ModelLayer for Renamed<M> {
///     fn inner(&self) -> &dyn Model {
///         &self.1
///     }
///
///     fn id(&self) -> &ModelId {
///         &self.0
///     }
/// }
///
/// let model = Renamed(ModelId::new("house", "clerk"), Script::new([]));
/// assert_eq!(Model::id(&model).to_string(), "house:clerk");
/// ```
pub trait ModelLayer: Send + Sync {
    /// The model that calls are forwarded to.
    fn inner(&self) -> &dyn Model;

    /// [`Model::id`].
    fn id(&self) -> &ModelId {
        self.inner().id()
    }

    /// [`Model::caps`].
    fn caps(&self) -> Caps {
        self.inner().caps()
    }

    /// [`Model::stream`].
    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        self.inner().stream(request)
    }

    /// [`Model::invoke`].
    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        self.inner().invoke(request)
    }
}

impl<L: ModelLayer> Model for L {
    fn id(&self) -> &ModelId {
        ModelLayer::id(self)
    }

    fn caps(&self) -> Caps {
        ModelLayer::caps(self)
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        ModelLayer::stream(self, request)
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        ModelLayer::invoke(self, request)
    }
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn id(&self) -> &ModelId {
        (**self).id()
    }

    fn caps(&self) -> Caps {
        (**self).caps()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        (**self).stream(request)
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        (**self).invoke(request)
    }
}

/// What a model can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Caps {
    /// It can call tools.
    pub tools: bool,
    /// How it is held to a schema.
    pub structured: Structured,
    /// It understands pictures.
    pub images: bool,
    /// How many tokens a call may have in all, if that is known.
    pub context: Option<u32>,
    /// It runs on this machine: nothing leaves it.
    pub local: bool,
    /// It has few parameters: it can sort, choose and word, and much of what it is left to weigh is made up. Agents that
    /// know this ask it for less.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
}

impl Caps {
    /// Those of a model in this process that calls tools and is held to a schema: no pictures, and a
    /// context of unknown size.
    ///
    /// ```
    /// use superstep_model::Caps;
    ///
    /// let mut caps = Caps::local();
    /// caps.context = Some(8_192);
    /// assert!(caps.tools && !caps.images);
    /// ```
    pub const fn local() -> Self {
        Self {
            tools: true,
            structured: Structured::Schema,
            images: false,
            context: None,
            local: true,
            small: false,
        }
    }
}

/// How a model is held to a schema, from strongest to weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// It cannot say anything else.
    Schema,
    /// It can be made to call one tool, whose arguments are the answer.
    Tool,
    /// It can be made to write JSON, whatever JSON.
    Json,
    /// It can be asked.
    Asked,
}
