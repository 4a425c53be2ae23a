//! The form of documents in JSON.

use serde_json::json;
use superstep_agent::{
    Block, Diff, FilePlace, Notice, Prompt, Report, ResultFile, Table, TableStyle, Weight, bad,
    code, plain,
};

#[test]
fn every_block_is_an_object_with_its_kind() {
    let table = Table {
        columns: vec!["n".into()],
        rows: vec![vec!["1".into()]],
        style: TableStyle::Grid,
        text: None,
    };
    let kept = ResultFile {
        name: "result.xlsx".into(),
        about: "the workbook".into(),
        media_type: "application/zip".into(),
        size: Some(7),
        place: FilePlace::Sha256("0a".into()),
    };
    let blocks = [
        Block::Line(Weight::Say, vec![bad("no: "), code("x")]),
        Block::Piece("**a**".into()),
        Block::EndOfPieces,
        Block::Table(table),
        Block::File(Weight::Note, kept),
        Block::Diff(Weight::Data, Diff::between("text", "a\nb", "a\nc")),
        Block::Announcement(vec![vec![plain("now")]]),
    ];
    let spans = json!([{"style": "bad", "text": "no: "}, {"style": "code", "text": "x"}]);
    let hunk = json!({"old_line": 2, "new_line": 2, "old": ["b"], "new": ["c"]});
    let expected = json!([
        {"kind": "line", "weight": "say", "spans": spans},
        {"kind": "piece", "text": "**a**"},
        {"kind": "end_of_pieces"},
        {"kind": "table", "columns": ["n"], "rows": [["1"]], "style": "grid", "text": null},
        {
            "kind": "file", "weight": "note", "name": "result.xlsx", "about": "the workbook",
            "media_type": "application/zip", "size": 7, "sha256": "0a",
        },
        {"kind": "diff", "weight": "data", "title": "text", "hunks": [hunk]},
        {"kind": "announcement", "lines": [[{"style": "plain", "text": "now"}]]},
    ]);
    assert_eq!(json!(blocks), expected);
}

#[test]
fn a_report_says_what_is_for_programs() {
    let report = Report {
        notices: vec![
            Notice::named("result", json!({"kind": "poem"})),
            Notice::say([plain("read it")]),
            Notice::people(Vec::new()),
        ],
        exit: Some(5),
    };
    let line = json!({
        "kind": "line", "weight": "say", "spans": [{"style": "plain", "text": "read it"}],
    });
    let expected = json!({
        "notices": [
            {
                "blocks": [],
                "programs": {"kind": "event", "event": {"event": "result", "kind": "poem"}},
            },
            {"blocks": [line], "programs": {"kind": "blocks"}},
            {"blocks": [], "programs": {"kind": "nothing"}},
        ],
        "exit": 5,
    });
    assert_eq!(json!(report), expected);
}

#[test]
fn a_prompt_says_what_an_answer_decides() {
    let prompt = json!(Prompt::new(Notice::say([plain("Why?")])));
    assert_eq!(prompt["decides"], "content");
    assert_eq!(prompt["topic"], "detail");
    assert_eq!(prompt["notice"]["blocks"][0]["spans"][0]["text"], "Why?");
}

#[test]
fn a_file_that_was_written_has_its_name_and_size() {
    let folder = std::env::temp_dir().join(format!("superstep-document-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("page.md");
    std::fs::write(&path, "# Page\n").unwrap();
    let file = json!(ResultFile::written(&path, "the page", "text/markdown"));
    std::fs::remove_dir_all(&folder).unwrap();
    let expected = json!({
        "name": "page.md", "about": "the page", "media_type": "text/markdown", "size": 7,
        "path": path,
    });
    assert_eq!(file, expected);
    let gone = ResultFile::written(&path, "the page", "text/markdown");
    assert_eq!(gone.size, None);
}

#[test]
fn a_line_of_a_text_cannot_be_taken_for_another_part_of_a_diff() {
    let diff = Diff::between("to\nCc: all", "a", "b\u{202e}\n  - c");
    let lines = diff.lines();
    let lines: Vec<String> = lines
        .iter()
        .map(|line| line.iter().map(superstep_agent::Span::text).collect())
        .collect();
    assert_eq!(
        lines,
        ["to Cc: all:", "  - a", "  + b<U+202E>", "  +   - c"]
    );
}
