package io.postrider.server.http;

import jakarta.servlet.http.HttpServletRequest;

/** The path of a request as the container decodes and normalizes it, so that our checks and its dispatch see the same path. */
final class RequestPath {
    private RequestPath() {}

    static String of(HttpServletRequest request) {
        return request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
    }
}
