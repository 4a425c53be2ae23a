//! What the embedded model costs, and how often it is right.
//!
//! ```sh
//! cargo run --release -p superstep-local --features chat --example figures -- MODEL.gguf
//! cargo run --release -p superstep-local --features chat --example figures -- MODEL.gguf TASKS.jsonl
//! ```
//!
//! A line of a task file has `id`, `messages`, `tools` or `schema`, `expect` (JSON pointers into the
//! answer, each with a value or a list of values that are right; nothing where only the speed is of interest) and
//! `max_tokens`. `THREADS` sets the number of threads. Speeds are of one run: take them on an idle machine.

use std::error::Error;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use superstep_local::chat::{Figures, LocalModel, Options, Threads};
use superstep_model::{Finish, Message, Model, OutputSchema, Request, ToolChoice, ToolSpec};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which model?")?;
    let threads = match std::env::var("THREADS") {
        Ok(count) => Threads::Exactly(count.parse()?),
        Err(_) => Threads::Auto,
    };
    let options = Options {
        threads,
        ..Options::default()
    };
    let model = LocalModel::open(path, options)?;
    println!("{} {:?}", model.id(), model.identity().sha256);
    let files: Vec<String> = arguments.collect();
    if files.is_empty() {
        return speed(&model).await;
    }
    for file in files {
        accuracy(&model, &file).await?;
    }
    println!("{}", memory());
    Ok(())
}

/// A conversation of about 425 tokens, and a reply without and with a grammar.
async fn speed(model: &LocalModel) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let hello = Request {
        max_tokens: Some(1),
        ..Request::new([Message::user("hi")])
    };
    model.invoke(&hello).await?;
    println!("first reply of one token after {:.2?}", started.elapsed());

    let prompt = "The ferry leaves the island every morning at seven and comes back at noon. ";
    let free = Request {
        max_tokens: Some(32),
        ..Request::new([
            Message::system("You are a helpful assistant."),
            Message::user(format!("{}Write a long story about it.", prompt.repeat(26))),
        ])
    };
    let before = cpu();
    model.invoke(&free).await?;
    let figures = model.figures().unwrap_or_default();
    show("free", &figures, cpu() - before);

    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "summary": {"type": "string", "maxLength": 80},
            "departure_time": {"type": "string", "maxLength": 8},
            "return_time": {"type": "string", "maxLength": 8},
            "is_every_day": {"type": "boolean"},
            "category": {"enum": ["travel", "work", "food"]}
        },
        "required": ["summary", "departure_time", "return_time", "is_every_day", "category"],
        "additionalProperties": false
    });
    let mut held = free;
    held.max_tokens = Some(128);
    held.output = Some(OutputSchema {
        name: "ferry".to_owned(),
        schema,
    });
    let before = cpu();
    let reply = model.invoke(&held).await?;
    let figures = model.figures().unwrap_or_default();
    show("schema", &figures, cpu() - before);
    println!("{}", reply.content.text());
    println!("{}", memory());
    Ok(())
}

fn show(name: &str, figures: &Figures, cpu: Duration) {
    let rate = |tokens: usize, time: Duration| tokens as f64 / time.as_secs_f64();
    println!(
        "{name}: read {} tokens ({} cached) at {:.1}/s, wrote {} ({} forced, {} guessed) at {:.1}/s, {} threads, \
         {cpu:.2?} of processor time",
        figures.prompt,
        figures.cached,
        rate(figures.prompt - figures.cached, figures.reading),
        figures.written,
        figures.forced,
        figures.guessed,
        rate(figures.written, figures.writing),
        figures.threads,
    );
}

#[derive(Deserialize)]
struct Task {
    id: String,
    messages: Vec<Message>,
    #[serde(default)]
    tools: Vec<ToolSpec>,
    schema: Option<Json>,
    expect: Map<String, Json>,
    max_tokens: u32,
}

async fn accuracy(model: &LocalModel, file: &str) -> Result<(), Box<dyn Error>> {
    let (mut right, mut valid, mut count, mut took) = (0, 0, 0, Duration::ZERO);
    let (mut written, mut forced, mut guessed) = (0, 0, 0);
    let mut writing = Duration::ZERO;
    for line in std::fs::read_to_string(file)?.lines() {
        let task: Task = serde_json::from_str(line)?;
        let request = Request {
            messages: task.messages,
            tool_choice: match task.tools.is_empty() {
                true => ToolChoice::Auto,
                false => ToolChoice::Required,
            },
            tools: task.tools,
            output: task.schema.map(|schema| OutputSchema {
                name: "answer".to_owned(),
                schema,
            }),
            max_tokens: Some(task.max_tokens),
            ..Request::default()
        };
        let reply = model.invoke(&request).await?;
        let finish = reply.answered.as_ref().map(|answered| &answered.finish);
        let answer = match reply.tool_calls.first() {
            Some(call) => serde_json::json!({"name": call.name, "arguments": call.args}),
            None => serde_json::from_str(&reply.content.text()).unwrap_or_default(),
        };
        let is_valid = !answer.is_null() && finish != Some(&Finish::Length);
        let is_right = is_valid
            && task
                .expect
                .iter()
                .all(|(at, wanted)| fits(&answer, at, wanted));
        let figures = model.figures().unwrap_or_default();
        count += 1;
        valid += usize::from(is_valid);
        right += usize::from(is_right);
        took += figures.reading + figures.writing;
        written += figures.written;
        forced += figures.forced;
        guessed += figures.guessed;
        writing += figures.writing;
        println!(
            "{} {:<24} {:>4} tokens, {:>4} cached, {:.1?} + {:.1?} {answer}",
            if is_right { "ok   " } else { "WRONG" },
            task.id,
            figures.prompt,
            figures.cached,
            figures.reading,
            figures.writing,
        );
    }
    println!(
        "{file}: {right}/{count} right, {valid}/{count} valid, {:.1} s each; wrote {written} tokens ({forced} forced, \
         {guessed} guessed) at {:.1}/s",
        took.as_secs_f64() / f64::from(u32::try_from(count)?),
        written as f64 / writing.as_secs_f64(),
    );
    Ok(())
}

fn fits(answer: &Json, at: &str, wanted: &Json) -> bool {
    let found = answer.pointer(at).unwrap_or(&Json::Null);
    match wanted {
        Json::Array(allowed) => allowed.contains(found),
        wanted => found == wanted,
    }
}

fn memory() -> String {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = text.lines().filter(|line| {
        ["VmHWM", "RssAnon", "RssFile"]
            .iter()
            .any(|name| line.starts_with(name))
    });
    let lines: Vec<String> = lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    lines.join(", ")
}

/// Processor time of the process, where the system says so.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 10)
}
