//! Three answers over HTTP for those who run the server: `/metrics`, `/healthz`, `/readyz`.

use crate::state::Server;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// How many scrapes may be under way at once: monitors are few, and nobody else belongs here.
const CONNECTIONS_MAX: usize = 16;
/// How long a client may take over its request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);

/// Answers until the task is dropped.
pub async fn serve(listener: TcpListener, server: Arc<Server>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept an HTTP connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let answer = answer(&server, &request);
                async move { Ok::<_, Infallible>(answer) }
            });
            let done = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIMEOUT)
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            if let Err(error) = done {
                tracing::debug!(%error, "HTTP connection failed");
            }
            drop(permit);
        });
    }
}

fn answer(server: &Server, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return text(StatusCode::METHOD_NOT_ALLOWED, "only GET\n".into());
    }
    match request.uri().path() {
        "/metrics" => {
            let queued = server.journal.stats().queued;
            server.metrics.journal_queue.set(i64::try_from(queued).unwrap_or(i64::MAX));
            match server.metrics.render() {
                Ok(metrics) => text(StatusCode::OK, metrics),
                Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
            }
        }
        // Alive is whoever answers. The store may be down: that is for people to mend, and a restart
        // would not help.
        "/healthz" if server.store_up() => text(StatusCode::OK, "ok\n".into()),
        "/healthz" => text(StatusCode::OK, "ok, but the store takes nothing: clocks stand\n".into()),
        "/readyz" => match server.not_ready() {
            None => text(StatusCode::OK, "ready\n".into()),
            Some(why) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
        },
        _ => text(StatusCode::NOT_FOUND, "look at /metrics, /healthz or /readyz\n".into()),
    }
}

fn text(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let plain = header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response
}
