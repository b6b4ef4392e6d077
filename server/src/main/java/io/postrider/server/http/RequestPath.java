package io.postrider.server.http;

import jakarta.servlet.http.HttpServletRequest;

/** The path of a request as the container has decoded and normalized it: what it decides by is what we decide by. */
final class RequestPath {
    private RequestPath() {}

    static String of(HttpServletRequest request) {
        return request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
    }
}
