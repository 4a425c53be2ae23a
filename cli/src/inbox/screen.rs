//! Inbox screen: a list, the selected question below it, one key per action.
//!
//! A question is accepted by one key only if all of it was on the screen; otherwise by a second one. After
//! an answer no question is selected, so that a key that is held down answers one. `accept` gives answers and tells
//! what became of them, `written` asks for edits and words, `talk` answers in the conversation of a thread.

mod accept;
mod talk;
mod written;

use std::{sync::Arc, time::Duration};

use crossterm::event::KeyCode;
use serde_json::{Map, Value as Json};
use superstep::tools::Mode;
use superstep_agent::{Diff, InboxAnswer, InboxQuestion, QuestionKey, Verb};
use tokio::time::Instant;

use super::{
    background::Runs,
    draw::Canvas,
    help::help,
    keys::{Key, Keys, Pressed},
    marked::Marked,
    nothing_open,
    questions::{Question, Questions},
    selected::{Extent, Selected},
};
use crate::{
    agents::Agent,
    app::App,
    args::InboxArgs,
    error::Error,
    output::{Span, bad, faint, good, plain, shown, strong},
    suggest::Options,
    wrap::wrapped,
};
use accept::Together;
use talk::Talk;

/// How many questions a page of the list is.
const PAGE: isize = 10;

/// How long an ignored question can be taken back.
const TAKE_BACK: Duration = Duration::from_secs(5);

/// What is said of answers whose runs were stopped.
fn stopped(questions: &[InboxQuestion]) -> String {
    let continues = match questions.first() {
        Some(it) if it.agent != Agent::MAIL.name() => {
            format!("superstep threads resume {}", shown(&it.thread))
        }
        _ => "superstep mail ingest".to_owned(),
    };
    format!("stopped; the answer is kept, and `{continues}` continues")
}

/// What is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    List,
    Whole,
    Help,
    /// The words of a search are typed.
    Search,
}

/// What the next key accepts if that confirms it.
#[derive(Clone, Debug)]
enum Unconfirmed {
    One(QuestionKey),
    /// The marked ones that were named.
    Marked(Vec<Question>),
}

/// How many rows there are for what happened: more where people are named who get something.
fn most_news(height: usize, unconfirmed: Option<&Unconfirmed>) -> usize {
    match unconfirmed {
        Some(Unconfirmed::Marked(_)) => height.saturating_sub(8).max(6),
        _ => (height / 3).max(6),
    }
}

struct InboxScreen {
    all: Questions,
    /// A conversation that is held next.
    talk: Option<Talk>,
    is_rehearsed: bool,
    /// Those that are listed: open, not being answered, and with the words of the search.
    questions: Vec<Question>,
    runs: Runs,
    /// A question that is ignored once this time is over.
    ignored: Option<(Question, Instant)>,
    marked: Marked,
    search: String,
    /// Leaves once all runs have ended.
    is_leaving: bool,
    /// Arguments that were changed in a dry run, by question: the next edit begins with them.
    drafts: Vec<(QuestionKey, Map<String, Json>)>,
    selected: Option<Selected>,
    unconfirmed: Option<Unconfirmed>,
    view: View,
    /// What happened last.
    news: Vec<Vec<Span>>,
    /// What became of the answers since nothing was under way, and of all answers.
    reports: Vec<Vec<Span>>,
    told: Vec<Vec<Span>>,
    /// Questions that were accepted together.
    together: Option<Together>,
    /// The options that suggested commands need.
    options: Options,
    /// How many rows of the help are above the screen.
    help_above: usize,
    /// Whether what is asked now was not drawn yet.
    is_new: bool,
}

/// Opens the agents that ask, and shows their questions. Those of an agent that cannot be opened are left out if others ask
/// too.
pub(super) async fn run(
    mut all: Questions,
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let mut asking: Vec<Option<Agent>> = Vec::new();
    for question in all.open().await? {
        if !asking.contains(&question.agent) {
            asking.push(question.agent);
        }
    }
    if asking.is_empty() {
        nothing_open(app.output);
        return Ok(());
    }
    let mut left = asking.len();
    for agent in asking.into_iter().flatten() {
        if let Err(error) = all.open_desk(agent, with, app).await {
            left -= 1;
            if left == 0 {
                return Err(error);
            }
            app.output.error(&error);
            all.leave_out(agent);
        }
    }
    show(all, with, app).await
}

