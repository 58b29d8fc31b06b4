import type { JsonObject, Problem } from '@bellwether/kernel';
import { type CompiledTemplate, USER_INPUT } from '@bellwether/kernel/templates';
import type { AssistantDocument } from '../../assistants/definition';

/** Longest rendering in UTF-16 units: more than models read, and little enough to compare in memory. */
export const MOST_UNITS = 1_500_000;

/** Every save and every step visits each slot. */
export const MOST_SLOTS = 200;

export const TOO_MANY_SLOTS: Problem = {
  path: 'prompt_template',
  code: 'template.too_many_slots',
  message: `holds more than ${MOST_SLOTS} slots`,
};

export const TOO_LONG: Problem = {
  path: 'prompt_template',
  code: 'prompt.too_long',
  message: `the prompt with what its tools find could be longer than ${MOST_UNITS} characters, which is too much to compare`,
};

/** Upper bounds: the recorded messages, the question, and the description of one tool call. */
const MESSAGES = 5_000;
const QUESTION = 500;
const ASKED = 2_000;
/** Upper bound of the text around a passage and its source line; both name the collection. */
const PASSAGE = 120;
const NAMED = 4;

/** Limits of the search tools' schemas. */
const MOST_COLLECTIONS = 20;
const MOST_PASSAGES = 20;

/** Upper bound of any rendering in a proof. `isReader`: the tool reads the results of other tools. */
export function estimateUnits(
  document: AssistantDocument,
  { source, slots }: CompiledTemplate,
  isReader: (plugin: string) => boolean,
): number {
  const filled = new Map<string, number>();
  for (const { name } of slots) filled.set(name, (filled.get(name) ?? 0) + 1);
  let readers = 0;
  let found = 0;
  let placed = 0;
  for (const { placeholder, units, plugin } of askedOf(document)) {
    found += units;
    placed += units * (filled.get(placeholder) ?? 0);
    if (isReader(plugin)) readers += 1;
  }
  const words = document.systemPrompt.length + source.length + MESSAGES;
  const questions = QUESTION * slots.length + QUESTION * (filled.get(USER_INPUT) ?? 0);
  return words + questions + placed + found * (1 + readers);
}

interface Asked {
  readonly plugin: string;
  readonly placeholder: string;
  readonly units: number;
}

function askedOf({ type, classic, pipeline }: AssistantDocument): Asked[] {
  if (type === 'classic') {
    const { ragProcessor, collections, topK, rubricId, filePath } = classic;
    const units = contentUnits({ collections, top_k: topK, rubricId, filePath });
    return [{ plugin: ragProcessor, placeholder: 'context', units }];
  }
  return pipeline
    .filter(({ enabled }) => enabled)
    .map(({ plugin, placeholder, config, fallback }) => ({
      plugin,
      placeholder: placeholder ?? '',
      units: contentUnits(config) + (fallback === null ? 0 : contentUnits(fallback.config)),
    }));
}

/** The proof's services print their arguments, and name the collection in each passage. */
function contentUnits(config: JsonObject): number {
  const { collections, top_k: topK } = config;
  const names = Array.isArray(collections) ? collections.slice(0, MOST_COLLECTIONS) : [];
  const passages = typeof topK === 'number' && topK < MOST_PASSAGES ? Math.max(0, topK) : MOST_PASSAGES;
  const lengthOf = (name: unknown): number => (typeof name === 'string' ? name.length : 0);
  const each = names.reduce<number>((sum, name) => sum + PASSAGE + NAMED * lengthOf(name), 0);
  return ASKED + 3 * JSON.stringify(config).length + passages * each;
}
