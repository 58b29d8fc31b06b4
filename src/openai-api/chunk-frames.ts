import type { Source } from '@bellwether/kernel';
import type { Completion } from '../answering';
import type { ModelChunk } from '../connectors';
import { dataFrame } from '../infrastructure/sse';

/** Members of every chunk of one answer. */
export interface ChunkIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

/** Identity of chunks that this service makes itself. */
export const ownIdentity = ({ run }: Pick<Completion, 'run'>, model: string): ChunkIdentity => ({
  id: `chatcmpl-${run.id}`,
  created: Math.floor(run.startedAt.getTime() / 1000),
  model,
});

/** Members that this service adds to OpenAI's shapes, as a JSON fragment without braces. */
export const extensionJson = (runId: string, sources: readonly Source[]): string =>
  `"run_id":${JSON.stringify(runId)},"sources":${JSON.stringify(sources)}`;

/** Appends the fragment to a JSON object without parsing it. */
export function spliced(json: string, fragment: string): string {
  const end = json.lastIndexOf('}');
  const head = json.slice(0, end).trimEnd();
  return `${head}${head.endsWith('{') ? '' : ','}${fragment}}`;
}

const EMPTY_CHOICES = /"choices"\s*:\s*\[\s*\]/;

/** The last chunk of a stream with usage: it has no choices. */
const isUsageOnly = (chunk: ModelChunk): boolean =>
  chunk.usage !== null && chunk.text === '' && chunk.finishReason === null && EMPTY_CHOICES.test(chunk.data);

export interface ChunkFraming {
  /** The vendor is always asked for usage. The client gets it on request. */
  readonly includeUsage: boolean;
  readonly extension: string;
}

/** Vendor chunks pass unchanged, except the one with the finish reason, which gets the extension. */
export function chunkFrame(chunk: ModelChunk, { includeUsage, extension }: ChunkFraming): string {
  if (chunk.finishReason !== null) return dataFrame(spliced(chunk.data, extension));
  if (chunk.usage !== null && !includeUsage && isUsageOnly(chunk)) return '';
  return dataFrame(chunk.data);
}
