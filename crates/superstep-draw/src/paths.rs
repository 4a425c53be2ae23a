//! Paths: every link as a line of corners from the border of one box to that of another.
//!
//! The last step of `layout.rs`; the corners are cells, read by `text.rs` and `svg.rs`.

use std::collections::BTreeMap;

use super::lanes;
use super::layout::{Label, Path, Wire};
use super::point::Point;
use super::ports::LOOP_LANE;
use super::rows::Rows;
use super::sketch::{Course, End, Link, Segment, Side, Sketch, Strand, Touch};
use super::words::columns;

/// Columns from a wire to its label.
const TO_LABEL: i32 = 2;

impl Sketch {
    /// Traces all wires.
    pub(super) fn trace(&self, rows: &Rows) -> Vec<Wire> {
        let mut segments: BTreeMap<usize, Vec<(usize, &Segment)>> = BTreeMap::new();
        for (gap, all) in self.gaps.iter().enumerate() {
            for segment in all {
                let of_link = segments.entry(segment.link).or_default();
                of_link.push((gap, segment));
            }
        }
        let lanes = lanes::assign(self, rows);
        let wire = |(index, strand): (usize, &Strand)| {
            let (mut paths, mut labels) = (Vec::new(), Vec::new());
            for link in &strand.links {
                let Some(Link {
                    from, to, label, ..
                }) = self.links.get(*link)
                else {
                    continue;
                };
                let (points, (x, y)) = if strand.course == Course::Down {
                    self.down(rows, segments.get(link).map_or(&[], Vec::as_slice))
                } else {
                    let source = self.item(*from);
                    let beside = source.x + source.w + LOOP_LANE;
                    let lane = lanes.get(&index).copied().unwrap_or(beside);
                    self.around(
                        rows,
                        lane,
                        (*from, End::Leave, index),
                        (*to, End::Enter, index),
                    )
                };
                let x = match strand.side {
                    Side::Left => x + 1 - TO_LABEL - columns(label) as i32,
                    Side::Right => x + TO_LABEL,
                };
                if !label.is_empty() {
                    labels.push(Label {
                        at: (x, y),
                        text: label.clone(),
                    });
                }
                paths.push(Path {
                    from: *from,
                    to: *to,
                    points: corners(points),
                });
            }
            let (kind, shape) = (strand.kind, strand.shape);
            Wire {
                kind,
                shape,
                paths,
                labels,
            }
        };
        self.wires.iter().enumerate().map(wire).collect()
    }

    /// The points of a link that runs down, and the one its label is beside.
    fn down(&self, rows: &Rows, segments: &[(usize, &Segment)]) -> (Vec<Point>, Point) {
        let (mut points, mut label) = (Vec::new(), (0, 0));
        for &(gap, segment) in segments {
            let (top, bottom) = self.columns(segment);
            if points.is_empty() {
                let source = self.item(segment.top);
                points.push((top, rows.layer(source.layer) + source.h - 1));
                label = (bottom, rows.labels(gap));
            }
            points.extend(rows.way(gap, segment, self));
            points.push((bottom, rows.layer(gap)));
        }
        (points, label)
    }

    /// The points of a link that runs in a lane, and the one its label is beside.
    fn around(&self, rows: &Rows, lane: i32, leave: Touch, enter: Touch) -> (Vec<Point>, Point) {
        let mut points = self.to_lane(rows, lane, leave);
        let arrival = self.to_lane(rows, lane, enter);
        points.extend(arrival.into_iter().rev());
        (points, (lane, rows.lane_row(enter, self)))
    }

    fn to_lane(&self, rows: &Rows, lane: i32, touch: Touch) -> Vec<Point> {
        let row = rows.lane_row(touch, self);
        let item = self.item(touch.0);
        if self.stubs.contains_key(&touch) {
            let border = if lane < item.x {
                item.x
            } else {
                item.x + item.w - 1
            };
            return vec![(border, row), (lane, row)];
        }
        let top = rows.layer(item.layer);
        let border = if touch.1 == End::Enter {
            top
        } else {
            top + item.h - 1
        };
        let column = self.column(touch);
        vec![(column, border), (column, row), (lane, row)]
    }
}

/// The points without those that lie on the line between their neighbors.
fn corners(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if kept.last() == Some(&point) {
            continue;
        }
        if let [.., before, last] = kept.as_slice() {
            let (a, b, c) = (*before, *last, point);
            if (a.0 == b.0 && b.0 == c.0) || (a.1 == b.1 && b.1 == c.1) {
                kept.pop();
            }
        }
        kept.push(point);
    }
    kept
}
