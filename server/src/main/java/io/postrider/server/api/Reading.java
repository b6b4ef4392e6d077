package io.postrider.server.api;

import io.postrider.Postrider;

/**
 * The API's reads. They use separate connections, so that they take none from writers.
 *
 * @param postrider not started: it runs no listener and no worker
 * @param readers limits the requests that read at the same time
 */
public record Reading(Postrider postrider, Readers readers) {}
