//! What every form of a drawing must show, and pictures of a few small graphs.

#![allow(
    clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing
)]

use std::collections::{BTreeMap, BTreeSet};

mod images;

use super::channel::{self, Net};
use super::layout::{Layout, Placed};
use super::point::Point;
use super::words::columns;
use super::{Drawing, DrawnEdge, DrawnNode, EdgeKind, NodeKind};

/// Reads lines such as `a -> b` or `a ?>:label b`; `->` always, `?>` conditional, `=>` join,
/// `!>` command, `*>` send. Nodes come in the order they are first named.
fn graph(spec: &str) -> Drawing {
    let mut drawing = Drawing::default();
    for line in spec.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        let mut index = |name: &str| {
            let known = drawing.nodes.iter().position(|node| node.name == name);
            known.unwrap_or_else(|| {
                drawing.nodes.push(node(name));
                drawing.nodes.len() - 1
            })
        };
        let from = index(words[0]);
        let Some(to) = words.get(2).map(|name| index(name)) else {
            continue;
        };
        let (arrow, label) = words[1].split_once(':').unwrap_or((words[1], ""));
        let kind = match arrow {
            "->" => EdgeKind::Always,
            "?>" => EdgeKind::Conditional,
            "=>" => EdgeKind::Join,
            "!>" => EdgeKind::Command,
            "*>" => EdgeKind::Send,
            other => panic!("no such arrow: {other}"),
        };
        let label = (!label.is_empty()).then(|| label.to_owned());
        drawing.edges.push(DrawnEdge {
            from,
            to,
            label,
            kind,
        });
    }
    drawing
}

fn node(name: &str) -> DrawnNode {
    let kind = match name {
        "START" => NodeKind::Start,
        "END" => NodeKind::End,
        _ => NodeKind::Plain,
    };
    DrawnNode {
        name: name.to_owned(),
        kind,
        note: None,
        inside: None,
    }
}

fn agent_loop() -> Drawing {
    graph("START -> agent\n agent ?>:call tools\n agent ?>:done END\n tools -> agent")
}

fn diamond() -> Drawing {
    graph(
        "START -> plan\n plan -> left\n plan -> right\n left => merge\n right => merge\n merge -> END",
    )
}

fn mail() -> Drawing {
    let mut mail = graph(
        "START -> triage\n triage ?>:respond respond\n triage ?>:notify notify
         triage ?>:ignore END\n notify -> respond\n respond -> END",
    );
    let respond = graph(
        "START -> llm_call\n llm_call ?>:tool_calls tools\n tools -> llm_call\n llm_call ?>:done END",
    );
    mail.nodes[2].inside = Some(Box::new(respond));
    mail
}

fn fan_out() -> Drawing {
    let workers = (0..20).map(|n| format!("split *> w{n}\n w{n} => join\n"));
    graph(&format!(
        "START -> split\n {} join -> END",
        workers.collect::<String>()
    ))
}

fn hostile() -> Drawing {
    let names = [
        "end",
        "subgraph",
        "",
        " ",
        "a\"b",
        "a]b[c",
        "line\nbreak\r\ttab",
        "<script>alert('&')</script>",
        "]]>",
        "`*md*`",
        "#quot;",
        "n0",
        "漢字かな",
        "e\u{301}cole",
        "\u{202e}backwards\u{7}\u{1b}[31m",
        "👩‍🔬 lab",
        "--> n1",
        "\u{fffe}",
        "x\u{0}y",
    ];
    let mut drawing = Drawing {
        nodes: names.iter().map(|name| node(name)).collect(),
        edges: vec![],
    };
    for from in 0..names.len() {
        let to = (from * 7 + 3) % names.len();
        let label = Some(names[(from + 5) % names.len()].to_owned());
        drawing.edges.push(DrawnEdge {
            from,
            to,
            label,
            kind: EdgeKind::Conditional,
        });
    }
    drawing.edges.push(DrawnEdge {
        from: 0,
        to: 99,
        label: None,
        kind: EdgeKind::Always,
    });
    drawing.edges.push(DrawnEdge {
        from: usize::MAX,
        to: 1,
        label: None,
        kind: EdgeKind::Send,
    });
    drawing.nodes[3].note = Some("\"note\"\n".to_owned());
    drawing
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % sides
    }

    fn drawing(&mut self, most: usize) -> Drawing {
        let arrows = [
            "->", "->", "?>", "?>:yes", "?>:otherwise", "=>", "!>", "*>", "!>:go",
        ];
        let count = 1 + self.roll(most);
        let mut spec = String::from("START -> n0\n");
        for _ in 0..count + self.roll(count) {
            let (from, to) = (self.roll(count), self.roll(count));
            spec += &format!("n{from} {} n{to}\n", arrows[self.roll(arrows.len())]);
        }
        if self.roll(2) == 0 {
            spec += &format!("n{} -> END\n", self.roll(count));
        }
        graph(&spec)
    }
}

