import { Injectable, Logger } from '@nestjs/common';
import { TranslatorService } from '../../connectors';
import { LanguageDetector, type TextLanguage, isIn } from '../../infrastructure/languages';
import { rerankFailure } from './reranking';

/** Reason why the translator did not translate, for a warning; null for a defect of this service. */
const translationFailure = (error: unknown): string | null => rerankFailure(error);

const translationWarning = (why: string): string =>
  `The translator ${why}: the question was searched for in its own words`;

/** Longer questions are cut: some translators take the question as part of the URL. */
const TEXT_CHARS = 2_000;
/** Languages that a question is translated into. */
const MOST_LANGUAGES = 3;

export interface QuestionToTranslate {
  readonly text: string;
  readonly language: TextLanguage;
  /** Languages of the material other than the question's. */
  readonly into: readonly string[];
  readonly signal: AbortSignal;
}

export interface Translations {
  /** Translations by language. */
  readonly texts: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** Detects the language of questions, and translates them with the organization's translator. */
@Injectable()
export class QuestionLanguages {
  private readonly logger = new Logger(QuestionLanguages.name);

  constructor(
    private readonly service: TranslatorService,
    private readonly detector: LanguageDetector,
  ) {}

  /** Null for an unknown language. */
  detect(text: string): Promise<TextLanguage | null> {
    return this.detector.detect(text);
  }

  /** A failed translation is left out, with a warning. Rejects only when the signal aborts. */
  async translate(
    organizationId: string,
    { text, language, into, signal }: QuestionToTranslate,
  ): Promise<Translations> {
    if (into.length === 0 || !(await this.service.isConfigured(organizationId))) return NOT_TRANSLATED;
    const texts = new Map<string, string>();
    const failures = new Set<string>();
    await Promise.all(
      into.slice(0, MOST_LANGUAGES).map(async (to) => {
        try {
          const job = { text: text.slice(0, TEXT_CHARS).toWellFormed(), from: language.language, to, signal };
          const said = await this.service.translate(organizationId, job);
          if (await this.isStill(said, language, to)) failures.add('gave the question back in its own language');
          else texts.set(to, said);
        } catch (error) {
          signal.throwIfAborted();
          const why = translationFailure(error);
          if (why === null) this.logger.warn({ msg: 'a question could not be translated', error });
          failures.add(why ?? 'failed');
        }
      }),
    );
    return { texts, warnings: [...failures].map(translationWarning) };
  }

  /** Whether a text is surely in the language of the question and surely not in the other. */
  private async isStill(text: string, { language }: TextLanguage, to: string): Promise<boolean> {
    const found = await this.detector.detect(text);
    return found !== null && isIn(found, [language]) && !isIn(found, [to]);
  }
}

export const NOT_TRANSLATED: Translations = { texts: new Map(), warnings: [] };
