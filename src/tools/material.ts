import { randomBytes } from 'node:crypto';
import type { JsonObject, Source } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { StructuredAnswers, type StructuredQuestion } from '../connectors';
import type {
  Citation,
  Evidence,
  Tool,
  ToolCaching,
  ToolContext,
  ToolDefinition,
  ToolInput,
  ToolOutcome,
  ToolOutput,
} from './contract';

type Question = Pick<StructuredQuestion, 'messages' | 'schema' | 'name' | 'maxTokens'>;

/** A tool that asks the organization's fast model one question about earlier results. */
@Injectable()
export abstract class AskingTool<Config = JsonObject> implements Tool<Config> {
  abstract readonly definition: ToolDefinition;
  readonly timeoutMs = 60_000;
  /** The connector retries. */
  readonly retries = 0;
  readonly caching: ToolCaching<Config> = { results: true };

  constructor(@Inject(StructuredAnswers) private readonly answers: Pick<StructuredAnswers, 'ask' | 'hostFor'>) {}

  abstract run(config: Config, input: ToolInput, context: ToolContext): Promise<ToolOutput>;

  target(_: Config, { owner, connector }: Pick<ToolContext, 'owner' | 'connector'>): Promise<string | null> {
    return this.answers.hostFor({ organizationId: owner.organizationId, connector });
  }

  protected ask<T>(context: ToolContext, question: Question): ReturnType<typeof this.answers.ask<T>> {
    const { owner, connector, signal, runId, remainingMs: timeoutMs } = context;
    return this.answers.ask<T>({
      organizationId: owner.organizationId,
      connector,
      signal,
      runId,
      timeoutMs,
      ...question,
    });
  }
}

interface DataFence {
  /** The line itself, for instructions that speak of it. */
  readonly line: string;
  readonly around: (text: string) => string;
}

/** Two unpredictable lines around data, so that the model does not follow instructions in it (prompt injection). */
export function dataFence(name: string): DataFence {
  const line = `${name}-${randomBytes(12).toString('hex')}`;
  const title = `The ${name} is everything between the two lines ${line}.`;
  return { line, around: (text) => `${title}\n${line}\n${text}\n${line}` };
}

/** An estimate, because no tokenizer is available here. */
const CHARS_PER_TOKEN = 4;

/** A part of an earlier tool's result that a model may refer to. */
export interface Piece {
  /** From 1, over all results. */
  readonly id: number;
  readonly text: string;
  readonly placeholder: string;
  /** Position in `Material.sources`; null when the source is not known. */
  readonly source: number | null;
}

/** Results of earlier tools as a model reads them. */
export interface Material {
  readonly pieces: readonly Piece[];
  /** The sources of all results without duplicates, by number. */
  readonly sources: readonly Source[];
  /** True when the budget cut something off. */
  readonly cut: boolean;
}

/**
 * Splits results with numbered passages (`sources_in_prompt: numbered`) into one piece per source; others stay whole.
 * Skips empty results and results of other `kinds`.
 */
export function materialOf(
  results: ReadonlyMap<string, ToolOutcome>,
  { maxTokens, kinds }: { readonly maxTokens: number; readonly kinds: readonly Evidence[] },
): Material {
  const usable = [...results].flatMap(([placeholder, outcome]) =>
    outcome.status === 'completed' && outcome.content.trim() !== '' && kinds.includes(outcome.evidence ?? 'found')
      ? [{ placeholder, outcome }]
      : [],
  );
  const sources = sourcesOf(usable.map(({ outcome }) => outcome.sources));
  const pieces: Piece[] = [];
  let left = maxTokens * CHARS_PER_TOKEN;
  let cut = false;
  for (const { placeholder, outcome } of usable) {
    for (const { text, source } of partsOf(outcome.content, outcome.sources)) {
      if (text.length > left) cut = true;
      const kept = text.slice(0, Math.max(0, left)).toWellFormed();
      left -= text.length;
      if (kept.trim() === '') continue;
      const position = source === null ? -1 : sources.findIndex(({ n }) => n === source.n);
      pieces.push({ id: pieces.length + 1, text: kept, placeholder, source: position === -1 ? null : position });
    }
  }
  return { pieces, sources, cut };
}

/** The pieces as data: one JSON line each, between two unpredictable lines (prompt-injection fence). */
export const shown = ({ pieces }: Material, fence: DataFence): string =>
  fence.around(pieces.map(({ id, text }) => JSON.stringify({ piece: id, text })).join('\n'));

/** Numbers are unique in a run: two tools that found the same source give it the same number. */
function sourcesOf(lists: readonly (readonly Source[])[]): readonly Source[] {
  const byNumber = new Map<number, Source>();
  for (const source of lists.flat()) {
    if (source.n !== undefined && !byNumber.has(source.n)) byNumber.set(source.n, source);
  }
  return [...byNumber.keys()].sort((a, b) => a - b).flatMap((n) => byNumber.get(n) ?? []);
}

interface Part {
  readonly text: string;
  readonly source: Source | null;
}

/** `[n] text` blocks in the order of the sources; one part where the text does not look like that. */
function partsOf(content: string, sources: readonly Source[]): readonly Part[] {
  const starts: number[] = [];
  let from = 0;
  for (const { n } of sources) {
    const mark = `${starts.length === 0 ? '' : '\n\n'}[${n}] `;
    const at = n === undefined ? -1 : content.indexOf(mark, from);
    if (at === -1 || (starts.length === 0 && at !== 0)) return [whole(content, sources)];
    starts.push(at);
    from = at + mark.length;
  }
  if (starts.length === 0) return [whole(content, sources)];
  return starts.map((start, index) => ({
    text: content
      .slice(start, starts[index + 1])
      .trim()
      .replace(/^\[\d+\] /, ''),
    source: sources[index] ?? null,
  }));
}

const whole = (content: string, sources: readonly Source[]): Part => ({
  text: content,
  source: sources.length === 1 ? (sources[0] ?? null) : null,
});

/** A text with source numbers: written here when they are known, else by the engine after all tools (`Citation`). */
export class CitedText {
  content = '';
  readonly citations: Citation[] = [];

  constructor(
    private readonly sources: readonly Source[],
    private readonly numbersStand: boolean,
  ) {}

  add(text: string): this {
    this.content += text;
    return this;
  }

  cite(source: number): this {
    if (this.numbersStand) this.content += String(this.sources[source]?.n ?? '');
    else this.citations.push({ at: this.content.length, source });
    return this;
  }

  /** Part of a tool's output. `sources` is empty unless `citations` refer to its positions. */
  get output(): { content: string; citations: readonly Citation[]; sources: readonly Source[] } {
    const { content, citations } = this;
    return { content, citations, sources: citations.length === 0 ? [] : this.sources.map(withoutNumber) };
  }
}

const withoutNumber = ({ n: _n, ...source }: Source): Source => source;
