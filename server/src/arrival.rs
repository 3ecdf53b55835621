//! How long a command lies between the socket and its stamp.
//!
//! A command is stamped when its stream is read; before that its datagram passes through quinn's tasks.
//! That time is charged to the player, so it is measured and published instead of guessed: the socket
//! notes when the last datagram of an address came in, and the reader compares.

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use zeitnot_proto::Stamp;

/// Places in the table. Two addresses that share one make a delay look shorter, never longer.
const PLACES: usize = 1 << 14;

/// When the last datagram of each address came in.
pub struct Arrivals(Box<[AtomicU64]>);

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals((0..PLACES).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Arrivals {
    fn place(&self, address: SocketAddr) -> &AtomicU64 {
        let mut hasher = DefaultHasher::new();
        address.hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % PLACES as u64).unwrap_or(0);
        &self.0[index]
    }

    /// Microseconds from the last datagram of `address` to `now`; none if none is known.
    pub fn since(&self, address: SocketAddr, now: Stamp) -> Option<u64> {
        match self.place(address).load(Ordering::Relaxed) {
            0 => None,
            at => Some(now.since(Stamp(at))),
        }
    }
}

/// A socket that notes when datagrams come in.
pub struct TimedSocket {
    socket: Arc<dyn AsyncUdpSocket>,
    arrivals: Arc<Arrivals>,
}

impl TimedSocket {
    /// Notes what comes in on `socket`.
    pub fn new(socket: Arc<dyn AsyncUdpSocket>, arrivals: Arc<Arrivals>) -> TimedSocket {
        TimedSocket { socket, arrivals }
    }
}

impl fmt::Debug for TimedSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.socket.fmt(f)
    }
}

impl AsyncUdpSocket for TimedSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Arc::clone(&self.socket).create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        self.socket.try_send(transmit)
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let received = ready!(self.socket.poll_recv(cx, bufs, meta));
        if let Ok(count) = received {
            let now = crate::clock::now().0;
            for meta in &meta[..count] {
                self.arrivals.place(meta.addr).store(now, Ordering::Relaxed);
            }
        }
        Poll::Ready(received)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.socket.max_transmit_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.socket.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.socket.may_fragment()
    }
}