fn samples() -> Vec<Drawing> {
    let mut samples = vec![
        Drawing::default(),
        graph("alone"),
        graph("START -> a\n a -> END\n lonely\n other -> more"),
        graph("a -> a"),
        graph("a -> b\n b -> a"),
        graph("a ?>:x a\n a -> a\n a !> a\n b ?>:again a\n a *> b"),
        graph("a ?>:yes b\n a ?>:perhaps b\n a ?> b\n a -> b\n a => b"),
        agent_loop(),
        diamond(),
        mail(),
        fan_out(),
        hostile(),
    ];
    let mut dice = Dice(0x5eed_cafe);
    samples.extend((0..300).map(|_| dice.drawing(11)));
    samples.extend((0..10).map(|_| dice.drawing(60)));
    for _ in 0..20 {
        let mut outer = dice.drawing(8);
        let host = dice.roll(outer.nodes.len());
        outer.nodes[host].inside = Some(Box::new(dice.drawing(8)));
        samples.push(outer);
    }
    samples
}

#[test]
fn a_loop_runs_back_up_beside_its_nodes() {
    let picture = "
         ╭───────╮
         │ START │
         ╰───┬───╯
             ▼
         ┌───────┐
╭───────►│ agent │
│        └───┬───┘
│      ╭╌╌╌╌╌┴╌╌╌╌╌╮
│      ╎ call      ╎ done
│      ▼           ▼
│  ┌───────┐    ╭─────╮
╰──┤ tools │    │ END │
   └───────┘    ╰─────╯

╌╌ conditional
";
    assert_eq!(agent_loop().text(None), &picture[1..]);
}

#[test]
fn a_join_is_one_line_into_its_target() {
    let picture = "
     ╭───────╮
     │ START │
     ╰───┬───╯
         ▼
      ┌──────┐
      │ plan │
      └──┬───┘
   ╭─────┴─────╮
   ▼           ▼
┌──────┐   ┌───────┐
│ left │   │ right │
└──╥───┘   └───╥───┘
   ╚═════╦═════╝
         ▼
     ┌───────┐
     │ merge │
     └───┬───┘
         ▼
      ╭─────╮
      │ END │
      ╰─────╯

══ join
";
    assert_eq!(diamond().text(None), &picture[1..]);
}

