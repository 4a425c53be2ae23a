//! Answers of the inbox screen: confirmed where that is needed, given together where they are of one thread, and told
//! about when their runs end.

use std::sync::Arc;

use superstep_agent::{AfterAnswers, Block, InboxAnswer, InboxQuestion, Notice, RunEnd, Verb};
use tokio::time::Instant;

use super::{InboxScreen, TAKE_BACK, Unconfirmed, View, most_news, stopped};
use crate::{
    error::Error,
    inbox::{background::Given, marked::without_warnings, questions::Question, selected::Selected},
    output::{Span, bad, count, faint, plain, strong},
    running,
    wrap::wrapped,
};

/// Questions that were accepted together, and how many of them were not taken.
pub(super) struct Together {
    all: usize,
    refused: usize,
    /// How many of those are still open; others were answered elsewhere.
    open: usize,
}

impl InboxScreen {
    /// Asks whether what is marked is accepted, with everyone who gets something. A question with a warning is never one of
    /// many, and what does not fit on the screen is not asked.
    pub(super) fn ask_to_accept_marked(&mut self, (height, width): (usize, usize)) {
        let marked = self.marked.of(&self.questions);
        if marked.is_empty() {
            self.news = vec![vec![plain("no question is marked: Space marks one, * all")]];
            return;
        }
        let has_desk = |it: &Question| self.all.desk(it).is_some();
        let (batch, left_out) = without_warnings(marked, has_desk);
        self.news = Vec::new();
        if !left_out.is_empty() {
            self.news.push(vec![
                bad("Left out, accept them one by one: "),
                plain(left_out.join("; ")),
            ]);
        }
        if batch.is_empty() {
            return;
        }
        let asked = vec![
            bad(self.marked.question(&batch, |it| self.is_real(it))),
            plain("y does it; any other key leaves them open"),
        ];
        let lines = self.news.iter().chain([&asked]);
        let rows: usize = lines.map(|line| wrapped(line, width).len()).sum();
        if rows > most_news(height, Some(&Unconfirmed::Marked(Vec::new()))) {
            let many = count(batch.len(), "question");
            let why = format!("{many} are too many to name everyone here: mark fewer");
            self.news = vec![vec![bad(why)]];
            return;
        }
        self.news.push(asked);
        self.unconfirmed = Some(Unconfirmed::Marked(batch));
        self.is_new = true;
    }

    pub(super) fn ask_to_confirm(&mut self, question: &Question, selected: Selected) {
        let lines = match selected.unseen() {
            1 => "1 line of this question was".to_owned(),
            more => format!("{more} lines of this question were"),
        };
        let does = match self.is_real(question) {
            true => format!("y does it for real, unseen: {}", question.asks),
            false => "y accepts it unseen".to_owned(),
        };
        self.news = vec![vec![
            bad(format!("{lines} not shown. ")),
            plain(format!("Enter shows all of it; {does}")),
        ]];
        self.unconfirmed = Some(Unconfirmed::One(question.key()));
        self.is_new = true;
    }

    /// What leaves cannot be taken back, so one key does not send it.
    pub(super) fn ask_to_send(&mut self, question: &Question) {
        let asked = self
            .marked
            .question(std::slice::from_ref(question), |_| true);
        self.news = vec![vec![
            bad(asked),
            plain("y does it; any other key leaves the question open"),
        ]];
        self.unconfirmed = Some(Unconfirmed::One(question.key()));
        self.is_new = true;
    }

    /// Accepts what the last key was about.
    pub(super) async fn confirm(&mut self, unconfirmed: Option<Unconfirmed>) -> Result<(), Error> {
        match unconfirmed {
            None => Ok(()),
            Some(Unconfirmed::One(key)) => {
                let question = self.question().filter(|it| it.key() == key);
                match question.cloned() {
                    Some(question) => {
                        let answer = question.accepted();
                        self.give(vec![(question, answer)]).await
                    }
                    None => Ok(()),
                }
            }
            Some(Unconfirmed::Marked(batch)) => {
                let is_open =
                    |it: &Question| self.questions.iter().any(|open| open.key() == it.key());
                let batch: Vec<Question> = batch.into_iter().filter(is_open).collect();
                self.marked.clear();
                let accept = |question: Question| {
                    let answer = question.accepted();
                    (question, answer)
                };
                self.give(batch.into_iter().map(accept).collect()).await
            }
        }
    }