/// Shows questions until the person leaves.
pub(super) async fn show(
    mut all: Questions,
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let questions = all.open().await?;
    let mut inbox = InboxScreen {
        is_rehearsed: with.rehearse,
        talk: None,
        drafts: Vec::new(),
        runs: Runs::default(),
        ignored: None,
        marked: Marked::default(),
        search: String::new(),
        is_leaving: false,
        all,
        selected: (!questions.is_empty()).then(|| Selected::new(0)),
        questions,
        unconfirmed: None,
        view: View::List,
        news: Vec::new(),
        reports: Vec::new(),
        told: Vec::new(),
        together: None,
        options: Options::of(app.global).with_account(&with.account),
        help_above: 0,
        is_new: true,
    };
    let mut keys = Keys::default();
    let mut canvas = Canvas::enter(app.global.color)?;
    loop {
        if inbox.is_leaving && inbox.runs.is_empty() {
            canvas.close()?;
            // The screen is gone, and what it said with it.
            for line in &inbox.told {
                let whole = line.iter().map(|span| inbox.completed(span));
                app.output.say(&whole.collect::<Vec<_>>());
            }
            return Ok(());
        }
        if let Some(talk) = inbox.talk.take() {
            canvas.close()?;
            let held = inbox.hold(talk, with, app).await;
            canvas.open()?;
            held?;
        }
        inbox.draw(&canvas, &mut keys).await?;
        let until = inbox.ignored.as_ref().map(|(_, until)| *until);
        let pressed = tokio::select! {
            // What was pressed comes first: it is for what was on the screen.
            biased;
            pressed = keys.next(app.terminal) => pressed?,
            ended = inbox.runs.ended() => {
                let (questions, ended) = ended;
                inbox.tell(&questions, ended).await?;
                continue;
            }
            () = tokio::time::sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {
                inbox.ignore_now();
                continue;
            }
        };
        let Pressed::Key(key) = pressed else {
            continue;
        };
        // Whatever else is pressed takes the first of the two keys back.
        let unconfirmed = inbox.unconfirmed.take();
        let code = match key {
            Key::Stop if inbox.runs.is_empty() => return Err(Error::Cancelled),
            Key::Stop => {
                inbox.stop().await?;
                continue;
            }
            key if inbox.view == View::Search => {
                inbox.typed(key).await?;
                continue;
            }
            // Any key leaves the help, and does nothing else, unless there is more of it.
            key if inbox.view == View::Help => {
                inbox.turn_help(key, canvas.size());
                continue;
            }
            Key::Answer(verb) => {
                inbox.act(verb, &mut canvas, app).await?;
                continue;
            }
            Key::Confirm => {
                inbox.confirm(unconfirmed).await?;
                continue;
            }
            Key::Other(code) => code,
        };
        if unconfirmed.is_some() {
            inbox.news.clear();
        }
        match (code, inbox.view) {
            (KeyCode::Char('q'), View::List) => inbox.leave(),
            (KeyCode::Char('q') | KeyCode::Esc | KeyCode::Enter, View::Whole) => {
                inbox.turn_to(View::List);
            }
            (KeyCode::Enter, View::List) if inbox.selected.is_some() => {
                inbox.turn_to(View::Whole);
            }
            (KeyCode::Char('?'), _) => inbox.turn_to(View::Help),
            (KeyCode::Char('u'), _) if inbox.ignored.is_some() => inbox.take_back().await?,
            (KeyCode::Char('/'), View::List) => {
                inbox.selected = None;
                inbox.turn_to(View::Search);
            }
            (KeyCode::Esc, View::List) if !inbox.search.is_empty() => {
                inbox.search.clear();
                inbox.look_again().await?;
            }
            (KeyCode::Char(' '), View::List) => inbox.mark(),
            (KeyCode::Char('*'), View::List) => inbox.marked.toggle_all(&inbox.questions),
            (KeyCode::Char('A'), View::List) => inbox.ask_to_accept_marked(canvas.size()),
            (KeyCode::Char('d'), _) => inbox.show_changes(),
            (KeyCode::Char('u'), _) => {
                inbox.look_again().await?;
                inbox.news.clear();
            }
            (code, View::Whole) => inbox.scroll(code),
            (KeyCode::Char('j') | KeyCode::Down, View::List) => inbox.select_next(),
            (KeyCode::Char('k') | KeyCode::Up, View::List) => inbox.select_previous(),
            (KeyCode::Char('g') | KeyCode::Home, View::List) => inbox.select(0),
            (KeyCode::Char('G') | KeyCode::End, View::List) => {
                inbox.select(inbox.questions.len().saturating_sub(1));
            }
            (KeyCode::PageDown, View::List) => inbox.select_by(PAGE),
            (KeyCode::PageUp, View::List) => inbox.select_by(-PAGE),
            _ => {}
        }
    }
}

