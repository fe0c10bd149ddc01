package io.wellkeeper.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Attributes;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Makes the manual pages and the completion script of the model that picocli has of the commands; {@code cli/manual} runs it. */
final class Manual {

    private Manual() {}

    /**
     * @param args the folder that they are put into, and one for what comes in between
     */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Path sources = Files.createDirectories(Path.of(args[1]));
        Path pages = Files.createDirectories(folder.resolve("man/man1"));
        CommandLine tool = Main.commandLine(Map.of());
        ManPageGenerator.generateManPage(sources.toFile(), null, new boolean[0], true, tool.getCommandSpec());
        Options options = Options.builder()
                .backend("manpage")
                .safe(SafeMode.UNSAFE)
                .toDir(pages.toFile())
                .attributes(Attributes.builder()
                        .attribute("reproducible", "")
                        .attribute("mansource", "Wellkeeper")
                        .build())
                .build();
        try (Asciidoctor asciidoctor = Asciidoctor.Factory.create();
                Stream<Path> all = Files.list(sources)) {
            for (File source : all.map(Path::toFile).toList()) {
                Files.write(source.toPath(), plain(Files.readAllLines(source.toPath())));
                asciidoctor.convertFile(source, options);
            }
        }
        AutoComplete.bash("wellkeeper", folder.resolve("completion").toFile(), null, tool);
        System.exit(0); // Ruby's threads
    }

    /** So that Asciidoctor makes no typography of what is to be typed, and no links between the pages, of which a terminal knows none. */
    private static List<String> plain(List<String> lines) {
        List<String> all = new ArrayList<>();
        boolean literal = false;
        for (String line : lines) {
            if (line.startsWith("//") || line.startsWith(":revnumber:") || line.startsWith(":mansource:")) {
                literal = false;
                continue;
            }
            literal |= line.equals("[%hardbreaks]");
            String heading = line.replaceFirst("^== +(.*?):?$", "== $1");
            String unlinked = heading.replaceFirst("^xref:[^\\[]*\\[(.*)]::$", "$1::");
            all.add(literal ? unlinked : unlinked.replace(" -- ", " \\-- ").replace("...", "\\..."));
        }
        return all;
    }
}
