package io.postrider.server.api;

import io.postrider.Postrider;

/**
 * The API's writes. They use separate connections: a request that waits for a lock takes none from listeners and health checks.
 *
 * @param postrider not started: it runs no listener and no worker
 * @param writers limits the requests that write at the same time
 */
public record Changing(Postrider postrider, Writers writers) {}