impl InboxScreen {
    fn turn_to(&mut self, view: View) {
        self.view = view;
        self.help_above = 0;
        if let Some(selected) = &mut self.selected {
            selected.above = 0;
        }
    }

    /// A key while the help is shown.
    fn turn_help(&mut self, key: Key, (height, width): (usize, usize)) {
        let more = [KeyCode::Down, KeyCode::PageDown, KeyCode::Char(' ')];
        let is_more = matches!(key, Key::Other(code) if more.contains(&code));
        let end = self.help_above + height / 2;
        match is_more && end < help(width).len() {
            true => self.help_above = end,
            false => self.turn_to(View::List),
        }
    }

    fn scroll(&mut self, code: KeyCode) {
        let Some(selected) = &mut self.selected else {
            return;
        };
        match code {
            KeyCode::Char('j') | KeyCode::Down => selected.scroll_down(1),
            KeyCode::Char('k') | KeyCode::Up => selected.scroll_up(1),
            KeyCode::PageDown | KeyCode::Char(' ') => selected.scroll_down(selected.page()),
            KeyCode::PageUp => selected.scroll_up(selected.page()),
            _ => {}
        }
    }

    fn select_next(&mut self) {
        self.select(self.selected.map_or(0, |selected| selected.at + 1));
    }

    fn select_previous(&mut self) {
        let last = self.questions.len().saturating_sub(1);
        self.select(match self.selected {
            Some(selected) => selected.at.saturating_sub(1),
            None => last,
        });
    }

    /// Selects the question so many places further down, or the last one there is.
    fn select_by(&mut self, places: isize) {
        let last = self.questions.len().saturating_sub(1);
        let at = self.selected.map_or(0, |selected| selected.at);
        self.select(at.saturating_add_signed(places).min(last));
    }

    /// Selects a question, if there is one at this place.
    fn select(&mut self, at: usize) {
        if at < self.questions.len() && self.selected.is_none_or(|selected| selected.at != at) {
            self.selected = Some(Selected::new(at));
        }
    }

    fn question(&self) -> Option<&Question> {
        self.questions.get(self.selected?.at)
    }

    /// Refreshes the questions. The selected one stays selected wherever it is in the list now; if it
    /// is not open any more none is.
    async fn look_again(&mut self) -> Result<(), Error> {
        let key = self.question().map(|it| it.key());
        let ignored = self.ignored.as_ref().map(|(question, _)| question.key());
        let words = self.search.to_lowercase();
        self.questions = self.all.open().await?;
        self.questions.retain(|question| {
            let key = question.key();
            !self.runs.has(&key) && Some(&key) != ignored.as_ref() && question.has_words(&words)
        });
        let at = key.and_then(|key| self.questions.iter().position(|it| it.key() == key));
        self.selected = match (at, self.selected) {
            (Some(at), Some(selected)) => Some(selected.moved_to(at)),
            _ => None,
        };
        if self.selected.is_none() && self.view != View::Search {
            self.turn_to(View::List);
        }
        Ok(())
    }

