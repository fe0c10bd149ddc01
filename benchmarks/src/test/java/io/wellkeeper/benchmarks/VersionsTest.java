package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VersionsTest {

    @ParameterizedTest
    @EnumSource
    void versions_ofEveryPeer_areKnown(Store store) {
        assertThat(store.versions())
                .isNotEmpty()
                .allSatisfy((peer, version) -> assertThat(version).as(peer).matches("\\d+\\.\\d+.*"));
    }
}