#[test]
fn a_subgraph_is_drawn_inside_its_node() {
    let picture = "
                       ╭───────╮
                       │ START │
                       ╰───┬───╯
                           ▼
                       ┌────────┐
                       │ triage │
                       └───┬────┘
              ╭╌╌╌╌╌╌╌╌╌┬╌╌┴╌╌╌╌╌╌╌╌╌╮
              ╎ notify  ╎ respond    ╎ ignore
              ▼         ╎            ╎
          ┌────────┐    ╎            ╎
          │ notify │    ╎            ╎
          └───┬────┘    ╎            ╎
              │         ╎            ╎
              ▼         ▼            ╎
┌─ respond ───────────────────────┐  ╎
│             ╭───────╮           │  ╎
│             │ START │           │  ╎
│             ╰───┬───╯           │  ╎
│                 ▼               │  ╎
│            ┌──────────┐         │  ╎
│ ╭─────────►│ llm_call │         │  ╎
│ │          └────┬─────┘         │  ╎
│ │      ╭╌╌╌╌╌╌╌╌┴╌╌╌╌╌╌╌╌╮      │  ╎
│ │      ╎ tool_calls      ╎ done │  ╎
│ │      ▼                 ▼      │  ╎
│ │  ┌───────┐          ╭─────╮   │  ╎
│ ╰──┤ tools │          │ END │   │  ╎
│    └───────┘          ╰─────╯   │  ╎
└───────────────────────────┬─────┘  ╎
                            │   ╭╌╌╌╌╯
                            ▼   ▼
                          ╭───────╮
                          │  END  │
                          ╰───────╯

╌╌ conditional
";
    assert_eq!(mail().text(None), &picture[1..]);
}

#[test]
fn a_subgraph_is_a_block_of_its_own_in_mermaid() {
    let chart = r#"flowchart TD
    n0(["START"]):::terminal
    n1["triage"]
    subgraph n2["respond"]
        direction TD
        n2_0(["START"]):::terminal
        n2_1["llm_call"]
        n2_2["tools"]
        n2_3(["END"]):::terminal
        n2_0 --> n2_1
        n2_1 -.->|"tool_calls"| n2_2
        n2_2 --> n2_1
        n2_1 -.->|"done"| n2_3
    end
    n3["notify"]
    n4(["END"]):::terminal
    n0 --> n1
    n1 -.->|"respond"| n2
    n1 -.->|"notify"| n3
    n1 -.->|"ignore"| n4
    n3 --> n2
    n2 --> n4
    classDef terminal fill:#e3ecf7,stroke:#4a6fa5,color:#1c2b3a
"#;
    assert_eq!(mail().mermaid(), chart);
}

#[test]
fn a_picture_too_wide_becomes_a_list() {
    let list = "
START
  ─► agent
agent
  ╌► tools [call]
  ╌► END [done]
tools
  ─► agent
END
";
    assert_eq!(agent_loop().text(Some(20)), &list[1..]);
    let picture = agent_loop().text(None);
    let width = picture.lines().map(columns).max().unwrap();
    assert_eq!(agent_loop().text(Some(width)), picture);
    assert_ne!(agent_loop().text(Some(width - 1)), picture);
}

#[test]
fn text_is_never_wider_than_asked() {
    for sample in samples() {
        for width in [1, 2, 7, 30, 80] {
            let text = sample.text(Some(width));
            let widest = text.lines().map(columns).max().unwrap_or(0);
            assert!(
                widest <= width,
                "{widest} columns where {width} were asked:\n{text}"
            );
        }
    }
}

#[test]
fn a_list_shows_every_node_and_edge() {
    for sample in samples()
        .into_iter()
        .filter(|sample| !sample.nodes.is_empty())
    {
        let list = super::listing::write(&sample, None);
        let arrows = list.lines().filter(|line| line.contains("► ")).count();
        let inside = sample.nodes.iter().filter_map(|node| node.inside.as_ref());
        let inside: usize = inside.map(|inside| inside.edges.len()).sum();
        assert_eq!(arrows, sample.sound_edges().count() + inside);
        for node in &sample.nodes {
            assert!(
                list.lines().any(|line| line.starts_with(&node.title())),
                "{list}"
            );
        }
    }
}

