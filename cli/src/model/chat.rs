//! `superstep model chat`: a plain conversation, one turn per line.

use std::{cell::Cell, time::Instant};

use serde_json::json;
use superstep::{
    model::{
        Assembly, Budget, Delta, Finish, ManagedModel, Message, Model, Reply, Request,
        select::DataOwner,
    },
    text::single_line,
};
use superstep_agent::slash::{self, Parsed, TypedAt};

use crate::{
    app::App,
    args::Chat,
    error::Error,
    opened_model,
    output::{Form, Output, bad, count, faint, plain, strong},
    stats::Stats,
    stream::TextStream,
    terminal::{Line, Terminal, Topic},
};

pub(super) async fn run(chat: Chat, app: &mut App<'_>) -> Result<(), Error> {
    let opened = opened_model::open(&DataOwner::Project, app).await?;
    let budget = opened_model::budget(None);
    let mut talk = ChatSession {
        caller: opened.caller.within(budget.clone()),
        budget,
        chat,
        output: app.output,
        messages: Vec::new(),
        turn: 0,
    };
    if let Some(text) = &talk.chat.system {
        talk.messages.push(Message::system(text.clone()));
    }
    if !talk.chat.words.is_empty() {
        let mut words = talk.chat.words.join(" ");
        if !app.global.no_input
            && let Some(piped) = app.terminal.piped_text().await?
        {
            words = match words.trim() {
                "-" => piped,
                words => format!("{words}\n\n{}", piped.trim_end()),
            };
        }
        return talk.turn(words, app.terminal).await;
    }
    talk.lines(app.terminal).await
}

struct ChatSession<'a> {
    caller: ManagedModel,
    budget: Budget,
    chat: Chat,
    output: &'a Output,
    messages: Vec<Message>,
    turn: usize,
}

