package io.wellkeeper.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class WarehouseTest {

    @Test
    void connect_knowingTheAddressAlone_isRefused() throws Exception {
        try (Warehouse warehouse = Warehouse.open()) {
            assertThatThrownBy(() -> DriverManager.getConnection(warehouse.url()))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Wrong user name or password");
            assertThatThrownBy(() -> DriverManager.getConnection(warehouse.url(), Warehouse.USER, ""))
                    .hasMessageContaining("Wrong user name or password");
            try (Till till = new Till(warehouse.url(), warehouse.password(), "me")) {
                assertThat(till.stock()).isZero();
            }
        }
    }
}
