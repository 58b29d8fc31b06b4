import type { JsonObject } from '../../kernel';

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