    /// Gives answers, those of one thread together. No question is selected then: the next key is for a question that
    /// the person chooses.
    pub(super) async fn give(&mut self, given: Vec<(Question, InboxAnswer)>) -> Result<(), Error> {
        let all = given.len();
        let mut is_edit_kept = false;
        let mut is_of_account = false;
        let mut going = Vec::new();
        for (question, answer) in given {
            if let Err(refused) = question.check_answer(&answer) {
                self.news = vec![vec![bad(refused)]];
                return Ok(());
            }
            let Some(opened) = self.all.desk(&question) else {
                self.talk = Some((question, Some(answer)));
                return Ok(());
            };
            let mode = opened.desk.mode();
            if !question.stays_open(answer.verb(), mode, self.is_rehearsed) {
                going.push((question, answer));
                continue;
            }
            is_of_account |= question
                .agent
                .is_some_and(|it| running::of(it).has_account());
            if let InboxAnswer::Edit(args) = &answer {
                match opened.desk.keep(&question, args).await {
                    Ok(is_kept) => is_edit_kept |= is_kept,
                    Err(error) => {
                        self.news = failed(&error.into());
                        return Ok(());
                    }
                }
            }
        }
        let open = all - going.len();
        if self.runs.is_empty() {
            self.reports.clear();
            self.together = None;
        }
        if open > 0 {
            let what = match all {
                1 => "the question stays open. ".to_owned(),
                _ => format!("{} of {all} stay open. ", count(open, "question")),
            };
            let kept = match is_edit_kept {
                true => "Your changes are kept with it. ",
                false => "",
            };
            self.news = vec![vec![
                strong("not sent"),
                plain(format!(": this is a dry run, and {what}{kept}")),
                plain(match is_of_account {
                    true => "`superstep inbox --send` does it for real",
                    false => "its agent decides when it acts for real",
                }),
            ]];
            self.is_new = true;
            self.look_again().await?;
        }
        if going.is_empty() {
            return Ok(());
        }
        self.selected = None;
        self.turn_to(View::List);
        self.is_new = true;
        // What was ignored before cannot be taken back any more.
        self.ignore_now();
        if let [(question, answer)] = &*going
            && answer.verb() == Verb::Ignore
        {
            let question = question.clone();
            let subject = question.subject.clone();
            self.ignored = Some((question, Instant::now() + TAKE_BACK));
            self.look_again().await?;
            self.news = vec![vec![
                plain(format!("ignored: {subject}. ")),
                faint("u takes it back"),
            ]];
            return Ok(());
        }
        if going.len() > 1 {
            self.together = Some(Together {
                all: going.len(),
                refused: 0,
                open: 0,
            });
        }
        let mut news = match open {
            0 => Vec::new(),
            _ => std::mem::take(&mut self.news),
        };
        while let Some((first, _)) = going.first() {
            let thread = first.thread.clone();
            let (same, others): (Vec<_>, Vec<_>) =
                going.into_iter().partition(|(it, _)| it.thread == thread);
            going = others;
            self.start(same);
        }
        news.push(vec![faint(match self.runs.len() {
            1 => "the run continues … Ctrl-C stops it".to_owned(),
            _ => format!("{} … Ctrl-C stops them", self.under_way()),
        })]);
        self.news = news;
        Ok(())
    }

