package io.postrider.livechat;

import io.postrider.gateway.jakarta.AnswerWriter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The pages: three HTML files and their resources under {@code /chat/}. No inline scripts, no external resources. */
final class PagesServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    /** The empty pattern matches only the root, so that all other paths stay free for the application. */
    static final List<String> PATTERNS = List.of("", "/visitor.html", "/agent.html", "/chat/*");

    /** A script injected through a message would neither load nor run, even if a page had a vulnerability. */
    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private static final Pattern FILE = Pattern.compile("/(chat/)?[a-z][a-z0-9-]*\\.(html|css|js|svg)");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "js", "text/javascript;charset=utf-8",
            "svg", "image/svg+xml");

    private final transient AnswerWriter answers = new AnswerWriter(AnswerWriter.TIMEOUT);

    /** Each file is read once, so that slow clients do not hold copies. */
    private final transient Map<String, byte[]> files = new ConcurrentHashMap<>();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String inner = request.getPathInfo() == null ? "" : request.getPathInfo();
        String asked = request.getServletPath() + inner;
        String path = asked.isEmpty() || asked.equals("/") ? "/index.html" : asked;
        if (!FILE.matcher(path).matches()) {
            response.setStatus(404);
            return;
        }
        byte[] file = file(path);
        if (file == null) {
            response.setStatus(404);
            return;
        }
        response.setContentType(TYPES.get(path.substring(path.lastIndexOf('.') + 1)));
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-cache");
        response.setContentLength(file.length);
        answers.write(request, response, file, () -> {}); // no thread waits for a client that does not read
    }

    private byte @Nullable [] file(String path) throws IOException {
        byte[] known = files.get(path);
        if (known != null) {
            return known;
        }
        try (InputStream in = PagesServlet.class.getResourceAsStream("/livechat/web" + path)) {
            if (in == null) {
                return null;
            }
            byte[] read = in.readAllBytes();
            files.put(path, read);
            return read;
        }
    }
}
