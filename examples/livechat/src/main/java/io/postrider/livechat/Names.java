package io.postrider.livechat;

import java.util.List;

/** A visitor's name, derived from the visitor's id: the same everywhere, and not stored before the first message. */
final class Names {
    private static final List<String> FIRST = List.of(
            "Calm", "Quick", "Bright", "Gentle", "Brave", "Quiet", "Merry", "Keen", "Swift", "Lucky", "Patient",
            "Sunny");
    private static final List<String> SECOND = List.of(
            "Heron", "Otter", "Badger", "Falcon", "Hare", "Robin", "Lynx", "Marten", "Swallow", "Beaver", "Plover",
            "Stork");

    private Names() {}

    static String of(Guest guest) {
        return guest.agent() ? LiveChat.AGENTS.getOrDefault(guest.user(), guest.user()) : of(guest.user());
    }

    static String of(String id) {
        int hash = id.hashCode();
        return FIRST.get(Math.floorMod(hash, FIRST.size())) + " "
                + SECOND.get(Math.floorMod(hash / FIRST.size(), SECOND.size()));
    }
}