    /// Shows what the person changed in the selected question.
    fn show_changes(&mut self) {
        let edited = self.question();
        let edited = edited.and_then(|it| Some(it.changes(it.edit.as_ref()?)));
        let edited = edited.map(|changes| changes.iter().flat_map(Diff::lines).collect());
        self.news = edited.unwrap_or_else(|| vec![vec![plain("this question was not edited")]]);
    }

    /// Marks the selected question, or takes its mark away.
    fn mark(&mut self) {
        let Some(question) = self.question().cloned() else {
            return;
        };
        if self.marked.toggle(&question) {
            self.select_next();
        } else {
            self.news = vec![vec![bad("this question does not take `accept`")]];
        }
    }

    /// A key while the words of a search are typed.
    async fn typed(&mut self, key: Key) -> Result<(), Error> {
        match key {
            Key::Other(KeyCode::Esc) => {
                self.search.clear();
                self.view = View::List;
            }
            Key::Other(KeyCode::Enter) => self.view = View::List,
            Key::Other(KeyCode::Backspace) => {
                self.search.pop();
            }
            key => self.search.extend(key.letter()),
        }
        self.look_again().await?;
        self.is_new |= self.view == View::List;
        Ok(())
    }

    /// Leaves once all that was answered is done.
    fn leave(&mut self) {
        self.ignore_now();
        self.is_leaving = true;
        if !self.runs.is_empty() {
            self.news = vec![vec![plain(format!(
                "{} before leaving … Ctrl-C stops them",
                self.under_way()
            ))]];
        }
    }

    fn under_way(&self) -> String {
        match self.runs.len() {
            1 => "1 run continues".to_owned(),
            runs => format!("{runs} runs continue"),
        }
    }

    /// Stops the runs that continue.
    async fn stop(&mut self) -> Result<(), Error> {
        self.is_leaving = false;
        let ended = self.runs.stop().await;
        self.look_again().await?;
        let is_open = |it: &InboxQuestion| self.questions.iter().any(|open| open.key() == it.key());
        let text = match ended.iter().all(is_open) {
            true => "stopped; the question is still open".to_owned(),
            false => stopped(&ended),
        };
        self.news = vec![vec![plain(text)]];
        self.is_new = true;
        Ok(())
    }

    /// Ignores the question that waited for being taken back.
    fn ignore_now(&mut self) {
        if let Some((question, _)) = self.ignored.take() {
            self.start(vec![(question, InboxAnswer::Ignore)]);
        }
    }

    /// Takes back that a question is ignored.
    async fn take_back(&mut self) -> Result<(), Error> {
        self.ignored = None;
        self.look_again().await?;
        self.news = vec![vec![plain("taken back; the question is open")]];
        self.is_new = true;
        Ok(())
    }

