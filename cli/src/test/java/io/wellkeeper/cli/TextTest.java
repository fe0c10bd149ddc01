package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockBreak;
import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class TextTest {

    private static final String EVIL = "a\u001b[31m\r\n\u009b2J\u202Eb";
    private static final String HARMLESS = "a\\u{1b}[31m\\u{d}\\u{a}\\u{9b}2J\\u{202e}b";

    @Test
    void safeText_controlCharacters_areShownAndNotSent() {
        assertThat(SafeText.of(EVIL)).isEqualTo(HARMLESS);
    }

    @Test
    void safeText_unpairedSurrogate_isShown() {
        assertThat(SafeText.of("\uD800")).isEqualTo("\\u{d800}");
    }

    @Test
    void safeText_anyScript_staysAsItIs() {
        assertThat(SafeText.of("订单/42 Übergröße \uD83D\uDD12")).isEqualTo("订单/42 Übergröße \uD83D\uDD12");
    }

    @ParameterizedTest
    @CsvSource({"5,PT5S", "0,PT0S", "0.25,PT0.25S", "500ms,PT0.5S", "2m,PT2M", "PT1H,PT1H"})
    void durationConverter_everyForm_isRead(String text, Duration expected) {
        assertThat(new DurationConverter().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5.2", "5 s", "PT-1S"})
    void durationConverter_noLengthOfTime_isRefused(String text) {
        assertThatThrownBy(() -> new DurationConverter().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @Test
    void statusTable_nobodyThere_saysFree() {
        assertThat(StatusTable.of(new LockStatus("x", List.of(), List.of()))).isEqualTo("x: free, nobody waits");
    }

    @Test
    void statusTable_holderAndWaiter_showsBothInOrder() {
        LockStatus status = new LockStatus("x", List.of(participant(3, "backup")), List.of(participant(4, "report")));

        assertThat(StatusTable.of(status).lines())
                .satisfiesExactly(
                        headline -> assertThat(headline).isEqualTo("x: held, 1 waiting"),
                        heading -> assertThat(heading).contains("NUMBER", "HOST", "PID", "SINCE", "WHY"),
                        holder -> assertThat(holder)
                                .startsWith("holds")
                                .contains("3", "192", "1m5s", "2026-01-02T03:04:05Z")
                                .endsWith("backup team=a"),
                        waiter -> assertThat(waiter).startsWith("waits").endsWith("report team=a"));
    }

    @Test
    void statusTable_severalPermits_showsHowManyEachHasOrWants() {
        LockStatus status = new LockStatus(
                "x", List.of(participant(3, 5, ""), participant(4, 1, "")), List.of(participant(5, 2, "")));

        assertThat(StatusTable.of(status).lines().skip(1))
                .satisfiesExactly(
                        heading -> assertThat(heading).contains("  PERMITS  NUMBER "),
                        holder -> assertThat(holder).startsWith("holds  5        3 "),
                        holder -> assertThat(holder).startsWith("holds  1        4 "),
                        waiter -> assertThat(waiter).startsWith("waits  2        5 "));
        assertThat(Json.write(Json.of(status))).contains("\"number\":3,\"permits\":5,", "\"number\":4,\"permits\":1,");
    }

    @Test
    void statusTable_onePermitEach_saysNothingOfPermits() {
        assertThat(StatusTable.of(new LockStatus("x", List.of(participant(3, "")), List.of())))
                .doesNotContain("PERMITS");
    }

    @Test
    void statusTable_escapesInEveryField_areNeutralised() {
        Participant evil = new Participant(
                1,
                1,
                EVIL,
                EVIL,
                7,
                EVIL,
                EVIL,
                Map.of(EVIL, EVIL),
                Instant.EPOCH,
                Duration.ZERO,
                OptionalLong.empty());

        String table = StatusTable.of(new LockStatus(EVIL, List.of(evil), List.of()));

        assertThat(table.lines()).hasSize(3);
        assertThat(table.replace(System.lineSeparator(), "").chars()).noneMatch(Character::isISOControl);
        assertThat(table).doesNotContain("\u202E");
    }

    @Test
    void json_evilName_isPlainAscii() {
        String json = Json.write(Json.of(new LockStatus(EVIL, List.of(participant(1, EVIL)), List.of())));

        assertThat(json.chars()).allMatch(character -> character >= ' ' && character < 127);
    }

    @ParameterizedTest
    @CsvSource({"PT0S,0s", "PT59.9S,59s", "PT61S,1m1s", "PT2H3M,2h3m", "PT49H,2d1h", "PT-1S,0s"})
    void brief_anyDuration_hasItsTwoLargestUnits(Duration time, String expected) {
        assertThat(StatusTable.brief(time)).isEqualTo(expected);
    }

    @Test
    void columns_emptyColumn_isLeftOut() {
        assertThat(Columns.align(List.of(List.of("A", "B", "C"), List.of("long", "", "x")))
                        .lines())
                .containsExactly("A     C", "long  x");
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 80, 100, 132})
    void statusTable_narrow_fitsAndKeepsHolderTokenAndTime(int width) {
        Participant one = participant(1_790_000_000_000_000L, "订单".repeat(60));
        LockStatus status = new LockStatus(
                "n".repeat(200),
                List.of(one),
                List.of(one),
                Optional.of(new LockBreak("b".repeat(90), "why", Instant.EPOCH)));

        String table = StatusTable.of(status, width);

        assertThat(table.lines()).hasSize(5).allMatch(line -> terminalColumns(line) <= width);
        assertThat(table.lines().skip(2).limit(2))
                .allMatch(line -> line.contains(Long.toString(one.number() << 6)) && line.contains("client"));
        assertThat(table.lines().findFirst().orElse("")).endsWith("…: held, 1 waiting");
    }

    private static int terminalColumns(String line) {
        return line.length()
                + (int) line.chars().filter(c -> c == '订' || c == '单').count();
    }

    @Test
    void json_token_isTextBecauseManyRoundSuchNumbers() {
        Participant holder = participant(1_790_000_000_000_000L, "");

        assertThat(Json.write(Json.of(new LockStatus("x", List.of(holder), List.of()))))
                .contains("\"fencingToken\":\"114560000000000000\"");
    }

    private static Participant participant(long number, String reason) {
        return participant(number, 1, reason);
    }

    private static Participant participant(long number, int permits, String reason) {
        return new Participant(
                number,
                permits,
                "client",
                "host",
                42,
                "main",
                reason,
                Map.of("team", "a"),
                Instant.parse("2026-01-02T03:04:05.678Z"),
                Duration.ofSeconds(65),
                OptionalLong.of(number << 6));
    }
}
