import { isJsonObject } from '../../kernel';
import type { TranslationDialect } from './translation-dialect.types';

/** LibreTranslate API, `POST /translate`. The key is a member of the body. */
export const LIBRETRANSLATE: TranslationDialect = {
  name: 'libretranslate',
  call: ({ text, from, to, apiKey }) => ({
    body: { q: text, source: from, target: to, format: 'text', ...(apiKey === null ? {} : { api_key: apiKey }) },
  }),
  translation: (answer) => (isJsonObject(answer) ? answer['translatedText'] : null),
};
