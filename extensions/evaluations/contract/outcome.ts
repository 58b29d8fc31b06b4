import { type JsonObject, type Source, type SourcePassage, strictObject } from '@bellwether/kernel';

/** Text for comparisons: case, white space and ways to write a letter do not count. */
export const normalized = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();

/** Names of the one setting, a text, in English and in the other languages of the UI. */
interface Titles {
  readonly en: string;
  readonly es: string;
  readonly ca: string;
  readonly eu: string;
}

/** Schema of an expectation whose one setting is a text. */
export const textSchema = ({ en, es, ca, eu }: Titles) =>
  strictObject({
    text: {
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      pattern: '\\S',
      title: en,
      'x-texts': { es: { title: es }, ca: { title: ca }, eu: { title: eu } },
    },
  });

/** One answer of the assistant under test. */
export interface TestedAnswer {
  readonly question: string;
  readonly answer: string;
  readonly sources: readonly Source[];
  readonly passages: readonly SourcePassage[];
  /** The answer needed no model, because nothing was found. */
  readonly fixed: boolean;
  readonly durationMs: number;
  /** Millionths of the organization's currency; null when the model has no price. */
  readonly costMicros: number | null;
}

/** A rubric for a judge. */
export interface JudgedRubric {
  readonly title: string;
  readonly instruction: string;
  readonly criteria: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    /** Part of the final score, 0..1. */
    readonly share: number;
    readonly bestScore: number;
    readonly levels: readonly { readonly score: number; readonly label: string; readonly description: string }[];
  }[];
}

export interface JudgeQuestion {
  readonly instruction: string;
  /** Text that is judged. It stands between unpredictable lines. */
  readonly material: string;
  readonly schema: JsonObject;
}

/** Services for checks. */
export interface CheckContext {
  /** Asks the organization's model. Rejects when it gives no answer of this form; the result is then not judged. */
  judge<T>(question: JudgeQuestion): Promise<T>;
  /** Null when the rubric no longer exists. */
  rubric(id: string): Promise<JudgedRubric | null>;
  documentExists(knowledgeBaseId: string, documentId: string): Promise<boolean>;
}

export const OUTCOME_STATUSES = ['passed', 'failed', 'not_judged', 'gone'] as const;
export type OutcomeStatus = (typeof OUTCOME_STATUSES)[number];

/** `gone`: what the expectation refers to no longer exists. Only `passed` counts as passed. */
export interface Outcome {
  readonly status: OutcomeStatus;
  /** Evidence for the result: titles, a figure, or the reason of the judge. */
  readonly found: string;
}

export interface ExpectationText {
  readonly name: string;
  readonly about: string;
}

export const EXPECTATION_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type ExpectationTexts = Readonly<Record<(typeof EXPECTATION_LANGUAGES)[number], ExpectationText>>;

export interface ExpectationDefinition {
  readonly name: string;
  readonly texts: ExpectationTexts;
  readonly config_schema: JsonObject;
  /** `model`: a judge may be asked. `exact`: the same answer always gets the same result. */
  readonly checked_by: 'exact' | 'model';
}

/** One kind of expectation. A new kind is a folder in `catalog/` and one line in its index. */
export interface Expectation<Config extends object = JsonObject> {
  readonly definition: ExpectationDefinition;
  check(config: Config, answer: TestedAnswer, context: CheckContext): Outcome | Promise<Outcome>;
  /** Configurations that this answer meets, for a test that is made from a run. */
  propose?(answer: TestedAnswer): readonly Config[];
}

export const passedIf = (passed: boolean, found: string): Outcome => ({
  status: passed ? 'passed' : 'failed',
  found,
});
