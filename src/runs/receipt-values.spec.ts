import type { RunFacts } from './run.types';
import { materialValues, textValues } from './receipt-values';

const facts = (number: number): RunFacts =>
  ({
    document: { metadata: { tools: [{ config: { number } }] } },
    request: { params: { temperature: number }, messages: [] },
    prompt: [{ role: 'user', content: 'why?', number }],
    results: [],
    passages: [],
    checks: [],
    answer: '',
    fixed: null,
    functions: null,
  }) as unknown as RunFacts;

const values = (number: number) => ({ ...materialValues(facts(number)), ...textValues(facts(number)) });

describe('the parts of a receipt', () => {
  it('take a number that JSON cannot hold as it is stored', () => {
    const { settings, prompt, parameters } = values(JSON.parse('1e999') as number);
    expect(parameters).toEqual({ temperature: null });
    expect({ settings, prompt }).toEqual({ settings: values(NaN).settings, prompt: values(NaN).prompt });
  });
});
