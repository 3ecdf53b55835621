//! Holds the table of articles, the code and the tests to one another, and COMPLIANCE.md to the table.
//!
//! A citation is a comment of the form `// Law EDITION ARTICLE, ARTICLE, EDITION ARTICLE: what it says`, above code
//! or above a test; a scenario cites by its `articles` in each edition that it runs under. With `ZEITNOT_BLESS=1`
//! the lists of the table and COMPLIANCE.md are written anew.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const EDITIONS: [&str; 3] = ["1997", "2014", "2023"];

/// An article of an edition.
type Key = (String, String);
/// Where each article is cited.
type Places = BTreeMap<Key, BTreeSet<String>>;

struct Article {
    key: Key,
    title: String,
    state: String,
    how: String,
    reason: Option<String>,
    code: BTreeSet<String>,
    tests: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|ext| ext == extension) {
            found.push(path);
        }
    }
    found.sort();
}

fn table() -> Vec<Article> {
    let text = fs::read_to_string(root().join("articles.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let texts = |value: &toml::Value| -> BTreeSet<String> {
        value.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let articles = table["article"].as_array().unwrap().iter().map(|row| {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        Article {
            key: (text("edition"), text("number")),
            title: text("title"),
            state: text("state"),
            how: text("how"),
            reason: row.get("reason").map(|reason| reason.as_str().unwrap().to_owned()),
            code: texts(&row["code"]),
            tests: texts(&row["tests"]),
        }
    });
    articles.collect()
}

/// The articles of a citation, or nothing if the line is none.
fn citation(line: &str) -> Vec<Key> {
    let Some(rest) = line.trim_start().strip_prefix("// Law ") else { return Vec::new() };
    let items = rest.split_once(": ").map_or(rest, |(items, _)| items);
    let mut edition = String::new();
    let mut keys = Vec::new();
    for item in items.split([',', ';']) {
        let item = item.split(" (").next().unwrap().trim().trim_end_matches('.');
        let (first, article) = item.split_once(' ').unwrap_or(("", item));
        let article = if EDITIONS.contains(&first) {
            first.clone_into(&mut edition);
            article
        } else {
            item
        };
        keys.push((edition.clone(), article.to_owned()));
    }
    keys
}

/// Citations in the source, by file, and in the tests, by name of the test.
fn citations() -> (Places, Places) {
    let (mut code, mut tests) = (Places::new(), Places::new());
    let mut sources = Vec::new();
    for folder in ["src", "tests"] {
        files(&root().join(folder), "rs", &mut sources);
    }
    for file in sources {
        let name = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let is_test = name.starts_with("tests") || name.ends_with("tests.rs");
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            for key in citation(line) {
                if !is_test {
                    code.entry(key).or_default().insert(name.trim_start_matches("src/").to_owned());
                } else if let Some(test) = test_below(&lines[at..]) {
                    let stem = name.trim_start_matches("tests/").trim_end_matches(".rs");
                    tests.entry(key).or_default().insert(format!("{stem}::{test}"));
                }
            }
        }
    }
    (code, tests)
}

/// The test that this comment stands above.
fn test_below(lines: &[&str]) -> Option<String> {
    let mut below = lines.iter().skip_while(|line| line.trim_start().starts_with("//"));
    let attribute = below.next()?;
    let function = below.find(|line| line.trim_start().starts_with("fn "))?;
    attribute.trim_start().starts_with("#[test]").then(|| {
        let name = function.trim_start().trim_start_matches("fn ");
        name.split('(').next().unwrap().to_owned()
    })
}

/// Adds what scenarios cite. An article's head stands for all of its parts.
fn scenarios(known: &BTreeSet<Key>, tests: &mut Places) -> Vec<String> {
    let mut stray = Vec::new();
    let mut all = Vec::new();
    files(&root().join("scenarios"), "toml", &mut all);
    for file in all {
        let table: toml::Table = fs::read_to_string(&file).unwrap().parse().unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let editions = |table: &toml::Table| -> Vec<String> {
            let one = |value: &toml::Value| value.as_str().unwrap().trim_start_matches("fide-").to_owned();
            match table.get("edition") {
                Some(toml::Value::Array(list)) => list.iter().map(one).collect(),
                Some(value) => vec![one(value)],
                None => Vec::new(),
            }
        };
        let mut under: BTreeSet<String> = editions(&table).into_iter().collect();
        if let Some(variants) = table.get("variant") {
            for variant in variants.as_array().unwrap() {
                under.extend(editions(variant.as_table().unwrap()));
            }
        }
        for article in table["articles"].as_array().unwrap() {
            // `2014 6.4` cites one edition only, where another numbers something else so.
            let article = article.as_str().unwrap();
            let (only, article) = match article.split_once(' ') {
                Some((edition, rest)) if EDITIONS.contains(&edition) => (Some(edition), rest),
                _ => (None, article),
            };
            let mut cites = false;
            for edition in under.iter().filter(|edition| only.is_none_or(|only| only == *edition)) {
                let key = (edition.clone(), article.to_owned());
                cites |= known.iter().any(|(e, number)| e == edition && number.starts_with(article));
                if known.contains(&key) {
                    tests.entry(key).or_default().insert(stem.clone());
                }
            }
            if !cites {
                stray.push(format!("scenario {stem} cites {article}, which has no row"));
            }
        }
    }
    stray
}

fn write_table(articles: &[Article]) {
    let path = root().join("articles.toml");
    let old = fs::read_to_string(&path).unwrap();
    let mut text = old.split("\n[[article]]").next().unwrap().to_owned();
    let list = |items: &BTreeSet<String>| {
        let quoted: Vec<String> = items.iter().map(|item| format!("\"{item}\"")).collect();
        format!("[{}]", quoted.join(", "))
    };
    for article in articles {
        let (edition, number) = &article.key;
        writeln!(text, "\n[[article]]\nedition = \"{edition}\"\nnumber = \"{number}\"").unwrap();
        writeln!(text, "title = \"{}\"\nstate = \"{}\"", article.title, article.state).unwrap();
        writeln!(text, "how = \"{}\"", article.how).unwrap();
        if let Some(reason) = &article.reason {
            writeln!(text, "reason = \"{reason}\"").unwrap();
        }
        writeln!(text, "code = {}\ntests = {}", list(&article.code), list(&article.tests)).unwrap();
    }
    fs::write(path, text).unwrap();
}

/// COMPLIANCE.md from the table.
fn page(articles: &[Article]) -> String {
    let mut page = String::from(
        "# Compliance\n\nWhat Zeitnot does about each article of the FIDE Laws of Chess, in the three editions that it \
         knows. Generated from\n`articles.toml` by the test `compliance`; change the table, not this page.\n\n\
         *enforced*: the code sees to it. *arbiter*: the arbiter does, by a command that the code carries out and\n\
         records. *organizer*: beyond a single game. *physical*: only bodies can break it.\n\n",
    );
    for edition in EDITIONS {
        let of = |state: &str| {
            articles.iter().filter(|a| a.key.0 == edition && (state.is_empty() || a.state == state)).count()
        };
        writeln!(
            page,
            "- {edition}: {} articles; {} enforced, {} arbiter, {} organizer, {} physical",
            of(""),
            of("enforced"),
            of("arbiter"),
            of("organizer"),
            of("physical"),
        )
        .unwrap();
    }
    let join = |items: &BTreeSet<String>| {
        let shown: Vec<String> = items.iter().map(|item| format!("`{item}`")).collect();
        shown.join(" ")
    };
    for edition in EDITIONS {
        writeln!(page, "\n## {edition}\n\n| article | what | state | how | code | tests |").unwrap();
        writeln!(page, "|---|---|---|---|---|---|").unwrap();
        for article in articles.iter().filter(|a| a.key.0 == edition) {
            let Article { key, title, state, how, reason, code, tests } = article;
            let how = reason.as_ref().unwrap_or(how);
            let (code, tests) = (join(code), join(tests));
            writeln!(page, "| {} | {title} | {state} | {how} | {code} | {tests} |", key.1).unwrap();
        }
    }
    page
}

// Law 1997 14.1, 2014 Preface, 2023 Preface: an article without code or without a test is found here.
#[test]
fn table_code_and_tests_agree() {
    let mut articles = table();
    let known: BTreeSet<Key> = articles.iter().map(|article| article.key.clone()).collect();
    assert_eq!(known.len(), articles.len(), "an article has two rows");
    let (code, mut tests) = citations();
    let mut wrong = scenarios(&known, &mut tests);
    for (key, places) in code.iter().chain(&tests) {
        if !known.contains(key) {
            wrong.push(format!("{} {} is cited in {places:?} and has no row", key.0, key.1));
        }
    }
    let bless = std::env::var_os("ZEITNOT_BLESS").is_some();
    for article in &mut articles {
        let none = BTreeSet::new();
        let cited = (code.get(&article.key).unwrap_or(&none), tests.get(&article.key).unwrap_or(&none));
        if bless {
            (article.code, article.tests) = (cited.0.clone(), cited.1.clone());
        }
        let name = format!("{} {}", article.key.0, article.key.1);
        if (&article.code, &article.tests) != cited {
            wrong
                .push(format!("{name}: the table names other places than cite it; run with ZEITNOT_BLESS=1"));
        }
        match article.state.as_str() {
            "enforced" | "arbiter" if article.code.is_empty() => {
                wrong.push(format!("{name}: no code cites it"));
            }
            "enforced" | "arbiter" if article.tests.is_empty() => {
                wrong.push(format!("{name}: no test cites it"));
            }
            "organizer" | "physical" if article.reason.is_none() => wrong.push(format!("{name}: no reason")),
            "enforced" | "arbiter" | "organizer" | "physical" => {}
            other => wrong.push(format!("{name}: no such state: {other}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let compliance = root().join("COMPLIANCE.md");
    if bless {
        write_table(&articles);
        fs::write(&compliance, page(&articles)).unwrap();
    }
    let stands = fs::read_to_string(&compliance).unwrap_or_default();
    assert!(stands == page(&articles), "COMPLIANCE.md is stale; run this test with ZEITNOT_BLESS=1");
}
