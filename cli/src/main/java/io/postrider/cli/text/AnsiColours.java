package io.postrider.cli.text;

/** ANSI colours, or none. */
public final class AnsiColours {
    private final boolean colours;

    public AnsiColours(boolean colours) {
        this.colours = colours;
    }

    public boolean hasColours() {
        return colours;
    }

    public String bold(String text) {
        return in("1", text);
    }

    public String dim(String text) {
        return in("2", text);
    }

    public String red(String text) {
        return in("31", text);
    }

    public String green(String text) {
        return in("32", text);
    }

    public String yellow(String text) {
        return in("33", text);
    }

    public String blue(String text) {
        return in("34", text);
    }

    public String cyan(String text) {
        return in("36", text);
    }

    private String in(String code, String text) {
        return colours && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
