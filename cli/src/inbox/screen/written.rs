//! What a person writes in the inbox: changed arguments, and words for the assistant.

use superstep::tools::Mode;
use superstep_agent::{Desk, Diff, InboxAnswer, InboxQuestion};

use super::InboxScreen;
use crate::{
    app::App,
    error::Error,
    output::{bad, faint, plain},
    terminal::{Composed, Editor, Line, Topic},
};

impl InboxScreen {
    /// Lets the person change the arguments, and asks whether the changes are meant.
    pub(super) async fn edited(
        &mut self,
        question: &InboxQuestion,
        desk: &dyn Desk,
        app: &mut App<'_>,
    ) -> Result<Option<InboxAnswer>, Error> {
        self.news.clear();
        let mut drafts = self.drafts.iter();
        let draft = drafts.find(|(key, _)| *key == question.key());
        let start = draft.map_or(question.args(), |(_, args)| args);
        let text = match Editor::compose(&InboxQuestion::edit_text(start))? {
            Composed::Text(text) => text,
            Composed::Nothing(why) => {
                self.news = vec![vec![bad("not edited: "), plain(why)]];
                return Ok(None);
            }
        };
        let args = match question.read_edit(&text) {
            Ok(args) if args == *question.args() => {
                self.news = vec![vec![faint("nothing changed")]];
                return Ok(None);
            }
            Ok(args) => args,
            Err(why) => {
                self.news = vec![vec![bad("invalid: "), plain(why)]];
                return Ok(None);
            }
        };
        self.drafts.retain(|(key, _)| *key != question.key());
        self.drafts.push((question.key(), args.clone()));
        let checked = desk.edited(question, &args).await;
        if let Err(error) = checked.map_err(Error::from) {
            self.news = vec![
                vec![bad("not accepted: "), plain(error.lines().join(" "))],
                vec![faint(
                    "the question is open, and e begins with your changes",
                )],
            ];
            return Ok(None);
        }
        for line in question.changes(&args).iter().flat_map(Diff::lines) {
            app.output.say(&line);
        }
        let prompt = match desk.mode() {
            Mode::Dry if self.is_rehearsed => "Accept these changes (dry run)? [y/N] ",
            Mode::Dry => "Keep these changes, to be sent by --send later (dry run)? [y/N] ",
            Mode::Send => "Accept these changes, for real? [y/N] ",
        };
        if app.terminal.agrees(prompt, app.output).await? {
            return Ok(Some(InboxAnswer::Edit(args)));
        }
        self.news = vec![vec![faint(
            "not accepted; the question is open, and e begins with your changes",
        )]];
        Ok(None)
    }

    pub(super) async fn words(
        &mut self,
        question: &InboxQuestion,
        app: &mut App<'_>,
    ) -> Result<Option<InboxAnswer>, Error> {
        self.news.clear();
        for spans in &question.lines {
            app.output.say(spans);
        }
        let prompt = "Tell the assistant (empty to cancel)> ";
        Ok(
            match app
                .terminal
                .read_line(Topic::Detail, prompt, app.output)
                .await?
            {
                Line::Text(words) if !words.trim().is_empty() => Some(InboxAnswer::Respond(words)),
                _ => None,
            },
        )
    }
}
