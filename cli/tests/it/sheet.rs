//! Spreadsheets as users see them: results, reports, questions, versions, exit codes.

mod programs;
#[cfg(target_os = "linux")]
mod workers;

use std::fs;

use serde_json::{Value as Json, json};

use crate::env::{Ran, TestEnv};

/// The workbook and the replies of the demo.
const SALES: &[u8] = include_bytes!("../../../agents/sheets/demo/sales.xlsx");
const REPLIES: &str = include_str!("../../../agents/sheets/demo/replies.jsonl");

fn with_workbook() -> TestEnv {
    let env = TestEnv::new();
    fs::write(env.path("work/sales.xlsx"), SALES).unwrap();
    env.write("work/replies.jsonl", REPLIES);
    env
}

fn script(env: &TestEnv, steps: &[Json]) {
    let lines: Vec<String> = steps.iter().map(ToString::to_string).collect();
    env.write("work/replies.jsonl", &lines.join("\n"));
}

fn apply(operations: Json) -> Json {
    json!({"calls": [{"name": "ApplyOperations", "args": {"operations": operations}}]})
}

fn finish(answer: &str) -> Json {
    json!({"calls": [{"name": "Finish", "args": {"answer": answer}}]})
}

fn run(env: &TestEnv, more: &[&str]) -> Ran {
    let words = [
        "sheet", "run", "sales.xlsx", "-i", "do it", "--model", "script:replies.jsonl",
    ];
    env.run_words(&[&words, more].concat())
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap()
}

fn report(ran: &Ran) -> Json {
    ran.events().pop().unwrap()
}

