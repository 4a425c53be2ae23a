//! Answers in the conversation of a thread, for agents that take none in the background.

use super::InboxScreen;
use crate::{
    app::App,
    args::InboxArgs,
    error::Error,
    inbox::{converse, questions::Question},
    output::plain,
    terminal::Topic,
};
use superstep_agent::{Answers, InboxAnswer};

/// A conversation that begins at an open question, with the answer; without one the person gives it there.
pub(super) type Talk = (Question, Option<InboxAnswer>);

impl InboxScreen {
    /// Holds a conversation on the terminal's own screen, and waits until the person has read it.
    pub(super) async fn hold(
        &mut self,
        (question, answer): Talk,
        with: &InboxArgs,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let answers = answer.map_or_else(Answers::person, Answers::inbox);
        let ended = converse(&question, &question.id(), answers, with, app).await;
        let is_elsewhere = matches!(ended, Err(Error::Question(_) | Error::Missing { .. }));
        match ended {
            Err(error @ (Error::Closed | Error::Io(_))) => return Err(error),
            Err(Error::Waiting { .. } | Error::Cancelled | Error::Reported { .. }) | Ok(()) => {}
            Err(error) => app.output.error(&error),
        }
        let prompt = "Enter goes back to the inbox> ";
        app.terminal
            .read_line(Topic::Detail, prompt, app.output)
            .await?;
        self.selected = None;
        self.look_again().await?;
        let subject = &question.subject;
        let is_open = self.questions.iter().any(|it| it.key() == question.key());
        self.news = vec![vec![plain(match (is_open, is_elsewhere) {
            (true, _) => format!("{subject}: the question is still open"),
            (false, true) => format!("{subject}: it was answered elsewhere"),
            (false, false) => format!("{subject}: answered"),
        })]];
        self.is_new = true;
        Ok(())
    }
}
