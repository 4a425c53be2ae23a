//! What reaches outside a workbook that a program wrote in place of another.

use superstep_workbook::{Lineage, Outward};

use crate::made::Made;

const REL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

fn plain() -> Made {
    Made::with_sheet("<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData>")
}

fn added(before: &Made, after: &Made) -> Vec<String> {
    let (before, after) = (before.book(), after.book());
    Outward::lines(&after.new_outward(&before, &Lineage::default(), || None))
}

/// A part that a sheet leads to.
fn related(made: &mut Made, kind: &str, target: &str, mode: &str) {
    made.set(
        "xl/worksheets/_rels/sheet1.xml.rels",
        &format!(
            "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"rId1\" Type=\"{REL}/{kind}\" \
             Target=\"{target}\"{mode}/></Relationships>"
        ),
    );
}

#[test]
fn parts_that_lead_outside_are_found_and_those_that_were_there_are_not_new() {
    let external = " TargetMode=\"External\"";
    let mut picture = plain();
    related(
        &mut picture, "image", "https://evil.example/p.png", external,
    );
    let mut connected = plain();
    related(
        &mut connected,
        "queryTable",
        "../queryTables/queryTable1.xml",
        "",
    );
    connected.set(
        "xl/queryTables/queryTable1.xml",
        &format!("<queryTable xmlns=\"{MAIN}\"/>"),
    );
    let mut chart = plain();
    chart.set(
        "xl/charts/chart1.xml",
        "<c:chartSpace xmlns:c=\"c\"><c:f>'\\\\host\\[b.xlsx]S'!$A$1</c:f></c:chartSpace>",
    );
    let mut program = plain();
    program.set(
        "xl/externalLinks/externalLink1.xml",
        &format!("<externalLink xmlns=\"{MAIN}\"><ddeLink ddeService=\"cmd\" ddeTopic=\"/c calc\"/></externalLink>"),
    );
    let mut query = plain();
    query.set(
        "customXml/item1.xml",
        "<DataMashup xmlns=\"m\">AAAA</DataMashup>",
    );
    for (made, told) in [
        (&picture, "https://evil.example/p.png"),
        (&connected, "query xl/queryTables/queryTable1.xml"),
        (&chart, "host"),
        (&program, "cmd|/c calc"),
        (&query, "query customXml/item1.xml"),
    ] {
        let lines = added(&plain(), made);
        assert!(
            lines.len() == 1 && lines[0].contains(told),
            "{told}: {lines:?}"
        );
        assert_eq!(added(made, made), Vec::<String>::new());
        assert_eq!(added(made, &plain()), Vec::<String>::new());
    }
}

#[test]
fn rules_and_links_of_a_sheet_are_found_with_their_places() {
    let sheet = |rest: &str| {
        Made::with_sheet(&format!(
            "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData>{rest}"
        ))
    };
    let mut linked = sheet(&format!(
        "<hyperlinks xmlns:r=\"{REL}\"><hyperlink ref=\"B3\" r:id=\"rId1\"/></hyperlinks>"
    ));
    related(
        &mut linked, "hyperlink", "file://host/share", " TargetMode=\"External\"",
    );
    let located = sheet(
        "<hyperlinks><hyperlink ref=\"B4\" location=\"'\\\\host\\[b.xlsx]S'!A1\"/></hyperlinks>",
    );
    let inside = sheet("<hyperlinks><hyperlink ref=\"B5\" location=\"Sheet1!A1\"/></hyperlinks>");
    assert_eq!(added(&plain(), &inside), Vec::<String>::new());
    let validated = sheet(
        "<dataValidations count=\"1\"><dataValidation type=\"list\" sqref=\"C1:C9\"><formula1>[1]S!$A$1:$A$9\
         </formula1></dataValidation></dataValidations>",
    );
    let threshold = sheet(
        "<conditionalFormatting sqref=\"D1:D9\"><cfRule type=\"dataBar\" priority=\"1\"><dataBar>\
         <cfvo type=\"formula\" val=\"WEBSERVICE($A$1)\"/><cfvo type=\"max\"/></dataBar></cfRule></conditionalFormatting>",
    );
    for (made, told) in [
        (&linked, "!B3: link to file://host/share"),
        (&located, "!B4: link to #'\\\\host\\[b.xlsx]S'!A1"),
        (&validated, "!C1:C9: [1]S!$A$1:$A$9"),
        (&threshold, "!D1:D9: WEBSERVICE($A$1)"),
    ] {
        let lines = added(&plain(), made);
        assert!(
            lines.len() == 1 && lines[0].contains(told),
            "{told}: {lines:?}"
        );
        assert_eq!(added(made, made), Vec::<String>::new());
    }
}
