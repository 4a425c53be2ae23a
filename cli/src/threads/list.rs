//! `superstep threads list`.

use std::{
    io::{self, IsTerminal},
    num::NonZeroUsize,
    time::Duration,
};

use serde_json::{Value as Json, json};
use superstep::{CheckpointId, Origin, SaverError, ThreadId, clock::made_at, runs::RunCost};

use superstep_server::thread_uuid;
use unicode_width::UnicodeWidthStr as _;

use super::{Status, ThreadReader};
use crate::{
    agents::Agent,
    args::ListThreads,
    error::Error,
    output::{Form, Output, Span, bad, count, faint, good, narrow, plain, shown, strong},
    thread_reader::{UsedThread, ago_since},
    units, wrap,
};

/// How many are listed if nobody says it. Programs get all of them.
const USUAL_LIMIT: usize = 30;

/// The widest column of names.
const WIDEST: usize = 44;

/// A name that is longer than this is shown by its beginning at a terminal, if no other row begins so: every command takes the
/// beginning of a name.
const LONG: usize = 20;
const SHORT: usize = 13;

/// A terminal that is narrower has no column of models.
const FOR_MODELS: usize = 110;

/// One row of the list.
pub(super) struct Row {
    pub(super) thread: ThreadId,
    agent: Option<Agent>,
    /// Nothing for a thread that cannot be read here.
    pub(super) status: Option<Status>,
    checkpoint: Option<CheckpointId>,
    /// When a run, an edit, a copy or an import changed it, in milliseconds since 1970; nothing if that cannot be read.
    used: Option<i64>,
    pub(super) title: String,
    /// The model that it was begun with, if one was asked.
    model: Option<String>,
    /// What calls of models took; not read of threads that are not listed.
    cost: RunCost,
    /// Who else shaped it; nothing if the long-term memory, which holds the marks, cannot be read.
    foreign: Option<Option<Origin>>,
}

pub(super) async fn run(
    reader: &ThreadReader,
    wanted: &ListThreads,
    output: &Output,
) -> Result<(), Error> {
    let provenance = reader.provenance()?;
    let status = match wanted.waiting {
        true => Some(Status::Waiting),
        false => wanted.status,
    };
    let search = wanted.search.as_ref().map(|text| text.to_lowercase());
    let is_narrow = wanted.agent.is_some() || status.is_some() || search.is_some();
    let limit = match (wanted.limit, wanted.all || output.form == Form::Json) {
        (Some(limit), _) => NonZeroUsize::get(limit),
        (None, true) => usize::MAX,
        (None, false) => USUAL_LIMIT,
    };
    let mut rows = Vec::new();
    let mut unread = None;
    let (mut threads, mut seen) = (reader.by_use(), 0);
    while rows.len() < limit {
        let Some(thread) = threads.next().await? else {
            break;
        };
        seen += 1;
        let of = reader.agent_of(&thread.id).await;
        if wanted.agent.is_some() && wanted.agent != of {
            continue;
        }
        let foreign = match provenance.find(&thread.id).await {
            Ok(found) => Some(found.map(|mark| mark.origin)),
            Err(error) => {
                unread = Some(Error::from(error));
                None
            }
        };
        let row = Row {
            foreign,
            ..read(reader, thread, of).await
        };
        if (status.is_none() || row.status == status) && row.has_text(search.as_deref()) {
            rows.push(row);
        }
    }
    for row in &mut rows {
        row.cost = reader.cost(&row.thread).await;
        if row.model.is_none() {
            row.model = reader.model(&row.thread, &Json::Null).await;
        }
    }
    let columns = Columns::of(&rows, output.columns());
    if output.form == Form::Text
        && narrow().is_none()
        && !rows.is_empty()
        && io::stdout().is_terminal()
    {
        columns.head(output)?;
    }
    for row in &rows {
        tell(row, &columns, output)?;
    }
    if output.form == Form::Text && threads.next().await?.is_some() {
        let more = match is_narrow {
            // Whether those are wanted is not known before they are read.
            true => "there may be more".to_owned(),
            false => {
                let all = reader.saver.threads().await?.len();
                count(all.saturating_sub(seen), "more thread")
            }
        };
        output.note(&[faint(format!(
            "{more}: --all lists them, --search, --status and --agent choose some"
        ))]);
    }
    if let Some(error) = unread {
        let code = error.code().unwrap_or_default();
        output.say(&[
            bad(format!(
                "which threads others shaped is not known [{code}]: "
            )),
            plain(shown(&error)),
        ]);
        for hint in error.hints() {
            output.say(&[faint(hint)]);
        }
    }
    if rows.is_empty() && output.form == Form::Text {
        match is_narrow {
            true => output.say(&[
                plain("No such threads. "),
                faint("`superstep threads list --all` lists all of them."),
            ]),
            false => none_yet(output),
        }
    }
    Ok(())
}

