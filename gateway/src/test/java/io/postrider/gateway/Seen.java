package io.postrider.gateway;

import java.util.ArrayList;
import java.util.List;

/** A frame as a client got it: its type, its position, and its JSON text. */
record Seen(String type, long position, String json) {

    static List<Long> positions(List<Seen> frames) {
        List<Long> positions = new ArrayList<>();
        for (Seen frame : frames) {
            if (frame.type().equals("event")) {
                positions.add(frame.position());
            }
        }
        return positions;
    }
}
