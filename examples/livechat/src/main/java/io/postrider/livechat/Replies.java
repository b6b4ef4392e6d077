package io.postrider.livechat;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The answers of Pip, the companion: a few rules, tried in order; the first match answers. Stateless except for the memory. */
final class Replies {
    private static final Pattern NAME = Pattern.compile(
            "\\b(?:my name is|i am called|call me|i'm)\\s+(\\p{L}[\\p{L}'-]{0,30})", Pattern.CASE_INSENSITIVE);
    private static final Pattern NUMBER = Pattern.compile("\\b(\\d{3,10})\\b");

    /** "I'm sorry" does not introduce a name. */
    private static final List<String> NOT_NAMES = List.of(
            "sorry", "afraid", "here", "not", "so", "very", "just", "looking", "waiting", "fine", "good", "happy",
            "back");

    private static final List<Rule> RULES = List.of(
            new Rule("hello", "hello|hi|hey|hallo|hola|bonjour|good (?:morning|evening|day)", Replies::hello),
            new Rule("parcel", "parcel|package|order|delivery|shipment|tracking|where is my", Replies::parcel),
            new Rule(
                    "hours",
                    "open(?:ing)?|hours|closed?|when are you",
                    (text, memory) ->
                            "The counter is open from 8 to 18 on weekdays. I am here always; I don't sleep, I wait on a LISTEN."),
            new Rule(
                    "price",
                    "prices?|costs?|how much|expensive|fees?|free",
                    (text, memory) ->
                            "A letter is 0.95, a parcel from 4.90, and good advice costs nothing. What would you like to send?"),
            new Rule(
                    "refund",
                    "refund|money back|broken|damaged|complain\\w*|angry",
                    (text, memory) ->
                            "That should not have happened. A person decides about refunds: write @anna and she is called at once."),
            new Rule(
                    "human",
                    "human|person|agent|someone|somebody|operator|real",
                    (text, memory) ->
                            "Of course. Write @anna, @ben or @mira anywhere in a message and a badge goes up on their screen."),
            new Rule(
                    "lost",
                    "lost|lose|missing|twice|duplicate|dies?|crash(?:es)?|kill(?:ed)?|worker",
                    (text, memory) ->
                            "Nothing gets lost here and nothing comes twice. Don't believe me: press “Kill a worker” and count."),
            new Rule(
                    "how",
                    "how (?:does|do) (?:it|this|you) work|what are you|who are you|bot",
                    (text, memory) ->
                            "I'm Pip. Your message woke a listener, which queued a job for me in the same transaction. I answer in another"
                                    + " one: my words and the end of my job are committed together, or not at all."),
            new Rule("joke", "joke|funny|laugh|bored", Replies::joke),
            new Rule(
                    "weather",
                    "weather|rain|sun(?:ny)?|snow",
                    (text, memory) ->
                            "Neither snow nor rain stays a rider. Serializable isolation might, but we don't need it."),
            new Rule(
                    "thanks",
                    "thanks?|thank you|thx|great|perfect|merci|danke|awesome",
                    (text, memory) -> "My pleasure" + name(memory) + ". It's a durable pleasure, too: fsynced."),
            new Rule(
                    "bye",
                    "bye|goodbye|see you|ciao|later",
                    (text, memory) -> "Safe travels" + name(memory)
                            + "! Whatever you missed will be waiting when you come back."));

    private static final List<String> JOKES = List.of(
            "I knew a good one about UDP, but you might not get it.",
            "Two hard things: naming, cache invalidation, and off-by-one errors. Positions here have no holes, though.",
            "At-least-once delivery walks into a bar. At-least-once delivery walks into a bar.");

    private static final List<String> SHRUGS = List.of(
            "I'm only a small horn with a few rules. Ask me about a parcel, our hours, prices, or how this works.",
            "Hm. I have noted it down, durably. @anna may know more.",
            "Tell me more? I know parcels, prices, hours, and one and a half jokes.",
            "That one is above my pay grade, which is zero. @ben is the one to ask.");

    private Replies() {}

    /** The answer, and the memory after it. */
    record Reply(String text, Memory memory) {}

    static Reply to(String text, List<String> mentions, Memory memory) {
        Matcher named = NAME.matcher(text);
        if (named.find() && !NOT_NAMES.contains(named.group(1).toLowerCase(Locale.ROOT))) {
            String name = named.group(1);
            return new Reply(
                    "Nice to meet you, " + name + ". I'll remember that; it's in the same transaction as this answer.",
                    memory.calling(name).answering("name"));
        }
        if (!mentions.isEmpty()) {
            return new Reply(
                    "I have rung for " + String.join(" and ", capitalised(mentions)) + ".", memory.answering("rung"));
        }
        for (Rule rule : RULES) {
            if (rule.fits(text)) {
                return new Reply(rule.answer().to(text, memory), memory.answering(rule.intent()));
            }
        }
        return new Reply(pick(SHRUGS, memory), memory.answering("shrug"));
    }

    /** The answer to the auto-pilot's messages: every hundredth, so that the count is visible. */
    static @Nullable String count(Memory memory) {
        return memory.counted() % 100 == 0
                ? "That makes " + memory.counted() + " messages. I count each one once."
                : null;
    }

    private static String hello(String text, Memory memory) {
        return memory.replies() == 0
                ? "Hello! I'm Pip. Ask me about a parcel, our hours, or what happens when a worker dies in mid-sentence."
                : "Hello again" + name(memory) + "! Still here, still counting.";
    }

    private static String parcel(String text, Memory memory) {
        Matcher number = NUMBER.matcher(text);
        return number.find()
                ? "Parcel " + number.group(1) + " changed horses this morning and is about two stages away."
                : "Give me the number of the parcel and I'll look where its rider is.";
    }

    private static String joke(String text, Memory memory) {
        return pick(JOKES, memory);
    }

    private static String pick(List<String> lines, Memory memory) {
        return lines.get((int) (memory.replies() % lines.size()));
    }

    private static String name(Memory memory) {
        return memory.called() == null ? "" : ", " + memory.called();
    }

    private static List<String> capitalised(List<String> ids) {
        return ids.stream()
                .map(id -> id.substring(0, 1).toUpperCase(Locale.ROOT) + id.substring(1))
                .toList();
    }

    private interface Answer {
        String to(String text, Memory memory);
    }

    private record Rule(String intent, Pattern pattern, Answer answer) {
        Rule(String intent, String words, Answer answer) {
            this(intent, Pattern.compile("\\b(?:" + words + ")\\b", Pattern.CASE_INSENSITIVE), answer);
        }

        boolean fits(String text) {
            return pattern.matcher(text).find();
        }
    }
}
