//! The result lines: the same fields, in the same order, as every engine of the suite prints.

use crate::meter::{Cost, load1};

/// One result.
pub(crate) struct Line<'a> {
    /// Which workload.
    pub(crate) workload: &'a str,
    /// With which settings.
    pub(crate) variant: &'a str,
    /// How many units the cost is spread over.
    pub(crate) units: usize,
    /// What it cost.
    pub(crate) cost: Cost,
    /// More members, as JSON without braces.
    pub(crate) extra: &'a str,
}

impl Line<'_> {
    /// Prints the line.
    pub(crate) fn print(&self) {
        println!("{}", self.json(load1()));
    }

    fn json(&self, load: f64) -> String {
        let Self {
            workload,
            variant,
            units,
            cost,
            extra,
        } = self;
        let Cost { wall, cpu } = cost;
        let per_unit = |seconds: &f64| seconds / *units as f64 * 1e6;
        let version = env!("CARGO_PKG_VERSION");
        let comma = if extra.is_empty() { "" } else { "," };
        format!(
            "{{\"peer\":\"superstep\",\"ver\":\"{version}\",\"workload\":\"{workload}\",\
             \"variant\":\"{variant}\",\"units\":{units},\"wall_s\":{wall:.9},\"cpu_s\":{cpu:.9},\
             \"us_per_unit\":{:.4},\"cpu_us_per_unit\":{:.4},\"load1\":{load}{comma}{extra}}}",
            per_unit(wall),
            per_unit(cpu),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_fields_of_the_suite_in_order() {
        let cost = Cost {
            wall: 0.5,
            cpu: 0.25,
        };
        let line = Line {
            workload: "chain",
            variant: "n=2",
            units: 2,
            cost,
            extra: "\"a\":1",
        };
        assert_eq!(
            line.json(1.5),
            format!(
                "{{\"peer\":\"superstep\",\"ver\":\"{}\",\"workload\":\"chain\",\
                 \"variant\":\"n=2\",\"units\":2,\"wall_s\":0.500000000,\"cpu_s\":0.250000000,\
                 \"us_per_unit\":250000.0000,\"cpu_us_per_unit\":125000.0000,\"load1\":1.5,\
                 \"a\":1}}",
                env!("CARGO_PKG_VERSION")
            )
        );
    }
}
