import type { ModelChunk } from '../../connectors';
import type { Source } from '../../kernel';
import { dataFrame } from '../../platform/sse';

/** Members that this service adds to OpenAI's shapes, as a JSON fragment without braces. */
export const extensionJson = (runId: string, sources: readonly Source[]): string =>
  `"run_id":${JSON.stringify(runId)},"sources":${JSON.stringify(sources)}`;

/** Puts the fragment behind the last member of a JSON object without parsing it. */
export function spliced(json: string, fragment: string): string {
  const end = json.lastIndexOf('}');
  const head = json.slice(0, end).trimEnd();
  return `${head}${head.endsWith('{') ? '' : ','}${fragment}}`;
}

const EMPTY_CHOICES = /"choices"\s*:\s*\[\s*\]/;

/** The chunk that vendors send last when asked for usage: no choices, only figures. */
const isUsageOnly = (chunk: ModelChunk): boolean =>
  chunk.usage !== null && chunk.text === '' && chunk.finishReason === null && EMPTY_CHOICES.test(chunk.data);

export interface ChunkFraming {
  /** We always ask the vendor for usage; the client gets it only when it asked too. */
  readonly includeUsage: boolean;
  readonly extension: string;
}

/** Vendor chunks pass as they are; the one with the finish reason carries the extension. */
export function chunkFrame(chunk: ModelChunk, { includeUsage, extension }: ChunkFraming): string {
  if (chunk.finishReason !== null) return dataFrame(spliced(chunk.data, extension));
  if (chunk.usage !== null && !includeUsage && isUsageOnly(chunk)) return '';
  return dataFrame(chunk.data);
}
