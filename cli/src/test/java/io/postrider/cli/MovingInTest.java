package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.Worker;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page docs/moving-in.md, executed section by section: from the old schema to the dropped table. */
@Migrated
class MovingInTest {
    @ParameterizedTest
    @CsvSource({
        "Flag,outbox,3",
        "Status,event_outbox,1",
        "Delete after publishing,outbox_events,1",
        "Jobs,enrichment_outbox,2"
    })
    void the_section_runs_from_the_old_schema_to_the_dropped_table(
            String section, String table, int adopted, TestDatabase database) throws IOException {
        Shell shell = new Shell(database);
        try (Postrider running = Postrider.on(database.dataSource())
                .add(Listener.relay("mail", "orders", event -> {}))
                .add(Listener.relay("bill", "billing", event -> {}))
                .add(Listener.relay("ship", "shipping", event -> {}))
                .add(Worker.on("enrichment").handling("enrichment_outbox", job -> Fate.done()))
                .start()) {
            running.listeners().list(); // the listeners that the commands name are registered by the start
            int commands = 0;
            Matcher blocks = Pattern.compile("(?s)```(sql|console)\n(.*?)```").matcher(section(section));
            while (blocks.find()) {
                if (blocks.group(1).equals("sql")) {
                    Shell.execute(database, blocks.group(2));
                    continue;
                }
                for (String line : blocks.group(2).strip().split("\n", -1)) {
                    Ran ran = shell.ok(line.replaceFirst("^postrider ", "").split(" ", -1));
                    assertThat(ran.out() + ran.err()).as(line).contains(table);
                    commands++;
                }
            }
            assertThat(commands).isGreaterThanOrEqualTo(6);
        }
        assertThat(Shell.ask(database, "select count(*) from postrider.adopted where source = 'public." + table + "'"))
                .isEqualTo(Integer.toString(adopted));
        assertThat(Shell.ask(
                        database,
                        "select count(distinct event_id) from postrider.event where headers ->> 'adopted_from'"
                                + " = 'public." + table + "'"))
                .isEqualTo(Integer.toString(adopted));
        assertThat(Shell.ask(database, "select coalesce(to_regclass('public." + table + "')::text, 'dropped')"))
                .isEqualTo("dropped");
        assertThat(shell.ok("adopt", "status", table, "--json").line())
                .contains("\"state\":\"finished\"", "\"rows\":-1");
    }

    private static String section(String title) throws IOException {
        List<String> sections =
                List.of(Files.readString(Path.of("../docs/moving-in.md")).split("(?m)^## ", -1));
        return sections.stream()
                .filter(section -> section.startsWith(title + "\n"))
                .findFirst()
                .orElseThrow();
    }
}
