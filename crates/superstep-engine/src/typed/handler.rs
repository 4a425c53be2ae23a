//! Async functions as nodes.

use std::{future::Future, marker::PhantomData, sync::Arc};

use superstep_core::{command::Output, error::ErrorKind, future::BoxFuture, run::Halt};

use super::{
    command::{Command, IntoCommand, Reach},
    error::NodeError,
    extract::{FromTask, Needs, TaskCtx},
    nodes::Nodes,
    resources::Resources,
    state::State,
};
use crate::{ctx, node::Node};

/// An async function of up to eight extractors.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node of a graph over `{S}`",
    label = "not a node",
    note = "a node is an `async fn` of up to eight extractors that returns an update, a Command, () or a Result of one of them; its future must be Send",
    note = "`#[superstep::node(State, Nodes)]` on the function shows what does not fit"
)]
pub trait Handler<S: State, N: Nodes, Args>: Clone + Send + Sync + 'static {
    /// Runs it once.
    fn call(
        self,
        task: TaskCtx<S, N>,
    ) -> impl Future<Output = Result<Command<S, N>, NodeError>> + Send + 'static;

    /// What its arguments need.
    fn needs() -> Needs;
}

macro_rules! handlers {
    ($($arg:ident)*) => {
        impl<S, N, F, Fut, Out, $($arg),*> Handler<S, N, (Out, $($arg,)*)> for F
        where
            S: State,
            N: Nodes,
            F: Fn($($arg),*) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future<Output = Out> + Send + 'static,
            Out: IntoCommand<S, N>,
            $($arg: FromTask<S, N>,)*
        {
            #[allow(non_snake_case, reason = "one name a type, also for none")]
            fn call(
                self,
                task: TaskCtx<S, N>,
            ) -> impl Future<Output = Result<Command<S, N>, NodeError>> + Send + 'static {
                // The function's future is made where it is awaited: one that is moved there takes its room twice.
                async move {
                    $(let $arg = $arg::from_task(&task)?;)*
                    drop(task);
                    self($($arg),*).await.into_command()
                }
            }

            fn needs() -> Needs {
                #[allow(unused_mut, reason = "a node may take nothing")]
                let mut needs = Needs::default();
                $($arg::declare(&mut needs);)*
                needs
            }
        }
    };
}
handlers!();
handlers!(A1);
handlers!(A1 A2);
handlers!(A1 A2 A3);
handlers!(A1 A2 A3 A4);
handlers!(A1 A2 A3 A4 A5);
handlers!(A1 A2 A3 A4 A5 A6);
handlers!(A1 A2 A3 A4 A5 A6 A7);
handlers!(A1 A2 A3 A4 A5 A6 A7 A8);

type Run<S, N> = Arc<
    dyn Fn(TaskCtx<S, N>, Arc<Reach>) -> BoxFuture<'static, Result<Output, Halt>> + Send + Sync,
>;

/// A handler whose argument types are forgotten.
pub(crate) struct AnyHandler<S, N> {
    run: Run<S, N>,
    pub(crate) needs: Needs,
}

impl<S, N> Clone for AnyHandler<S, N> {
    fn clone(&self) -> Self {
        Self {
            run: self.run.clone(),
            needs: self.needs.clone(),
        }
    }
}

impl<S: State, N: Nodes> AnyHandler<S, N> {
    pub(crate) fn new<Args, H: Handler<S, N, Args>>(handler: H) -> Self {
        let run = move |task| handler.clone().call(task);
        Self {
            needs: H::needs(),
            ..Self::making(run, Command::into_output)
        }
    }

    /// One that needs nothing of its graph and returns something other than a command.
    pub(crate) fn making<O, Fut>(
        run: impl Fn(TaskCtx<S, N>) -> Fut + Clone + Send + Sync + 'static,
        into_output: fn(O, &Reach) -> Result<Output, ErrorKind>,
    ) -> Self
    where
        O: 'static,
        Fut: Future<Output = Result<O, NodeError>> + Send + 'static,
    {
        let run = move |task, reach: Arc<Reach>| {
            let run = run.clone();
            let future = async move {
                match run(task).await.map_err(NodeError::into_halt) {
                    Ok(made) => Ok(into_output(made, &reach)?),
                    Err(Halt::Parent(handed)) => {
                        reach.check(&handed)?;
                        Err(Halt::Parent(handed))
                    }
                    Err(other) => Err(other),
                }
            };
            Box::pin(future) as BoxFuture<'static, Result<Output, Halt>>
        };
        Self {
            run: Arc::new(run),
            needs: Needs::default(),
        }
    }

    pub(crate) fn into_node(self, resources: Arc<Resources>, reach: Reach) -> Arc<dyn Node> {
        Arc::new(TypedNode {
            run: self.run,
            resources,
            reach: Arc::new(reach),
        })
    }
}

/// A handler in its graph.
struct TypedNode<S, N> {
    run: Run<S, N>,
    resources: Arc<Resources>,
    reach: Arc<Reach>,
}

impl<S: State, N: Nodes> Node for TypedNode<S, N> {
    fn run(&self, ctx: ctx::DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
        let resources = self.resources.clone();
        let task = TaskCtx {
            ctx,
            resources,
            graph: PhantomData,
        };
        (self.run)(task, self.reach.clone())
    }
}
