package io.postrider.gateway;

import io.postrider.gateway.internal.hub.Admission;
import io.postrider.gateway.internal.hub.Subscriber;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A transport without a socket: it keeps what it takes, and takes nothing while it is stalled. */
final class Reader implements Transport {
    private static final Pattern TYPE = Pattern.compile("\\{\"type\":\"(\\w+)\"");

    private final List<Frame> frames = new ArrayList<>();
    private final Form form;
    private volatile boolean stalled;
    private volatile Subscriber subscriber;
    volatile boolean aborted;

    Reader() {
        this(Form.WEBSOCKET);
    }

    Reader(Form form) {
        this.form = form;
    }

    Reader join(Hub hub, Identity identity, String topic, Long position, java.util.Set<Room> rooms) {
        subscriber = hub.core()
                .join(
                        new Admission(identity, topic, rooms, position),
                        hub.core().limits().take(),
                        this);
        subscriber.writable();
        return this;
    }

    @Override
    public Form form() {
        return form;
    }

    @Override
    public void flush() {
        Subscriber joined = subscriber;
        while (joined != null && !stalled) {
            Frame frame = joined.next();
            if (frame == null) {
                return;
            }
            synchronized (frames) {
                frames.add(frame);
                frames.notifyAll();
            }
            if (frame.last() != null) {
                joined.gone();
            }
        }
    }

    @Override
    public void abort() {
        aborted = true;
    }

    void stall(boolean now) {
        stalled = now;
        if (!now && subscriber != null) {
            subscriber.writable();
        }
    }

    void leave() {
        subscriber.gone();
    }

    Subscriber subscriber() {
        return subscriber;
    }

    List<Frame> frames() {
        synchronized (frames) {
            return List.copyOf(frames);
        }
    }

    static String type(Frame frame) {
        Matcher type = TYPE.matcher(frame.text());
        return type.find() ? type.group(1) : "?";
    }

    List<Long> positions() {
        return frames().stream()
                .filter(frame -> type(frame).equals("event"))
                .map(Frame::position)
                .toList();
    }

    Frame await(String what, Predicate<Frame> wanted) {
        return Await.value(what, Duration.ofSeconds(60), () -> {
            Optional<Frame> found = frames().stream().filter(wanted).findFirst();
            if (found.isEmpty()) {
                throw new IllegalStateException("frames: "
                        + frames().stream()
                                .map(frame -> type(frame) + " " + frame.position())
                                .toList());
            }
            return found;
        });
    }

    Frame await(String type) {
        return await("a frame " + type, frame -> type(frame).equals(type));
    }

    /** The first frame. */
    void awaitAny() {
        synchronized (frames) {
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (frames.isEmpty()) {
                try {
                    frames.wait(1_000);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                if (System.nanoTime() - end > 0) {
                    throw new AssertionError("no frame within 20 s");
                }
            }
        }
    }

    void awaitPosition(long position) {
        await("position " + position, frame -> frame.position() >= position);
    }
}
