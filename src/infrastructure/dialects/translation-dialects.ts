import { type JsonObject, isJsonObject } from '@bellwether/kernel';

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

/** LibreTranslate API, `POST /translate`. The key is a member of the body. */
export const LIBRETRANSLATE: TranslationDialect = {
  name: 'libretranslate',
  call: ({ text, from, to, apiKey }) => ({
    body: { q: text, source: from, target: to, format: 'text', ...(apiKey === null ? {} : { api_key: apiKey }) },
  }),
  translation: (answer) => (isJsonObject(answer) ? answer['translatedText'] : null),
};

export interface TranslationRequest {
  readonly text: string;
  /** ISO 639-1. */
  readonly from: string;
  readonly to: string;
  readonly apiKey: string | null;
}

export interface TranslationCall {
  /** Parameters of the address; with a body the call is a POST. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The wire format of a service that translates a text. The endpoint of every dialect is called `translate`. */
export interface TranslationDialect {
  /** Value of `translator.dialect` in the settings of an organization. */
  readonly name: string;
  call(request: TranslationRequest): TranslationCall;
  /** The translation in an answer, unchecked. */
  translation(answer: unknown): unknown;
}

/** One line per dialect. */
export const TRANSLATION_DIALECT_PLUGINS: readonly TranslationDialect[] = [APERTIUM, LIBRETRANSLATE];
