//! Mermaid is parsed before it is written.

use superstep_docgen::{diagrams, facts::Lookup, mermaid::check};

use crate::support::{facts, shop, tree};

#[test]
fn diagrams_that_are_right_pass() {
    let right = [
        "flowchart TD\n  a[\"Shop (new)\"] --> b(Cart) & c{Big?}\n  b -.->|\"why\"| d\n  subgraph x [\"X\"]\n    e === f\n  end\n  g -- words --> h\n",
        "graph LR;\n  my-node --> other_node;\n  a:::b ==> c\n  classDef b fill:#fff\n",
        "sequenceDiagram\n  participant A\n  A->>B: asks\n  loop each\n    B-->>A: answers\n  end\n  Note over A,B: done\n",
        "classDiagram\n  class Cart {\n    +add(item)\n    int n\n  }\n  Shop <|-- Cart\n  Shop \"1\" --> \"*\" Item : has\n",
        "stateDiagram-v2\n  [*] --> Open\n  Open --> [*] : paid\n  state Open {\n    A --> B\n  }\n",
        "erDiagram\n  CUSTOMER ||--o{ ORDER : places\n  ORDER {\n    int id\n  }\n",
    ];
    for text in right {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}

#[test]
fn diagrams_that_are_wrong_do_not() {
    let wrong = [
        "",
        "hello",
        "flowchart XX\n a --> b",
        "flowchart TD\n  a[label (b)] --> c",
        "flowchart TD\n  a -->",
        "flowchart TD\n  a --> b\n  end",
        "flowchart TD\n  subgraph x\n  a --> b",
        "flowchart TD\n  a[\"open --> b",
        "flowchart TD\n  a --> b\n  click a \"http://x\"",
        "%%{init: {\"securityLevel\": \"loose\"}}%%\nflowchart TD\n  a --> b",
        "flowchart TD\n  a[\"<img src=x onerror=alert(1)>\"] --> b",
        "flowchart TD\n  a[\"<a href='javascript:x'>\"] --> b",
        "sequenceDiagram\n  A says B",
        "sequenceDiagram\n  loop x\n  A->>B: y",
        "classDiagram\n  class Cart {\n   +x()",
        "erDiagram\n  A has B",
        "pie\n \"a\" : 1",
    ];
    for text in wrong {
        assert!(check(text).is_err(), "{text}");
    }
}

#[test]
fn diagrams_of_facts_pass_too() {
    let folder = shop();
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    let two = tree(&[
        ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("a/src/lib.rs", "pub fn a() {}\n"),
        (
            "b/Cargo.toml",
            "[package]\nname = \"b\"\n\n[dependencies]\na = { path = \"../a\" }\n",
        ),
        ("b/src/lib.rs", "pub fn b() { a::a() }\n"),
    ]);
    let of_two = crate::support::facts(two.path());
    // One component uses none.
    assert_eq!(diagrams::components(&facts), None);
    let all = [
        diagrams::components(&of_two).map(|it| it.text),
        diagrams::flow(&facts).map(|it| it.diagram),
        diagrams::types(&facts).map(|it| it.diagram),
        diagrams::impact(&lookup, "src/cart.rs"),
    ];
    for text in all {
        let text = text.unwrap();
        assert_eq!(check(&text), Ok(()), "{text}");
    }
}
