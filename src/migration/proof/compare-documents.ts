import type { AssistantDocument, PromptDifference } from '../../assistants';
import type { Problem } from '../../kernel';
import type { Renderable, Rendering } from './prompt-renderer';
import { RECORDED_INPUTS } from './recorded-inputs';

/** Of each side of a difference. */
const SHOWN_CHARS = 400;
const LEAD_CHARS = 120;

/** Each is as long as all that is found: more would be megabytes to compare. */
const MOST_SLOTS = 200;

const TOO_MANY_SLOTS: Problem = {
  path: 'prompt_template',
  code: 'template.too_many_slots',
  message: `holds more than ${MOST_SLOTS} slots`,
};

const SOURCES_DIFFER: Problem = {
  path: 'metadata.tools',
  code: 'sources.differ',
  message: 'the sources of answers would not be the same',
};

export interface Comparison {
  readonly problems: readonly Problem[];
  readonly differences: readonly PromptDifference[];
}

/** What would not be the same after a rewrite: prompts, and what a prompt does not show. One input at a time is in memory. */
export async function compareDocuments(before: Renderable, after: Renderable): Promise<Comparison> {
  if (Math.max(before.slots, after.slots) > MOST_SLOTS) return { problems: [TOO_MANY_SLOTS], differences: [] };
  const differences: PromptDifference[] = [];
  let sameSources = true;
  for (const input of RECORDED_INPUTS) {
    const [was, is] = [await before.render(input), await after.render(input)];
    differences.push(...difference(input.name, was, is));
    sameSources &&= was.sources === is.sources;
  }
  const inputs = differences.map(({ input }) => input).join(', ');
  const message = `the prompt would not be the same for ${inputs}`;
  return {
    differences,
    problems: [
      ...(differences.length === 0 ? [] : [{ path: 'prompt_template', code: 'prompt.differs', message }]),
      ...(sameSources ? [] : [SOURCES_DIFFER]),
      ...changedSettings(before.document, after.document),
    ],
  };
}

function difference(input: string, was: Rendering, is: Rendering): PromptDifference[] {
  const [before, after] = [was.prompt, is.prompt];
  if (before === after) return [];
  // Classic puts newlines around an empty context and none in place of a failed one; a tool's slot knows no such difference.
  if (was.failed && is.failed && withoutSpaces(before) === withoutSpaces(after)) return [];
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const start = Math.max(0, at - LEAD_CHARS);
  return [{ input, before: excerpt(before, start), after: excerpt(after, start) }];
}

const withoutSpaces = (text: string): string => text.replaceAll(' ', '');

const excerpt = (text: string, start: number): string => {
  const lead = start === 0 ? '' : '…';
  const end = start + SHOWN_CHARS - 2;
  return `${lead}${text.slice(start, end)}${end < text.length ? '…' : ''}`.toWellFormed();
};

function changedSettings(before: AssistantDocument, after: AssistantDocument): readonly Problem[] {
  const was = settings(before);
  const is = settings(after);
  return Object.keys(was)
    .filter((key) => key !== 'pipeline' || before.type === after.type)
    .filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]))
    .map((key) => ({ path: `metadata.${key}`, code: 'setting.differs', message: 'would not be the same' }));
}

/** Positions of tools change where functions leave their list; nothing that runs depends on them. */
const settings = (document: AssistantDocument): Readonly<Record<string, unknown>> => ({
  connector: document.connector,
  llm: document.llm,
  capabilities: document.capabilities,
  verbose: document.verbose,
  orchestrator: document.orchestrator,
  orchestrator_options: document.orchestratorOptions,
  functions: document.functions,
  system_prompt: document.systemPrompt,
  pipeline: document.pipeline.map(({ index: _, ...tool }) => tool),
});
