//! New charts: a chart part each, in the drawing of their sheet.

use std::fmt::Write as _;

use crate::{
    book::Workbook,
    chart::{Chart, ChartKind, Series},
    error::Error,
    formula::sheet_prefix,
    frame::Frame,
    package::Package,
    relations::{OFFICE, Target, declare, free_name, relate, relations},
    sheet::{Sheet, Value},
    xml,
};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const CHART: &str = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
const DRAWING: &str = "application/vnd.openxmlformats-officedocument.drawing+xml";
const CHART_NS: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";
const DRAWING_NS: &str = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing";
const MAIN_NS: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";

/// Adds the new charts of a sheet.
pub(super) fn write(
    book: &Workbook,
    sheet: &Sheet,
    part: &str,
    package: &mut Package,
) -> Result<(), Error> {
    if sheet.new_charts.is_empty() {
        return Ok(());
    }
    let drawing = drawing(part, package)?;
    for chart in &sheet.new_charts {
        let name = free_name(package, "xl/charts/chart", ".xml");
        package.set(&name, chart_part(book, chart).into_bytes());
        declare(package, &name, CHART)?;
        let id = relate(package, &drawing, "chart", &Target::Part(&name))?;
        let bytes = package.part(&drawing)?.unwrap_or_default().into_owned();
        let text = xml::decode(&drawing, &bytes)?;
        let number = text.matches("Anchor>").count() + 2;
        let end = text.rfind("</").unwrap_or(text.len());
        let (before, after) = text.split_at_checked(end).unwrap_or((&text, ""));
        let text = format!("{before}{}{after}", anchor(chart, number, &id));
        package.set(&drawing, text.into_bytes());
    }
    Ok(())
}

/// The drawing of a sheet, made if there is none.
fn drawing(part: &str, package: &mut Package) -> Result<String, Error> {
    let known = relations(package, part)?;
    if let Some(known) = known.into_iter().find(|it| it.kind == "drawing") {
        let bytes = package
            .part(&known.target)?
            .unwrap_or_default()
            .into_owned();
        let text = xml::decode(&known.target, &bytes)?;
        // A drawing without content may have no end tag to write before.
        let text = Frame::read(&known.target, &text)?.write();
        package.set(&known.target, text.into_bytes());
        return Ok(known.target);
    }
    let name = free_name(package, "xl/drawings/drawing", ".xml");
    let empty = format!(
        "{DECLARATION}<xdr:wsDr xmlns:xdr=\"{DRAWING_NS}\" xmlns:a=\"{MAIN_NS}\"></xdr:wsDr>"
    );
    package.set(&name, empty.into_bytes());
    declare(package, &name, DRAWING)?;
    let id = relate(package, part, "drawing", &Target::Part(&name))?;
    let bytes = package.part(part)?.unwrap_or_default().into_owned();
    let mut frame = Frame::read(part, &xml::decode(part, &bytes)?)?;
    let element = format!("<drawing xmlns:r=\"{OFFICE}\" r:id=\"{id}\"/>");
    frame.set("drawing", vec![element]);
    package.set(part, frame.write().into_bytes());
    Ok(name)
}

fn anchor(chart: &Chart, number: usize, id: &str) -> String {
    let (row, column) = (chart.at.row - 1, chart.at.column - 1);
    let place = |name: &str, column: u32, row: u32| {
        format!(
            "<x:{name}><x:col>{column}</x:col><x:colOff>0</x:colOff>\
             <x:row>{row}</x:row><x:rowOff>0</x:rowOff></x:{name}>"
        )
    };
    // Prefixes of its own: the drawing may use others.
    format!(
        "<x:twoCellAnchor xmlns:x=\"{DRAWING_NS}\">{}{}<x:graphicFrame macro=\"\">\
         <x:nvGraphicFramePr><x:cNvPr id=\"{number}\" name=\"Chart {number}\"/>\
         <x:cNvGraphicFramePr/></x:nvGraphicFramePr><x:xfrm><a:off xmlns:a=\"{MAIN_NS}\" x=\"0\" y=\"0\"/>\
         <a:ext xmlns:a=\"{MAIN_NS}\" cx=\"0\" cy=\"0\"/></x:xfrm><a:graphic xmlns:a=\"{MAIN_NS}\">\
         <a:graphicData uri=\"{CHART_NS}\"><c:chart xmlns:c=\"{CHART_NS}\" xmlns:r=\"{OFFICE}\" \
         r:id=\"{id}\"/></a:graphicData></a:graphic></x:graphicFrame><x:clientData/></x:twoCellAnchor>",
        place("from", column, row),
        place("to", column + chart.columns, row + chart.rows),
    )
}

