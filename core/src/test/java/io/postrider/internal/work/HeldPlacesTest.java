package io.postrider.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.ClaimedJob;
import io.postrider.Priority;
import io.postrider.internal.claim.HeldJob;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class HeldPlacesTest {
    private final HeldPlaces places = new HeldPlaces();

    @Test
    void a_job_that_is_claimed_again_before_its_last_run_is_reported_stays_held() {
        places.add(job(7, 1));
        places.add(job(7, 1)); // its retry was due at once
        places.remove(job(7, 1));
        assertThat(places.of(7)).containsExactly(new HeldJob.Place("queue:q", 1));
        places.remove(job(7, 1));
        assertThat(places.of(7)).isEmpty();
    }

    @Test
    void jobs_of_another_worker_number_are_separate() {
        places.add(job(7, 1));
        places.add(job(8, 1));
        places.remove(job(7, 1));
        assertThat(places.of(7)).isEmpty();
        assertThat(places.of(8)).containsExactly(new HeldJob.Place("queue:q", 1));
    }

    @Test
    void a_job_that_is_not_held_can_be_removed() {
        places.remove(job(7, 1));
        assertThat(places.of(7)).isEmpty();
    }

    private static HeldJob job(long worker, long position) {
        ClaimedJob job = new ClaimedJob(
                new UUID(0, position),
                "q",
                Priority.NORMAL,
                "t",
                "{}",
                null,
                null,
                null,
                "{}",
                Instant.EPOCH,
                1,
                position);
        return new HeldJob(worker, null, Instant.EPOCH, "queue:q", job, null, 0);
    }
}
