package io.wellkeeper.kotlin.samples

import java.nio.file.Files
import java.nio.file.Path
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** The compiler compiles the sample of the document: it is in [Sample], line by line. */
class SampleTest {

    private fun trimmed(file: String): List<String> =
        Files.readAllLines(Path.of(file)).map(String::trim).filter(String::isNotEmpty)

    @Test
    fun `what the document shows is what is compiled`() {
        val shown = trimmed("../docs/kotlin.md").dropWhile { it != "```kotlin" }.drop(1).takeWhile { it != "```" }
        val compiled = trimmed("src/test/kotlin/io/wellkeeper/kotlin/samples/Sample.kt")
        val (imports, statements) = shown.partition { it.startsWith("import ") }

        assertThat(statements).hasSizeGreaterThan(4)
        assertThat(compiled).containsAll(imports)
        assertThat(compiled).containsSequence(statements)
    }
}
