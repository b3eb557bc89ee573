//! Where the streams are: in this process, at an endpoint, or in an AWS account.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::config::Credentials;
use kinesis_stack::KinesisStack;

use crate::Failure;
use crate::args::Target;

pub(crate) struct Place {
    /// What the SDK and the broker dial.
    pub(crate) config: SdkConfig,
    /// Whose Kinesis it is: a text that follows that word.
    pub(crate) name: String,
    /// Whether the streams may be called by their plain names, since nobody else has any here.
    pub(crate) own: bool,
    /// Whether somebody pays for it.
    pub(crate) billed: bool,
    /// Serves as long as it is held.
    _stack: Option<KinesisStack>,
}

impl Place {
    /// # Errors
    ///
    /// Where the environment names no region.
    pub(crate) async fn find(target: Target) -> Result<Self, Failure> {
        match target {
            Target::Embedded => {
                let stack = KinesisStack::start();
                Ok(Self {
                    config: local(stack.endpoint()).await,
                    name: format!("in this process, {}", stack.endpoint()),
                    own: true,
                    billed: false,
                    _stack: Some(stack),
                })
            }
            Target::Endpoint(url) => Ok(Self {
                config: local(&url).await,
                name: format!("at {url}"),
                own: false,
                billed: false,
                _stack: None,
            }),
            Target::Aws => {
                let config = aws_config::load_defaults(BehaviorVersion::latest()).await;
                let region = config
                    .region()
                    .ok_or("the environment names no AWS region: set AWS_REGION")?;
                Ok(Self {
                    name: format!("of the environment's AWS account, region {region}"),
                    config,
                    own: false,
                    billed: true,
                    _stack: None,
                })
            }
        }
    }
}

/// The environment's credentials are for AWS and nobody else.
async fn local(url: &str) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .endpoint_url(url)
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "quickstart"))
        .load()
        .await
}
