//! Where the calls of a service go.

use aws_config::SdkConfig;
use aws_types::service_config::ServiceConfigKey;

use crate::rules::endpoint;

/// The endpoint that `config` or the environment it was loaded from names for that service, without
/// the credentials it may carry; nothing where calls go to the region's own.
///
/// Found the way the SDK's clients find it, which do not tell.
pub(crate) fn of(config: &SdkConfig, service: &str) -> Option<String> {
    let named = || {
        let key = ServiceConfigKey::builder()
            .service_id(service)
            .env("AWS_ENDPOINT_URL")
            .profile("endpoint_url");
        config.service_config()?.load_config(key.build().ok()?)
    };
    let is_given = config.get_origin("endpoint_url").is_client_config();
    let url = if is_given { None } else { named() };
    let url = url.or_else(|| config.endpoint_url().map(str::to_owned));
    url.map(|url| endpoint::without_credentials(&url))
}
