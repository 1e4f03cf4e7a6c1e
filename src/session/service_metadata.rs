//! Metadata that AWS's SDK adds to every response: request id, status and headers.

use crate::json::{Text, Value};

/// A made-up request id; constant, so that runs can be repeated.
pub(super) const REQUEST_ID: &str = "00000000-0000-4000-8000-000000000000";

/// Members of an object.
pub(super) type Members = Vec<(Text, Value)>;

/// An object with these members and the metadata.
pub(super) fn with_metadata(mut members: Members) -> Value {
    members.extend(metadata());
    Value::object(members)
}

/// The metadata of a response.
pub(super) fn metadata() -> Members {
    metadata_with(Vec::new())
}

/// Adds headers in both forms that AWS uses: each with a list of values, and each with its value.
pub(super) fn with_headers(mut members: Members, content_type: &str, length: u64) -> Value {
    let headers = vec![
        ("x-amzn-RequestId".into(), Value::from(REQUEST_ID)),
        ("connection".into(), Value::from("keep-alive")),
        ("Content-Length".into(), Value::string(length.to_string())),
        ("Date".into(), Value::from("Thu, 01 Jan 1970 00:00:00 GMT")),
        ("Content-Type".into(), Value::from(content_type)),
    ];
    members.extend(metadata_with(headers));
    Value::object(members)
}

fn metadata_with(headers: Members) -> Members {
    let lists = headers
        .iter()
        .map(|(name, value)| (name.clone(), Value::array(vec![value.clone()])));
    let http = Value::object(vec![
        ("AllHttpHeaders".into(), Value::object(lists.collect())),
        ("HttpHeaders".into(), Value::object(headers)),
        ("HttpStatusCode".into(), Value::from(200)),
    ]);
    let own = Value::object(vec![("RequestId".into(), Value::from(REQUEST_ID))]);
    vec![
        ("SdkHttpMetadata".into(), http),
        ("SdkResponseMetadata".into(), own),
    ]
}
