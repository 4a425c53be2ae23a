//! Workbooks, and agents with scripted models that work on them.

use std::{
    io::{Cursor, Write},
    sync::Arc,
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Outcome, Snap,
    model::{
        Body, Model, Script,
        message::{ToolReply, ToolStatus},
        script::Step,
    },
};
use superstep_sheets::{Models, Settings, Sheets, SheetsState, SheetsStateUpdate};
use superstep_workbook::{Limits, OnLoad, Operation, Workbook};
use zip::{ZipWriter, write::SimpleFileOptions};

pub(crate) const OPOS: &[u8] =
    include_bytes!("../../../../crates/superstep-workbook/tests/fixtures/opos_input.xlsx");

const NS: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const REL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

/// Parts of a workbook with one empty sheet `Data`.
pub(crate) fn parts(workbook_attributes: &str) -> Vec<(String, String)> {
    let part = |name: &str, text: String| (name.to_owned(), text);
    vec![
        part(
            "[Content_Types].xml",
            format!(
                "<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
                 ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
                 <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/\
                 vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
                 <Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"application/\
                 vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/></Types>"
            ),
        ),
        part(
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"rId1\" \
                 Type=\"{REL}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        part(
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{NS}\" xmlns:r=\"{REL}\"><workbookPr {workbook_attributes}/>\
                 <sheets><sheet name=\"Data\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
            ),
        ),
        part(
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"rId1\" \
                 Type=\"{REL}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        part(
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns=\"{NS}\" xmlns:r=\"{REL}\"><sheetData/></worksheet>"),
        ),
    ]
}