#[test]
fn a_copy_of_a_thread_that_waits_asks_the_same_and_is_answered_by_itself() {
    let env = with_workbook();
    let rows = json!([{"op": "delete_rows", "sheet": "Sales", "first": 2, "count": 3}]);
    script(&env, &[apply(rows), finish("gone")]);
    let ran = run(&env, &["-o", "out.xlsx"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let thread = ran.thread();
    let forked = env.run(&format!("threads fork {thread} --name sheets-copy"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let waiting = env.run("threads list --waiting");
    for name in [thread.as_str(), "sheets-copy"] {
        assert!(waiting.stdout.contains(name), "{}", waiting.stdout);
    }
    let copy = env.run("sheet answer sheets-copy accept --model script:replies.jsonl");
    assert_eq!(copy.code, 0, "{}", copy.stderr);
    let refused = env.run(&format!(
        "sheet answer {thread} refuse --model script:replies.jsonl"
    ));
    // The copy has a file of its own, and left that of the thread to it.
    assert_eq!(refused.code, 0, "{}", refused.stderr);
    for (file, count) in [("out-sheets-copy.xlsx", "6 rows"), ("out.xlsx", "9 rows")] {
        let state = env.run(&format!("sheet state {file}"));
        assert!(state.stdout.contains(count), "{file}: {}", state.stdout);
    }
    for (name, count) in [("sheets-copy", "6 rows"), (thread.as_str(), "9 rows")] {
        let saved = env.run(&format!("sheet save {name} -o {name}.xlsx"));
        assert_eq!(saved.code, 0, "{}", saved.stderr);
        let state = env.run(&format!("sheet state {name}.xlsx"));
        assert!(state.stdout.contains(count), "{name}: {}", state.stdout);
    }
}

#[test]
fn the_file_of_a_copy_is_beside_that_of_its_thread_whatever_the_copy_is_called() {
    let env = with_workbook();
    let rows = json!([{"op": "delete_rows", "sheet": "Sales", "first": 2, "count": 3}]);
    script(&env, &[apply(rows), finish("gone")]);
    fs::create_dir_all(env.path("work/in/out-q")).unwrap();
    let ran = run(&env, &["-o", "in/out.xlsx"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let name = "q/../../escaped";
    let forked = env.run(&format!("threads fork {} --name {name}", ran.thread()));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let copy = env.run(&format!(
        "sheet answer {name} accept --model script:replies.jsonl"
    ));
    assert_eq!(copy.code, 0, "{}", copy.stderr);
    assert!(env.path("work/in/out-q_.._.._escaped.xlsx").exists());
    assert!(!env.path("work/escaped.xlsx").exists());
}

#[cfg(unix)]
#[test]
fn a_result_is_private_when_nobody_knows_who_could_read_its_workbook() {
    use std::os::unix::fs::PermissionsExt;
    let env = with_workbook();
    let workbook = env.path("work/sales.xlsx");
    fs::set_permissions(&workbook, fs::Permissions::from_mode(0o600)).unwrap();
    let ran = run(&env, &["-o", "out.xlsx"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    fs::remove_file(&workbook).unwrap();
    let saved = env.run(&format!("sheet save {} --at 0 -o saved.xlsx", ran.thread()));
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    for file in ["work/out.xlsx", "work/saved.xlsx"] {
        let mode = fs::metadata(env.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn an_instruction_gives_another_file_and_a_report() {
    let env = with_workbook();
    let ran = run(&env, &["-o", "out.xlsx"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("the South sells most"),
        "{}",
        ran.stdout
    );
    // A table of what came of it.
    assert!(ran.stdout.contains("Region"), "{}", ran.stdout);
    assert!(ran.stderr.contains("step 2 of 10"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("+ sheet \"By region\""),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("the workbook is in out.xlsx"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read(env.path("work/sales.xlsx")).unwrap(), SALES);
    let queried = env.run_words(&[
        "sheet",
        "state",
        "out.xlsx",
        "--sql",
        "SELECT \"Region\", \"Revenue\" FROM \"By region\"",
        "--json",
    ]);
    assert_eq!(queried.code, 0, "{}", queried.stderr);
    let rows = &queried.events()[0]["rows"];
    let calculated = json!([["South", 708], ["North", 620], ["West", 251.25]]);
    match cfg!(feature = "recalc") {
        true => assert_eq!(*rows, calculated),
        false => assert_eq!(rows[0][0], "South"),
    }
}

#[test]
fn steps_and_the_report_are_json_for_programs() {
    let env = with_workbook();
    let ran = run(&env, &["--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let events = ran.events();
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|it| it["event"].as_str())
        .collect();
    assert_eq!(
        kinds,
        [
            "thread", "planned", "observed", "planned", "observed", "planned", "observed",
            "planned", "report"
        ]
    );
    let report = report(&ran);
    assert_eq!(report["status"], "finished");
    assert_eq!(report["changes"]["sheets_added"], json!(["By region"]));
    assert_eq!(report["steps"], 3);
    // Beside the workbook, under a name that is free.
    assert_eq!(report["output"], "sales-result.xlsx");
    assert!(env.path("work/sales-result.xlsx").exists());
    let again = run(&env, &["--json"]);
    assert_eq!(self::report(&again)["output"], "sales-result-2.xlsx");
}

#[test]
fn a_dry_run_writes_nothing_and_an_output_is_not_overwritten() {
    let env = with_workbook();
    let ran = run(&env, &["--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing was written"), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("the workbook is kept as sales-result.xlsx, sha256 "),
        "{}",
        ran.stderr
    );
    assert!(!env.path("work/sales-result.xlsx").exists());
    env.write("work/out.xlsx", "mine");
    assert_eq!(run(&env, &["-o", "out.xlsx"]).code, 2);
    assert_eq!(env.read("work/out.xlsx"), "mine");
    assert_eq!(run(&env, &["-o", "out.xlsx", "--force"]).code, 0);
    let same = run(&env, &["-o", "./sales.xlsx", "--force"]);
    assert_eq!(same.code, 2);
    assert!(same.stderr.contains("SS7709"), "{}", same.stderr);
}

#[test]
fn lines_of_a_pipe_approve_no_loss() {
    let env = with_workbook();
    let delete = json!([{"op": "delete_rows", "sheet": "Sales", "first": 2, "count": 3}]);
    script(&env, &[apply(delete), finish("gone")]);
    let line = "sheet run sales.xlsx -i delete -o out.xlsx --model script:replies.jsonl";
    let ran = env.run_with(line, "y\ny\n");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(!env.path("work/out.xlsx").exists());
}

#[test]
fn changes_that_lose_something_wait_for_an_answer_and_older_versions_stay() {
    let env = with_workbook();
    let delete = json!([{"op": "delete_rows", "sheet": "Sales", "first": 2, "count": 3}]);
    let note = json!([{"op": "set", "sheet": "Sales", "cell": "F1", "value": {"text": "checked"}}]);
    script(
        &env,
        &[apply(note), apply(delete), finish("three rows are gone")],
    );
    let ran = run(&env, &["-o", "out.xlsx"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("deletes rows 2 to 4 of \"Sales\": 12 cells with content"),
        "{}",
        ran.stderr
    );
    assert!(!env.path("work/out.xlsx").exists());
    let thread = ran.thread();
    let shown = env.run(&format!("threads show {thread}"));
    assert!(shown.stdout.contains("waiting"), "{}", shown.stdout);
    let line = format!("threads resume {thread} --model script:replies.jsonl");
    assert_eq!(env.run(&line).code, 3, "there is nobody to ask");
    // A branch from before the step that asks.
    let history = env
        .run(&format!("threads history {thread} --json"))
        .events();
    let at = |wanted: &str, mut all: Vec<Json>| {
        all.retain(|it| it["next"] == json!([wanted]));
        all
    };
    let before = at("tool_node", history.clone())[0]["checkpoint"].clone();
    let given = at("planner_node", history).pop().unwrap()["checkpoint"].clone();
    let line = format!(
        "threads fork {thread} --at {} --name sheets-other",
        text(&before)
    );
    assert_eq!(env.run(&line).code, 0);
    let line = format!("sheet answer {thread} accept --model script:replies.jsonl --json");
    let done = env.run(&line);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(report(&done)["answer"], "three rows are gone");
    assert!(env.path("work/out.xlsx").exists());
    // The other branch comes to the same question, and gets another answer.
    let line = "threads resume sheets-other --model script:replies.jsonl";
    assert_eq!(env.run(line).code, 3);
    let words = [
        "sheet", "answer", "sheets-other", "refuse", "--say", "keep them", "--model",
        "script:replies.jsonl", "--json",
    ];
    let other = env.run_words(&words);
    // Its result has a file of its own.
    assert_eq!(other.code, 0, "{}", other.stderr);
    assert!(env.path("work/out-sheets-other.xlsx").exists());
    let saved = env.run("sheet save sheets-other -o kept.xlsx");
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    let rows = |file: &str| {
        let sql = "SELECT count(*) FROM \"Sales\"";
        let ran = env.run_words(&["sheet", "state", file, "--sql", sql, "--json"]);
        ran.events()[0]["rows"][0][0].clone()
    };
    assert_eq!((rows("out.xlsx"), rows("kept.xlsx")), (json!(5), json!(8)));
    // As it was given.
    let line = format!("sheet save {thread} --at {} -o first.xlsx", text(&given));
    assert_eq!(env.run(&line).code, 0);
    assert_eq!(fs::read(env.path("work/first.xlsx")).unwrap(), SALES);
    assert_eq!(env.run(&format!("trace show {thread}")).code, 0);
}

#[test]
fn another_instruction_goes_on_and_versions_that_nobody_uses_are_pruned() {
    let env = with_workbook();
    let set = |cell: &str| {
        apply(json!([{"op": "set", "sheet": "Sales", "cell": cell, "value": {"number": 1.0}}]))
    };
    script(&env, &[set("G1"), finish("one"), set("G2"), finish("two")]);
    let thread = run(&env, &["-o", "one.xlsx"]).thread();
    let line =
        format!("sheet continue {thread} -i more -o two.xlsx --model script:replies.jsonl --json");
    let more = env.run(&line);
    assert_eq!(more.code, 0, "{}", more.stderr);
    assert_eq!(report(&more)["answer"], "two");
    assert_eq!(report(&more)["changes"]["cell_count"], 2);
    let kept = env.run("sheet prune --yes --json");
    assert_eq!(kept.events()[0]["deleted"], 0, "{}", kept.stdout);
    assert_eq!(env.run(&format!("threads delete {thread} --yes")).code, 0);
    let pruned = env.run("sheet prune --yes --json");
    // The input, two results, and the operations of two steps.
    assert_eq!(pruned.events()[0]["deleted"], 5, "{}", pruned.stdout);
}

#[test]
fn versions_of_an_earlier_release_move_from_their_folder_into_the_database() {
    let env = with_workbook();
    script(&env, &[finish("nothing to do")]);
    run(&env, &["--dry-run", "--db", "t.db"]);
    // The SHA-256 of its content.
    let name = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0";
    env.write(&format!("work/t.db-workbooks/{name}"), "aaa");
    env.write("work/t.db-workbooks/notes.txt", "not a version");
    let pruned = env.run("sheet prune --yes --json --db t.db");
    assert_eq!(pruned.events()[0]["deleted"], 1, "{}", pruned.stdout);
    let left = std::fs::read_dir(env.path("work/t.db-workbooks")).unwrap();
    assert_eq!(left.count(), 1, "what is no version stays");
}

#[test]
fn limits_and_bad_files_are_exit_codes() {
    let env = with_workbook();
    let told = run(&env, &["--dry-run", "--max-steps", "1"]);
    assert_eq!(told.code, 5, "{}", told.stderr);
    assert!(told.stderr.contains("step 1 of 1"), "{}", told.stderr);
    assert!(
        told.stderr
            .contains("no step is left of 1 for ApplyOperations"),
        "{}",
        told.stderr
    );
    assert!(!told.stderr.contains("step 2"), "{}", told.stderr);
    let limited = run(&env, &["-o", "out.xlsx", "--max-steps", "1", "--json"]);
    assert_eq!(limited.code, 5, "{}", limited.stderr);
    assert_eq!(report(&limited)["status"], "step_limit");
    assert!(
        env.path("work/out.xlsx").exists(),
        "what was done is written"
    );
    env.write("work/sales.xlsx", "Region;Units");
    let bad = run(&env, &[]);
    assert_eq!(bad.code, 1);
    assert!(bad.stderr.contains("SS7501"), "{}", bad.stderr);
    let none = env.run("sheet continue sheets-none -i x --model script:replies.jsonl");
    assert_eq!(none.code, 1, "{}", none.stderr);
    assert_eq!(env.run("sheet continue archie-x -i x").code, 1);
}

#[test]
fn a_workbook_is_described_and_calculated_without_a_model() {
    let env = with_workbook();
    let state = env.run("sheet state sales.xlsx");
    assert_eq!(state.code, 0, "{}", state.stderr);
    assert!(
        state.stdout.contains("header in row 1, 8 rows of data"),
        "{}",
        state.stdout
    );
    let tables = env.run("sheet state sales.xlsx --tables --json");
    assert_eq!(tables.events()[0]["columns"][1], "Region");
    let refused = env.run_words(&[
        "sheet", "state", "sales.xlsx", "--sql", "DROP TABLE \"Sales\"",
    ]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("SS7707"), "{}", refused.stderr);
    let ran = env.run("sheet recalc sales.xlsx -o calculated.xlsx --json");
    match cfg!(feature = "recalc") {
        true => assert_eq!(ran.events()[0]["formulas"], 0, "{}", ran.stderr),
        false => assert_eq!(ran.code, 1),
    }
}

/// A workbook, a thread on it that asks, and the id of the question.
fn asked() -> (TestEnv, String, String) {
    let env = with_workbook();
    let delete =
        |first: u32| json!([{"op": "delete_rows", "sheet": "Sales", "first": first, "count": 3}]);
    script(
        &env,
        &[
            apply(delete(2)),
            apply(delete(5)),
            finish("some rows are gone"),
        ],
    );
    let ran = run(&env, &["-o", "out.xlsx", "--json"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let events = ran.events();
    let question = events.iter().find(|it| it["event"] == "question").unwrap();
    (env, ran.thread(), text(&question["id"]).to_owned())
}

#[test]
fn what_is_answered_is_printed_before_and_an_answer_is_for_the_question_it_names() {
    let (env, thread, first) = asked();
    let answer = |words: &[&str]| {
        let line = ["sheet", "answer", &thread];
        let model = ["--model", "script:replies.jsonl"];
        env.run_words(&[&line, words, &model].concat())
    };
    let short = answer(&["accept", "--question", &first[..3]]);
    assert_eq!(short.code, 2, "{}", short.stderr);
    assert!(short.stderr.contains("SS6030"), "{}", short.stderr);
    // Mail has a list of questions, spreadsheets have not.
    assert!(!short.stderr.contains("inbox"), "{}", short.stderr);
    assert!(
        short.stderr.contains("superstep threads resume"),
        "{}",
        short.stderr
    );
    // Another process refuses, and the planner proposes something else.
    let id = format!("{}-{}", &first[..4], &first[16..24]);
    let refused = answer(&["refuse", "--say", "not these", "--question", &id]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    for told in ["rows 2 to 4", "refused", "rows 5 to 7"] {
        assert!(refused.stderr.contains(told), "{told}: {}", refused.stderr);
    }
    let late = answer(&["accept", "--question", &first]);
    assert_eq!(late.code, 1, "{}", late.stderr);
    assert!(late.stderr.contains("SS6032"), "{}", late.stderr);
    assert!(!env.path("work/out.xlsx").exists());
    let accepted = answer(&["accept"]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    let told = accepted.stderr.find("rows 5 to 7").unwrap();
    assert!(told < accepted.stderr.find("accepted: ").unwrap());
    assert!(env.path("work/out.xlsx").exists());
}

#[test]
fn the_number_of_a_step_that_is_shown_is_the_number_by_which_its_workbook_is_saved() {
    let env = with_workbook();
    let set = |cell: &str| {
        apply(json!([{"op": "set", "sheet": "Sales", "cell": cell, "value": {"text": "new"}}]))
    };
    let wrong = apply(json!([{"op": "merge", "sheet": "Nowhere", "area": "A1:B1"}]));
    script(
        &env,
        &[
            set("G1"),
            wrong,
            set("G2"),
            finish("one"),
            set("G3"),
            finish("two"),
        ],
    );
    let ran = run(&env, &["-o", "one.xlsx"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let thread = ran.thread();
    for shown in ["step 1 of 10", "step 2 of 10", "step 3 of 10"] {
        assert!(ran.stderr.contains(shown), "{shown}: {}", ran.stderr);
    }
    // Another instruction goes on with the numbers: each step of a thread has its own.
    let line = format!("sheet continue {thread} -i more -o two.xlsx --model script:replies.jsonl");
    let more = env.run(&line);
    assert_eq!(more.code, 0, "{}", more.stderr);
    assert!(more.stderr.contains("step 4 of 13"), "{}", more.stderr);
    // The second one failed and changed nothing.
    let wanted: [(u32, &[&str]); 5] = [
        (0, &[]),
        (1, &["G1"]),
        (2, &["G1"]),
        (3, &["G1", "G2"]),
        (4, &["G1", "G2", "G3"]),
    ];
    for (step, cells) in wanted {
        let file = format!("at-{step}.xlsx");
        let saved = env.run(&format!("sheet save {thread} --at {step} -o {file} --json"));
        assert_eq!(saved.code, 0, "{}", saved.stderr);
        assert_eq!(saved.events()[0]["step"], step);
        let limits = superstep_sheets::workbook::Limits::default();
        let path = env.path(&format!("work/{file}"));
        let book = superstep_sheets::workbook::Workbook::open(&path, &limits).unwrap();
        let sheet = book.sheet("Sales").unwrap();
        let new: Vec<&str> = ["G1", "G2", "G3"]
            .into_iter()
            .filter(|cell| sheet.value(cell.parse().unwrap()).as_text() == Some("new"))
            .collect();
        assert_eq!(new, cells, "step {step}");
    }
    let at_0 = fs::read(env.path("work/at-0.xlsx")).unwrap();
    assert_eq!(at_0, SALES, "as it was given");
    for wrong in ["5", "99"] {
        let none = env.run(&format!("sheet save {thread} --at {wrong} -o none.xlsx"));
        assert_eq!(none.code, 1, "{}", none.stderr);
        let told = format!("has no step {wrong}: it has taken 4");
        assert!(none.stderr.contains(&told), "{}", none.stderr);
        assert!(!env.path("work/none.xlsx").exists());
    }
    let other = env.run(&format!("sheet save {thread} --at nothing -o none.xlsx"));
    assert_eq!(other.code, 1, "{}", other.stderr);
}

#[test]
fn a_question_comes_with_the_commands_that_answer_it() {
    let env = with_workbook();
    let rows = json!([{"op": "delete_rows", "sheet": "Sales", "first": 2, "count": 3}]);
    script(&env, &[apply(rows), finish("gone")]);
    let ran = run(&env, &["-o", "out.xlsx"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let thread = ran.thread();
    let told = |verdict: &str, text: &str| {
        let line = text.lines().find_map(|line| {
            let at = line.find(&format!("superstep sheet answer {thread} {verdict} "))?;
            line.get(at..)
        });
        line.unwrap_or_else(|| panic!("{verdict}: {text}"))
            .to_owned()
    };
    let accept = told("accept", &ran.stderr);
    let refuse = told("refuse", &ran.stderr);
    assert!(refuse.contains(" --question "), "{refuse}");
    // Who only looks gets them again, and for programs they are data.
    let line = format!("threads resume {thread} --model script:replies.jsonl");
    assert_eq!(told("accept", &env.run(&line).stderr), accept);
    let events = env.run(&format!("{line} --json")).events();
    let question = events.iter().find(|it| it["event"] == "question").unwrap();
    assert_eq!(text(&question["accept"]), accept);
    assert_eq!(text(&question["refuse"]), refuse);
    // It is done as it is printed.
    let done = env.run(accept.strip_prefix("superstep ").unwrap());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(env.path("work/out.xlsx").exists());
}

#[test]
fn of_two_who_answer_the_same_question_one_is_told_that_the_other_was_first() {
    let (env, thread, id) = asked();
    let line = |verdict: &str| {
        format!("sheet answer {thread} {verdict} --question {id} --model script:replies.jsonl")
    };
    let both = [line("accept"), line("refuse")].map(|line| env.command(&line).spawn().unwrap());
    let ended = both.map(|child| child.wait_with_output().unwrap());
    let told = ended
        .iter()
        .map(|it| String::from_utf8_lossy(&it.stderr).into_owned());
    let told: Vec<String> = told.collect();
    let counts = |text: &str| text.contains("accepted: ") || text.contains("refused: ");
    let [winner] = told.iter().filter(|it| counts(it)).collect::<Vec<_>>()[..] else {
        panic!("one answer counts: {told:#?}");
    };
    let loser = told.iter().position(|it| it != winner).unwrap();
    let code = ended[loser].status.code();
    assert!(code.is_some_and(|it| it != 0 && it != 3), "{}", told[loser]);
    // It depends on when it came: the question is gone, another one is open, or it was just being answered.
    let words = [
        "has no open question", "no question `", "your answer was not taken",
    ];
    assert!(
        words.iter().any(|it| told[loser].contains(it)),
        "{}",
        told[loser]
    );
    // What was decided is what the first one said.
    let shown = env.run(&format!("threads history {thread} --json"));
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let state = env.run(&format!("sheet save {thread} -o now.xlsx --force"));
    assert_eq!(state.code, 0, "{}", state.stderr);
    let rows = env.run("sheet state now.xlsx").stdout;
    let wanted = match winner.contains("accepted: ") {
        true => "5 rows of data",
        false => "8 rows of data",
    };
    assert!(rows.contains(wanted), "{winner}\n{rows}");
}

#[cfg(unix)]
#[test]
fn an_answer_about_a_workbook_that_cannot_be_announced_is_not_given() {
    let (env, thread, _) = asked();
    for (form, redirection) in [("", "2>/dev/full"), ("", "2>&-"), ("--json", ">/dev/full")] {
        let line = format!("sheet answer {thread} accept {form} --model script:replies.jsonl");
        let program = env.command(&line);
        let mut command = std::process::Command::new("sh");
        let script = format!("exec \"$0\" \"$@\" {redirection}");
        command.arg("-c").arg(script).arg(program.get_program());
        command.args(program.get_args()).env_clear();
        for (name, value) in program.get_envs() {
            command.env(name, value.unwrap());
        }
        command.current_dir(env.path("work"));
        let ended = command.output().unwrap();
        assert_eq!(
            ended.status.code(),
            Some(1),
            "{line} {redirection}: {ended:?}"
        );
        assert!(!env.path("work/out.xlsx").exists(), "{line} {redirection}");
    }
    let waiting = env.run("threads list --waiting");
    assert!(waiting.stdout.contains(&thread), "{}", waiting.stdout);
}

#[test]
fn formulas_are_calculated_as_far_as_they_can_be_and_the_rest_is_named() {
    let env = with_workbook();
    let program = "ws = workbook['Sales']\nws['H1'] = '=0.1+0.2=0.3'\nws['H2'] = '=NOSUCHFUNCTION(1)'\n\
        ws['H3'] = '=H2+1'\nws['H4'] = '=C2:C9*2'\n";
    env.write("work/formulas.py", program);
    let ran = env.run("sheet exec sales.xlsx --code formulas.py -o out.xlsx --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told = &ran.events()[0]["calculation"];
    assert_eq!(told["calculation"], "done", "{told}");
    assert_eq!(told["kept"], 2, "{told}");
    assert_eq!(told["not_calculated"][0]["cell"], "H2", "{told}");
    let again = env.run("sheet recalc out.xlsx -o again.xlsx");
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("NOSUCHFUNCTION"), "{}", again.stderr);
    let other = env.run("sheet recalc out.xlsx -o again.csv");
    assert_eq!(other.code, 2, "{}", other.stderr);
    assert!(other.stderr.contains(".xlsx"), "{}", other.stderr);
}

/// Leaves of a thread what a process leaves that is killed when it has stored its input.
fn cut_to_input(env: &TestEnv, thread: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.build().unwrap();
    let database = superstep::sqlite::Database::open(env.path("work/x.db")).unwrap();
    let saver = database.saver();
    let thread = thread.into();
    let cut = async {
        let mut archive = superstep::Saver::export(&saver, &thread).await.unwrap();
        archive
            .namespaces
            .retain(|namespace, _| namespace.is_root());
        for checkpoints in archive.namespaces.values_mut() {
            checkpoints.truncate(1);
            checkpoints[0].notes = Some(Vec::new());
        }
        superstep::Saver::delete(&saver, &thread).await.unwrap();
        superstep::Saver::import(&saver, &thread, archive)
            .await
            .unwrap();
    };
    runtime.block_on(cut);
}

#[test]
fn a_run_that_is_killed_before_its_first_step_continues_and_nothing_is_lost() {
    let env = with_workbook();
    for line in [
        "threads resume THREAD",
        "sheet continue THREAD -i go -o out.xlsx",
    ] {
        let ran = run(&env, &["-o", "out.xlsx", "--db", "x.db"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let wanted = env.run("sheet state out.xlsx").stdout;
        fs::remove_file(env.path("work/out.xlsx")).unwrap();
        let thread = ran.thread();
        cut_to_input(&env, &thread);
        let shown = env.run(&format!("threads show {thread} --json --db x.db"));
        assert_eq!(shown.events()[0]["next"], json!(["__start__"]));
        let line = line.replace("THREAD", &thread);
        let ran = env.run(&format!("{line} --model script:replies.jsonl --db x.db"));
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        assert_eq!(env.run("sheet state out.xlsx").stdout, wanted, "{line}");
        fs::remove_file(env.path("work/out.xlsx")).unwrap();
    }
}