fn chart_part(book: &Workbook, chart: &Chart) -> String {
    let series: String = (0..)
        .zip(&chart.series)
        .map(|(number, series)| series_element(book, chart.kind, number, series))
        .collect();
    let grouping = match (chart.kind, chart.stacked) {
        (_, true) => "stacked",
        (ChartKind::Column | ChartKind::Bar, false) => "clustered",
        (_, false) => "standard",
    };
    let axes = "<c:axId val=\"100\"/><c:axId val=\"200\"/>";
    let overlap = if chart.stacked {
        "<c:overlap val=\"100\"/>"
    } else {
        ""
    };
    let vary = "<c:varyColors val=\"0\"/>";
    let bars = |direction: &str| {
        format!(
            "<c:barChart><c:barDir val=\"{direction}\"/><c:grouping val=\"{grouping}\"/>{vary}{series}\
             <c:gapWidth val=\"150\"/>{overlap}{axes}</c:barChart>"
        )
    };
    let plot = match chart.kind {
        ChartKind::Column => bars("col"),
        ChartKind::Bar => bars("bar"),
        ChartKind::Line => format!(
            "<c:lineChart><c:grouping val=\"{grouping}\"/>{vary}{series}<c:marker val=\"1\"/>{axes}</c:lineChart>"
        ),
        ChartKind::Area => {
            format!(
                "<c:areaChart><c:grouping val=\"{grouping}\"/>{vary}{series}{axes}</c:areaChart>"
            )
        }
        ChartKind::Scatter => format!(
            "<c:scatterChart><c:scatterStyle val=\"lineMarker\"/>{vary}{series}{axes}</c:scatterChart>"
        ),
        ChartKind::Pie => format!("<c:pieChart><c:varyColors val=\"1\"/>{series}</c:pieChart>"),
        ChartKind::Doughnut => format!(
            "<c:doughnutChart><c:varyColors val=\"1\"/>{series}<c:holeSize val=\"50\"/></c:doughnutChart>"
        ),
    };
    let (horizontal, vertical) = match chart.kind {
        ChartKind::Bar => ("l", "b"),
        _ => ("b", "l"),
    };
    let axis = |element: &str,
                own: u32,
                other: u32,
                place: &str,
                title: &Option<String>,
                extra: &str| {
        format!(
            "<c:{element}><c:axId val=\"{own}\"/><c:scaling><c:orientation val=\"minMax\"/></c:scaling>\
             <c:delete val=\"0\"/><c:axPos val=\"{place}\"/>{}<c:majorTickMark val=\"out\"/>\
             <c:minorTickMark val=\"none\"/><c:tickLblPos val=\"nextTo\"/><c:crossAx val=\"{other}\"/>\
             <c:crosses val=\"autoZero\"/>{extra}</c:{element}>",
            title_element(title.as_deref())
        )
    };
    let axes = match chart.kind {
        ChartKind::Pie | ChartKind::Doughnut => String::new(),
        ChartKind::Scatter => {
            axis("valAx", 100, 200, "b", &chart.x_title, "")
                + &axis("valAx", 200, 100, "l", &chart.y_title, "")
        }
        _ => {
            axis(
                "catAx",
                100,
                200,
                horizontal,
                &chart.x_title,
                "<c:auto val=\"1\"/>",
            ) + &axis("valAx", 200, 100, vertical, &chart.y_title, "")
        }
    };
    let title = title_element(chart.title.as_deref());
    let no_title = if chart.title.is_none() { "1" } else { "0" };
    format!(
        "{DECLARATION}<c:chartSpace xmlns:c=\"{CHART_NS}\" xmlns:a=\"{MAIN_NS}\" xmlns:r=\"{OFFICE}\">\
         <c:chart>{title}<c:autoTitleDeleted val=\"{no_title}\"/><c:plotArea><c:layout/>{plot}{axes}\
         </c:plotArea><c:legend><c:legendPos val=\"r\"/><c:overlay val=\"0\"/></c:legend>\
         <c:plotVisOnly val=\"1\"/><c:dispBlanksAs val=\"gap\"/></c:chart></c:chartSpace>"
    )
}

fn title_element(title: Option<&str>) -> String {
    let Some(title) = title else {
        return String::new();
    };
    let mut text = String::new();
    xml::escape(&mut text, title);
    format!(
        "<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx>\
         <c:overlay val=\"0\"/></c:title>"
    )
}

fn series_element(book: &Workbook, kind: ChartKind, number: usize, series: &Series) -> String {
    let prefix = sheet_prefix(&series.sheet);
    let fixed = |area: crate::address::Area| {
        let corner = |at: crate::address::CellRef| {
            format!("${}${}", crate::address::column_name(at.column), at.row)
        };
        let mut text = String::new();
        let cells = match area.first == area.last {
            true => corner(area.first),
            false => format!("{}:{}", corner(area.first), corner(area.last)),
        };
        xml::escape(&mut text, &format!("{prefix}{cells}"));
        text
    };
    let mut out = format!("<c:ser><c:idx val=\"{number}\"/><c:order val=\"{number}\"/>");
    let sheet = book.sheet(&series.sheet).ok();
    if let Some(at) = series.name_cell {
        let name = sheet
            .map(|sheet| sheet.value(at).to_string())
            .unwrap_or_default();
        let mut cached = String::new();
        xml::escape(&mut cached, &name);
        let _ = write!(
            out,
            "<c:tx><c:strRef><c:f>{}</c:f><c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>{cached}\
             </c:v></c:pt></c:strCache></c:strRef></c:tx>",
            fixed(at.into())
        );
    } else if let Some(name) = &series.name {
        let mut text = String::new();
        xml::escape(&mut text, name);
        let _ = write!(out, "<c:tx><c:v>{text}</c:v></c:tx>");
    }
    let is_text = |area: crate::address::Area| {
        sheet.is_some_and(|sheet| {
            area.cells()
                .take(100)
                .any(|at| matches!(sheet.value(at), Value::Text(_)))
        })
    };
    let (categories, values) = match kind {
        ChartKind::Scatter => ("xVal", "yVal"),
        _ => ("cat", "val"),
    };
    if let Some(area) = series.categories {
        let reference = if is_text(area) { "strRef" } else { "numRef" };
        let _ = write!(
            out,
            "<c:{categories}><c:{reference}><c:f>{}</c:f></c:{reference}></c:{categories}>",
            fixed(area)
        );
    }
    let _ = write!(
        out,
        "<c:{values}><c:numRef><c:f>{}</c:f></c:numRef></c:{values}>",
        fixed(series.values)
    );
    if matches!(kind, ChartKind::Line | ChartKind::Scatter) {
        out.push_str("<c:smooth val=\"0\"/>");
    }
    out.push_str("</c:ser>");
    out
}