    /// Continues the run of a thread with answers, in the background.
    pub(super) fn start(&mut self, given: Vec<(Question, InboxAnswer)>) {
        let opened = given.first().and_then(|(first, _)| self.all.desk(first));
        let Some(desk) = opened.map(|opened| Arc::clone(&opened.desk)) else {
            return;
        };
        let given = given.into_iter().map(|(it, answer)| (it.about, answer));
        let given: Given = given.collect();
        for (question, _) in &given {
            let key = question.key();
            self.drafts.retain(|(it, _)| *it != key);
            self.questions.retain(|it| it.key() != key);
        }
        self.runs.start(desk, given);
    }

    /// Shows what became of answers, after what became of others since nothing was under way.
    pub(super) async fn tell(
        &mut self,
        questions: &[InboxQuestion],
        given: Result<AfterAnswers, Error>,
    ) -> Result<(), Error> {
        self.look_again().await?;
        let is_open =
            |it: &&InboxQuestion| self.questions.iter().any(|open| open.key() == it.key());
        let still_open = questions.iter().filter(is_open).count();
        let mut report = Vec::new();
        let mut is_refused = false;
        // Several may end one after the other, so it is said which this is.
        let subject = questions.first().map_or("", |it| &it.subject);
        report.push(vec![strong(format!("{subject}: "))]);
        match given {
            Ok(AfterAnswers { notices, end }) => {
                report.extend(notices.iter().filter_map(summary));
                match end {
                    RunEnd::Stopped => report.push(vec![plain(stopped(questions))]),
                    RunEnd::Failed(error) => report.extend(failed(&error.into())),
                    RunEnd::Done(_) => {}
                }
            }
            Err(Error::Cancelled) if still_open > 0 => {
                report.push(vec![plain("stopped; the question is still open")]);
            }
            Err(Error::Cancelled) => report.push(vec![plain(stopped(questions))]),
            Err(error @ (Error::Closed | Error::Io(_))) => return Err(error),
            Err(error) => {
                is_refused = true;
                report.extend(failed(&error));
                // A desk that broke off may have given the answer itself.
                if still_open == 0 && !matches!(error, Error::Missing { .. }) {
                    report.push(vec![plain("it was answered elsewhere")]);
                }
            }
        }
        if let Some(together) = &mut self.together {
            together.open += still_open;
            together.refused += match is_refused {
                true => questions.len(),
                false => still_open,
            };
            if self.runs.is_empty() {
                let Together { all, refused, open } = *together;
                let refusals = match refused {
                    1 => format!("1 of {all} was not accepted"),
                    more => format!("{more} of {all} were not accepted"),
                };
                report.push(vec![match (refused, refused == open) {
                    (0, _) => strong(format!("all {all} were accepted")),
                    (1, true) => bad(format!("{refusals}, and is still open")),
                    (_, true) => bad(format!("{refusals}, and are still open")),
                    (_, false) => bad(format!("{refusals}; {open} of them still open")),
                }]);
            }
        }
        let same = |line: &Vec<Span>| {
            line.iter()
                .map(|it| it.with(it.text().to_owned()))
                .collect()
        };
        self.told.extend(report.iter().map(same));
        self.reports.append(&mut report);
        self.news = self.reports.iter().map(same).collect();
        let cost = self.all.cost().map(|cost| format!("so far: {cost}"));
        self.news.extend(cost.map(|cost| vec![faint(cost)]));
        if !self.runs.is_empty() {
            self.news.push(vec![faint(self.under_way())]);
        }
        Ok(())
    }
}

/// The first line of a notice.
fn summary(notice: &Notice) -> Option<Vec<Span>> {
    notice.blocks.first().map(Block::lines)?.into_iter().next()
}

fn failed(error: &Error) -> Vec<Vec<Span>> {
    let code = error.code().map(|code| format!(" [{code}]"));
    let lines = error.lines();
    let mut rows: Vec<_> = lines.into_iter().map(|line| vec![plain(line)]).collect();
    if let Some(first) = rows.first_mut() {
        first.insert(0, bad(format!("error{}: ", code.unwrap_or_default())));
    }
    rows
}
