//! The event log of a typed thread: a reader goes away, comes back with its cursor, and misses nothing.
//!
//! A reader is no part of a run: the first one leaves in the middle, the run asks, another run continues, and the second
//! reader, which has nothing but a cursor as text, sees the rest. Events are those of the run, with their types.
//! This prints
//!
//! ```text
//! the first reader
//!   1.1 a run starts
//!   1.2 Draft wrote {"log":["drafted"]}
//! it comes back with cursor 1.2
//!   1.3 asks "send it?"
//!   1.4 the run waits for 1 answer
//!   2.1 a run starts
//!   2.2 Send wrote {"log":["sent: true"]}
//!   2.3 the run is done
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::{Cursor, Ending, Event, LogItem, Modes, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Draft,
    Send,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct MaySend {
    question: String,
}

#[node(Mail, Node)]
async fn send(ctx: Ctx) -> Result<MailUpdate, NodeError> {
    let question = "send it?".to_owned();
    let sent = ctx.ask(MaySend { question })?;
    Ok(Mail::update().push_log(format!("sent: {sent}")))
}

type Entry = LogItem<Event<Mail, Node>>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Mail, Node>::builder()
        .saver(MemorySaver::new())
        .node(Node::Draft, || async { Mail::update().push_log("drafted") })
        .node(Node::Send, send)
        .start(Node::Draft)
        .edge(Node::Draft, Node::Send)
        .finish(Node::Send)
        .build()?
        .with_options(|options| options.log = Modes::UPDATES);

    println!("the first reader");
    let mut reader = graph.follow("mail", None, Modes::UPDATES);
    let read = async {
        for _ in 0..2 {
            let (cursor, item) = reader.next_ever().await?;
            show(cursor, item)?;
        }
        Ok::<_, Box<dyn Error>>(())
    };
    let (outcome, read) = tokio::join!(graph.run("mail", Mail::update()), read);
    outcome?;
    read?;
    let ticket = reader.cursor().map(|cursor| cursor.to_string());
    let ticket = ticket.ok_or("two entries were read")?;
    drop(reader);

    graph.answer_only("mail", true).await?;
    println!("it comes back with cursor {ticket}");
    let after: Cursor = ticket.parse()?;
    let mut reader = graph.follow("mail", Some(after), Modes::UPDATES);
    let mut rest = 0;
    while let Some((cursor, item)) = reader.next().await? {
        show(cursor, item)?;
        rest += 1;
    }
    match rest {
        5 => Ok(()),
        _ => Err(format!("the rest is five entries, not {rest}").into()),
    }
}

fn show(cursor: Cursor, item: Entry) -> Result<(), Box<dyn Error>> {
    let text = match item {
        LogItem::Started { .. } => "a run starts".to_owned(),
        LogItem::Ended(Ending::Done) => "the run is done".to_owned(),
        LogItem::Ended(Ending::Waiting(asks)) => {
            format!("the run waits for {} answer", asks.len())
        }
        LogItem::Event(Event::Update { node, update, .. }) => format!("{node:?} wrote {update:?}"),
        LogItem::Event(Event::Asked(asks)) => {
            let ask = asks.first().ok_or("a question")?;
            format!("asks {:?}", ask.question::<MaySend>()?.question)
        }
        other => format!("{other:?}"),
    };
    println!("  {cursor} {text}");
    Ok(())
}
