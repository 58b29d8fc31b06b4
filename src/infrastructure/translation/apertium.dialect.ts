import { isJsonObject } from '../../kernel';
import type { TranslationDialect } from './translation-dialect.types';

/** Apertium APy, `GET /translate`. It takes two-letter codes; `markUnknown` would put a `*` before unknown words. */
export const APERTIUM: TranslationDialect = {
  name: 'apertium',
  call: ({ text, from, to, apiKey }) => ({
    query: { langpair: `${from}|${to}`, q: text, markUnknown: 'no' },
    ...(apiKey === null ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
  }),
  translation: (answer) => {
    const data = isJsonObject(answer) ? answer['responseData'] : null;
    return isJsonObject(data) ? data['translatedText'] : null;
  },
};
