//! The inbox at a terminal: a list, the selected question below it, one key an act.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use superstep_mail::{Answer, AnswerKind, MailAgent};

use super::{
    answer,
    draw::{Canvas, wrapped},
    edit,
    question::{self, Question, Shown},
    told,
};
use crate::{
    args::Color,
    failure::Failure,
    output::{Output, Piece, bad, faint, good, plain, strong},
    person::{Editor, Person, Said, Topic},
};

/// How often a reader of keys looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

const HELP: [(&str, &str); 10] = [
    ("j k ↓ ↑", "move; scroll where all is shown"),
    ("Enter", "show all of a question; again: back"),
    ("a", "accept: do it as it is"),
    (
        "e",
        "edit the arguments in $EDITOR, look at the changes, do it",
    ),
    ("r", "respond: do not do it, tell the assistant something"),
    ("i", "ignore: do not do it, and leave the mail"),
    ("u", "look for questions again"),
    ("?", "this list"),
    ("Ctrl-C", "stops a run; the answer is kept"),
    ("q", "leave"),
];

/// What is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    List,
    Whole,
    Help,
}

struct Inbox {
    agent: MailAgent,
    shown: Shown,
    is_dry: bool,
    questions: Vec<Question>,
    at: usize,
    /// How many rows of a question are above the screen.
    above: usize,
    view: View,
    /// What happened last.
    news: Vec<Vec<Piece>>,
}

pub(super) async fn run(
    agent: MailAgent,
    shown: Shown,
    color: Color,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let questions = question::all(&agent, &shown).await?;
    let mut inbox = Inbox {
        is_dry: agent.settings().dry_run,
        agent,
        shown,
        questions,
        at: 0,
        above: 0,
        view: View::List,
        news: Vec::new(),
    };
    let mut canvas = Canvas::enter(color)?;
    loop {
        canvas.paint(&inbox.rows(canvas.size()))?;
        let Event::Key(key) = next_event(person).await? else {
            continue;
        };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, inbox.view) {
            (KeyCode::Char('c'), _) if is_control => return Err(Failure::Cancelled),
            (KeyCode::Char('q'), View::List) => return Ok(()),
            (KeyCode::Char('q') | KeyCode::Esc | KeyCode::Enter, View::Whole | View::Help) => {
                inbox.turn_to(View::List);
            }
            (KeyCode::Enter, View::List) => inbox.turn_to(View::Whole),
            (KeyCode::Char('?'), _) => inbox.turn_to(View::Help),
            (KeyCode::Char('j') | KeyCode::Down, View::Whole) => inbox.above += 1,
            (KeyCode::Char('k') | KeyCode::Up, View::Whole) => {
                inbox.above = inbox.above.saturating_sub(1);
            }
            (KeyCode::PageDown | KeyCode::Char(' '), View::Whole) => inbox.above += 10,
            (KeyCode::PageUp, View::Whole) => inbox.above = inbox.above.saturating_sub(10),
            (KeyCode::Char('j') | KeyCode::Down, _) => inbox.select(inbox.at + 1),
            (KeyCode::Char('k') | KeyCode::Up, _) => inbox.select(inbox.at.saturating_sub(1)),
            (KeyCode::Char('u'), _) => {
                inbox.look_again().await?;
                inbox.news.clear();
            }
            (KeyCode::Char(sign), _) => {
                inbox.act(sign, &mut canvas, output, person).await?;
            }
            _ => {}
        }
    }
}

impl Inbox {
    fn turn_to(&mut self, view: View) {
        self.view = view;
        self.above = 0;
    }

    fn select(&mut self, at: usize) {
        self.at = at.min(self.questions.len().saturating_sub(1));
        self.above = 0;
    }

    async fn look_again(&mut self) -> Result<(), Failure> {
        self.questions = question::all(&self.agent, &self.shown).await?;
        self.select(self.at);
        Ok(())
    }

