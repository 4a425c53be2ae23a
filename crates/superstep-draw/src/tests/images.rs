//! Images and Mermaid: every node and edge is there, and no name breaks out.

use std::collections::BTreeSet;

use crate::{
    DrawnEdge, EdgeKind,
    layout::Layout,
    listing,
    tests::{check, hostile, mail, samples},
    words,
};

/// Checks that the text is one element with balanced tags, and returns the text of its titles.
fn titles(xml: &str) -> Vec<String> {
    let (mut open, mut titles) = (Vec::new(), Vec::new());
    let mut rest = xml.trim_end();
    while let Some((text, after)) = rest.split_once('<') {
        assert!(
            !text.contains('>') || open.last() == Some(&"style"),
            "a stray > in {text:?}"
        );
        assert!(
            !open.is_empty() || text.is_empty(),
            "text outside of the image"
        );
        for entity in text.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
            assert!(
                known.iter().any(|known| entity.starts_with(known)),
                "&{entity}"
            );
        }
        if open.last() == Some(&"title") {
            titles.push(text.to_owned());
        }
        let (tag, after) = after.split_once('>').expect("a tag that ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "an open quote in <{tag}>");
        let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = after;
    }
    assert!(open.is_empty() && rest.is_empty());
    assert!(
        xml.chars()
            .all(|c| c == '\n' || (!c.is_control() && c < '\u{fffe}' || c > '\u{ffff}'))
    );
    titles
}

#[test]
fn an_image_is_balanced_and_names_every_node_and_edge() {
    for sample in samples() {
        let image = sample.svg();
        let titles = titles(&image);
        for outside in ["<script", "href", "@import", "http://", "https://"] {
            let own = usize::from(outside == "http://");
            assert_eq!(image.matches(outside).count(), own, "{outside} in an image");
        }
        let escape = |title: String| {
            let title = title
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            title.replace('"', "&quot;").replace('\'', "&apos;")
        };
        let name = |index: usize| escape(sample.nodes[index].title());
        for index in 0..sample.nodes.len() {
            assert!(titles.contains(&name(index)));
        }
        for edge in sample.sound_edges() {
            assert!(titles.contains(&format!("{} → {}", name(edge.from), name(edge.to))));
            let label = edge.words().unwrap_or_default();
            assert!(
                image.contains(&escape(words::shorten(&label, 32))),
                "{label}"
            );
        }
    }
}

#[test]
fn mermaid_has_a_line_for_every_node_and_edge_and_no_name_breaks_out() {
    for sample in samples() {
        let chart = sample.mermaid();
        let (mut nodes, mut edges) = (BTreeSet::new(), 0);
        for line in chart.lines().skip(1).map(str::trim) {
            let bare: String = line.split('"').step_by(2).collect();
            let safe = |c: char| c.is_ascii_alphanumeric() || " _[]()|<>=:-.#,".contains(c);
            assert!(bare.chars().all(safe), "{line}");
            assert_eq!(line.matches('"').count() % 2, 0, "{line}");
            let words: Vec<_> = bare.split(' ').collect();
            match words.as_slice() {
                ["end"] | ["direction", "TD"] | ["classDef" | "linkStyle", ..] => {}
                ["subgraph", id] => assert!(nodes.insert(id.replace("[]", ""))),
                [from, arrow, to] => {
                    assert!(nodes.contains(*from) && nodes.contains(*to), "{line}");
                    let arrow = arrow.trim_end_matches('|');
                    assert!(["-->", "-.->", "==>", "--o"].contains(&arrow), "{line}");
                    edges += 1;
                }
                [shape] => {
                    let id = shape.trim_end_matches(":::terminal");
                    let id = id.trim_end_matches("([])").trim_end_matches("[]");
                    assert!(id.starts_with('n') && id.len() > 1, "{line}");
                    assert!(nodes.insert(id.to_owned()), "{id} is there twice");
                }
                other => panic!("no such line: {other:?}"),
            }
        }
        let insides = sample.nodes.iter().filter_map(|node| node.inside.as_ref());
        let (inner_nodes, inner_edges) = insides.fold((0, 0), |sum, one| {
            (sum.0 + one.nodes.len(), sum.1 + one.edges.len())
        });
        assert_eq!(nodes.len(), sample.nodes.len() + inner_nodes);
        assert_eq!(edges, sample.sound_edges().count() + inner_edges);
    }
}

#[test]
fn a_loop_on_a_subgraph_leads_from_its_end_to_its_start_in_mermaid() {
    let mut drawing = mail();
    drawing.edges = vec![DrawnEdge {
        from: 2,
        to: 2,
        label: None,
        kind: EdgeKind::Command,
    }];
    let chart = drawing.mermaid();
    assert!(chart.contains("    n2_3 -.-> n2_0\n"), "{chart}");
    assert!(
        chart.contains("    linkStyle 4 stroke-dasharray"),
        "{chart}"
    );
    check(&drawing, &Layout::new(&drawing, 0));
}

#[test]
fn notes_stand_with_the_name() {
    let mut drawing = mail();
    drawing.nodes[2].note = Some("deferred".to_owned());
    drawing.nodes[3].note = Some("pause before".to_owned());
    let text = drawing.text(None);
    assert!(text.contains("─ respond (deferred) ─"), "{text}");
    assert!(text.contains("│ (pause before) │"), "{text}");
    assert!(
        drawing
            .mermaid()
            .contains("n3[\"notify<br/>(pause before)\"]")
    );
    assert!(drawing.svg().contains(">(pause before)</text>"));
    assert!(drawing.text(Some(20)).contains("(pause before"));
}

#[test]
fn no_name_reaches_the_terminal_unescaped() {
    let drawing = hostile();
    for text in [drawing.text(None), drawing.text(Some(30))] {
        assert!(!text.contains(|c: char| c != '\n' && c.is_control()));
        assert!(!text.contains('\u{202e}'));
    }
    assert!(listing::write(&drawing, None).contains("line\\nbreak\\r\\ttab"));
}
