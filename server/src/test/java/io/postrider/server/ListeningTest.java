package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.AbstractProtocol;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Plain HTTP that others can reach is reported. */
@Tag("security")
class ListeningTest {
    private static Connector on(String address) throws Exception {
        Connector connector = new Connector();
        ((AbstractProtocol<?>) connector.getProtocolHandler()).setAddress(InetAddress.getByName(address));
        return connector;
    }

    @Test
    void plain_http_on_an_address_that_others_can_reach_is_reported() throws Exception {
        assertThat(Listening.plainHttp(on("127.0.0.1"))).isNull();
        assertThat(Listening.plainHttp(on("192.0.2.1"))).contains("key=postrider.http.bind", "192.0.2.1", "TLS");
        assertThat(Listening.plainHttp(new Connector())).contains("every address");
        Connector secure = on("192.0.2.1");
        secure.setSecure(true);
        assertThat(Listening.plainHttp(secure)).isNull();
    }
}
