//! The page: one file that needs nothing else.

use super::svg::{Axis, Line, chart};
use super::{Findings as _, Report, ms, spans};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 1em;color:#222}\
    h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}svg{width:100%;height:auto}svg text{font-size:11px;fill:#555}\
    .grid{stroke:#ddd;stroke-width:1}pre{background:#f6f6f6;padding:1em;overflow:auto;font-size:12.5px}\
    .passed{color:#14731c}.failed{color:#b01010}";
const COLORS: [&str; 6] = ["#1f5fb4", "#c2410c", "#14731c", "#7c3aed", "#a16207", "#be123c"];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn framed(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>{STYLE}</style></head><body>{body}</body></html>\n"
    )
}

/// A page that holds a table as it is.
pub fn plain(text: &str) -> String {
    framed("Zeitnot load test", &format!("<h1>Zeitnot load test</h1><pre>{}</pre>", escaped(text)))
}

/// The page of a report.
pub fn page(report: &Report) -> String {
    let (class, verdict) = if report.passed() { ("passed", "passed") } else { ("failed", "FAILED") };
    let scenario = report.scenario;
    let phases = report.phases.iter().map(|phase| {
        let latencies = distribution(&phase.tally);
        format!("<h2>{}: how long it took</h2>{latencies}", escaped(&phase.name))
    });
    let body = [
        format!("<h1>Zeitnot load test: {scenario} <span class=\"{class}\">{verdict}</span></h1>"),
        phases.collect(),
        format!("<h2>Second by second</h2>{}", timeline(report)),
        format!("<h2>All figures</h2><pre>{}</pre>", escaped(&report.to_string())),
    ]
    .concat();
    framed(&format!("Zeitnot load test: {scenario}"), &body)
}

/// Latencies by the share of all that they stay below; nines are equally far apart.
fn distribution(tally: &crate::measure::Tally) -> String {
    // In one of how many a span is longer.
    let rarities: Vec<f64> = (0..=48).map(|step| 10f64.powf(f64::from(step) / 12.0)).collect();
    let lines: Vec<Line<'_>> = spans(tally)
        .zip(COLORS)
        .map(|((name, spans), color)| {
            let enough = rarities.iter().filter(|rarity| **rarity <= super::ratio(spans.count(), 1.0));
            let points = enough.map(|rarity| (*rarity, ms(spans.quantile_us(1.0 - 1.0 / rarity)))).collect();
            Line { name, color, points }
        })
        .collect();
    let values = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let (low, high) = (values().fold(f64::MAX, f64::min).max(0.01), values().fold(0.1, f64::max));
    let marks =
        [(1.0, "0"), (2.0, "50 %"), (10.0, "90 %"), (100.0, "99 %"), (1e3, "99.9 %"), (1e4, "99.99 %")];
    let x = Axis {
        name: "",
        marks: marks.into_iter().map(|(at, label)| (at, label.to_owned())).collect(),
        range: (1.0, 1e4),
        logarithmic: true,
    };
    let powers = (-2..=5).map(|power| 10f64.powi(power));
    let y = Axis {
        name: "milliseconds",
        marks: powers
            .filter(|p| *p >= low / 10.0 && *p <= high * 10.0)
            .map(|p| (p, format!("{p}")))
            .collect(),
        range: (10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil())),
        logarithmic: true,
    };
    chart(&x, &y, &lines)
}

fn timeline(report: &Report) -> String {
    let seconds = &report.timeline;
    let x = Axis::up_to("seconds", seconds.last().map_or(1.0, |second| second.at));
    let draw = |name: &str, lines: Vec<Line<'_>>| {
        let values = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
        let y = Axis::up_to(name, values.fold(0.0, f64::max));
        chart(&x, &y, &lines)
    };
    let of = |name: &'static str, color, value: &dyn Fn(&super::Second) -> Option<f64>| Line {
        name,
        color,
        points: seconds.iter().filter_map(|second| Some((second.at, value(second)?))).collect(),
    };
    let mut page = draw("moves a second", vec![of("moves a second", COLORS[0], &|s| Some(s.moves))]);
    page.push_str(&draw(
        "move to opponent, milliseconds",
        vec![of("p99", COLORS[1], &|s| Some(s.p99_ms)), of("p50", COLORS[0], &|s| Some(s.p50_ms))],
    ));
    if seconds.iter().any(|second| second.cores.is_some()) {
        page.push_str(&draw("server CPU, cores", vec![of("CPU", COLORS[2], &|s| s.cores)]));
        page.push_str(&draw("server memory, MiB", vec![of("memory", COLORS[3], &|s| s.mib)]));
    }
    page
}
