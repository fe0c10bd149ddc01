package io.wellkeeper.cli;

import io.wellkeeper.spi.LockNames;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Refuses what cannot be a lock's name before anything is asked of the store. */
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
