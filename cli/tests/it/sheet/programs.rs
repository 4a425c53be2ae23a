//! Python programs on workbooks in the sandboxes of the real binary: of people, and of a model.

use std::{fs, path::PathBuf};

use serde_json::{Value as Json, json};
use superstep_sheets::workbook::{Limits, Workbook};

use super::{SALES, finish, report, run, script, with_workbook};
use crate::env::TestEnv;

#[test]
fn a_program_runs_on_a_workbook_without_a_model_and_by_the_model() {
    let env = with_workbook();
    let program = "ws = workbook['Sales']\nws['F1'] = 'Twice'\nws['F2'] = ws['C2'].value * 2\nprint(ws.max_row)  # Done\n";
    env.write("work/twice.py", program);
    let ran = env.run("sheet exec sales.xlsx --code twice.py -o out.xlsx --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told = &ran.events()[0];
    assert_eq!(told["stdout"], "9\n");
    assert_eq!(told["changes"]["cell_count"], 2);
    assert_eq!(told["sandbox"], "embedded");
    assert_eq!(fs::read(env.path("work/sales.xlsx")).unwrap(), SALES);
    env.write("work/bad.py", "workbook['Nowhere']\n");
    let bad = env.run("sheet exec sales.xlsx --code bad.py --dry-run");
    assert_eq!(bad.code, 1);
    assert!(bad.stderr.contains("SS7602"), "{}", bad.stderr);
    let none = env.run("sheet exec sales.xlsx --code twice.py --dry-run --sandbox bare");
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("SS7607"), "{}", none.stderr);
    let call = json!({"calls": [{"name": "PythonInterpreter", "args": {"code": program}}]});
    script(&env, &[call, finish("doubled")]);
    let ran = run(&env, &["--json", "-o", "by-model.xlsx"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(report(&ran)["changes"]["cell_count"], 2);
}

/// A file of the tests of the sandboxes.
fn shared(path: &str) -> PathBuf {
    let tests = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/superstep-sandbox/tests"
    );
    PathBuf::from(tests).join(path)
}

fn python(code: &str) -> Json {
    json!({"calls": [{"name": "PythonInterpreter", "args": {"code": code}}]})
}

/// All cells of a workbook, as the tests of the sandboxes have them.
fn cells(env: &TestEnv, file: &str) -> String {
    let book = Workbook::open(&env.path(&format!("work/{file}")), &Limits::default()).unwrap();
    let mut text = String::new();
    for sheet in &book.sheets {
        text.push_str(&format!("[{}]\n", sheet.name));
        for (at, cell) in sheet.cells().filter(|(_, cell)| !cell.is_blank()) {
            let value = match cell.formula() {
                Some(formula) => format!("={}", formula.text),
                None => book.shown(cell),
            };
            let value = match value.contains('\n') {
                true => format!("'{}'", value.replace('\n', "\\n")),
                false => value,
            };
            text.push_str(&format!("{at} {value}\n"));
        }
    }
    text
}

/// Values by SQL of what a program made.
fn queried(env: &TestEnv, sql: &str) -> Json {
    let ran = env.run_words(&["sheet", "state", "out.xlsx", "--sql", sql, "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.events()[0]["rows"].clone()
}

#[test]
fn programs_that_models_write_give_the_workbook_that_they_describe() {
    let wanted = [
        "02-formula-column", "06-header-style", "07-number-formats", "09-freeze-and-filter",
        "10-conditional-cellis", "12-merge-title", "14-bar-chart", "16-sheets-add-remove-copy",
        "18-sort-rows",
    ];
    let env = TestEnv::new();
    fs::copy(shared("programs/sales.xlsx"), env.path("work/sales.xlsx")).unwrap();
    for name in wanted {
        let code = fs::read_to_string(shared(&format!("programs/{name}.py"))).unwrap();
        env.write("work/program.py", &code);
        let by_hand = env.run("sheet exec sales.xlsx --code program.py -o out.xlsx --force --json");
        assert_eq!(by_hand.code, 0, "{name}: {}", by_hand.stderr);
        script(&env, &[python(&code), finish("done")]);
        let by_model = run(&env, &["--json", "-o", "model.xlsx", "--force"]);
        // It deletes a sheet that is not its own: that waits for a person.
        if name == "16-sheets-add-remove-copy" {
            assert_eq!(by_model.code, 3, "{name}: {}", by_model.stderr);
            continue;
        }
        assert_eq!(by_model.code, 0, "{name}: {}", by_model.stderr);
        let expected = fs::read_to_string(shared(&format!("programs/{name}.cells"))).unwrap();
        let expected = expected.split("[printed]").next().unwrap();
        for file in ["out.xlsx", "model.xlsx"] {
            assert_eq!(cells(&env, file), expected, "{name}: {file}");
        }
        if name == "18-sort-rows" {
            let first = queried(
                &env,
                "SELECT \"Region\", \"Product\" FROM \"Sales\" LIMIT 1",
            );
            assert_eq!(first, json!([["West", "Plum"]]));
        }
    }
}

#[test]
fn programs_that_attack_are_observations_within_limits_and_nothing_is_changed() {
    let env = with_workbook();
    let config = "[agents.sheets]\nprogram_seconds = 3\n";
    env.write("home/.config/superstep/config.toml", config);
    env.write("work/canary", "alive");
    let canary = env.path("work/canary");
    let attacks = [
        "20-endless-loop", "19-big-power", "21-huge-string", "07-fork-bomb", "01-read-passwd",
        "05-socket", "02-write-outside",
    ];
    let mut replies: Vec<Json> = attacks
        .map(|name| {
            let code = fs::read_to_string(shared(&format!("escapes/{name}.py"))).unwrap();
            python(&code.replace("CANARY", canary.to_str().unwrap()))
        })
        .into();
    replies.push(finish("nothing worked"));
    script(&env, &replies);
    let ran = run(&env, &["--json", "-o", "out.xlsx"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let events = ran.events();
    let observed = events.iter().filter(|it| it["event"] == "observed");
    assert_eq!(observed.count(), attacks.len());
    assert!(!ran.stdout.contains("root:"), "{}", ran.stdout);
    for event in events.iter().filter(|it| it["event"] == "observed") {
        assert!(!event.to_string().contains("ESCAPED"), "{event}");
    }
    assert_eq!(report(&ran)["status"], "finished");
    assert_eq!(report(&ran)["changes"]["cell_count"], 0);
    assert_eq!(fs::read_to_string(canary).unwrap(), "alive");
    assert_eq!(fs::read(env.path("work/sales.xlsx")).unwrap(), SALES);
}

#[test]
fn what_a_program_printed_is_there_whole_or_it_is_said_how_much_is_not() {
    let env = with_workbook();
    // More than a model reads, and all of it is there.
    env.write(
        "work/much.py",
        "for n in range(20_000):\n    print('line', n)\n",
    );
    let ran = env.run("sheet exec sales.xlsx --code much.py --dry-run");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("line 19999\n"));
    assert!(!ran.stderr.contains("bytes more"), "{}", ran.stderr);
    env.write(
        "work/too-much.py",
        "line = 'x' * 1023\nfor n in range(17 << 10):\n    print(line)\n",
    );
    let ran = env.run("sheet exec sales.xlsx --code too-much.py --dry-run");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.len(), 16 << 20);
    assert!(
        ran.stderr.contains("printed 1048576 bytes more"),
        "{}",
        ran.stderr
    );
    // One that fails has printed something, too.
    env.write("work/fails.py", "print('so far')\nworkbook['Nowhere']\n");
    let failed = env.run("sheet exec sales.xlsx --code fails.py --dry-run");
    assert_eq!((failed.code, failed.stdout.as_str()), (1, "so far\n"));
    let failed = env.run("sheet exec sales.xlsx --code fails.py --dry-run --json");
    let told = &failed.events()[0];
    assert_eq!(
        (&told["failed"], &told["stdout"]),
        (&json!(true), &json!("so far\n"))
    );
}

#[test]
fn a_program_may_be_piped_in() {
    let env = with_workbook();
    let line = "sheet exec sales.xlsx --code - -o out.xlsx";
    let ran = env.run_with(line, "workbook['Sales']['F1'] = 'piped'\nprint('ran')\n");
    assert_eq!(
        (ran.code, ran.stdout.lines().next()),
        (0, Some("ran")),
        "{}",
        ran.stderr
    );
    assert!(cells(&env, "out.xlsx").contains("F1 piped"));
    let none = env.run("sheet exec sales.xlsx --code - --dry-run");
    assert_eq!(none.code, 2, "{}", none.stderr);
    assert!(none.stderr.contains("piped in"), "{}", none.stderr);
}

#[test]
fn a_program_without_a_model_heeds_the_settings_of_its_agent() {
    let env = with_workbook();
    env.write("work/loop.py", "while True:\n    pass\n");
    let config = "home/.config/superstep/config.toml";
    env.write(config, "[agents.sheets]\nprogram_seconds = 1\n");
    let stopped = env.run("sheet exec sales.xlsx --code loop.py --dry-run");
    assert_eq!(stopped.code, 1, "{}", stopped.stdout);
    assert!(stopped.stderr.contains("SS7603"), "{}", stopped.stderr);
    env.write(config, "[agents.sheets]\nsandbox = \"nowhere\"\n");
    let unknown = env.run("sheet exec sales.xlsx --code loop.py --dry-run");
    assert!(unknown.stderr.contains("SS7607"), "{}", unknown.stderr);
    env.write("work/look.py", "print('ran')\n");
    let named = env.run("sheet exec sales.xlsx --code look.py --dry-run --sandbox embedded");
    assert_eq!(named.code, 0, "{}", named.stderr);
}

#[test]
fn a_sandbox_that_cannot_be_used_is_refused_and_the_doctor_says_why() {
    // There is no interpreter on this path.
    let env = with_workbook().with("PATH", "/nonexistent");
    env.write("work/look.py", "print(workbook.sheetnames)\n");
    let refused = env.run("sheet exec sales.xlsx --code look.py --dry-run --sandbox cpython");
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    let code = match cfg!(target_os = "linux") {
        true => "SS7601",
        false => "SS7607",
    };
    assert!(refused.stderr.contains(code), "{}", refused.stderr);
    let told = env.run("doctor --json");
    let tiers: Vec<Json> = told
        .events()
        .into_iter()
        .filter(|it| it["check"] == "sandbox")
        .collect();
    assert_eq!(tiers[0]["health"], "good");
    if cfg!(target_os = "linux") {
        assert_eq!(tiers[1]["health"], "absent");
        let why = tiers[1]["told"].as_str().unwrap();
        assert!(why.starts_with("cpython: `python3`"), "{why}");
    }
    let ran = env.run("sheet exec sales.xlsx --code look.py --dry-run");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
