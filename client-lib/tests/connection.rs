//! Connecting: trust, hello, requests and their replies.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Peer, within};
use proptest::prelude::*;
use std::io::Write;
use zeitnot_client::connection::Tuning;
use zeitnot_client::proto::close::Code;
use zeitnot_client::proto::control::{Credential, Notice, Reply, Request, ToClient, ToServer};
use zeitnot_client::proto::{Refusal, Stamp};
use zeitnot_client::{Client, Connector, Error, Options, Trust};

#[tokio::test]
async fn a_pinned_key_is_trusted_and_another_is_not() {
    let peer = Peer::start();
    let (client, _) = tokio::join!(Client::connect(peer.options()), peer.welcome());
    assert_eq!(&*client.unwrap().0.welcome().await.unwrap().name, "guest");

    let other = Options { trust: Trust::Pin(Peer::start().pin), ..peer.options() };
    let refused = tokio::spawn(Client::connect(other));
    // The handshake fails on the peer's side as well.
    assert!(within(async { peer.endpoint.accept().await.unwrap().await }).await.is_err());
    let error = within(refused).await.unwrap().unwrap_err();
    assert!(matches!(error, Error::NotTrusted(_)) && error.is_final(), "{error:?}");
}

#[tokio::test]
async fn an_authority_vouches_for_a_name() {
    let peer = Peer::start();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(peer.pem.as_bytes()).unwrap();
    let trust = Trust::Ca(file.path().to_path_buf());
    // The certificate is for `localhost`, so the name counts and the bare address does not.
    let connect = |host: &str| {
        let server = format!("{host}:{}", peer.address.port());
        let trust = trust.clone();
        async move {
            let connector = Connector::new(&trust, Tuning::default()).unwrap();
            connector.open(&server, Credential::Guest).await
        }
    };
    let wrong = tokio::spawn(connect("127.0.0.1"));
    assert!(within(async { peer.endpoint.accept().await.unwrap().await }).await.is_err());
    assert!(matches!(within(wrong).await.unwrap(), Err(Error::NotTrusted(_))));
    let right = tokio::spawn(connect("localhost"));
    let (_guest, _) = peer.welcome().await;
    within(right).await.unwrap().unwrap();

    assert!(matches!(
        Connector::new(&Trust::Ca("/no/such/file.pem".into()), Tuning::default()),
        Err(Error::Trust(_))
    ));
}

#[tokio::test]
async fn replies_find_their_requests() {
    let peer = Peer::start();
    let (client, (mut guest, hello)) = tokio::join!(Client::connect(peer.options()), peer.welcome());
    let (client, mut notices) = client.unwrap();
    assert_eq!(hello.credential, Credential::Guest);
    let ask = |request| {
        let client = client.clone();
        tokio::spawn(async move { client.request(request).await })
    };
    let first = ask(Request::Ping);
    let Some(ToServer::Request { id: one, .. }) = guest.control.next().await else { panic!() };
    let second = ask(Request::ListPlayers { after: None });
    let Some(ToServer::Request { id: two, .. }) = guest.control.next().await else { panic!() };
    assert_ne!(one, two);
    // In another order, with one for nobody and a notice between.
    guest.control.send(&ToClient::Reply { id: two, result: Err(Refusal::Busy) }).await;
    guest.control.send(&ToClient::Reply { id: 77, result: Ok(Reply::Done) }).await;
    guest.control.send(&ToClient::Notice(Notice::Draining { retry_after_us: 5 })).await;
    guest.control.send(&ToClient::Reply { id: one, result: Ok(Reply::Pong { now: Stamp(9) }) }).await;
    assert_eq!(within(first).await.unwrap(), Ok(Reply::Pong { now: Stamp(9) }));
    assert_eq!(within(second).await.unwrap(), Err(Error::Refused(Refusal::Busy)));
    assert_eq!(within(notices.recv()).await, Some(Notice::Draining { retry_after_us: 5 }));
}

