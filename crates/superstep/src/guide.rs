//! Guides: how to build, run and operate graphs, with programs that run as tests.
//!
//! Read [`graphs`], [`state`] and [`nodes`] in this order; the others as you need them. The
//! [`cookbook`] has whole programs, and [`from_langgraph`] says what is called what.

#[doc = include_str!("docs/graphs.md")]
pub mod graphs {}

#[doc = include_str!("docs/state.md")]
pub mod state {}

#[doc = include_str!("docs/nodes.md")]
pub mod nodes {}

#[doc = include_str!("docs/questions.md")]
pub mod questions {}

#[doc = include_str!("docs/effects.md")]
pub mod effects {}

#[doc = include_str!("docs/threads.md")]
pub mod threads {}

#[doc = include_str!("docs/serving.md")]
pub mod serving {}

#[doc = include_str!("docs/errors.md")]
pub mod errors {}

#[doc = include_str!("docs/queue.md")]
pub mod queue {}

#[cfg_attr(feature = "trace", doc = include_str!("docs/observing.md"))]
#[cfg_attr(
    not(feature = "trace"),
    doc = "Traces, metrics and budgets; needs the feature `trace`."
)]
pub mod observing {}

#[doc = include_str!("docs/testing.md")]
pub mod testing {}

#[doc = include_str!("docs/streaming.md")]
pub mod streaming {}

#[cfg_attr(all(feature = "tools", feature = "sqlite"), doc = include_str!("docs/memory.md"))]
#[cfg_attr(
    not(all(feature = "tools", feature = "sqlite")),
    doc = "Long-term memory; needs the features `tools` and `sqlite`."
)]
pub mod memory {}

#[doc = include_str!("docs/from_langgraph.md")]
pub mod from_langgraph {}

pub mod cookbook {
    //! Recipes: whole programs to start from.

    #[cfg_attr(feature = "tools", doc = include_str!("docs/cookbook/tool_agent.md"))]
    #[cfg_attr(
        not(feature = "tools"),
        doc = "A tool-calling agent; needs the feature `tools`."
    )]
    pub mod tool_agent {}

    #[cfg_attr(feature = "tools", doc = include_str!("docs/cookbook/supervisor.md"))]
    #[cfg_attr(
        not(feature = "tools"),
        doc = "A supervisor; needs the feature `tools`."
    )]
    pub mod supervisor {}

    #[doc = include_str!("docs/cookbook/map_reduce.md")]
    pub mod map_reduce {}

    #[doc = include_str!("docs/cookbook/memory.md")]
    pub mod memory {}

    #[doc = include_str!("docs/cookbook/approval.md")]
    pub mod approval {}

    #[doc = include_str!("docs/cookbook/time_travel.md")]
    pub mod time_travel {}

    #[doc = include_str!("docs/cookbook/migration.md")]
    pub mod migration {}
}
