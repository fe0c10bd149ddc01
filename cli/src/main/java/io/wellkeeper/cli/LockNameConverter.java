package io.wellkeeper.cli;

import io.wellkeeper.spi.LockNames;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Refuses invalid lock names before anything is sent to the store. */
final class LockNameConverter implements ITypeConverter<String> {

    @Override
    public String convert(String name) {
        try {
            return LockNames.checkChosen(name);
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException(String.valueOf(wrong.getMessage()));
        }
    }
}
