import type { ToolOutcome } from './contract';
import { materialFit } from './read-output';

const completed = (more: object): ToolOutcome =>
  ({ status: 'completed', content: 'x', chars: 1, ...more }) as unknown as ToolOutcome;
const strong = { search: { match: { strength: 0.8, weak: false } } };
const weak = { search: { match: { strength: 0.2, weak: true } } };
const failed = { status: 'failed' } as ToolOutcome;

it.each([
  ['nothing', []],
  ['fits', [completed(strong)]],
  ['fits', [completed(weak), completed(strong)]],
  ['fits', [completed({})]],
  ['nothing', [completed(weak)]],
  ['nothing', [completed({ chars: 0 })]],
  ['nothing', [completed({ evidence: 'derived' })]],
  ['unread', [completed(weak), failed]],
  ['fits', [completed({}), failed]],
] as const)('material is judged as “%s” for %j', (fit, outcomes) => expect(materialFit(outcomes)).toBe(fit));
