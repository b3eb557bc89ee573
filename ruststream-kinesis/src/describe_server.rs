//! What the generated document says of the broker.

use aws_config::SdkConfig;
use ruststream::{DescribeServer, ServerSpec};

use crate::broker::KinesisBroker;
use crate::rules::endpoint::without_credentials;

const PROTOCOL: &str = "kinesis";

impl DescribeServer for KinesisBroker {
    /// The host and port a client dials, never credentials: the endpoint's, otherwise the region's,
    /// as the broker or its given config names them, otherwise the service's without a region. The
    /// document is built before anything connects, so a region of the environment is not in it.
    fn describe_server(&self) -> ServerSpec {
        let config = self.config.as_ref();
        let endpoint = self.endpoint.as_deref();
        let endpoint = endpoint.or_else(|| config.and_then(SdkConfig::endpoint_url));
        let region = self.region.as_deref();
        let region = region.or_else(|| Some(config?.region()?.as_ref()));
        let host = match (endpoint, region) {
            (Some(url), _) => ServerSpec::host_from_url(&without_credentials(url)),
            (None, Some(region)) => format!("kinesis.{region}.amazonaws.com"),
            (None, None) => "kinesis.amazonaws.com".to_owned(),
        };
        ServerSpec::new(host, PROTOCOL)
    }
}
