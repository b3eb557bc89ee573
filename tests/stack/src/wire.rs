//! A call and an answer between the socket, the fault layer and a server.

use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, Request, Response, StatusCode, request, response};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};

/// Why a connection is closed without an answer.
#[derive(Debug)]
pub(crate) struct Cut;

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the connection is cut")
    }
}

impl std::error::Error for Cut {}

/// A call read to its end.
pub(crate) struct Received {
    pub(crate) operation: String,
    pub(crate) head: request::Parts,
    /// `Null` when the bytes are not JSON; such a call is forwarded as it came.
    pub(crate) body: Value,
    bytes: Bytes,
}

impl Received {
    pub(crate) async fn read(request: Request<Body>) -> Result<Self, Cut> {
        let (head, body) = request.into_parts();
        let bytes = body.collect().await.map_err(|_| Cut)?.to_bytes();
        let target = head
            .headers
            .get("x-amz-target")
            .and_then(|target| target.to_str().ok())
            .unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Self {
            operation,
            head,
            body,
            bytes,
        })
    }

    /// A text field of the body.
    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.body[field].as_str()
    }

    /// The access key of the signature.
    pub(crate) fn access_key(&self) -> Option<String> {
        let signature = self.head.headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (_, scope) = signature.split_once("Credential=")?;
        scope.split('/').next().map(str::to_owned)
    }

    /// Makes a changed body the one that is forwarded.
    pub(crate) fn replace_body(&mut self, change: impl FnOnce(&mut Value)) {
        change(&mut self.body);
        self.bytes = self.body.to_string().into();
        self.head
            .headers
            .insert(CONTENT_LENGTH, self.bytes.len().into());
    }

    /// Another call of the same caller.
    pub(crate) fn instead(&self, operation: &str, body: Value) -> Self {
        let mut call = Self {
            operation: operation.to_owned(),
            head: self.head.clone(),
            body: Value::Null,
            bytes: Bytes::new(),
        };
        let target = HeaderValue::from_str(&format!("Kinesis_20131202.{operation}"));
        call.head.headers.insert(
            HeaderName::from_static("x-amz-target"),
            target.expect("an operation's name is ASCII"),
        );
        call.replace_body(|unset| *unset = body);
        call
    }

    pub(crate) fn to_request<B: From<Bytes>>(&self) -> Request<B> {
        Request::from_parts(self.head.clone(), B::from(self.bytes.clone()))
    }
}

/// An answer on its way back.
pub(crate) struct Reply {
    head: response::Parts,
    body: ReplyBody,
}

enum ReplyBody {
    Json(Value),
    Opaque(Body),
}

impl Reply {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        let (mut head, ()) = Response::new(()).into_parts();
        head.status =
            StatusCode::from_u16(status).expect("a scripted status is a valid HTTP status");
        Self {
            head,
            body: ReplyBody::Json(body),
        }
    }

    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        let mut reply = Self::json(status, json!({ "__type": code, "message": message }));
        let code = HeaderValue::from_str(code).expect("an error code is ASCII");
        reply
            .head
            .headers
            .insert(HeaderName::from_static("x-amzn-errortype"), code);
        reply
    }

    /// An answer that is passed on as it comes, such as an event stream.
    pub(crate) fn opaque(response: Response<Body>) -> Self {
        let (head, body) = response.into_parts();
        Self {
            head,
            body: ReplyBody::Opaque(body),
        }
    }

    /// Reads an answer to its end; what is not JSON is passed on as it is.
    pub(crate) async fn read<B>(response: Response<B>) -> Self
    where
        B: hyper::body::Body<Data = Bytes>,
    {
        let (head, body) = response.into_parts();
        let Ok(bytes) = body.collect().await else {
            return Self::error(500, "InternalFailure", "the server's answer ended early");
        };
        let bytes = bytes.to_bytes();
        let body = serde_json::from_slice(&bytes)
            .map_or_else(|_| ReplyBody::Opaque(bytes.into()), ReplyBody::Json);
        Self { head, body }
    }

    pub(crate) fn is_success(&self) -> bool {
        self.head.status.is_success()
    }

    /// The body of a successful JSON answer.
    pub(crate) fn success(&mut self) -> Option<&mut Value> {
        match &mut self.body {
            ReplyBody::Json(body) if self.head.status.is_success() => Some(body),
            _ => None,
        }
    }

    pub(crate) fn into_response(self, content_type: &'static str) -> Response<Body> {
        let Self { mut head, body } = self;
        let body = match body {
            ReplyBody::Opaque(body) => body,
            ReplyBody::Json(body) => {
                let bytes = Bytes::from(body.to_string());
                head.headers.insert(CONTENT_LENGTH, bytes.len().into());
                head.headers
                    .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
                // The checksum was that of the bytes before they were read and written again.
                head.headers.remove("x-amz-crc32");
                bytes.into()
            }
        };
        Response::from_parts(head, body)
    }
}
