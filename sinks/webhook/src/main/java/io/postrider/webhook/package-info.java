/**
 * A relay to an HTTP endpoint: each event is a signed POST in the Standard Webhooks form.
 *
 * <p>Public are {@link io.postrider.webhook.WebhookSink}, its options, and the verifier for the other side.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.webhook;
