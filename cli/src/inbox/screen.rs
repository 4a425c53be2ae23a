//! Inbox screen: a list, the selected question below it, one key per action.
//!
//! A question is accepted by one key only if all of it was on the screen; otherwise by a second one. After
//! an answer no question is selected, so that a key that is held down answers one.

use crossterm::event::KeyCode;
use serde_json::{Map, Value as Json};
use superstep_mail::{Answer, AnswerKind, Mode};

use super::{
    answer,
    draw::{Canvas, wrapped},
    edit,
    keys::{Key, Keys, Pressed, unless_stopped},
    question::{self, Question, QuestionKey, Shown},
    render,
    selected::{Extent, Selected},
};
use crate::{
    app::App,
    args::InboxArgs,
    error::Error,
    mail::OpenedAgent,
    output::{Span, bad, faint, good, plain, strong},
    terminal::{Editor, Line, Terminal, Topic},
};

const HELP: [(&str, &str); 12] = [
    ("j k ↓ ↑", "move; scroll the whole question"),
    (
        "g G",
        "the first, the last; PageUp and PageDown move by ten",
    ),
    ("Enter", "show the whole question; again: back"),
    ("a", "accept the proposal"),
    (
        "y",
        "after a: yes, send it, or accept what was not shown in full",
    ),
    (
        "e",
        "edit the arguments in $EDITOR, review the changes, accept",
    ),
    ("r", "reject, and give the assistant feedback"),
    ("i", "reject, and leave the mail alone"),
    ("u", "look for changes of other programs"),
    ("?", "this list"),
    ("Ctrl-C", "stops a run; the answer is kept"),
    ("q", "leave"),
];

/// How many questions a page of the list is.
const PAGE: isize = 10;

const STOPPED: &str = "stopped; the answer is kept, and `superstep mail ingest` continues";

/// What is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    List,
    Whole,
    Help,
}

struct InboxScreen {
    agent: OpenedAgent,
    shown: Shown,
    mode: Mode,
    is_rehearsed: bool,
    questions: Vec<Question>,
    /// Arguments that were changed in a dry run, by question: the next edit begins with them.
    drafts: Vec<(QuestionKey, Map<String, Json>)>,
    selected: Option<Selected>,
    /// The question that is accepted by the next key if that confirms it.
    unconfirmed: Option<QuestionKey>,
    view: View,
    /// What happened last.
    news: Vec<Vec<Span>>,
    /// Whether what is asked now was not drawn yet.
    is_new: bool,
}

