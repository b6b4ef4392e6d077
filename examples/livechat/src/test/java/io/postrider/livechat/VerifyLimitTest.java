package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("security")
class VerifyLimitTest {
    private final VerifyLimit limit = new VerifyLimit();

    @Test
    void a_guest_has_two_at_once_and_more_after_one_has_ended() {
        VerifyLimit.Place first = limit.enter(guest(1));
        limit.enter(guest(1));
        assertRefused(429, guest(1));
        first.close();
        limit.enter(guest(1));
        assertRefused(429, guest(1));
    }

    @Test
    void all_guests_together_have_four() {
        VerifyLimit.Place first = limit.enter(guest(1));
        for (int i = 2; i <= VerifyLimit.IN_TOTAL; i++) {
            limit.enter(guest(i));
        }
        assertRefused(503, guest(9));
        first.close();
        limit.enter(guest(9));
        assertRefused(503, guest(8));
    }

    private static Guest guest(int number) {
        return new Guest("v-" + number, LiveChat.PROJECT, false);
    }

    private void assertRefused(int status, Guest guest) {
        assertThatThrownBy(() -> limit.enter(guest))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(status));
    }
}
