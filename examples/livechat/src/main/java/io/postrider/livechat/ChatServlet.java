package io.postrider.livechat;

import io.postrider.PostriderException;
import io.postrider.gateway.jakarta.AnswerWriter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** {@link ChatApi} over HTTP: {@code /chat/api/*}. JSON in, JSON out, problems as {@code application/problem+json}. */
final class ChatServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Logger log = LoggerFactory.getLogger(ChatServlet.class);

    /** 100 messages of 2,000 characters of 4 bytes; 500 promises of 120 bytes. */
    private static final int MOST_BYTES = 1 << 20;

    /** The maximum size of a body without a token, which is the name of an agent. */
    private static final int MOST_BYTES_OF_A_STRANGER = 1024;

    /** The maximum size of all answers that clients have not read yet: 40 conversations of 200 messages of 2,000 characters. */
    private static final long MOST_UNREAD = 16 << 20;

    private final transient AtomicLong unread = new AtomicLong();
    private final transient AnswerWriter answers = new AnswerWriter(AnswerWriter.TIMEOUT);
    private final transient Bodies bodies = new Bodies();
    private final transient ChatApi api;
    private final transient JsonMapper json = JsonMapper.builder().build();

    ChatServlet(ChatApi api) {
        this.api = api;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        try {
            Neighbours.refuseForeign(request);
            if (request.getMethod().equals("POST") && Bodies.isSent(request) && !Bodies.hasEnded(request)) {
                bodies.begin(request, mostBytes(request));
            } else {
                answer(request, response);
            }
        } catch (Refusal e) {
            if (e.getCause() != null) {
                log.warn("chat_request_failed path={}", request.getPathInfo(), e);
            }
            if (e.status() == 429) {
                response.setHeader("Retry-After", Long.toString(e.retryAfter()));
            }
            problem(response, e.status(), e.title(), String.valueOf(e.getMessage()));
        } catch (JacksonException e) {
            problem(response, 400, "Bad request", "The body does not have the expected JSON fields.");
        } catch (PostriderException e) {
            refused(request, response, e);
        } catch (SQLException e) {
            log.warn("chat_request_failed path={}", request.getPathInfo(), e);
            problem(response, 503, "Not now", "The database did not answer; try again.");
        }
    }

    private void refused(HttpServletRequest request, HttpServletResponse response, PostriderException e)
            throws IOException {
        if (e.kind() == PostriderException.Kind.REFUSED) {
            problem(response, 400, "Bad request", String.valueOf(e.getMessage()));
        } else {
            log.warn("chat_request_failed path={}", request.getPathInfo(), e);
            problem(response, 503, "Not now", "The database did not answer; try again.");
        }
    }

    /** Refuses a forged or missing token before the body is read. */
    private int mostBytes(HttpServletRequest request) {
        String authorization = request.getHeader("Authorization");
        if (authorization == null && "/session".equals(request.getPathInfo())) {
            return MOST_BYTES_OF_A_STRANGER;
        }
        api.guest(authorization);
        return MOST_BYTES;
    }

    private void answer(HttpServletRequest request, HttpServletResponse response) throws IOException, SQLException {
        String path = request.getPathInfo() == null ? "" : request.getPathInfo();
        String route = request.getMethod() + " " + path;
        String authorization = request.getHeader("Authorization");
        if (route.equals("POST /session") && authorization == null) {
            write(request, response, 200, api.session(read(request, ChatApi.Wish.class)));
            return;
        }
        Guest guest = api.guest(authorization);
        switch (route) {
            case "POST /session" -> write(request, response, 200, api.session(guest));
            case "POST /messages" -> write(request, response, 202, api.say(guest, read(request, ChatApi.Saying.class)));
            case "GET /conversation" -> write(request, response, 200, api.conversation(guest));
            case "GET /conversations" -> write(request, response, 200, api.conversations(guest));
            case "GET /activity" -> write(request, response, 200, api.activity(guest, request.getParameter("before")));
            case "GET /state" -> write(request, response, 200, api.state(guest));
            case "POST /verify" ->
                write(request, response, 200, api.verify(guest, read(request, ChatApi.Promises.class)));
            default -> byName(guest, request, response, path.split("/", -1));
        }
    }

    /** Paths with a name in them: the first part is empty, because they begin with a slash. */
    private void byName(Guest guest, HttpServletRequest request, HttpServletResponse response, String[] parts)
            throws IOException, SQLException {
        boolean get = request.getMethod().equals("GET");
        boolean post = request.getMethod().equals("POST");
        String first = parts.length > 1 ? parts[1].toLowerCase(Locale.ROOT) : "";
        if (get && parts.length == 3 && first.equals("conversations")) {
            write(request, response, 200, api.conversation(guest, conversation(parts[2])));
        } else if (post && parts.length == 4 && first.equals("conversations") && parts[3].equals("read")) {
            api.read(guest, conversation(parts[2]), read(request, ChatApi.Mark.class));
            response.setStatus(204);
        } else if (post && parts.length == 3 && first.equals("trouble")) {
            write(request, response, 200, api.trouble(guest, parts[2], read(request, ChatApi.Victims.class)));
        } else {
            throw Refusal.notFound("The chat has no " + request.getMethod() + " for this path.");
        }
    }

    private static UUID conversation(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Refusal.notFound("There is no such conversation in this project.");
        }
    }

    private <T> T read(HttpServletRequest request, Class<T> type) throws IOException {
        String content = String.valueOf(request.getContentType()).toLowerCase(Locale.ROOT);
        if (!content.equals("application/json") && !content.startsWith("application/json;")) {
            throw Refusal.wrongType();
        }
        T read = json.readValue(Bodies.of(request), type);
        if (read == null) {
            throw Refusal.badRequest("The body must be a JSON object.");
        }
        return read;
    }

    /** A conversation may have more than a response buffers, so it is written without a thread that waits for the client. */
    private void write(HttpServletRequest request, HttpServletResponse response, int status, Object body)
            throws IOException {
        byte[] bytes = json.writeValueAsBytes(body);
        if (unread.addAndGet(bytes.length) > MOST_UNREAD && request.getMethod().equals("GET")) {
            unread.addAndGet(-bytes.length);
            throw Refusal.busy();
        }
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(bytes.length);
        answers.write(request, response, bytes, () -> unread.addAndGet(-bytes.length));
    }

    private void problem(HttpServletResponse response, int status, String title, String detail) throws IOException {
        record Problem(String type, String title, int status, String detail) {}
        response.setStatus(status);
        if (status == 503) {
            response.setHeader("Retry-After", "1");
        }
        response.setContentType("application/problem+json");
        response.getOutputStream().write(json.writeValueAsBytes(new Problem("about:blank", title, status, detail)));
    }
}