pub(super) async fn run(
    agent: OpenedAgent,
    shown: Shown,
    with: &InboxArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let questions = question::all(&agent, &shown).await?;
    let mut inbox = InboxScreen {
        mode: agent.mode(),
        is_rehearsed: with.rehearse,
        drafts: Vec::new(),
        agent,
        shown,
        selected: (!questions.is_empty()).then(|| Selected::new(0)),
        questions,
        unconfirmed: None,
        view: View::List,
        news: Vec::new(),
        is_new: true,
    };
    let mut keys = Keys::default();
    let mut canvas = Canvas::enter(app.global.color)?;
    loop {
        inbox.draw(&canvas, &mut keys)?;
        let Pressed::Key(key) = keys.next(app.terminal).await? else {
            continue;
        };
        // Whatever else is pressed takes the first of the two keys back.
        let unconfirmed = inbox.unconfirmed.take();
        let code = match key {
            Key::Stop => return Err(Error::Cancelled),
            // Any key leaves the help, and does nothing else.
            _ if inbox.view == View::Help => {
                inbox.turn_to(View::List);
                continue;
            }
            Key::Answer(kind) => {
                inbox.act(kind, &mut canvas, app).await?;
                continue;
            }
            Key::Confirm => {
                inbox.confirm(unconfirmed, &canvas, app.terminal).await?;
                continue;
            }
            Key::Other(code) => code,
        };
        if unconfirmed.is_some() {
            inbox.news.clear();
        }
        match (code, inbox.view) {
            (KeyCode::Char('q'), View::List) => return Ok(()),
            (KeyCode::Char('q') | KeyCode::Esc | KeyCode::Enter, View::Whole) => {
                inbox.turn_to(View::List);
            }
            (KeyCode::Enter, View::List) if inbox.selected.is_some() => {
                inbox.turn_to(View::Whole);
            }
            (KeyCode::Char('?'), _) => inbox.turn_to(View::Help),
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
        if let Some(selected) = &mut self.selected {
            selected.above = 0;
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
        let key = self.question().map(Question::key);
        self.questions = question::all(&self.agent, &self.shown).await?;
        let at = key.and_then(|key| self.questions.iter().position(|it| it.key() == key));
        self.selected = match (at, self.selected) {
            (Some(at), Some(selected)) => Some(selected.moved_to(at)),
            _ => None,
        };
        if self.selected.is_none() {
            self.turn_to(View::List);
        }
        Ok(())
    }

    /// Draws the screen. If it shows what was not shown before, keys that answer are listed last, and
    /// those that were pressed until then are dropped.
    fn draw(&mut self, canvas: &Canvas, keys: &mut Keys) -> Result<(), Error> {
        let (rows, extent) = self.rows(canvas.size());
        let seen = extent.filter(|_| canvas.is_large_enough());
        let is_news = self.selected.zip(seen);
        let is_news = is_news.is_some_and(|(selected, extent)| selected.is_news(extent));
        if std::mem::take(&mut self.is_new) || is_news {
            let foot = self.foot(canvas.size().1).len();
            let blank = rows.len().saturating_sub(foot);
            let without = rows.iter().take(blank);
            canvas.paint(&without.map(Vec::as_slice).collect::<Vec<_>>())?;
            keys.drop_answers()?;
        }
        canvas.paint(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        if let Some((selected, extent)) = self.selected.as_mut().zip(seen) {
            selected.saw(extent);
        }
        Ok(())
    }

    /// Answers the selected question, if it allows that.
    async fn act(
        &mut self,
        kind: AnswerKind,
        canvas: &mut Canvas,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let Some((question, selected)) = self.question().cloned().zip(self.selected) else {
            self.news = vec![vec![plain("no question is selected: j and k select one")]];
            return Ok(());
        };
        if let Err(refused) = question.takes(kind) {
            self.news = vec![vec![bad(refused)]];
            return Ok(());
        }
        let answer = match kind {
            AnswerKind::Accept if !canvas.is_large_enough() => {
                self.news = vec![vec![bad("the terminal is too small to show the question")]];
                return Ok(());
            }
            AnswerKind::Accept if selected.unseen() > 0 => {
                self.ask_to_confirm(&question, selected);
                return Ok(());
            }
            AnswerKind::Accept if self.mode == Mode::Send && question.is_effect() => {
                self.ask_to_send(&question);
                return Ok(());
            }
            AnswerKind::Accept => Some(Answer::accept()),
            AnswerKind::Ignore => Some(Answer::ignore()),
            AnswerKind::Edit | AnswerKind::Response => {
                canvas.close()?;
                let asked = match kind {
                    AnswerKind::Edit => self.edited(&question, app).await,
                    _ => self.words(&question, app).await,
                };
                canvas.open()?;
                self.is_new = true;
                asked?
            }
        };
        match answer {
            Some(answer) => self.give(&question, answer, canvas, app.terminal).await,
            None => Ok(()),
        }
    }

    fn ask_to_confirm(&mut self, question: &Question, selected: Selected) {
        let lines = match selected.unseen() {
            1 => "1 line of this question was".to_owned(),
            more => format!("{more} lines of this question were"),
        };
        self.news = vec![vec![
            bad(format!("{lines} not shown. ")),
            plain("Enter shows all of it; y accepts it unseen"),
        ]];
        self.unconfirmed = Some(question.key());
        self.is_new = true;
    }

    /// What leaves cannot be taken back, so one key does not send it.
    fn ask_to_send(&mut self, question: &Question) {
        self.news = vec![vec![
            bad(format!("{} for real? ", question.asks())),
            plain("y does it; any other key leaves the question open"),
        ]];
        self.unconfirmed = Some(question.key());
        self.is_new = true;
    }

    /// Accepts what the last key was about, although not all of it was shown.
    async fn confirm(
        &mut self,
        unconfirmed: Option<QuestionKey>,
        canvas: &Canvas,
        terminal: &mut Terminal,
    ) -> Result<(), Error> {
        let question = self.question().filter(|it| Some(it.key()) == unconfirmed);
        match question.cloned() {
            Some(question) => {
                self.give(&question, Answer::accept(), canvas, terminal)
                    .await
            }
            None => Ok(()),
        }
    }

    /// Gives an answer and shows its effects. No question is selected then: the next key is for a
    /// question that the person chooses.
    async fn give(
        &mut self,
        question: &Question,
        answer: Answer,
        canvas: &Canvas,
        terminal: &mut Terminal,
    ) -> Result<(), Error> {
        if question.stays_open(answer.kind, self.mode, self.is_rehearsed) {
            self.news = vec![vec![
                strong("not sent"),
                plain(": this is a dry run, and the question stays open. "),
                plain("`superstep inbox --send` does it for real"),
            ]];
            self.is_new = true;
            return Ok(());
        }
        self.drafts.retain(|(key, _)| *key != question.key());
        self.news = vec![vec![faint("the run continues … Ctrl-C stops it")]];
        let (rows, _) = self.rows(canvas.size());
        canvas.paint(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let given = answer::give(&self.agent, question, answer, terminal);
        let given = unless_stopped(given).await;
        self.selected = None;
        self.look_again().await?;
        let is_open = self.questions.iter().any(|it| it.key() == question.key());
        self.news = match given {
            Ok(after) => {
                let mut news: Vec<_> = after.effects.iter().map(render::words).collect();
                news.push(render::ending(&after));
                news.push(vec![faint(format!("so far: {}", self.agent.cost()))]);
                match &after.failure {
                    Some(Error::Cancelled) => news.push(vec![plain(STOPPED)]),
                    Some(error) => news.extend(failed(error)),
                    None => {}
                }
                news
            }
            Err(Error::Cancelled) if is_open => {
                vec![vec![plain("stopped; the question is still open")]]
            }
            Err(Error::Cancelled) => vec![vec![plain(STOPPED)]],
            Err(error @ (Error::Closed | Error::Io(_))) => return Err(error),
            Err(error) => failed(&error),
        };
        self.is_new = true;
        Ok(())
    }

    /// Lets the person change the arguments, and asks whether the changes are meant.
    async fn edited(
        &mut self,
        question: &Question,
        app: &mut App<'_>,
    ) -> Result<Option<Answer>, Error> {
        let action = &question.item.action_request;
        self.news.clear();
        let mut drafts = self.drafts.iter();
        let draft = drafts.find(|(key, _)| *key == question.key());
        let start = draft.map_or(&action.args, |(_, args)| args);
        let Some(text) = Editor::compose(&edit::text(start))? else {
            self.news = vec![vec![plain("nothing was written; is EDITOR set?")]];
            return Ok(None);
        };
        let args = match edit::read(&text, &action.args) {
            Ok(args) if args == action.args => {
                self.news = vec![vec![faint("nothing changed")]];
                return Ok(None);
            }
            Ok(args) => args,
            Err(why) => {
                self.news = vec![vec![bad("invalid: "), plain(why)]];
                return Ok(None);
            }
        };
        let gone = action.args.keys().filter(|key| !args.contains_key(*key));
        for key in args.keys().chain(gone) {
            let (old, new) = (action.args.get(key), args.get(key));
            if old == new {
                continue;
            }
            app.output.say(&[strong(key)]);
            for (sign, value) in [(bad("  - "), old), (good("  + "), new)] {
                let Some(value) = value else { continue };
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                app.output.say(&[sign, plain(text)]);
            }
        }
        let prompt = match self.mode {
            Mode::Dry => "Accept these changes (dry run)? [y/N] ",
            Mode::Send => "Accept these changes, for real? [y/N] ",
        };
        self.drafts.retain(|(key, _)| *key != question.key());
        self.drafts.push((question.key(), args.clone()));
        match app
            .terminal
            .read_line(Topic::Detail, prompt, app.output)
            .await?
        {
            Line::Text(words) if matches!(words.trim(), "y" | "Y" | "yes") => {
                Ok(Some(Answer::edit(&action.action, args)))
            }
            _ => {
                self.news = vec![vec![faint(
                    "not accepted; the question is open, and e begins with your changes",
                )]];
                Ok(None)
            }
        }
    }

    async fn words(
        &mut self,
        question: &Question,
        app: &mut App<'_>,
    ) -> Result<Option<Answer>, Error> {
        self.news.clear();
        for spans in render::lines(question) {
            app.output.say(&spans);
        }
        let prompt = "Tell the assistant (empty to cancel)> ";
        Ok(
            match app
                .terminal
                .read_line(Topic::Detail, prompt, app.output)
                .await?
            {
                Line::Text(words) if !words.trim().is_empty() => Some(Answer::response(words)),
                _ => None,
            },
        )
    }

    /// All rows of the screen, and which of the selected question are among them.
    fn rows(&self, (height, width): (usize, usize)) -> (Vec<Vec<Span>>, Option<Extent>) {
        let count = self.questions.len();
        let mode = match self.mode {
            Mode::Dry => faint("  dry run: nothing is sent or scheduled"),
            Mode::Send => bad("  for real: accepted actions are sent and scheduled"),
        };
        let head = match count {
            1 => "inbox: 1 question".to_owned(),
            _ => format!("inbox: {count} questions"),
        };
        let mut rows = vec![vec![strong(head), mode]];
        let foot = self.foot(width);
        let room = height.saturating_sub(rows.len() + foot.len());
        let mut extent = None;
        match self.view {
            View::Help => rows.extend(help()),
            View::Whole => rows.extend(self.detail(width, room, &mut extent)),
            View::List => {
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
            // A name says more than an address, and a narrow screen has room for one.
            let name = question.sender.split(" <").next().unwrap_or_default();
            vec![
                mark,
                bad(render::flag(question)),
                style(format!("{name} · {}", question.subject)),
                faint(format!("  {} · {}", question.asks(), question.when())),
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
        let lines = render::lines(question);
        let rows: Vec<_> = lines.iter().flat_map(|line| wrapped(line, width)).collect();
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

    /// What happened, and which keys there are. What a question does not allow is grey.
    fn foot(&self, width: usize) -> Vec<Vec<Span>> {
        const MOST: usize = 6;
        let news = self.news.iter().flat_map(|line| wrapped(line, width));
        let mut rows: Vec<_> = news.take(MOST).collect();
        let question = self.question();
        let mut keys = Vec::new();
        for (kind, name) in [
            (AnswerKind::Accept, "a accept"),
            (AnswerKind::Edit, "e edit"),
            (AnswerKind::Response, "r respond"),
            (AnswerKind::Ignore, "i ignore"),
        ] {
            keys.push(match question.is_some_and(|it| it.allows(kind)) {
                true => strong(format!("{name}  ")),
                false => faint(format!("({name})  ")),
            });
        }
        keys.push(plain("Enter all  u refresh  ? help  q leave"));
        rows.extend(wrapped(&keys, width));
        rows
    }
}

fn help() -> Vec<Vec<Span>> {
    let row = |(keys, about): &(&str, &str)| {
        let pad = 10_usize.saturating_sub(keys.chars().count());
        vec![
            strong(format!("  {keys}{}", " ".repeat(pad))),
            plain(*about),
        ]
    };
    HELP.iter().map(row).collect()
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
