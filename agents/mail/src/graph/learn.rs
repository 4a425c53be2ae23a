//! What a note learns from what a person did.

use superstep::{Ctx, NodeError, tools::Traced};

use crate::{
    Stage, Topic,
    memory::{FeedbackId, Learned, Teacher, feedback::FeedbackItem},
    services::{MEMORY, Services},
};

/// Lets a note learn. If it must not change, the remark that says so.
pub(super) async fn learn_from(
    topic: Topic,
    items: &[FeedbackItem],
    services: &Services,
    ctx: &Ctx,
) -> Result<Option<String>, NodeError> {
    let key = ctx.idempotency_key("memory");
    let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
    let from = FeedbackId {
        key: &key,
        thread: &thread,
    };
    let owner = services.owner();
    let model = Traced {
        model: &**services.models.of(MEMORY),
        ctx,
    };
    let teacher = Teacher {
        model: &model,
        profile: services.profile(MEMORY),
        prompt: services.settings.prompts.of(Stage::Memory),
        owner: &owner,
    };
    let learned = services
        .memory(ctx)?
        .learn(topic, teacher, from, items)
        .await?;
    Ok(match learned {
        Learned::Refused(why) => Some(format!("`{}` stay as they are: {why}", topic.label())),
        _ => None,
    })
}
