import { APERTIUM, LIBRETRANSLATE, type TranslationDialect } from './translation-dialect.types';

export type { TranslationCall, TranslationDialect, TranslationRequest } from './translation-dialect.types';

/** One line per dialect. */
export const TRANSLATION_DIALECT_PLUGINS: readonly TranslationDialect[] = [APERTIUM, LIBRETRANSLATE];
