//! A client in another language, written from `proto/PROTOCOL.md` alone.

use zeitnot_tests::{Server, python};

#[test]
fn a_python_client_plays_to_mate() {
    let server = Server::start();
    let pin = server.pin.to_string();
    let said = python::run("client.py", &[&server.contact().authority(), &pin]);
    assert!(said.contains("Qxf7#"), "{said}");
    assert!(said.contains("a claim: 1/2-1/2") && said.contains("a resignation: 1-0"), "{said}");
    let metrics = server.metrics();
    assert_eq!(metrics.refusals("stale"), 1, "the one stale move");
    assert_eq!(metrics.count("zeitnot_duplicates_total"), 1, "the one command sent again");
}

#[test]
fn a_python_codec_reads_and_writes_the_golden_vectors() {
    let said = python::run("check_vectors.py", &[]);
    assert!(said.contains("vectors agree"), "{said}");
}