/// The cells of a path with the arms it has in each: 1 up, 2 right, 4 down, 8 left.
fn arms(points: &[Point]) -> BTreeMap<Point, usize> {
    let mut arms = BTreeMap::new();
    for pair in points.windows(2) {
        let step = (
            (pair[1].0 - pair[0].0).signum(),
            (pair[1].1 - pair[0].1).signum(),
        );
        assert!(
            step.0 * step.1 == 0 && step != (0, 0),
            "neither across nor down: {pair:?}"
        );
        let (out, back) = match step {
            (1, _) => (2, 8),
            (-1, _) => (8, 2),
            (_, 1) => (4, 1),
            _ => (1, 4),
        };
        let mut cell = pair[0];
        while cell != pair[1] {
            *arms.entry(cell).or_insert(0) |= out;
            cell = (cell.0 + step.0, cell.1 + step.1);
            *arms.entry(cell).or_insert(0) |= back;
        }
    }
    arms
}

fn holds(placed: &Placed, (x, y): Point) -> bool {
    (placed.x..placed.x + placed.w).contains(&x) && (placed.y..placed.y + placed.h).contains(&y)
}

/// On the border, but not on a corner.
fn borders(placed: &Placed, (x, y): Point) -> bool {
    let across = x == placed.x || x == placed.x + placed.w - 1;
    let down = y == placed.y || y == placed.y + placed.h - 1;
    holds(placed, (x, y)) && across != down
}

fn check(drawing: &Drawing, layout: &Layout) {
    let expected: BTreeSet<_> = drawing
        .sound_edges()
        .map(|edge| (edge.from, edge.to, edge.kind))
        .collect();
    let mut drawn = BTreeSet::new();
    let mut lines: BTreeMap<Point, Vec<(usize, usize)>> = BTreeMap::new();
    let mut tips = BTreeSet::new();
    for (index, wire) in layout.wires.iter().enumerate() {
        let mut cells = BTreeMap::new();
        for path in &wire.paths {
            assert!(
                drawn.insert((path.from, path.to, wire.kind)),
                "an edge is drawn twice"
            );
            let (first, last) = (path.points[0], *path.points.last().unwrap());
            assert!(
                borders(&layout.boxes[path.from], first),
                "{path:?} leaves no border"
            );
            assert!(
                borders(&layout.boxes[path.to], last),
                "{path:?} enters no border"
            );
            let before = path.points[path.points.len() - 2];
            let step = ((last.0 - before.0).signum(), (last.1 - before.1).signum());
            tips.insert((index, (last.0 - step.0, last.1 - step.1)));
            for (cell, more) in arms(&path.points) {
                let on_box = layout.boxes.iter().any(|placed| holds(placed, cell));
                assert!(
                    !on_box || cell == first || cell == last,
                    "a wire runs over a box"
                );
                *cells.entry(cell).or_insert(0) |= more;
            }
        }
        cells
            .into_iter()
            .for_each(|(cell, arms)| lines.entry(cell).or_default().push((index, arms)));
    }
    assert_eq!(drawn, expected);
    for (cell, wires) in &lines {
        match wires.as_slice() {
            [_] => {}
            [(_, 5), (_, 10)] | [(_, 10), (_, 5)] => {}
            more => panic!("wires run into each other at {cell:?}: {more:?}"),
        }
    }
    for (wire, cell) in tips {
        let [(only, 5 | 10)] = lines[&cell][..] else {
            panic!("no room for an arrow head")
        };
        assert_eq!(only, wire);
    }
    let mut words = BTreeSet::new();
    for label in layout.wires.iter().flat_map(|wire| &wire.labels) {
        for x in label.at.0..label.at.0 + columns(&label.text) as i32 {
            let cell = (x, label.at.1);
            let free = !lines.contains_key(&cell) && words.insert(cell);
            assert!(free, "the label {:?} covers something", label.text);
            assert!(!layout.boxes.iter().any(|placed| holds(placed, cell)));
            assert!((0..layout.width).contains(&cell.0) && (0..layout.height).contains(&cell.1));
        }
    }
    for (index, placed) in layout.boxes.iter().enumerate() {
        assert!(placed.x >= 0 && placed.x + placed.w <= layout.width);
        assert!(placed.y >= 0 && placed.y + placed.h <= layout.height);
        for other in &layout.boxes[..index] {
            let apart = placed.x >= other.x + other.w || other.x >= placed.x + placed.w;
            let apart = apart || placed.y >= other.y + other.h || other.y >= placed.y + placed.h;
            assert!(apart, "two boxes overlap");
        }
        if let (Some(inside), Some((content, at))) =
            (&drawing.nodes[index].inside, placed.content())
        {
            assert!(placed.x < at.0 && at.0 + content.width < placed.x + placed.w);
            assert!(placed.y < at.1 && at.1 + content.height < placed.y + placed.h);
            check(inside, content);
        }
    }
}

