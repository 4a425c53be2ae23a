//! An agent that is killed with -9 in the middle of a payment, and resumed by another process.
//!
//! The program starts itself as a child, which pays and never hears back. Once the money is gone it is
//! killed. What was read before is not read again; whether the payment happened nobody knows, so a
//! person is asked, looks at the ledger, and says so. This prints
//!
//! ```text
//! child: reads the bill
//! child: pays
//! killed
//! asked: did this call happen? pay {"euros":20}
//! > it happened
//! model: The bill is paid.
//! payments in the ledger: 1
//! ```

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use serde_json::{Value, json};
use superstep::{
    model::{
        Message,
        script::{Script, Step},
    },
    prelude::*,
    sqlite::Database,
    tools::{
        Agent, AgentNode, AgentState, OutcomeAnswer, OutcomeQuestion, Policy, Resolution, ToolCtx,
        Tools, agent::say,
    },
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

struct Ledger {
    path: std::path::PathBuf,
}

/// Reads the bill.
#[tool(read, trusted_output)]
async fn read_bill() -> Result<String> {
    println!("child: reads the bill");
    Ok("20 euros".to_owned())
}

/// Pays.
#[tool(write)]
async fn pay(
    /// How much.
    euros: u32,
    ledger: Res<Ledger>,
    ctx: ToolCtx,
) -> Result<String> {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&ledger.path)?;
    writeln!(file, "{euros} {}", ctx.key())?;
    println!("child: pays");
    std::future::pending().await // the bank never answers
}

fn start(folder: &Path) -> Result<Graph<AgentState, AgentNode>> {
    let model = Script::new([
        Step::call("read_bill", json!({})),
        Step::call("pay", json!({"euros": 20})),
        Step::text("The bill is paid."),
    ]);
    let tools = Tools::builder().tool(ReadBill).tool(Pay);
    let tools = tools
        .service(Ledger {
            path: folder.join("ledger"),
        })
        .build()?;
    let agent = Agent::new(Arc::new(model))
        .tools(tools)
        .policy(Policy::default().allow("pay"));
    let saver = Database::open(folder.join("agent.db"))?.saver();
    Ok(agent.graph().saver(saver).build()?)
}

#[tokio::main]
async fn main() -> Result<()> {
    if let Some(folder) = env::args_os().nth(1) {
        start(Path::new(&folder))?
            .run("bill", say(Message::user("pay my bill")))
            .await?;
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut child = Command::new(env::current_exe()?)
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()?;
    for line in BufReader::new(child.stdout.take().ok_or("no pipe")?).lines() {
        let line = line?;
        println!("{line}");
        if line.ends_with("pays") {
            child.kill()?; // SIGKILL: nothing is tidied up
            child.wait()?;
            println!("killed");
        }
    }

    let graph = start(folder.path())?;
    let outcome = graph.resume("bill").await?;
    let ask = outcome.ask::<OutcomeQuestion>()?;
    let OutcomeQuestion {
        action_request: action,
        digest,
        ..
    } = ask.question.clone();
    println!(
        "asked: did this call happen? {} {}",
        action.action,
        Value::Object(action.args)
    );
    println!("> it happened");
    let resolution = Resolution::Happened("paid".to_owned());
    let answer = ask.answer(OutcomeAnswer { digest, resolution });
    let outcome = graph.answer("bill", [answer]).await?;
    let last = outcome.state().messages.last().map(Message::text);
    println!("model: {}", last.unwrap_or_default());
    let ledger = fs::read_to_string(folder.path().join("ledger"))?;
    println!("payments in the ledger: {}", ledger.lines().count());
    Ok(())
}