/// That there are none, and how to start one.
pub(super) fn none_yet(output: &Output) {
    if output.form == Form::Text {
        output.say(&[plain("No threads yet. Start one:")]);
        output.say(&[plain(
            "  superstep ask 'Which services write to the ledger?'",
        )]);
        output.say(&[plain(
            "  superstep analyze --query 'One service or two?' --inputs docs",
        )]);
    }
}

/// The row of a thread.
pub(super) async fn row(reader: &ThreadReader, thread: UsedThread) -> Row {
    let of = reader.agent_of(&thread.id).await;
    read(reader, thread, of).await
}

impl Row {
    /// How long ago it was used.
    pub(super) fn when(&self) -> String {
        let since = |used| ago_since(Duration::from_millis(millis(used)));
        self.used.map(since).unwrap_or_default()
    }

    /// Whether its name or title has a text, given in lower case.
    fn has_text(&self, text: Option<&str>) -> bool {
        let places = [self.thread.as_str(), &self.title];
        let has = |text: &str| places.iter().any(|it| it.to_lowercase().contains(text));
        text.is_none_or(has)
    }
}

/// A thread that cannot be read is listed all the same.
async fn read(reader: &ThreadReader, thread: UsedThread, agent: Option<Agent>) -> Row {
    let mut row = Row {
        thread: thread.id,
        used: thread.used,
        agent,
        status: None,
        checkpoint: None,
        title: String::new(),
        model: None,
        cost: RunCost::default(),
        foreign: None,
    };
    let Some(agent) = agent else {
        let info = Agent::info(&*reader.saver, &row.thread).await;
        if let Some(graph) = info.graph {
            row.status = Some(Status::of_run(info.status));
            row.checkpoint = info.checkpoint;
            row.title = shown(format!("of `{graph}`, which this program does not have"));
        }
        return row;
    };
    let read = async {
        let graph = reader.graph_of(agent)?;
        let snapshot = reader.snapshot(&graph, row.thread.as_str(), None).await?;
        let status = reader.status(&graph, &snapshot).await?;
        Ok::<_, Error>((snapshot, status))
    };
    match read.await {
        // It is listed and is not found: its name is not what it was.
        Ok((snapshot, _)) if snapshot.checkpoint.is_none() => {
            row.title = shown(SaverError::Corrupt("its name is damaged".to_owned()));
        }
        Ok((snapshot, status)) => {
            let state = serde_json::to_value(&snapshot.values).unwrap_or(Json::Null);
            row.status = Some(match reader.is_running(&row.thread).await {
                true => Status::Running,
                false => status,
            });
            row.checkpoint = snapshot.checkpoint;
            row.title = agent.title(&state);
            let model = state.get("model_name").and_then(Json::as_str);
            row.model = model.filter(|it| !it.is_empty()).map(shown);
        }
        Err(error) => row.title = shown(error),
    }
    row
}

/// How wide the columns are.
struct Columns {
    name: usize,
    cost: usize,
    /// Nothing if no thread says which model it has, or if there is no room.
    model: Option<usize>,
    /// Nothing where lines are not cut: then the title comes last.
    title: Option<usize>,
    /// Beginnings of long names that more than one row has.
    shared: Vec<String>,
}

impl Columns {
    fn of(rows: &[Row], terminal: Option<usize>) -> Self {
        let width = |text: &str| text.chars().count();
        let costs = rows.iter().map(|row| width(&units::cost(&row.cost)));
        let models = rows.iter().filter_map(|row| row.model.as_deref());
        let models = models.filter(|_| terminal.is_none_or(|columns| columns >= FOR_MODELS));
        let mut columns = Self {
            name: 0,
            cost: costs.max().unwrap_or(0).max(4),
            model: models.map(width).max().map(|most| most.clamp(5, 24)),
            title: None,
            shared: Vec::new(),
        };
        if terminal.is_some() {
            let mut short: Vec<String> = rows.iter().map(|row| beginning(&row.thread)).collect();
            short.sort_unstable();
            let twice = short.windows(2).filter(|two| two.first() == two.last());
            columns.shared = twice.flatten().cloned().collect();
        }
        let names = rows
            .iter()
            .map(|row| width(&columns.name_of(row, terminal)));
        columns.name = names.max().unwrap_or(0).clamp(13, WIDEST);
        let others = columns.name + 2 + 13 + 12 + 2 + columns.cost;
        let others = others + columns.model.map_or(0, |width| width + 2);
        // The last column of a terminal stays free.
        columns.title = terminal.map(|terminal| terminal.saturating_sub(others + 1).max(10));
        columns
    }