#[test]
fn nothing_in_a_layout_overlaps_and_every_edge_connects_its_nodes() {
    samples()
        .iter()
        .for_each(|sample| check(sample, &Layout::new(sample, 0)));
}

#[test]
fn nets_that_exchange_columns_change_tracks_instead_of_running_into_each_other() {
    let net = |top: i32, bottom: i32| Net {
        tops: vec![top],
        bottoms: vec![bottom],
        ..Net::default()
    };
    let mut nets = [net(0, 4), net(4, 0), net(8, 8)];
    assert_eq!(channel::route(&mut nets), 3);
    let [first, second, straight] = nets;
    assert_eq!((first.tracks, first.change), ((0, 2), Some(2)));
    assert_eq!((second.tracks, second.change), ((1, 1), None));
    assert_eq!((straight.tracks, straight.change), ((0, 0), None));
}

/// Follows the lines of a picture from every opening in a box to the arrow heads they lead to.
fn read_edges(picture: &str, boxes: &[Placed]) -> BTreeSet<(usize, usize)> {
    const LINES: [&str; 5] = [
        " │─╰││╭├─╯─┴╮┤┬┼",
        " ╎╌╰╎╎╭├╌╯╌┴╮┤┬┼",
        " ║═╚║║╔╠═╝═╩╗╣╦╬",
        " ┊┈╰┊┊╭├┈╯┈┴╮┤┬┼",
        " ┃━┗┃┃┏┣━┛━┻┓┫┳╋",
    ];
    let rows: Vec<Vec<char>> = picture.lines().map(|line| line.chars().collect()).collect();
    let glyph = |(x, y): Point| {
        *rows
            .get(y as usize)
            .and_then(|row| row.get(x as usize))
            .unwrap()
    };
    let lines: Vec<Vec<char>> = LINES.iter().map(|line| line.chars().collect()).collect();
    let open = |c: char| {
        lines
            .iter()
            .find_map(|line| line.iter().rposition(|other| *other == c))
    };
    let steps = [
        (1, (0, -1), 4),
        (2, (1, 0), 8),
        (4, (0, 1), 1),
        (8, (-1, 0), 2),
    ];
    let mut edges = BTreeSet::new();
    for (from, placed) in boxes.iter().enumerate() {
        let mut ways: Vec<(Point, usize)> = Vec::new();
        for x in placed.x..placed.x + placed.w {
            for y in placed.y..placed.y + placed.h {
                match glyph((x, y)) {
                    '┬' | '╥' | '┰' => ways.push(((x, y), 4)),
                    '├' | '╞' | '┝' => ways.push(((x, y), 2)),
                    '┤' | '╡' | '┥' => ways.push(((x, y), 8)),
                    _ => {}
                }
            }
        }
        let mut seen = BTreeSet::new();
        while let Some((cell, heading)) = ways.pop() {
            if !seen.insert((cell, heading)) {
                continue;
            }
            let (_, step, back) = steps.into_iter().find(|step| step.0 == heading).unwrap();
            let next = (cell.0 + step.0, cell.1 + step.1);
            if boxes.iter().any(|other| holds(other, next)) {
                continue;
            }
            match (glyph(next), heading) {
                ('▼', 4) | ('►', 2) | ('◄', 8) => {
                    let target = (next.0 + step.0, next.1 + step.1);
                    let to = boxes.iter().position(|other| holds(other, target)).unwrap();
                    edges.insert((from, to));
                }
                (c, _) => {
                    let arms = open(c).unwrap_or_else(|| panic!("{c} at {next:?}\n{picture}"));
                    let crosses = arms & back == 0;
                    assert!(!crosses || arms == 5, "a line ends at {next:?}:\n{picture}");
                    let onward = steps.iter().map(|step| step.0).filter(|arm| match crosses {
                        true => *arm == heading,
                        false => *arm != back && arms & arm != 0,
                    });
                    ways.extend(onward.map(|arm| (next, arm)));
                }
            }
        }
    }
    edges
}