    /// Answers the selected question, if the key says so and the question allows it.
    async fn act(
        &mut self,
        sign: char,
        canvas: &mut Canvas,
        output: &Output,
        person: &mut Person,
    ) -> Result<(), Failure> {
        let kind = match sign {
            'a' => AnswerKind::Accept,
            'e' => AnswerKind::Edit,
            'r' => AnswerKind::Response,
            'i' => AnswerKind::Ignore,
            _ => return Ok(()),
        };
        let Some(question) = self.questions.get(self.at).cloned() else {
            return Ok(());
        };
        if let Err(refused) = question.takes(kind) {
            self.news = vec![vec![bad(refused)]];
            return Ok(());
        }
        let answer = match kind {
            AnswerKind::Accept => Some(Answer::accept()),
            AnswerKind::Ignore => Some(Answer::ignore()),
            AnswerKind::Edit | AnswerKind::Response => {
                canvas.close()?;
                let asked = match kind {
                    AnswerKind::Edit => self.edited(&question, output, person).await,
                    _ => self.words(&question, output, person).await,
                };
                canvas.open()?;
                asked?
            }
        };
        let Some(answer) = answer else {
            return Ok(());
        };
        self.news = vec![vec![faint("the run goes on … Ctrl-C stops it")]];
        canvas.paint(&self.rows(canvas.size()))?;
        let given = answer::give(&self.agent, &question, answer, person);
        let given = unless_stopped(given).await;
        self.look_again().await?;
        let is_open = self.questions.iter().any(|it| it.ask == question.ask);
        self.news = match given {
            Ok(after) => {
                let mut news: Vec<_> = after.told.iter().map(told::words).collect();
                news.push(told::ending(&after));
                news
            }
            Err(Failure::Cancelled) if is_open => vec![vec![plain("stopped; it is still open")]],
            Err(Failure::Cancelled) => vec![vec![plain(
                "stopped; the answer is kept, and `superstep mail ingest` goes on",
            )]],
            Err(failure @ (Failure::Closed | Failure::Io(_))) => return Err(failure),
            Err(failure) => failed(&failure),
        };
        self.turn_to(View::List);
        Ok(())
    }

    /// Lets the person change the arguments, and asks whether the changes are meant.
    async fn edited(
        &mut self,
        question: &Question,
        output: &Output,
        person: &mut Person,
    ) -> Result<Option<Answer>, Failure> {
        let action = &question.item.action_request;
        self.news.clear();
        let Some(text) = Editor::compose(&edit::text(&action.args))? else {
            self.news = vec![vec![plain("nothing was written; set EDITOR")]];
            return Ok(None);
        };
        let args = match edit::read(&text, &action.args) {
            Ok(args) if args == action.args => {
                self.news = vec![vec![faint("nothing is changed")]];
                return Ok(None);
            }
            Ok(args) => args,
            Err(why) => {
                self.news = vec![vec![bad("this cannot be read: "), plain(why)]];
                return Ok(None);
            }
        };
        let gone = action.args.keys().filter(|key| !args.contains_key(*key));
        for key in args.keys().chain(gone) {
            let (old, new) = (action.args.get(key), args.get(key));
            if old == new {
                continue;
            }
            output.say(&[strong(key)]);
            for (sign, value) in [(bad("  - "), old), (good("  + "), new)] {
                let Some(value) = value else { continue };
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                output.say(&[sign, plain(text)]);
            }
        }
        let prompt = match self.is_dry {
            true => "Accept it so (dry run)? [y/N] ",
            false => "Accept it so? [y/N] ",
        };
        match person.words(Topic::Detail, prompt, output).await? {
            Said::Words(words) if matches!(words.trim(), "y" | "Y" | "yes") => {
                Ok(Some(Answer::edit(&action.action, args)))
            }
            _ => {
                self.news = vec![vec![faint("not changed; the question is open")]];
                Ok(None)
            }
        }
    }

    async fn words(
        &mut self,
        question: &Question,
        output: &Output,
        person: &mut Person,
    ) -> Result<Option<Answer>, Failure> {
        self.news.clear();
        for pieces in told::lines(question) {
            output.say(&pieces);
        }
        let prompt = "your words (empty: back)> ";
        Ok(match person.words(Topic::Detail, prompt, output).await? {
            Said::Words(words) if !words.trim().is_empty() => Some(Answer::response(words)),
            _ => None,
        })
    }

    /// All rows of the screen.
    fn rows(&self, (height, width): (usize, usize)) -> Vec<Vec<Piece>> {
        let count = self.questions.len();
        let mode = match self.is_dry {
            true => faint("  dry run: nothing is sent or scheduled"),
            false => bad("  for real: what you accept is sent and scheduled"),
        };
        let head = match count {
            1 => "inbox: 1 question".to_owned(),
            _ => format!("inbox: {count} questions"),
        };
        let mut rows = vec![vec![strong(head), mode]];
        let foot = self.foot(width);
        let room = height.saturating_sub(rows.len() + foot.len());
        rows.extend(match self.view {
            View::Help => help(),
            View::Whole => self.detail(width, room),
            View::List => {
                let listed = count.min((room / 3).max(2)).max(1);
                let mut rows = self.list(listed);
                rows.push(vec![faint("─".repeat(width))]);
                let left = room.saturating_sub(rows.len());
                rows.extend(self.detail(width, left));
                rows
            }
        });
        rows.truncate(height.saturating_sub(foot.len()));
        rows.resize_with(height.saturating_sub(foot.len()), Vec::new);
        rows.extend(foot);
        rows
    }

