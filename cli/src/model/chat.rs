//! `superstep model chat`: a plain conversation, one turn per line.

use std::time::Instant;

use serde_json::json;
use superstep::{
    model::{
        Assembly, Delta, Finish, ManagedModel, Message, Model, Reply, Request, select::DataOwner,
    },
    text::single_line,
};

use crate::{
    app::App,
    args::Chat,
    environment,
    error::Error,
    output::{Form, Output, bad, faint},
    stats::Stats,
    stream::TextStream,
    terminal::{Line, Terminal, Topic},
};

pub(super) async fn run(chat: Chat, app: &mut App<'_>) -> Result<(), Error> {
    let opened = environment::open(&DataOwner::Project, app).await?;
    let mut talk = ChatSession {
        caller: opened.caller,
        chat,
        output: app.output,
        messages: Vec::new(),
        turn: 0,
    };
    if let Some(text) = &talk.chat.system {
        talk.messages.push(Message::system(text.clone()));
    }
    if !talk.chat.words.is_empty() {
        let words = talk.chat.words.join(" ");
        return talk.turn(words, app.terminal).await;
    }
    talk.lines(app.terminal).await
}

struct ChatSession<'a> {
    caller: ManagedModel,
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
            self.output
                .say(&[faint("Ctrl-D ends, Ctrl-C stops a reply")]);
        }
        loop {
            let said = terminal
                .read_line(Topic::Message, "> ", self.output)
                .await?;
            let line = match said {
                Line::Text(line) => line,
                Line::End => return Ok(()),
                Line::CtrlC => return Err(Error::Cancelled),
            };
            if line.trim().is_empty() {
                continue;
            }
            match self.turn(line, terminal).await {
                Ok(()) => {}
                Err(error @ (Error::Closed | Error::Io(_))) => return Err(error),
                Err(error) if is_person => self.output.error(&error),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends a message and shows the reply. A message without a reply is removed from the history.
    async fn turn(&mut self, words: String, terminal: &mut Terminal) -> Result<(), Error> {
        self.messages.push(Message::user(words));
        let request = Request {
            max_tokens: self.chat.max_tokens,
            temperature: self.chat.temperature,
            ..Request::new(self.messages.clone())
        };
        let answered = tokio::select! {
            answered = self.answer(&request) => answered,
            () = terminal.ctrl_c() => Err(Error::Cancelled),
        };
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
        let mut reply = Assembly::new(self.caller.id());
        let streamed = async {
            let mut deltas = self.caller.stream(request).await?;
            while let Some(delta) = deltas.next().await {
                let delta = delta?;
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
        let ended = streamed.await;
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
        self.output.say(&[faint(stats.line())]);
        Ok(())
    }
}
