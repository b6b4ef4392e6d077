package io.postrider.server.api;

/**
 * An upper limit of the heap that the tree of a JSON text takes, in addition to copies of the text. Counted in one pass over
 * the bytes, because the tree must not be built to find out. The numbers are what Jackson was measured to allocate, and a
 * fifth more: an array and its list 104, an object and its map 150, an entry or a value 80.
 */
final class TreeSize {
    private static final int ARRAY = 128;
    private static final int OBJECT = 208;
    private static final int STRING = 96;
    private static final int VALUE = 96;

    private TreeSize() {}

    static long of(byte[] json) {
        long size = VALUE;
        boolean inString = false;
        for (int i = 0; i < json.length; i++) {
            byte next = json[i];
            if (inString) {
                if (next == '\\') {
                    i++;
                } else if (next == '"') {
                    inString = false;
                }
            } else {
                size += cost(next);
                inString = next == '"';
            }
        }
        return size;
    }

    private static int cost(byte next) {
        return switch (next) {
            case '[' -> ARRAY;
            case '{' -> OBJECT;
            case '"' -> STRING;
            case ',', ':' -> VALUE;
            default -> 0;
        };
    }
}