#[tokio::test]
async fn a_request_whose_connection_breaks_is_unanswered() {
    let peer = Peer::start();
    let (client, (mut guest, _)) = tokio::join!(Client::connect(peer.options()), peer.welcome());
    let (client, _notices) = client.unwrap();
    let asked = tokio::spawn({
        let client = client.clone();
        async move { client.request(Request::Ping).await }
    });
    guest.control.next::<ToServer>().await.unwrap();
    guest.close(Code::Internal);
    assert_eq!(within(asked).await.unwrap(), Err(Error::Unanswered));
    // The client comes back by itself, as the same guest, and works again.
    let (mut guest, hello) = peer.welcome().await;
    assert_eq!(hello.credential, Credential::Token("guest-token".try_into().unwrap()));
    let (reply, ()) = tokio::join!(client.request(Request::Ping), async {
        let Some(ToServer::Request { id, .. }) = guest.control.next().await else { panic!() };
        guest.control.send(&ToClient::Reply { id, result: Ok(Reply::Done) }).await;
    });
    assert_eq!(reply, Ok(Reply::Done));
    within(client.close()).await;
    assert!(within(guest.connection.closed()).await.to_string().contains("closed by peer: 0"));
}

#[tokio::test]
async fn being_turned_away_is_named_and_final() {
    let peer = Peer::start();
    for code in [Code::BadToken, Code::NoGuests, Code::Full, Code::Version] {
        let connecting = tokio::spawn(Client::connect(peer.options()));
        let connection = peer.connection().await;
        connection.close(code.value().into(), b"");
        assert_eq!(within(connecting).await.unwrap().unwrap_err(), Error::Closed(code));
    }
    // The same later on: the client stops coming back.
    let (client, (guest, _)) = tokio::join!(Client::connect(peer.options()), peer.welcome());
    let (client, mut notices) = client.unwrap();
    guest.close(Code::Revoked);
    assert_eq!(within(notices.recv()).await, None);
    assert_eq!(client.request(Request::Ping).await, Err(Error::Closed(Code::Revoked)));
}

#[tokio::test]
async fn addresses_that_cannot_be_used_say_so() {
    let trust = Trust::Pin(Peer::start().pin);
    for server in ["", "nowhere", "127.0.0.1", "127.0.0.1:x", "no-such-host.invalid:4433"] {
        let error = Client::connect(Options::new(server, trust.clone())).await.unwrap_err();
        assert!(matches!(error, Error::Address(_)), "{server}: {error:?}");
    }
}

/// Sends `bytes` where the welcome should be, or after it.
async fn control_garbage(bytes: Vec<u8>, greeted: bool) {
    let peer = Peer::start();
    let connecting = tokio::spawn(Client::connect(peer.options()));
    if greeted {
        let (mut guest, _) = peer.welcome().await;
        let (client, _notices) = within(connecting).await.unwrap().unwrap();
        let _ = guest.control.send.write_all(&bytes).await;
        let _ = guest.control.send.finish();
        // A stream that ends ends the connection; what came before it must not have hurt.
        within(guest.connection.closed()).await;
        drop(client);
    } else {
        let connection = peer.connection().await;
        let mut control = common::Duplex::accept(&connection).await;
        let _ = control.send.write_all(&bytes).await;
        let _ = control.send.finish();
        assert!(within(connecting).await.unwrap().is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn garbage_on_the_control_stream_is_an_error(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            // Short frames: the decoder is reached.
            prop::collection::vec((0u8..4, prop::collection::vec(0u8..12, 0..20)), 1..8).prop_map(|frames| {
                frames.into_iter().flat_map(|(variant, body)| {
                    let length = u8::try_from(body.len() + 1).unwrap();
                    [vec![length, variant], body].concat()
                }).collect()
            }),
        ],
        greeted: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(control_garbage(bytes, greeted));
    }
}
