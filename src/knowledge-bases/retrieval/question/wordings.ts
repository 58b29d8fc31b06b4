import { type TextLanguage, isIn } from '../../../infrastructure/languages';
import { NO_LANGUAGE, searchConfiguration, searchableQuestion, withoutStopWords } from '../../search/searchable-text';
import type { KnowledgeBaseEntity } from '../../storage/knowledge-base.entity';

/** A question as it is searched for in the passages of one language. */
export interface Wording {
  readonly configuration: string;
  readonly text: string;
  /** Text-search configuration of the language that `text` is written in. */
  readonly spoken: string;
  /** Absent for the question in its own words. */
  readonly isTranslation?: true;
}

export interface Question {
  readonly text: string;
  /** Null when it cannot be told. */
  readonly language: TextLanguage | null;
  /** Translations by language. */
  readonly translations: ReadonlyMap<string, string>;
}

/** The wordings of a question, and the wordings that each knowledge base is searched with. */
export interface Worded {
  readonly wordings: readonly Wording[];
  /** `number` counts wordings from 1. */
  readonly scopes: readonly { readonly id: string; readonly number: number }[];
}

type Base = Pick<KnowledgeBaseEntity, 'id' | 'language' | 'languages' | 'indexVersion'>;

/** Most languages that one knowledge base is searched in: each is a separate search. */
const MOST_LANGUAGES = 4;

const known = (language: string): boolean => language !== NO_LANGUAGE;

/** Languages of the passages, the question's own first. */
export function languagesOf({ language, languages }: Pick<Base, 'language' | 'languages'>, own: TextLanguage | null) {
  const all = languages.length > 0 ? languages : [language ?? NO_LANGUAGE];
  const isOwn = (each: string): boolean => own !== null && isIn(own, [each]);
  return [...all.filter(isOwn), ...all.filter((each) => !isOwn(each))].slice(0, MOST_LANGUAGES);
}

/** Known languages of all passages. */
export const materialLanguages = (bases: readonly Pick<Base, 'language' | 'languages'>[]): string[] =>
  [...new Set(bases.flatMap((base) => languagesOf(base, null)))].filter(known);

/** Languages of the passages, without the language of the question. */
export function foreignLanguages(bases: readonly Base[], own: TextLanguage | null): string[] {
  if (own === null) return [];
  const all = new Set(bases.flatMap((base) => languagesOf(base, own)));
  return [...all].filter((language) => known(language) && !isIn(own, [language]));
}

function wordingIn(language: string, { indexVersion }: Base, question: Question): Wording {
  const configuration = searchConfiguration(language);
  const { language: own, translations } = question;
  const isForeign = own !== null && known(language) && !isIn(own, [language]);
  const translation = isForeign ? translations.get(language) : undefined;
  const spoken = isForeign && translation === undefined ? searchConfiguration(own.language) : configuration;
  const whole = searchableQuestion(translation ?? question.text, indexVersion);
  const text = withoutStopWords(spoken, withoutStopWords(configuration, whole));
  return { configuration, text, spoken, ...(translation === undefined ? {} : { isTranslation: true }) };
}

const keyOf = ({ configuration, text, spoken }: Wording): string => JSON.stringify([configuration, text, spoken]);

/** One wording for each language of each knowledge base; equal wordings are shared. */
export function worded(bases: readonly Base[], question: Question): Worded {
  const wordings = new Map<string, { readonly wording: Wording; readonly number: number }>();
  const scopes = bases.flatMap((base) => {
    const numbers = languagesOf(base, question.language).map((language) => {
      const wording = wordingIn(language, base, question);
      const entry = wordings.get(keyOf(wording)) ?? { wording, number: wordings.size + 1 };
      wordings.set(keyOf(wording), entry);
      return entry.number;
    });
    return [...new Set(numbers)].map((number) => ({ id: base.id, number }));
  });
  return { wordings: [...wordings.values()].map(({ wording }) => wording), scopes };
}
