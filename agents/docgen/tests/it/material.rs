//! What a model reads: code that fits, chosen by what it says.

use std::{path::Path, sync::Arc};

use superstep_docgen::{
    AgentContext, Profile,
    agents::{custom_agents, standard_agents},
    query,
};

use crate::support::{facts, tree};

fn context(folder: &Path) -> AgentContext {
    AgentContext {
        root: folder.to_owned(),
        facts: Arc::new(facts(folder)),
        room: 40_000,
        profile: Profile::Strong,
    }
}

fn shop() -> tempfile::TempDir {
    let long: String = (0..300).map(|n| format!("x{n} = {n}\n")).collect();
    let long = format!("{long}def late():\n    db.execute(f\"select {{x1}}\")\n");
    tree(&[
        (
            "src/shop/api.py",
            "from flask import Flask\napp = Flask(__name__)\n\n\n@app.route(\"/pay\")\ndef pay():\n    return \"ok\"\n",
        ),
        (
            "src/shop/payments.py",
            "def charge(r):\n    try:\n        r.check()\n    except ValueError:\n        return None\n",
        ),
        ("src/shop/store.py", long.as_str()),
        ("src/shop/plain.py", "x = 1\n"),
        (
            "src/shop/cli.py",
            "def main():\n    print('listening')\n\n\nif __name__ == '__main__':\n    main()\n",
        ),
        ("prod.env", "A=b\n"),
    ])
}

fn prompt_of(name: &str, context: &AgentContext) -> String {
    let agents = standard_agents();
    let agent = agents.iter().find(|it| it.name() == name).unwrap();
    agent.human_prompt(context)
}

#[test]
fn excerpts_are_chosen_by_what_files_say() {
    let folder = shop();
    let context = context(folder.path());
    let security = prompt_of("security-analyzer", &context);
    assert!(
        security.contains("    5 @app.route(\"/pay\")"),
        "{security}"
    );
    // Of a long file, the place that has the word.
    assert!(security.contains("  302     db.execute("), "{security}");
    assert!(!security.contains("x1 = 1"), "{security}");
    assert!(!security.contains("plain.py"), "{security}");
    let errors = prompt_of("error-handling", &context);
    assert!(errors.contains("    4     except ValueError:"), "{errors}");
}

#[test]
fn words_of_an_agent_of_a_file_are_looked_for_in_contents() {
    let folder = tree(&[("src/a.ts", "export const x = '<input aria-label=\"y\">';\n")]);
    let text = "[[agents]]\nname = \"accessibility\"\nsystem = \"x\"\nwords = [\"Aria\"]\n";
    let agent = custom_agents(text).unwrap().remove(0);
    let prompt = agent.human_prompt(&context(folder.path()));
    assert!(prompt.contains("aria-label"), "{prompt}");
}

#[test]
fn excerpts_stay_within_their_room() {
    let folder = shop();
    let mut context = context(folder.path());
    context.room = 1_500;
    let prompt = prompt_of("security-analyzer", &context);
    assert!(prompt.len() < 1_700, "{}", prompt.len());
}

#[test]
fn a_question_that_names_nothing_is_asked_with_facts() {
    let folder = shop();
    let context = context(folder.path());
    let ask = |question: &str| {
        let hits = query::find(&context.facts, question, 20);
        query::prompt(question, &hits, &context)
    };
    let prompt = ask("What starts the server?");
    assert!(prompt.contains("main at src/shop/cli.py:"), "{prompt}");
    assert!(prompt.contains("- src/shop/payments.py"), "{prompt}");
    let prompt = ask("Which files may hold secrets?");
    assert!(prompt.contains("prod.env may hold secrets"), "{prompt}");
    // What fits is there once.
    let prompt = ask("Where is charge of payments?");
    assert_eq!(
        prompt.matches("    1 def charge(r):").count(),
        1,
        "{prompt}"
    );
}