    /// The name of a thread, whole in a pipe.
    fn name_of(&self, row: &Row, terminal: Option<usize>) -> String {
        let (whole, short) = (shown(&row.thread), beginning(&row.thread));
        let is_long = terminal.is_some() && whole.chars().count() > LONG;
        match is_long && !self.shared.contains(&short) {
            true => short,
            false => whole,
        }
    }

    /// A line of the list. At a terminal the title comes before the cost, and is cut.
    fn line(&self, cells: [Span; 6]) -> Vec<Span> {
        let [name, status, when, cost, model, title] = cells;
        let space = || plain("  ");
        match self.title {
            None => vec![
                name,
                space(),
                status,
                when,
                space(),
                cost,
                space(),
                model,
                title,
            ],
            Some(width) => {
                let mut line = vec![name, space(), status, when, space()];
                let cut = wrap::cut(&[title], width);
                let used: usize = cut.iter().map(|it| it.text().width()).sum();
                line.extend(cut);
                line.push(plain(" ".repeat(width.saturating_sub(used))));
                line.extend([space(), cost]);
                if self.model.is_some() {
                    line.extend([space(), model]);
                }
                line
            }
        }
    }

    fn head(&self, output: &Output) -> Result<(), Error> {
        let (name, cost) = (self.name, self.cost);
        let model = self.model.map(|width| format!("{:<width$}  ", "MODEL"));
        output.data(&self.line([
            faint(format!("{:<name$}", "THREAD")),
            faint("STATUS       "),
            faint("USED      "),
            faint(format!("{:>cost$}", "COST")),
            faint(model.unwrap_or_default().trim_end()),
            faint("TITLE"),
        ]))
    }
}

fn beginning(thread: &ThreadId) -> String {
    shown(thread).chars().take(SHORT).collect()
}

fn tell(row: &Row, columns: &Columns, output: &Output) -> Result<(), Error> {
    let agent = row.agent.map(Agent::name);
    if output.form == Form::Json {
        return output.json(&json!({
            "thread": row.thread.as_str(), "agent": agent, "status": row.status,
            "used_at": row.used.map(|used| units::iso_of_millis(millis(used))),
            "updated_ms": row.checkpoint.map(|id| made_at(id) / 1000), "title": row.title,
            "imported": row.foreign.map(|by| by == Some(Origin::Import)),
            "over_http": row.foreign.map(|by| by == Some(Origin::Http)), "uuid": thread_uuid(row.thread.as_str()).to_string(),
            "updated_at": row.checkpoint.map(units::made), "model": row.model,
            "cost_micro_usd": row.cost.micro_usd, "unpriced_calls": row.cost.unpriced,
            "input_tokens": row.cost.input_tokens, "output_tokens": row.cost.output_tokens,
        }));
    }
    let status = match row.status {
        Some(Status::Running) => strong("running      "),
        Some(Status::Waiting) => strong("waiting      "),
        Some(Status::Done) => good("done         "),
        Some(Status::Failed) => bad("failed       "),
        Some(Status::Interrupted) => plain("interrupted  "),
        None => faint("?            "),
    };
    let when = row.when();
    if let Some(columns) = narrow() {
        return below(row, status, &when, columns, output);
    }
    let (name, cost) = (columns.name, columns.cost);
    let model = columns.model.map(|width| {
        let model = row.model.as_deref().unwrap_or_default();
        match columns.title {
            Some(_) => wrap::cut(&[plain(model)], width)
                .iter()
                .map(Span::text)
                .collect(),
            None => format!("{model:<width$}  "),
        }
    });
    let thread = columns.name_of(row, output.columns());
    let origin = match row.foreign {
        Some(Some(Origin::Import)) => "imported  ",
        Some(Some(Origin::Http)) => "over HTTP  ",
        Some(None) => "",
        None => "imported?  ",
    };
    let title = title(&format!("{origin}{}", row.title));
    output.data(&columns.line([
        strong(format!("{thread:<name$}")),
        status,
        faint(format!("{when:<10}")),
        plain(format!("{:>cost$}", units::cost(&row.cost))),
        faint(model.unwrap_or_default()),
        title,
    ]))
}

/// No thread was used before 1970.
fn millis(used: i64) -> u64 {
    u64::try_from(used).unwrap_or(0)
}

/// A row in two lines, for a narrow terminal.
fn below(
    row: &Row,
    status: Span,
    when: &str,
    columns: usize,
    output: &Output,
) -> Result<(), Error> {
    output.data(&[strong(format!("{}  ", shown(&row.thread))), status])?;
    let cost = match row.cost.calls {
        0 => String::new(),
        _ => format!("{}  ", units::cost(&row.cost)),
    };
    let about = [faint(format!("  {when}  {cost}")), plain(&row.title)];
    output.data(&wrap::cut(&about, columns))
}

fn title(text: &str) -> Span {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => plain(format!("{}…", text.get(..at).unwrap_or(text))),
        None => plain(text),
    }
}
