/**
 * A relay to an HTTP endpoint: each event is a signed POST in the Standard Webhooks format.
 *
 * <p>The public API is {@link io.postrider.webhook.WebhookSink}, its options, and the verifier for the receiver.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.webhook;
