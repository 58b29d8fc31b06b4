import type { Source } from '@bellwether/kernel';
import type { StructuredAnswers, StructuredQuestion } from '../../connectors';
import type { Evidence, ToolOutcome } from '../contract';

export const ANSWER_USAGE = { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 };

/** A model that gives one object, and what it was asked. */
export function scriptedAnswers(value: object, warnings: readonly string[] = []) {
  const asked: StructuredQuestion[] = [];
  const answers: Pick<StructuredAnswers, 'ask' | 'hostFor'> = {
    hostFor: () => Promise.resolve('models.example'),
    ask: <T>(question: StructuredQuestion) => {
      asked.push(question);
      return Promise.resolve({ value: value as T, usage: ANSWER_USAGE, model: 'nano', warnings });
    },
  };
  return { ...answers, asked };
}

export const numberedSource = (n: number): Source => ({
  type: 'file',
  path: `file-${n}.md`,
  chars: 10,
  truncated: false,
  n,
});

/** A result of an earlier tool, its sources numbered by the run. */
export const found = (
  placeholder: string,
  content: string,
  {
    sources = [],
    plugin = 'simple_rag',
    evidence = 'found',
  }: { sources?: readonly Source[]; plugin?: string; evidence?: Evidence } = {},
): [string, ToolOutcome] => [
  placeholder,
  {
    index: Number.parseInt(placeholder, 10) - 1,
    plugin,
    placeholder,
    status: 'completed',
    content,
    chars: content.length,
    sources,
    citations: [],
    confidence: null,
    cached: false,
    retries: 0,
    warnings: [],
    evidence,
    truncated: false,
    duration_ms: 1,
  },
];

/** Two passages of a search with numbers, and a file as a whole. */
export const EARLIER: ReadonlyMap<string, ToolOutcome> = new Map([
  found('1_context', '[1] Leaves are green.\n\n[2] Light has many\n\ncolours.', {
    sources: [numberedSource(1), numberedSource(2)],
  }),
  found('2_file', 'Grass [9] is a plant.', { sources: [numberedSource(3)], plugin: 'single_file_rag' }),
]);
