import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { BadUsage, type CommandContext, type CommandResult } from '../../../src/infrastructure/commands';

export interface ReplayOptions {
  readonly url: string;
  readonly assistant?: string;
  readonly from?: string;
  readonly to?: string;
  readonly last: string;
  readonly run?: readonly string[];
  readonly recorded?: true;
  readonly strategy?: string;
  readonly connector?: string;
  readonly model?: string;
  readonly versionNumber?: string;
  readonly tool?: readonly string[];
  readonly leaveOutMissing?: true;
}

interface Totals {
  readonly runs: number;
  readonly failed: number;
  readonly duration_ms: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_micros: number;
}

interface Comparison extends JsonObject {
  readonly id: string;
  readonly status: string;
  readonly finished_at: string | null;
  readonly total: number;
  readonly done: number;
  readonly before: Totals;
  readonly after: Totals;
}

const LOOK_MS = 1_000;

/** Acts with the rights and limits of the key's owner. Ctrl-C cancels what has not begun. */
export async function replayRuns(
  options: ReplayOptions,
  { environment, signal, progress }: CommandContext,
): Promise<CommandResult> {
  const key = environment['BELLWETHER_KEY'];
  if (key === undefined || key === '') throw new BadUsage('BELLWETHER_KEY must hold an API key with the scope write');
  const ask = asking(new URL('/api/v1/', options.url), key);
  const { id } = await ask('POST', 'replays', bodyOf(options));
  let comparison = await ask('GET', `replays/${id}`);
  while (comparison.finished_at === null) {
    progress.report({ done: comparison.done, total: comparison.total, text: 'repeated' });
    const left = await sleep(LOOK_MS, undefined, { signal }).then(
      () => false,
      () => true,
    );
    if (left) {
      await ask('POST', `replays/${id}/cancel`);
      return { text: 'Cancelled. Repetitions that have ended stay.', data: { ...comparison }, ok: false };
    }
    comparison = await ask('GET', `replays/${id}`);
  }
  const ok = comparison.after.runs === comparison.total && comparison.after.failed === 0;
  return { text: tableOf(comparison, options.url), data: { ...comparison }, ok };
}

function bodyOf(options: ReplayOptions): JsonObject {
  const { run, assistant, from, to, strategy, connector, model, versionNumber, tool } = options;
  const changes = {
    orchestrator: strategy,
    connector,
    llm: model,
    version: versionNumber === undefined ? undefined : numberIn(versionNumber, '--version-number'),
    tools: tool === undefined ? undefined : toolsOf(tool),
  };
  const matching = {
    assistant_id: assistant === undefined ? undefined : numberIn(assistant, '--assistant'),
    ...{ from, to, last: numberIn(options.last, '--last') },
  };
  return {
    mode: options.recorded === true ? 'recorded' : 'fresh',
    changes,
    leave_out_missing: options.leaveOutMissing === true,
    ...(run === undefined ? matching : { run_ids: run }),
  };
}

function numberIn(text: string, option: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new BadUsage(`${option} must be a number from 1`);
  return number;
}

/** `1_context.top_k=5` sets a member of the settings, as JSON where it is JSON; `1_context.top_k` leaves it out. */
export function toolsOf(settings: readonly string[]): JsonObject {
  const tools = new Map<string, { readonly config: Record<string, unknown>; readonly unset: string[] }>();
  for (const setting of settings) {
    const [, placeholder = '', name = '', value] = /^([^.=]+)\.([^.=]+)(?:=(.*))?$/s.exec(setting) ?? [];
    if (name === '') throw new BadUsage('--tool must be <placeholder>.<setting>=<value> or <placeholder>.<setting>');
    const change = tools.get(placeholder) ?? { config: {}, unset: [] };
    tools.set(placeholder, change);
    if (value === undefined) change.unset.push(name);
    else change.config[name] = valueOf(value);
  }
  return Object.fromEntries(tools);
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const asking =
  (base: URL, key: string) =>
  async (method: string, path: string, body?: JsonObject): Promise<Comparison> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const answer = await fetch(new URL(path, base), init);
    const read: unknown = await answer.json().catch(() => null);
    if (answer.ok) return read as Comparison;
    throw new Error(detailOf(read) ?? `${base.origin} answered ${answer.status}`);
  };

function detailOf(problem: unknown): string | null {
  if (!isJsonObject(problem) || typeof problem['detail'] !== 'string') return null;
  const errors: readonly unknown[] = Array.isArray(problem['errors']) ? problem['errors'] : [];
  const lines = errors.filter(isJsonObject).map(({ path, message }) => `  ${String(path)}: ${String(message)}`);
  return [problem['detail'], ...lines].join('\n');
}

function tableOf({ id, total, before, after }: Comparison, url: string): string {
  const rows: readonly (readonly [string, (totals: Totals) => string])[] = [
    ['runs', ({ runs }) => `${runs} of ${total}`],
    ['failed', ({ failed }) => String(failed)],
    ['time', ({ duration_ms: ms }) => `${(ms / 1_000).toFixed(1)} s`],
    ['prompt tokens', ({ prompt_tokens: tokens }) => String(tokens)],
    ['answer tokens', ({ completion_tokens: tokens }) => String(tokens)],
    ['cost', ({ cost_micros: micros }) => (micros / 1e6).toFixed(4)],
  ];
  const line = (label: string, one: string, other: string): string =>
    `${label.padEnd(14)}${one.padStart(14)}${other.padStart(14)}`;
  const figures = rows.map(([label, of]) => line(label, of(before), of(after)));
  return [line('', 'before', 'repeated'), ...figures, new URL(`/replays/${id}`, url).href].join('\n');
}
