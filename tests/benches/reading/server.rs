//! The canned server: the four calls a reader makes, answered from memory.

use std::convert::Infallible;
use std::io::{Read, Write};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::Outcome;
use crate::client::{ARN, OPEN, STREAM, WAITING};
use crate::page::{self, Stock};

/// Serves until the standard input closes, which it does when the parent is gone. Prints the address.
pub(crate) fn serve(stock: &str) -> Outcome<()> {
    let stock = Stock::parse(stock).ok_or("a server is told what it has to give")?;
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(accept(stock))
}

async fn accept(stock: Stock) -> Outcome<()> {
    let shelf = Arc::new(Shelf {
        stock,
        rendered: stock.rendered(),
        waiting: watch::Sender::new(0),
        open: watch::Sender::new(!stock.is_timed()),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    loop {
        let (connection, _) = listener.accept().await?;
        connection.set_nodelay(true)?;
        let shelf = Arc::clone(&shelf);
        tokio::spawn(async move {
            let answer = service_fn(|request| {
                let shelf = Arc::clone(&shelf);
                async move { Ok::<_, Infallible>(shelf.answer(request).await) }
            });
            // A reader that goes away says nothing.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(connection), answer)
                .await;
        });
    }
}

struct Shelf {
    stock: Stock,
    rendered: Vec<Vec<Bytes>>,
    /// Reads that are held back.
    waiting: watch::Sender<u32>,
    /// Whether reads are answered.
    open: watch::Sender<bool>,
}

impl Shelf {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let operation = request
            .headers()
            .get("x-amz-target")
            .and_then(|target| target.to_str().ok()?.split_once('.'))
            .map(|(_, operation)| operation.to_owned());
        let path = request.uri().path().to_owned();
        let method = request.method().clone();
        let body = request.into_body().collect().await;
        let input: Value = body
            .ok()
            .and_then(|body| serde_json::from_slice(&body.to_bytes()).ok())
            .unwrap_or_default();
        let answer = match operation.as_deref() {
            Some("DescribeStreamSummary") => Some(self.summary()),
            Some("ListShards") => Some(self.listing()),
            Some("GetShardIterator") => iterator(&input),
            Some("GetRecords") => self.records(&input).await,
            None if method == Method::GET => self.control(&path).await,
            _ => None,
        };
        let (status, body) = match answer {
            Some(body) => (StatusCode::OK, body),
            None => (
                StatusCode::BAD_REQUEST,
                Bytes::from(r#"{"__type":"InvalidArgumentException","message":"not canned"}"#),
            ),
        };
        Response::builder()
            .status(status)
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amzn-requestid", "canned")
            .body(Full::new(body))
            .expect("the parts are constants")
    }

    /// How a reader marks where its measurement begins.
    async fn control(&self, path: &str) -> Option<Bytes> {
        match path {
            WAITING => {
                let mut waiting = self.waiting.subscribe();
                waiting.wait_for(|waiting| *waiting > 0).await.ok()?;
            }
            OPEN => {
                self.open.send_replace(true);
            }
            _ => return None,
        }
        Some(Bytes::new())
    }

    fn summary(&self) -> Bytes {
        text(&json!({"StreamDescriptionSummary": {
            "StreamName": STREAM,
            "StreamARN": ARN,
            "StreamStatus": "ACTIVE",
            "RetentionPeriodHours": 24,
            "StreamCreationTimestamp": 1.764e9,
            "EnhancedMonitoring": [{"ShardLevelMetrics": []}],
            "OpenShardCount": self.stock.shards(),
        }}))
    }

    fn listing(&self) -> Bytes {
        let count = self.stock.shards();
        let width = u128::MAX / u128::from(count);
        let shards: Vec<_> = (0..count)
            .map(|shard| {
                let start = u128::from(shard) * width;
                json!({
                    "ShardId": format!("shardId-{shard:012}"),
                    "HashKeyRange": {
                        "StartingHashKey": start.to_string(),
                        "EndingHashKey": (start + (width - 1)).to_string(),
                    },
                    "SequenceNumberRange": {"StartingSequenceNumber": page::sequence(shard, 0)},
                })
            })
            .collect();
        text(&json!({ "Shards": shards }))
    }

    async fn records(&self, input: &Value) -> Option<Bytes> {
        let (shard, page) = input["ShardIterator"].as_str()?.split_once(':')?;
        let (shard, page): (u32, u64) = (shard.parse().ok()?, page.parse().ok()?);
        let mut open = self.open.subscribe();
        if !*open.borrow() {
            self.waiting.send_modify(|waiting| *waiting += 1);
            open.wait_for(|open| *open).await.ok()?;
        }
        let rendered = self
            .rendered
            .get(usize::try_from(shard).ok()?)
            .and_then(|pages| pages.get(usize::try_from(page).ok()?));
        Some(match rendered {
            Some(page) => page.clone(),
            None => self.stock.render(shard, page),
        })
    }
}

/// At the horizon, or at the tip, where no records follow.
fn iterator(input: &Value) -> Option<Bytes> {
    let page = match input["ShardIteratorType"].as_str()? {
        "TRIM_HORIZON" => 0,
        "AT_TIMESTAMP" | "LATEST" => page::TIP,
        _ => return None,
    };
    let shard: u32 = input["ShardId"]
        .as_str()?
        .strip_prefix("shardId-")?
        .parse()
        .ok()?;
    Some(text(&json!({"ShardIterator": format!("{shard}:{page}")})))
}

fn text(value: &Value) -> Bytes {
    value.to_string().into()
}
