package io.postrider.livechat;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The pages: three of HTML, and what they use under {@code /chat/}. Nothing inline, nothing from elsewhere. */
final class PagesServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    /** The empty one is the root alone, so that whoever mounts this keeps all other paths. */
    static final List<String> PATTERNS = List.of("", "/visitor.html", "/agent.html", "/chat/*");

    /** A script that a message smuggles in would neither be loaded nor run, even if a page had a hole. */
    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private static final Pattern FILE = Pattern.compile("/(chat/)?[a-z][a-z0-9-]*\\.(html|css|js|svg)");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "js", "text/javascript;charset=utf-8",
            "svg", "image/svg+xml");

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String inner = request.getPathInfo() == null ? "" : request.getPathInfo();
        String asked = request.getServletPath() + inner;
        String path = asked.isEmpty() || asked.equals("/") ? "/index.html" : asked;
        if (!FILE.matcher(path).matches()) {
            response.setStatus(404);
            return;
        }
        try (InputStream file = PagesServlet.class.getResourceAsStream("/livechat/web" + path)) {
            if (file == null) {
                response.setStatus(404);
                return;
            }
            response.setContentType(TYPES.get(path.substring(path.lastIndexOf('.') + 1)));
            response.setHeader("Content-Security-Policy", POLICY);
            response.setHeader("X-Content-Type-Options", "nosniff");
            response.setHeader("Referrer-Policy", "no-referrer");
            response.setHeader("Cache-Control", "no-cache");
            file.transferTo(response.getOutputStream());
        }
    }
}
