type Values = Readonly<Record<string, string | number>>;

export interface ValueProblem {
  /** Stable code, `value.max_length`; the UI words it. */
  readonly code: string;
  readonly values?: Values;
}

const snakeCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Codes of keywords whose name does not say what is wrong. */
const NAMES: Readonly<Record<string, string>> = {
  additionalProperties: 'unknown',
  required: 'missing',
  propertyNames: 'name',
  exclusiveMinimum: 'above',
  exclusiveMaximum: 'below',
};

/** The code of a broken keyword of JSON Schema, with its limit. `params` are those of Ajv. */
export function valueProblem(keyword: string, params: Readonly<Record<string, unknown>> = {}): ValueProblem {
  const { limit } = params;
  const code = `value.${NAMES[keyword] ?? snakeCase(keyword)}`;
  return typeof limit === 'number' ? { code, values: { limit } } : { code };
}
