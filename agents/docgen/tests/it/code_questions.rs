//! Questions to a model that looks things up before it answers.

use std::sync::Arc;

use serde_json::json;
use superstep::model::script::{Script, Step, When};
use superstep_agent::{ForPrograms, Notice};
use superstep_docgen::{CodeQuestion, Request};

use crate::support::{document, model, only, shop, write};

fn answer(notice: &Notice) -> &str {
    match &notice.programs {
        ForPrograms::Event(event) => event["answer"].as_str().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_model_reads_code_and_pages_before_it_answers() {
    let folder = shop();
    // A definition that no word of the question leads to.
    let rows: String = (0..400)
        .map(|n| format!("pub const N{n}: u32 = {n};\n"))
        .collect();
    write(
        folder.path(),
        "src/limits.rs",
        &format!("{rows}pub const MOST_ITEMS: u32 = 77;\n"),
    );
    let request = Request::new(folder.path(), None).unwrap();
    let written = model("Baskets are full at `src/limits.rs:401`.", &[85.0]);
    document(Some(written), only(&["kpi"]), &request).await;
    let script = Arc::new(Script::new([
        Step::text("A cart holds 77 items (`src/limits.rs:401`).").when(When::result("read_file")),
        Step::call(
            "read_file",
            json!({"path": "src/limits.rs", "from": 401, "lines": 1}),
        )
        .when(When::result("search")),
        Step::call("search", json!({"text": "baskets"})),
    ]));
    let question = CodeQuestion::new("How full may it be?", folder.path()).unwrap();
    let notice = question.answer(&script).await.unwrap();
    assert_eq!(
        answer(&notice),
        "A cart holds 77 items (`src/limits.rs:401`)."
    );
    let seen = script.seen();
    assert_eq!((seen.len(), seen[0].tools.len()), (3, 3));
    let found = |call: usize| seen[call].messages.last().unwrap().text().to_owned();
    assert!(found(1).contains("superstep-docs/kpi.md:"), "{}", found(1));
    assert!(found(2).contains("MOST_ITEMS: u32 = 77"), "{}", found(2));
}

#[tokio::test]
async fn look_ups_end_and_the_model_must_answer() {
    let folder = shop();
    let looks = (0..6).map(|n| {
        let mut step = Step::call("search", json!({"text": "cart"}));
        for call in &mut step.calls {
            call.id = Some(format!("look-{n}"));
        }
        step
    });
    let last = Step::text("It is a cart.");
    let script = Arc::new(Script::new(looks.chain([last])));
    let question = CodeQuestion::new("What is it?", folder.path()).unwrap();
    let notice = question.answer(&script).await.unwrap();
    assert_eq!(answer(&notice), "It is a cart.");
    let last = script.seen().pop().unwrap();
    assert_eq!(last.tool_choice, superstep::model::ToolChoice::None);
}
