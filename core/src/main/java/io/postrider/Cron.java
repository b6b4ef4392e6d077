package io.postrider;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A cron expression: five fields (minute, hour, day of month, month, day of week) in the local time of a zone. Immutable.
 *
 * <p>As in cron, if both day of month and day of week are restricted, a day that matches either of them is enough. Sunday is 0 or
 * 7; months and days have names.
 *
 * <p>When clocks change:
 *
 * <ul>
 *   <li>A schedule with fixed hours ticks once for each of them. An hour that is skipped (spring) ticks right after the gap; an
 *       hour that occurs twice (autumn) ticks the first time.
 *   <li>A schedule for every hour ({@code *} or {@code *}{@code /n} in the hour) does not tick in a skipped hour, and ticks both
 *       times in an hour that occurs twice. "Every ten minutes" is every ten minutes; "every two hours" is every even hour of the
 *       local clock, so one interval is an hour longer or shorter.
 * </ul>
 */
public final class Cron {
    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
    private static final Map<String, String> NICKNAMES = Map.of(
            "@yearly", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@hourly", "0 * * * *");

    /** A matching date comes within 28 years (40 across 2100) or never: 29 February on a given day of the week. */
    private static final int LONGEST_SEARCH_DAYS = 366 * 41;

    private final String text;
    private final ZoneId zone;
    private final BitSet minutes;
    private final BitSet hours;
    private final BitSet days;
    private final BitSet months;
    private final BitSet weekdays;
    private final boolean everyDay;
    private final boolean everyWeekday;
    private final boolean everyHour;

    private Cron(String text, ZoneId zone, String[] fields) {
        this.text = text;
        this.zone = zone;
        this.minutes = field("minute", fields[0], 0, 59, List.of());
        this.hours = field("hour", fields[1], 0, 23, List.of());
        this.days = field("day of month", fields[2], 1, 31, List.of());
        this.months = field("month", fields[3], 1, 12, MONTHS);
        this.weekdays = field("day of week", fields[4], 0, 7, DAYS);
        if (weekdays.get(7)) {
            weekdays.set(0);
        }
        this.everyDay = fields[2].startsWith("*");
        this.everyWeekday = fields[4].startsWith("*");
        this.everyHour = fields[1].startsWith("*");
    }

    /** Parses an expression; refuses an invalid one with the field and the value. */
    public static Cron of(String expression, String zone) {
        ZoneId where;
        try {
            where = ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw PostriderException.refused(
                    "zone must be a time zone such as Europe/Berlin or UTC, was '" + zone + "'");
        }
        String plain = NICKNAMES.getOrDefault(expression.strip().toLowerCase(Locale.ROOT), expression.strip());
        String[] fields = plain.split("\\s+");
        if (fields.length != 5) {
            throw PostriderException.refused(
                    "cron must have five fields (minute hour day month weekday), was '" + expression + "'");
        }
        Cron cron = new Cron(expression.strip(), where, fields);
        if (!cron.canTick()) {
            throw PostriderException.refused("cron '" + expression + "' never ticks: no such date");
        }
        return cron;
    }

    private boolean canTick() {
        int[] longest = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        return !everyWeekday || months.stream().anyMatch(month -> days.nextSetBit(1) <= longest[month - 1]);
    }

    private static BitSet field(String name, String text, int low, int high, List<String> names) {
        BitSet set = new BitSet();
        for (String part : text.split(",", -1)) {
            part(name, text, part, low, high, names, set);
        }
        return set;
    }

    private static void part(String name, String text, String part, int low, int high, List<String> names, BitSet set) {
        String[] stepped = part.split("/", -1);
        int step = stepped.length == 2 ? number(name, text, stepped[1], List.of(), 0) : 1;
        if (stepped.length > 2 || step < 1 || step > high) {
            throw PostriderException.refused(
                    "cron field " + name + " must have a step within 1.." + high + ", was '" + text + "'");
        }
        int from = low;
        int to = high == 7 ? 6 : high;
        if (!stepped[0].equals("*")) {
            String[] range = stepped[0].split("-", -1);
            from = number(name, text, range[0], names, low);
            to = range.length == 2 ? number(name, text, range[1], names, low) : stepped.length == 2 ? to : from;
            if (range.length > 2 || from < low || from > high || to < low || to > high) {
                throw refused(name, text, low, high);
            }
            if (from > to) {
                throw PostriderException.refused("cron field " + name + " has a range that goes backwards, '"
                        + stepped[0] + "' in '" + text + "'; write it as two, joined by a comma");
            }
        }
        for (int i = from; i <= to; i += step) {
            set.set(i);
        }
    }

    private static int number(String name, String text, String word, List<String> names, int low) {
        int named = names.indexOf(word.toLowerCase(Locale.ROOT));
        if (named >= 0) {
            return named + (names == MONTHS ? 1 : 0);
        }
        if (word.matches("[0-9]{1,4}")) {
            return Integer.parseInt(word);
        }
        throw PostriderException.refused("cron field " + name + " has an invalid value '" + word + "' in '" + text
                + "'; use numbers, names, lists, ranges and steps, such as " + low + ", " + low + "-5, */10");
    }

    private static PostriderException refused(String name, String text, int low, int high) {
        return PostriderException.refused(
                "cron field " + name + " must be within " + low + ".." + high + ", was '" + text + "'");
    }

    /** Returns the first tick after a time. */
    public Instant after(Instant moment) {
        ZonedDateTime local = moment.atZone(zone);
        LocalDate date = local.toLocalDate().minusDays(1); // a tick in a gap before midnight comes after midnight
        for (int i = 0; i < LONGEST_SEARCH_DAYS; i++, date = date.plusDays(1)) {
            if (isDay(date)) {
                Instant tick = firstOn(date, moment);
                if (tick != null) {
                    return tick;
                }
            }
        }
        throw PostriderException.refused("cron '" + text + "' never ticks: no such date");
    }

    private boolean isDay(LocalDate date) {
        if (!months.get(date.getMonthValue())) {
            return false;
        }
        boolean day = days.get(date.getDayOfMonth());
        boolean weekday = weekdays.get(date.getDayOfWeek().getValue() % 7);
        return everyDay || everyWeekday ? day && weekday : day || weekday;
    }

    private @org.jspecify.annotations.Nullable Instant firstOn(LocalDate date, Instant moment) {
        Instant first = null;
        for (int hour = hours.nextSetBit(0); hour >= 0; hour = hours.nextSetBit(hour + 1)) {
            for (int minute = minutes.nextSetBit(0); minute >= 0; minute = minutes.nextSetBit(minute + 1)) {
                for (Instant tick : at(date.atTime(hour, minute))) {
                    if (tick.isAfter(moment) && (first == null || tick.isBefore(first))) {
                        first = tick;
                    }
                }
            }
        }
        return first;
    }

    /** The times at which a local time occurs: one, none or two, by the rule for clock changes above. */
    private List<Instant> at(LocalDateTime time) {
        ZoneOffsetTransition change = zone.getRules().getTransition(time);
        if (change == null) {
            return List.of(time.atZone(zone).toInstant());
        }
        if (change.isGap()) {
            return everyHour ? List.of() : List.of(change.getInstant());
        }
        Instant early = time.toInstant(change.getOffsetBefore());
        return everyHour ? List.of(early, time.toInstant(change.getOffsetAfter())) : List.of(early);
    }

    @Override
    public String toString() {
        return text + " " + zone;
    }
}
