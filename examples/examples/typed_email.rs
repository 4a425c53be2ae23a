//! An assistant for mail that acts only with a person's word, over restarts.
//!
//! `triage` ignores a mail, answers it, or asks whether it matters. Answering is a graph of its
//! own: it drafts, asks for approval and sends through `ctx.once`. Questions and answers have types,
//! so a client can tell them apart and cannot answer with something else. Whenever a question is
//! open the program ends; the next one finds the question in the thread. This prints
//!
//! ```text
//! Your order from bakery
//!   (the program restarts)
//!   may this go to bakery? Dear bakery, thank you for writing.
//!   > SendInstead("Two loaves, please.")
//!   sent: Two loaves, please.
//! Roadworks in May from city hall
//!   (the program restarts)
//!   does this matter? Roadworks in May from city hall
//!   > yes
//!   (the program restarts)
//!   may this go to city hall? Dear city hall, thank you for writing.
//!   > Send
//!   sent: Dear city hall, thank you for writing.
//! Weekly offers from shoe shop
//!   ignored
//! 2 letters have left the house
//! ```

use std::{error::Error, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep::{Command, prelude::*};
use tokio::sync::Mutex;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    from: String,
    subject: String,
    result: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Triage,
    Notify,
    Respond,
}

/// The state of the graph that answers.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Reply {
    to: String,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Step {
    Draft,
    Send,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct Matters {
    mail: String,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = Verdict)]
struct Approve {
    to: String,
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
enum Verdict {
    Send,
    SendInstead(String),
}

/// What has left the house: a service, not part of any state.
type Outbox = Mutex<Vec<String>>;

async fn triage(mail: Snap<Mail>) -> Command<Mail, Node> {
    match &*mail.subject {
        "Weekly offers" => Mail::update().result("ignored").end(),
        "Roadworks in May" => Command::goto(Node::Notify),
        _ => Command::goto(Node::Respond),
    }
}

async fn notify(mail: Snap<Mail>, ctx: Ctx) -> Result<Command<Mail, Node>, NodeError> {
    let mail = format!("{} from {}", mail.subject, mail.from);
    Ok(match ctx.ask(Matters { mail })? {
        true => Command::goto(Node::Respond),
        false => Mail::update().result("seen").end(),
    })
}

async fn draft(reply: Snap<Reply>) -> ReplyUpdate {
    Reply::update().text(format!("Dear {}, thank you for writing.", reply.to))
}

async fn send(reply: Snap<Reply>, ctx: Ctx, out: Res<Outbox>) -> Result<ReplyUpdate, NodeError> {
    let Reply { to, text } = reply.into_inner();
    let text = match ctx.ask(Approve {
        to,
        text: text.clone(),
    })? {
        Verdict::Send => text,
        Verdict::SendInstead(text) => text,
    };
    let post = || async {
        out.lock().await.push(text.clone());
        Ok(())
    };
    ctx.once("send", post).await?;
    Ok(Reply::update().text(text))
}

/// The program as it is after each start.
fn start(saver: &MemorySaver, outbox: &Arc<Outbox>) -> Result<Graph<Mail, Node>, BuildErrors> {
    let respond = Graph::<Reply, Step>::builder()
        .nested()
        .shared(outbox.clone())
        .node(Step::Draft, draft)
        .node(Step::Send, send)
        .start(Step::Draft)
        .edge(Step::Draft, Step::Send)
        .finish(Step::Send)
        .build()?;
    Graph::<Mail, Node>::builder()
        .saver(saver.clone())
        .node(Node::Triage, triage)
        .node(Node::Notify, notify)
        .subgraph(
            Node::Respond,
            &respond,
            |mail| Reply::update().to(mail.from.clone()),
            |reply| Mail::update().result(format!("sent: {}", reply.text)),
        )
        .start(Node::Triage)
        .may_goto(Node::Triage, &[Node::Notify, Node::Respond])
        .may_goto(Node::Notify, &[Node::Respond])
        .finish(Node::Respond)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (saver, outbox) = (MemorySaver::new(), Arc::new(Outbox::default()));
    for (from, subject) in [
        ("bakery", "Your order"),
        ("city hall", "Roadworks in May"),
        ("shoe shop", "Weekly offers"),
    ] {
        println!("{subject} from {from}");
        let mail = Mail::update().from(from).subject(subject);
        let mut outcome = start(&saver, &outbox)?.run(from, mail).await?;
        while !outcome.asks().is_empty() {
            println!("  (the program restarts)");
            let graph = start(&saver, &outbox)?;
            let found = graph.state(from).await?;
            let ask = found.asks.first().ok_or("the question is stored")?;
            let answer = if ask.is::<Matters>() {
                println!("  does this matter? {}", ask.question::<Matters>()?.mail);
                println!("  > yes");
                ask.answer::<Matters>(&true)?
            } else {
                let Approve { to, text } = ask.question()?;
                println!("  may this go to {to}? {text}");
                let verdict = match &*to {
                    "bakery" => Verdict::SendInstead("Two loaves, please.".to_owned()),
                    _ => Verdict::Send,
                };
                println!("  > {verdict:?}");
                ask.answer::<Approve>(&verdict)?
            };
            outcome = graph.answer(from, [answer]).await?;
        }
        println!("  {}", outcome.state().result);
    }

    let sent = outbox.lock().await.len();
    println!("{sent} letters have left the house");
    if sent != 2 {
        return Err("each approved letter should be sent once".into());
    }
    Ok(())
}
