import { type Problem, sameJson } from '@bellwether/kernel';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { type MetadataMigrator, type RewriteSubject, StaticChecks } from '../../assistants';
import {
  type AssistantDocument,
  type MetadataVersion,
  type PromptDifference,
  type RewritePlan,
  classicPath,
  definitionMetadata,
  migrateDefinition,
  parseMetadata,
  runningVersion,
  versionProblem,
} from '../../assistants/definition';
import { CONFIG, type Config } from '../../infrastructure/config';
import { PLUGINS, type Plugins } from '../../infrastructure/plugins';
import { StrategyCatalogue } from '../../orchestrators';
import { PromptRenderer, type Renderable, type Rendering } from './prompt-renderer';
import { MOST_SLOTS, MOST_UNITS, TOO_LONG, TOO_MANY_SLOTS } from './proof-budget';
import { RECORDED_INPUTS, type RecordedInput } from './recorded-inputs';
import { EventLoopYield } from './yield-to-event-loop';

/** Characters shown of each side of a difference. */
const SHOWN_CHARS = 400;
const LEAD_CHARS = 120;

const SOURCES_DIFFER: Problem = {
  path: 'metadata.tools',
  code: 'sources.differ',
  message: 'the sources of answers would not be the same',
};

interface Comparison {
  readonly problems: readonly Problem[];
  readonly differences: readonly PromptDifference[];
}

interface Pair {
  readonly before: Renderable;
  readonly after: Renderable;
}

/**
 * Compares the prompts of two documents, and the settings that no prompt shows. Renders one input at a time, and yields to
 * the event loop between two renderings.
 */
export async function compareDocuments(
  before: Renderable,
  after: Renderable,
  eventLoop = new EventLoopYield(),
): Promise<Comparison> {
  if (Math.max(before.slots, after.slots) > MOST_SLOTS) return refusal(TOO_MANY_SLOTS);
  if (Math.max(before.units, after.units) > MOST_UNITS) return refusal(TOO_LONG);
  const pair = { before, after };
  const differences: PromptDifference[] = [];
  let sameSources = true;
  for (const input of RECORDED_INPUTS) {
    const compared = await compareOn(input, pair, eventLoop);
    if (compared === null) return refusal(TOO_LONG);
    differences.push(...compared.differences);
    sameSources &&= compared.sameSources;
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

interface Compared {
  readonly differences: readonly PromptDifference[];
  readonly sameSources: boolean;
}

/** null when a rendering is too long. */
async function compareOn(input: RecordedInput, pair: Pair, eventLoop: EventLoopYield): Promise<Compared | null> {
  const was = await pair.before.render(input);
  await eventLoop.ifDue();
  const is = await pair.after.render(input);
  await eventLoop.ifDue();
  if (was === null || is === null) return null;
  const same = was.prompt === is.prompt || (await differOnlyAtSlots(pair, input, was, is));
  return {
    differences: same ? [] : [difference(input.name, was.prompt, is.prompt)],
    sameSources: was.sources === is.sources,
  };
}

const refusal = (problem: Problem): Comparison => ({ problems: [problem], differences: [] });

/**
 * A classic assistant writes nothing for failed content and newlines for empty content; a tool's slot does not distinguish
 * them. So white space may differ at an empty slot, and nowhere else.
 */
async function differOnlyAtSlots(
  { before, after }: Pair,
  input: RecordedInput,
  was: Rendering,
  is: Rendering,
): Promise<boolean> {
  if (!was.failed || !is.failed || withoutSpaces(was.prompt) !== withoutSpaces(is.prompt)) return false;
  const [wasMarked, isMarked] = [await before.renderMarked(input), await after.renderMarked(input)];
  return wasMarked !== null && wasMarked.prompt === isMarked?.prompt;
}

function difference(input: string, before: string, after: string): PromptDifference {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const start = Math.max(0, at - LEAD_CHARS);
  return { input, before: excerpt(before, start), after: excerpt(after, start) };
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
    .filter((key) => !sameJson(was[key], is[key]))
    .map((key) => ({ path: `metadata.${key}`, code: 'setting.differs', message: 'would not be the same' }));
}

/** Without the positions of tools, which change when functions leave the list. Nothing depends on them. */
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

/** Metadata version of a stored document; null when it cannot be read or the version is unknown. */
export function storedVersion({ definition }: RewriteSubject): MetadataVersion | null {
  const parsed = parseMetadata(definition.metadata);
  return parsed.ok && versionProblem(parsed.metadata) === null ? runningVersion(parsed.metadata) : null;
}

type Definition = RewriteSubject['definition'];

/**
 * Migrates a definition and proves the result: the new document can be saved, and all recorded inputs give the same
 * prompts up to runs of white space. Reads no database.
 */
@Injectable()
export class ProvedMigrator implements MetadataMigrator {
  private readonly renderer: PromptRenderer;

  constructor(
    private readonly checks: StaticChecks,
    strategies: StrategyCatalogue,
    @Inject(CONFIG) config: Config,
    @Optional() @Inject(PLUGINS) plugins?: Plugins,
  ) {
    this.renderer = new PromptRenderer(strategies, config, checks.vocabulary, plugins);
  }

  async plan(subject: RewriteSubject, to: MetadataVersion): Promise<RewritePlan> {
    const { id, definition } = subject;
    const eventLoop = new EventLoopYield();
    const from = storedVersion(subject);
    // The steps report documents that are unreadable or current.
    const old = from === null || from >= to ? null : this.renderer.open({ id, definition });
    if (old !== null && old.slots > MOST_SLOTS) return refused(from, [TOO_MANY_SLOTS]);
    await eventLoop.ifDue();
    const plan = migrateDefinition(definition, to, this.checks.vocabulary);
    if (plan.status === 'refused') return refused(plan.from, plan.problems);
    if (plan.status === 'current') return plan;
    await eventLoop.ifDue();
    const problems = this.problems(definition, plan);
    if (problems.length > 0) return refused(plan.from, problems);
    const before = old ?? this.renderer.open({ id, definition });
    const after = this.renderer.open({ id, definition: plan.definition });
    await eventLoop.ifDue();
    const changed = await compareDocuments(before, after, eventLoop);
    return changed.problems.length === 0 ? plan : refused(plan.from, changed.problems, changed.differences);
  }

  /** An invalid tool entry could lose members in a step, so entries are checked before and after. */
  private problems(definition: Definition, plan: RewritePlan & { readonly status: 'ready' }): readonly Problem[] {
    const of = (each: Definition): readonly Problem[] => this.checks.problems(definitionMetadata(each));
    const after = of(plan.definition);
    if (plan.from === 1) return after.map((problem) => ({ ...problem, path: classicPath(problem.path) }));
    const before = of(definition);
    return before.length > 0 ? before : after;
  }
}

const MOST_PROBLEMS = 100;

/** Problems may quote an author's text, cut anywhere. */
const refused = (
  from: MetadataVersion | null,
  problems: readonly Problem[],
  differences: readonly PromptDifference[] = [],
): RewritePlan => ({
  status: 'refused',
  from,
  problems: problems.slice(0, MOST_PROBLEMS).map((problem) => ({
    ...problem,
    path: problem.path.toWellFormed(),
    message: problem.message.toWellFormed(),
  })),
  differences,
});