pub(crate) fn packed(parts: &[(String, String)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let options = SimpleFileOptions::default();
        writer.start_file(name.as_str(), options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A workbook with one empty sheet `Data`, and these operations applied.
pub(crate) fn book_with(operations: Json) -> Workbook {
    let empty = read(packed(&parts("")));
    written(&empty.apply(&ops(operations)).unwrap())
}

/// The sheet `Data` with a header, four rows of sales, and nothing else.
pub(crate) fn sales() -> Workbook {
    let text = |text: &str| json!({"text": text});
    let number = |number: f64| json!({"number": number});
    book_with(
        json!([{"op": "set_rows", "sheet": "Data", "cell": "A1", "rows": [
            [text("Region"), text("Product"), text("Units"), text("Price")],
            [text("North"), text("Tea"), number(3.0), number(2.5)],
            [text("South"), text("Tea"), number(5.0), number(2.5)],
            [text("North"), text("Coffee"), number(7.0), number(4.0)],
            [text("South"), text("Coffee"), number(1.0), number(4.0)],
        ]}]),
    )
}

/// The sales with a drawing: its anchors, and charts of these cells.
pub(crate) fn with_drawing(anchors: &str, charts: &[&str]) -> Workbook {
    let book = sales();
    let package = book.package();
    let names: Vec<String> = package.names().map(str::to_owned).collect();
    let mut parts: Vec<(String, String)> = names
        .iter()
        .map(|name| {
            let bytes = package.part(name).unwrap().unwrap().into_owned();
            (name.clone(), String::from_utf8(bytes).unwrap())
        })
        .collect();
    let related = |targets: &[(&str, String)]| {
        let all = (1..).zip(targets).map(|(at, (kind, target))| {
            format!("<Relationship Id=\"rId{at}\" Type=\"{REL}/{kind}\" Target=\"{target}\"/>")
        });
        let all = all.collect::<String>();
        format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{all}</Relationships>")
    };
    let sheet = parts
        .iter_mut()
        .find(|(name, _)| name.ends_with("sheet1.xml"));
    let sheet = &mut sheet.unwrap().1;
    *sheet = sheet.replace(
        "</worksheet>",
        &format!("<drawing xmlns:r=\"{REL}\" r:id=\"rId1\"/></worksheet>"),
    );
    let drawing = ("drawing", "../drawings/drawing1.xml".to_owned());
    parts.push((
        "xl/worksheets/_rels/sheet1.xml.rels".into(),
        related(&[drawing]),
    ));
    let ns = "http://schemas.openxmlformats.org/drawingml/2006";
    parts.push((
        "xl/drawings/drawing1.xml".into(),
        format!(
            "<x:wsDr xmlns:x=\"{ns}/spreadsheetDrawing\" xmlns:c=\"{ns}/chart\" xmlns:r=\"{REL}\">{anchors}</x:wsDr>"
        ),
    ));
    let targets: Vec<(&str, String)> = (1..=charts.len())
        .map(|at| ("chart", format!("../charts/chart{at}.xml")))
        .collect();
    parts.push((
        "xl/drawings/_rels/drawing1.xml.rels".into(),
        related(&targets),
    ));
    for (at, cells) in (1..).zip(charts) {
        let chart = format!(
            "<c:chartSpace xmlns:c=\"{ns}/chart\"><c:chart><c:plotArea><c:barChart><c:ser><c:val><c:numRef>\
             <c:f>{cells}</c:f></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
        );
        parts.push((format!("xl/charts/chart{at}.xml"), chart));
    }
    read(packed(&parts))
}

pub(crate) fn read(bytes: Vec<u8>) -> Workbook {
    Workbook::read(bytes, &Limits::default()).unwrap()
}

pub(crate) fn written(book: &Workbook) -> Workbook {
    read(book.write(OnLoad::Calculate).unwrap().bytes)
}

pub(crate) fn ops(json: Json) -> Vec<Operation> {
    serde_json::from_value(json).unwrap()
}

/// A cell as a person reads it; formulas with their equals sign.
pub(crate) fn shown(book: &Workbook, sheet: &str, cell: &str) -> String {
    let cell = book.sheet(sheet).unwrap().cell(cell.parse().unwrap());
    cell.map_or(String::new(), |cell| match cell.formula() {
        Some(formula) => format!("={}", formula.text),
        None => book.shown(cell),
    })
}

/// A reply that applies operations.
pub(crate) fn apply(operations: Json) -> Step {
    Step::call("ApplyOperations", json!({"operations": operations}))
}

pub(crate) fn set(sheet: &str, cell: &str, number: f64) -> Json {
    json!({"op": "set", "sheet": sheet, "cell": cell, "value": {"number": number}})
}

pub(crate) fn finish(answer: &str) -> Step {
    Step::call("Finish", json!({"answer": answer}))
}

pub(crate) fn agent(steps: Vec<Step>) -> Sheets {
    agent_with(Arc::new(Script::new(steps)), Settings::default())
}

pub(crate) fn agent_with(model: Arc<dyn Model>, settings: Settings) -> Sheets {
    let models = Models {
        planner: model,
        informer: None,
    };
    Sheets::new(models, settings, Backends::in_memory()).unwrap()
}

pub(crate) async fn input(agent: &Sheets, instruction: &str, book: Workbook) -> SheetsStateUpdate {
    agent.begin_with(instruction, book).await.unwrap().1
}

pub(crate) async fn run(agent: &Sheets, thread: &str, book: Workbook) -> Outcome<SheetsState> {
    let input = input(agent, "do it", book).await;
    agent.graph().run(thread, input).await.unwrap()
}

/// The state at the end of a run that asks nobody.
pub(crate) async fn done(agent: &Sheets, book: Workbook) -> Snap<SheetsState> {
    match run(agent, "t", book).await {
        Outcome::Done(state) => state,
        other => panic!("it asks: {:?}", other.asks()),
    }
}

/// The observations of a thread, with whether each worked.
pub(crate) fn observations(state: &SheetsState) -> Vec<(&ToolReply, bool)> {
    let replies = state
        .messages
        .iter()
        .filter_map(|message| match &message.body {
            Body::Tool(reply) => Some((reply, reply.status == ToolStatus::Success)),
            _ => None,
        });
    replies.collect()
}
