//! Drawings without any outside resource.

use std::fmt::Write as _;

/// Room for the drawing and for its labels.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 30.0;
const TOP: f64 = 24.0;

/// A line with its name and colour.
pub struct Line<'a> {
    /// What it shows.
    pub name: &'a str,
    /// A colour of CSS.
    pub color: &'a str,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// How an axis is divided.
pub struct Axis<'a> {
    /// What it measures.
    pub name: &'a str,
    /// Labels and where they stand.
    pub marks: Vec<(f64, String)>,
    /// From where to where.
    pub range: (f64, f64),
    /// Whether equal ratios are equally far apart.
    pub logarithmic: bool,
}

impl Axis<'_> {
    /// An axis from nothing to the largest of some values.
    pub fn up_to(name: &str, largest: f64) -> Axis<'_> {
        let step = nice(largest.max(1e-9) / 4.0);
        let top = (largest / step).ceil().max(1.0) * step;
        let marks = (0..=8).map(|n| f64::from(n) * step).filter(|mark| *mark <= top * 1.001);
        let marks = marks.map(|mark| (mark, format!("{}", (mark * 1e6).round() / 1e6))).collect();
        Axis { name, marks, range: (0.0, top), logarithmic: false }
    }

    fn place(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        if self.logarithmic {
            (value.max(low).ln() - low.ln()) / (high.ln() - low.ln()).max(1e-9)
        } else {
            (value - low) / (high - low).max(1e-9)
        }
    }
}

/// 1, 2 or 5 times a power of ten, at least so much.
fn nice(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|nice| *nice >= step * 0.999).unwrap_or(step)
}

/// A drawing of some lines.
pub fn chart(x: &Axis<'_>, y: &Axis<'_>, lines: &[Line<'_>]) -> String {
    let at_x = |value: f64| LEFT + x.place(value) * (WIDTH - LEFT - 20.0);
    let at_y = |value: f64| HEIGHT - BOTTOM - y.place(value).clamp(0.0, 1.0) * (HEIGHT - BOTTOM - TOP);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
    for (value, label) in &x.marks {
        let at = at_x(*value);
        let (from, to) = (TOP, HEIGHT - BOTTOM);
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{from}\" y2=\"{to}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            to + 16.0
        );
    }
    for (value, label) in &y.marks {
        let at = at_y(*value);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - 20.0,
            LEFT - 6.0,
            at + 4.0
        );
    }
    let _ = write!(svg, "<text x=\"{LEFT}\" y=\"14\">{}</text>", y.name);
    let right = WIDTH - 20.0;
    let _ =
        write!(svg, "<text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", HEIGHT - 2.0, x.name);
    for (line, from_right) in lines.iter().zip(0u32..) {
        let points: Vec<String> =
            line.points.iter().map(|(px, py)| format!("{:.1},{:.1}", at_x(*px), at_y(*py))).collect();
        let _ = write!(
            svg,
            "<polyline fill=\"none\" stroke=\"{0}\" stroke-width=\"1.6\" points=\"{1}\"/>\
             <text x=\"{2:.1}\" y=\"14\" style=\"fill:{0}\" text-anchor=\"end\">{3}</text>",
            line.color,
            points.join(" "),
            right - 150.0 * f64::from(from_right),
            line.name
        );
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_stays_within_its_frame() {
        let line = Line { name: "a", color: "red", points: vec![(0.0, 0.0), (5.0, 7.0), (10.0, 70.0)] };
        let svg = chart(&Axis::up_to("s", 10.0), &Axis::up_to("ms", 10.0), &[line]);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        for point in points.split(' ') {
            let (x, y) = point.split_once(',').unwrap();
            let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
            assert!((LEFT..=WIDTH).contains(&x) && (TOP..=HEIGHT).contains(&y), "{point}");
        }
    }
}
