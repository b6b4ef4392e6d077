package io.postrider.gateway.jakarta;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.CRC32;

/**
 * Serves the browser client, {@code postrider.js}, from memory. Register it with asynchronous support. It ignores {@code Range}:
 * 1,500 ranges in one request made an answer of 148 KB out of a file of 15 KB.
 */
public final class ClientServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String FILE = "/META-INF/resources/postrider.js";

    private final transient AnswerWriter answers;
    private final transient byte[] file;
    private final String tag;

    /** Serves it to clients that read it within {@link AnswerWriter#TIMEOUT}. */
    public ClientServlet() {
        this(new AnswerWriter(AnswerWriter.TIMEOUT));
    }

    /** Serves it by this writer. */
    public ClientServlet(AnswerWriter answers) {
        this.answers = answers;
        this.file = read();
        CRC32 sum = new CRC32();
        sum.update(file);
        this.tag = "\"" + Long.toHexString(sum.getValue()) + "-" + file.length + "\"";
    }

    private static byte[] read() {
        try (InputStream in = ClientServlet.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is not in the jar");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("ETag", tag);
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        response.setContentType("text/javascript");
        response.setCharacterEncoding("UTF-8");
        response.setContentLength(file.length);
        answers.write(request, response, file, () -> {});
    }
}
