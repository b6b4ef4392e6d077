package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No worker saves anything, so that messages wait. */
@PostgresTest
@Tag("security")
class FullQueueTest {
    @Test
    void while_too_many_messages_wait_no_further_one_is_accepted(TestDatabase database) throws Exception {
        try (Theatre theatre = Theatre.withoutWorker(database)) {
            List<NewMessage> messages = IntStream.range(0, Backlog.MOST - 1)
                    .mapToObj(i -> Node.visitorSays("v-" + i, "hello"))
                    .toList();
            theatre.chat.ingestion().accept(messages);
            assertThat(say(theatre, "v-one").statusCode()).isEqualTo(202);
            HttpResponse<String> refused = say(theatre, "v-two");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(refused.body()).contains("messages wait to be saved");
        }
    }

    private static HttpResponse<String> say(Theatre theatre, String visitor) throws Exception {
        String token = theatre.passes.issue(new Guest(visitor, LiveChat.PROJECT, false), Duration.ofMinutes(5));
        String message = "{\"messages\":[{\"id\":\"" + UUID.randomUUID() + "\",\"text\":\"hello\"}]}";
        HttpRequest request = HttpRequest.newBuilder(URI.create(theatre.url("/chat/api/messages")))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(message))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