#[test]
fn the_edges_can_be_read_back_from_the_picture() {
    let is_narrow = |sample: &Drawing| {
        let one_column = |c: char| super::words::width(c) == 1;
        sample
            .nodes
            .iter()
            .all(|node| node.name.chars().all(one_column))
    };
    let mut read = 0;
    for sample in samples().iter().filter(|sample| is_narrow(sample)) {
        let Some(picture) = super::text::write(sample, None) else {
            continue;
        };
        let layout = Layout::new(sample, 0);
        let expected = sample
            .sound_edges()
            .map(|edge| (edge.from, edge.to))
            .collect();
        if sample.nodes.iter().all(|node| node.inside.is_none()) {
            assert_eq!(read_edges(&picture, &layout.boxes), expected, "\n{picture}");
            read += 1;
        }
        for label in sample.edges.iter().filter_map(|edge| edge.label.as_ref()) {
            assert!(
                picture.contains(label.as_str()),
                "{label} is not in\n{picture}"
            );
        }
        for node in &sample.nodes {
            assert!(
                picture.contains(&node.title()),
                "{} is not in\n{picture}",
                node.name
            );
        }
    }
    assert!(read > 300);
}

#[test]
fn nesting_ends_where_it_would_be_too_deep() {
    let mut drawing = graph("START -> innermost\n innermost -> END");
    for level in (0..40).rev() {
        let mut outer = graph("START -> level\n level -> END");
        outer.nodes[1].name = format!("level{level}");
        outer.nodes[1].inside = Some(Box::new(drawing));
        drawing = outer;
    }
    for form in [
        drawing.text(None),
        drawing.svg(),
        drawing.mermaid(),
        drawing.text(Some(9)),
    ] {
        let flat = form.replace(['\n', '│', ' '], "");
        assert!(
            flat.contains("level16") && !flat.contains("level17"),
            "{form}"
        );
    }
    check(&drawing, &Layout::new(&drawing, 0));
}

#[test]
fn the_same_graph_is_drawn_the_same_way() {
    for sample in samples().iter().take(60) {
        assert_eq!(sample.text(None), sample.clone().text(None));
        assert_eq!(sample.svg(), sample.clone().svg());
    }
}

#[test]
fn a_thousand_nodes_are_laid_out() {
    let mut dice = Dice(7);
    let chain = (1..1000).map(|to| (to - 1, to));
    let far = (0..2000).map(|_| (dice.roll(1000), dice.roll(1000)));
    let tree = (1..1000).map(|to| ((to - 1) / 3, to));
    let dense = (0..1000).flat_map(|from| (1..6).map(move |by| (from, (from + by * 7) % 1000)));
    let shapes: [Vec<(usize, usize)>; 4] = [
        chain.clone().collect(),
        chain.chain(far).collect(),
        tree.collect(),
        dense.collect(),
    ];
    for pairs in shapes {
        let edge = |(from, to)| DrawnEdge {
            from,
            to,
            label: None,
            kind: EdgeKind::Always,
        };
        let nodes = (0..1000).map(|index| node(&format!("n{index}"))).collect();
        let drawing = Drawing {
            nodes,
            edges: pairs.into_iter().map(edge).collect(),
        };
        assert_eq!(Layout::new(&drawing, 0).boxes.len(), 1000);
    }
}
