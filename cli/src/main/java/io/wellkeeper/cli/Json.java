package io.wellkeeper.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wellkeeper.Deadlock;
import io.wellkeeper.LockBreak;
import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** JSON in plain ASCII on one line, so that it is safe on a terminal too. */
final class Json {

    private static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private Json() {}

    static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static Map<String, Object> of(LockStatus status) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", status.name());
        json.put("holders", of(status.holders()));
        json.put("waiters", of(status.waiters()));
        status.lastBreak().ifPresent(broken -> json.put("lastBreak", of(broken)));
        return json;
    }

    private static Map<String, Object> of(LockBreak broken) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("by", broken.by());
        json.put("reason", broken.reason());
        json.put("when", broken.when().toString());
        return json;
    }

    /** The result of {@code break}. */
    static Map<String, Object> ofBreak(String name, List<Participant> former) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("takenFrom", of(former));
        return json;
    }

    static Map<String, Object> ofDoctor(List<Deadlock> deadlocks, List<String> warnings) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("deadlocks", deadlocks.stream().map(Json::of).toList());
        json.put("warnings", warnings);
        return json;
    }

    private static List<Map<String, Object>> of(Deadlock deadlock) {
        return deadlock.circle().stream()
                .map(one -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("who", of(one.who()));
                    json.put("wants", one.wants());
                    json.put("holds", one.holds());
                    return json;
                })
                .toList();
    }

    private static List<Map<String, Object>> of(List<Participant> participants) {
        return participants.stream().map(Json::of).toList();
    }

    private static Map<String, Object> of(Participant participant) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("number", participant.number());
        json.put("permits", participant.permits());
        participant.fencingToken().ifPresent(token -> json.put("fencingToken", Long.toString(token)));
        json.put("client", participant.clientName());
        json.put("host", participant.host());
        json.put("pid", participant.pid());
        json.put("thread", participant.thread());
        json.put("reason", participant.reason());
        json.put("labels", new TreeMap<>(participant.labels()));
        json.put("since", participant.since().toString());
        json.put("forMillis", participant.waited().toMillis());
        return json;
    }
}
