//! A thread with a runtime of its own that serves one layer on a loopback port.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::oneshot;

use crate::layer::{Backend, Layer};
use crate::wire::Cut;

/// Pause after an accept that failed, such as for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(crate) struct Server {
    endpoint: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens when it returns. `build` runs on the new thread, inside its runtime.
    pub(crate) fn start<B: Backend>(
        name: &str,
        build: impl FnOnce() -> Layer<B> + Send + 'static,
    ) -> Self {
        let listener = loopback();
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .expect("the process may open another event queue");
                runtime.block_on(async move {
                    tokio::spawn(serve(listener, Arc::new(build())));
                    // Nothing is ever sent: the sender's end is the word to stop.
                    let _ = stopped.await;
                });
                // Dropping the runtime here drops every connection and the listener.
            });
        Self {
            endpoint: format!("http://{address}"),
            stop: Some(stop),
            thread: Some(thread.expect("the process may start another thread")),
        }
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The port is free once the thread has ended; a panic of the server must not become one of the caller.
            let _ = thread.join();
        }
    }
}

/// A listener on a free loopback port, ready for a tokio runtime.
pub(crate) fn loopback() -> TcpListener {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener
        .set_nonblocking(true)
        .expect("a socket can be made non-blocking");
    listener
}

async fn serve<B: Backend>(listener: TcpListener, layer: Arc<Layer<B>>) {
    let listener = tokio::net::TcpListener::from_std(listener)
        .expect("the runtime takes a non-blocking listener");
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // Answers are small and awaited one at a time; Nagle's algorithm would only delay them.
        let _ = socket.set_nodelay(true);
        let layer = Arc::clone(&layer);
        let service = service_fn(move |request| {
            let layer = Arc::clone(&layer);
            // On a task of its own: like the service, it goes on with a call whose caller is gone.
            let answer = tokio::spawn(async move { layer.answer(request_body(request)).await });
            // An error ends the connection without an answer, which is what a cut is.
            async move { answer.await.map_err(|_| Cut)? }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            // The layer writes it.
            .auto_date_header(false)
            .serve_connection(TokioIo::new(socket), service);
        tokio::spawn(connection);
    }
}

fn request_body(request: hyper::Request<hyper::body::Incoming>) -> hyper::Request<Body> {
    request.map(Body::new)
}