    /// Draws the screen. If it shows what was not shown before, keys that answer are listed last, and
    /// those that were pressed until then are dropped.
    async fn draw(&mut self, canvas: &Canvas, keys: &mut Keys) -> Result<(), Error> {
        let (rows, extent) = self.rows(canvas.size());
        let seen = extent.filter(|_| canvas.is_large_enough());
        let is_news = self.selected.zip(seen);
        let is_news = is_news.is_some_and(|(selected, extent)| selected.is_news(extent));
        if std::mem::take(&mut self.is_new) || is_news {
            let foot = self.foot(canvas.size()).len();
            let blank = rows.len().saturating_sub(foot);
            let without = rows.iter().take(blank);
            canvas.paint(&without.map(Vec::as_slice).collect::<Vec<_>>())?;
            keys.drop_answers().await?;
        }
        canvas.paint(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        if let Some((selected, extent)) = self.selected.as_mut().zip(seen) {
            selected.saw(extent);
        }
        let is_whole = self.selected.is_some_and(|selected| selected.unseen() == 0);
        if let Some(question) = self.question().filter(|_| is_whole).cloned() {
            self.marked.saw(&question);
        }
        Ok(())
    }

    /// Whether accepting a question takes effect in the world.
    fn is_real(&self, question: &Question) -> bool {
        self.all.mode(question) == Mode::Send && question.effect.is_some()
    }

    /// Answers the selected question, if it allows that.
    async fn act(
        &mut self,
        verb: Verb,
        canvas: &mut Canvas,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let Some((mut question, selected)) = self.question().cloned().zip(self.selected) else {
            self.news = vec![vec![plain("no question is selected: j and k select one")]];
            return Ok(());
        };
        if let Err(refused) = question.check(verb) {
            self.news = vec![vec![bad(refused)]];
            return Ok(());
        }
        if let Err(absent) = question.answerer() {
            self.news = vec![vec![bad(absent.lines().join(" "))]];
            return Ok(());
        }
        if question.is_foreign && question.is_of_desk {
            canvas.close()?;
            let agreed = question.agree(app).await;
            canvas.open()?;
            self.is_new = true;
            self.news = vec![vec![plain(match agreed {
                Ok(()) => "you agreed to run this thread; answer the question now",
                Err(_) => "nothing was done: you did not agree to run this thread",
            })]];
            return self.look_again().await;
        }
        let opened = self.all.desk(&question);
        let desk = opened.map(|opened| Arc::clone(&opened.desk));
        let answer = match (verb, desk) {
            (Verb::Accept, _) if !canvas.is_large_enough() => {
                self.news = vec![vec![bad("the terminal is too small to show the question")]];
                return Ok(());
            }
            (Verb::Accept, _) if selected.unseen() > 0 => {
                self.ask_to_confirm(&question, selected);
                return Ok(());
            }
            (Verb::Accept, _) if self.is_real(&question) => {
                self.ask_to_send(&question);
                return Ok(());
            }
            (Verb::Accept, _) => Some(question.accepted()),
            (Verb::Ignore, _) => Some(InboxAnswer::Ignore),
            (Verb::Read, _) => Some(InboxAnswer::Read),
            (Verb::Edit | Verb::Respond, None) => {
                self.talk = Some((question, None));
                return Ok(());
            }
            (Verb::Edit | Verb::Respond, Some(desk)) => {
                canvas.close()?;
                let asked = match verb {
                    Verb::Edit => self.edited(&question, &*desk, app).await,
                    _ => self.words(&question, app).await,
                };
                canvas.open()?;
                self.is_new = true;
                asked?
            }
        };
        match answer {
            Some(answer) => self.give(vec![(question, answer)]).await,
            None => Ok(()),
        }
    }

    /// All rows of the screen, and which of the selected question are among them.
    fn rows(&self, (height, width): (usize, usize)) -> (Vec<Vec<Span>>, Option<Extent>) {
        let count = self.questions.len();
        let head = match count {
            1 => "inbox: 1 question".to_owned(),
            _ => format!("inbox: {count} questions"),
        };
        let runs = match self.runs.is_empty() {
            true => String::new(),
            false => format!("  {}", self.under_way()),
        };
        let mut head = vec![strong(head), good(runs)];
        head.extend(self.all.modes(&self.questions));
        let mut rows = wrapped(&head, width);
        if !self.search.is_empty() || self.view == View::Search {
            rows.push(vec![
                strong("/"),
                plain(&self.search),
                faint(match self.view {
                    View::Search => "▏ Enter searches, Esc shows all",
                    _ => "  Esc shows all",
                }),
            ]);
        }
        let foot = self.foot((height, width));
        let room = height.saturating_sub(rows.len() + foot.len());
        let mut extent = None;
        match self.view {
            View::Help => {
                let all = help(width);
                let left = all.len().saturating_sub(self.help_above + room);
                let shown = room.saturating_sub(usize::from(left > 0));
                rows.extend(all.into_iter().skip(self.help_above).take(shown));
                if left > 0 {
                    rows.push(vec![faint("… Space shows more")]);
                }
            }
            View::Whole => rows.extend(self.detail(width, room, &mut extent)),
            View::List | View::Search => {
                let listed = count.min((room / 3).max(2)).max(1);
                let list = self.list(listed);
                let left = room.saturating_sub(list.len() + 1);
                rows.extend(list);
                rows.push(vec![faint("─".repeat(width))]);
                rows.extend(self.detail(width, left, &mut extent));
            }
        }
        rows.truncate(height.saturating_sub(foot.len()));
        rows.resize_with(height.saturating_sub(foot.len()), Vec::new);
        rows.extend(foot);
        (rows, extent)
    }

    fn list(&self, room: usize) -> Vec<Vec<Span>> {
        if self.questions.is_empty() {
            return vec![vec![faint("no open questions")]];
        }
        let selected = self.selected.map(|selected| selected.at);
        let first = selected.map_or(0, |at| (at + 1).saturating_sub(room));
        let rows = self.questions.iter().enumerate().skip(first).take(room);
        let row = |(at, question): (usize, &Question)| {
            let (mark, style): (Span, fn(String) -> Span) = match Some(at) == selected {
                true => (good("▶ "), |text| strong(text)),
                false => (plain("  "), |text| plain(text)),
            };
            let box_mark = match self.marked.has(question) {
                true => "✓ ",
                false => "",
            };
            let [warning, edited] = question.marks();
            // A name says more than an address, and a narrow screen has room for one.
            let name = question.sender.split(" <").next().unwrap_or_default();
            vec![
                mark,
                good(box_mark),
                warning,
                edited,
                style(format!("{name} · {}", question.subject)),
                faint(format!("  {} · {}", question.asks, question.when())),
            ]
        };
        rows.map(row).collect()
    }

    /// The selected question, from where it was scrolled to.
    fn detail(&self, width: usize, room: usize, extent: &mut Option<Extent>) -> Vec<Vec<Span>> {
        let Some((question, selected)) = self.question().zip(self.selected) else {
            return match self.questions.is_empty() {
                true => Vec::new(),
                false => vec![vec![faint("no question is selected: j and k select one")]],
            };
        };
        let rows: Vec<_> = question
            .lines
            .iter()
            .flat_map(|line| wrapped(line, width))
            .collect();
        let count = rows.len();
        let first = selected.above.min(count.saturating_sub(room));
        let mut shown: Vec<_> = rows.into_iter().skip(first).take(room).collect();
        let mut end = first + shown.len();
        if end < count
            && let Some(last) = shown.last_mut()
        {
            end -= 1;
            *last = vec![faint(format!("… {} more lines", count - end))];
        }
        *extent = Some(Extent {
            first,
            end,
            count,
            width,
        });
        shown
    }

    /// A piece of text in which commands have the options of this one.
    fn completed(&self, span: &Span) -> Span {
        span.with(self.options.completed(span.text()))
    }

    /// What happened, and which keys there are. What a question does not allow is gray.
    fn foot(&self, (height, width): (usize, usize)) -> Vec<Vec<Span>> {
        let most = most_news(height, self.unconfirmed.as_ref());
        let whole = |line: &Vec<Span>| line.iter().map(|span| self.completed(span)).collect();
        let news = self.news.iter().map(whole);
        let news = news.flat_map(|line: Vec<Span>| wrapped(&line, width));
        let mut rows: Vec<_> = news.collect();
        // The last is the newest; all of it is printed when the screen is left.
        let above = rows.len().saturating_sub(most);
        rows.drain(..above);
        let question = self.question();
        let mut keys = Vec::new();
        for (kind, name) in [
            (Verb::Accept, "a accept"),
            (Verb::Edit, "e edit"),
            (Verb::Respond, "r respond"),
            (Verb::Ignore, "i ignore"),
            (Verb::Read, "m mark as read"),
        ] {
            keys.push(match question.is_some_and(|it| it.allows(kind)) {
                true => strong(format!("{name}  ")),
                false => faint(format!("({name})  ")),
            });
        }
        keys.push(plain(
            "d changes  Space mark  * all  A accept marked  Enter open  / search  u undo  ? help  q leave",
        ));
        rows.extend(wrapped(&keys, width));
        rows
    }
}