impl ChatSession<'_> {
    /// Every line of stdin is a turn. At a terminal the chat continues after a turn that failed.
    async fn lines(&mut self, terminal: &mut Terminal) -> Result<(), Error> {
        let is_person = terminal.is_interactive();
        if is_person {
            self.output.note(&[faint(
                "/help lists commands, Ctrl-D ends, Ctrl-C stops a reply",
            )]);
        }
        let mut draft = String::new();
        loop {
            let said = terminal
                .read_draft(Topic::Chat, "> ", &draft, self.output)
                .await?;
            draft.clear();
            let line = match said {
                Line::Text(line) => line,
                Line::End => return Ok(()),
                Line::CtrlC => return Err(Error::Cancelled),
            };
            if line.trim().is_empty() {
                continue;
            }
            // Lines of a pipe are messages, whatever they begin with.
            let parsed = match is_person {
                true => slash::parse(&line, TypedAt::Chat),
                false => Parsed::Text,
            };
            let line = match parsed {
                Parsed::Text => line,
                Parsed::Exit => return Ok(()),
                other => {
                    draft = self.slash(&other)?;
                    continue;
                }
            };
            match self.turn(line.clone(), terminal).await {
                Ok(()) => {}
                Err(error @ (Error::Closed | Error::Io(_))) => return Err(error),
                Err(Error::Cancelled) if is_person => {
                    self.output
                        .say(&[faint("stopped; change the message or send it again")]);
                    draft = line;
                }
                Err(error) if is_person => {
                    self.output.error(&error);
                    draft = line;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Carries out a slash command; the text that the next message begins as.
    fn slash(&mut self, command: &Parsed) -> Result<String, Error> {
        match command {
            Parsed::Model(_) => self.output.say(&[plain(self.caller.id())]),
            Parsed::Tokens => {
                let spent = self.budget.spent();
                self.output.say(&[plain(format!(
                    "{}: {} + {} tokens · {}",
                    count(self.turn, "turn"),
                    spent.usage.input,
                    spent.usage.output,
                    spent.money
                ))]);
            }
            Parsed::New => {
                self.messages
                    .truncate(usize::from(self.chat.system.is_some()));
                self.turn = 0;
                self.output
                    .say(&[faint("the model has forgotten what was said")]);
            }
            Parsed::Undo => {
                let first = usize::from(self.chat.system.is_some());
                let Some(said) = self.messages.len().checked_sub(2).filter(|it| *it >= first)
                else {
                    self.output.say(&[faint("there is no message to undo")]);
                    return Ok(String::new());
                };
                let mut undone = self.messages.split_off(said);
                self.turn = self.turn.saturating_sub(1);
                self.output
                    .say(&[faint("your last message is in the line again")]);
                return Ok(undone.swap_remove(0).text());
            }
            Parsed::Clear => self.output.clear()?,
            Parsed::Unknown(text) => self.output.say(&[plain(text)]),
            Parsed::Editor => self.output.say(&[plain(slash::NO_EDITOR)]),
            _ => {
                for (name, about) in slash::commands(TypedAt::Chat) {
                    self.output
                        .say(&[strong(format!("  {name:<12}")), plain(about)]);
                }
            }
        }
        Ok(String::new())
    }

    /// Sends a message and shows the reply. A message without a reply is removed from the history.
    async fn turn(&mut self, words: String, terminal: &mut Terminal) -> Result<(), Error> {
        self.messages.push(Message::user(words));
        let request = Request {
            max_tokens: self.chat.max_tokens,
            temperature: self.chat.temperature,
            ..Request::new(self.messages.clone())
        };
        let unechoed = terminal.unechoed();
        let answered = tokio::select! {
            answered = self.answer(&request) => answered,
            () = terminal.ctrl_c() => Err(Error::Cancelled),
        };
        drop(unechoed);
        let (reply, stats) = match answered {
            Ok(answered) => answered,
            Err(error) => {
                self.messages.pop();
                return Err(error);
            }
        };
        self.tell(&reply, &stats)?;
        self.messages.push(reply.into());
        self.turn += 1;
        Ok(())
    }

    async fn answer(&self, request: &Request) -> Result<(Reply, Stats), Error> {
        let begun = Instant::now();
        let mut first = None;
        let mut stream = TextStream::new(self.output);
        let has_begun = Cell::new(false);
        let mut reply = Assembly::new(self.caller.id());
        let streamed = async {
            let mut deltas = self.caller.stream(request).await?;
            while let Some(delta) = deltas.next().await {
                let delta = delta?;
                has_begun.set(true);
                match &delta {
                    Delta::Text(text) => {
                        first.get_or_insert_with(|| begun.elapsed());
                        stream.write(text)?;
                    }
                    Delta::Reasoning(text) => {
                        first.get_or_insert_with(|| begun.elapsed());
                        if self.chat.reasoning {
                            self.output.ask(&[faint(text)]);
                        }
                    }
                    Delta::ReasoningEnd { .. } if self.chat.reasoning => self.output.say(&[]),
                    _ => {}
                }
                reply.add(delta)?;
            }
            Ok::<(), Error>(())
        };
        let waiting = || {
            let seconds = begun.elapsed().as_secs();
            let is_silent = seconds > 0 && !has_begun.get();
            is_silent.then(|| format!("… {seconds} s, waiting for the model; Ctrl-C stops it"))
        };
        let ended = tokio::select! {
            ended = streamed => ended,
            never = self.output.tick(waiting) => match never {},
        };
        stream.end()?;
        ended?;
        let reply = reply.finish()?;
        let stats = Stats::of(&self.caller, &reply, begun.elapsed(), first);
        Ok((reply, stats))
    }

    fn tell(&self, reply: &Reply, stats: &Stats) -> Result<(), Error> {
        if self.output.form == Form::Json {
            let calls: Vec<_> = reply.tool_calls.iter().map(|call| &call.name).collect();
            self.output.json(&json!({
                "turn": self.turn,
                "text": reply.content.text(),
                "calls": calls,
                "finish": reply.answered.as_ref().map(|answered| &answered.finish),
                "stats": stats,
            }))?;
        }
        for call in &reply.tool_calls {
            let args = serde_json::Value::Object(call.args.clone());
            let line = single_line(&format!(
                "wants {} {args}, and has no tools here",
                call.name
            ));
            self.output.say(&[faint(line)]);
        }
        let finish = reply.answered.as_ref().map(|answered| &answered.finish);
        match finish {
            Some(Finish::Length) => {
                self.output
                    .say(&[bad("cut"), faint(": the limit of tokens was reached")]);
            }
            Some(Finish::Refusal | Finish::Filtered) => {
                self.output
                    .say(&[bad("refused"), faint(" by the model or its provider")]);
            }
            _ => {}
        }
        self.output.note(&[faint(stats.line())]);
        Ok(())
    }
}