    fn list(&self, room: usize) -> Vec<Vec<Piece>> {
        if self.questions.is_empty() {
            return vec![vec![faint("no question is open")]];
        }
        let first = (self.at + 1).saturating_sub(room);
        let rows = self.questions.iter().enumerate().skip(first).take(room);
        let row = |(at, question): (usize, &Question)| {
            let thread: String = question.thread.chars().take(13).collect();
            let text = format!(
                "{:<18} {} · {}",
                question.asks(),
                question.sender,
                question.subject
            );
            match at == self.at {
                true => vec![good("▶ "), faint(format!("{thread} ")), strong(text)],
                false => vec![plain("  "), faint(format!("{thread} ")), plain(text)],
            }
        };
        rows.map(row).collect()
    }

    /// The selected question, from where it was scrolled to.
    fn detail(&self, width: usize, room: usize) -> Vec<Vec<Piece>> {
        let Some(question) = self.questions.get(self.at) else {
            return Vec::new();
        };
        let lines = told::lines(question);
        let rows: Vec<_> = lines.iter().flat_map(|line| wrapped(line, width)).collect();
        let count = rows.len();
        let above = self.above.min(count.saturating_sub(room));
        let mut shown: Vec<_> = rows.into_iter().skip(above).take(room).collect();
        if above + room < count
            && let Some(last) = shown.last_mut()
        {
            *last = vec![faint(format!("… {} more lines", count - above - room + 1))];
        }
        shown
    }

    /// What happened, and which keys there are. What a question does not allow is grey.
    fn foot(&self, width: usize) -> Vec<Vec<Piece>> {
        const MOST: usize = 6;
        let news = self.news.iter().flat_map(|line| wrapped(line, width));
        let mut rows: Vec<_> = news.take(MOST).collect();
        let question = self.questions.get(self.at);
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

fn help() -> Vec<Vec<Piece>> {
    let row = |(keys, about): &(&str, &str)| {
        let pad = 10_usize.saturating_sub(keys.chars().count());
        vec![
            strong(format!("  {keys}{}", " ".repeat(pad))),
            plain(*about),
        ]
    };
    HELP.iter().map(row).collect()
}

fn failed(failure: &Failure) -> Vec<Vec<Piece>> {
    let code = failure.code().map(|code| format!(" [{code}]"));
    let lines = failure.lines();
    let mut rows: Vec<_> = lines.into_iter().map(|line| vec![plain(line)]).collect();
    if let Some(first) = rows.first_mut() {
        first.insert(0, bad(format!("error{}: ", code.unwrap_or_default())));
    }
    rows
}

/// What happens next at the terminal.
async fn next_event(person: &mut Person) -> Result<Event, Failure> {
    let mut reader = Reader::begin(|_| true);
    let event = tokio::select! {
        event = reader.found() => event?,
        () = person.pressed() => None,
    };
    event.ok_or(Failure::Cancelled)
}

/// Runs something unless Ctrl-C is pressed, which is a key like others on this screen.
async fn unless_stopped<T>(run: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut reader = Reader::begin(is_stop);
    let ended = tokio::select! {
        ended = run => ended,
        event = reader.found() => {
            event?;
            return Err(Failure::Cancelled);
        }
    };
    // The next key is for somebody else.
    reader.unwanted.store(true, Ordering::Relaxed);
    reader.found().await?;
    ended
}

fn is_stop(event: &Event) -> bool {
    let Event::Key(key) = event else {
        return false;
    };
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// Reads what the terminal says, on a thread of its own, until it is what is looked for or nobody
/// wants it any more.
struct Reader {
    unwanted: Arc<AtomicBool>,
    reading: tokio::task::JoinHandle<io::Result<Option<Event>>>,
}

impl Reader {
    fn begin(is_wanted: fn(&Event) -> bool) -> Self {
        let unwanted = Arc::new(AtomicBool::new(false));
        let stop = unwanted.clone();
        let reading = tokio::task::spawn_blocking(move || {
            while !stop.load(Ordering::Relaxed) {
                if event::poll(LOOK)? {
                    let event = event::read()?;
                    if is_wanted(&event) {
                        return Ok(Some(event));
                    }
                }
            }
            Ok(None)
        });
        Self { unwanted, reading }
    }

    /// What was looked for; nothing if nobody wanted it any more.
    async fn found(&mut self) -> Result<Option<Event>, Failure> {
        let read = (&mut self.reading).await;
        Ok(read.map_err(io::Error::other)??)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }
}
