package io.postrider.server.api;

/**
 * The body of a request, before it is parsed as JSON.
 *
 * @param bytes the bytes that were sent; do not change them
 * @param treeDropped call this when the tree that was parsed from it can be collected
 */
record Body(byte[] bytes, Runnable treeDropped) {
    /** A body that is not counted. */
    static Body of(byte[] bytes) {
        return new Body(bytes, () -> {});
    }
}
