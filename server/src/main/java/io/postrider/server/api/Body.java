package io.postrider.server.api;

/**
 * The body of a request, which is not read as JSON yet.
 *
 * @param bytes what was sent; do not change it
 * @param treeDropped to be called when the tree that was read from it can be collected
 */
record Body(byte[] bytes, Runnable treeDropped) {
    /** One that nobody counts. */
    static Body of(byte[] bytes) {
        return new Body(bytes, () -> {});
    }
}
